// Package prose has phrases that several packages write in messages.
package prose

import "fmt"

// Count is a number of things, as one says it: "1 place", "2 places".
func Count[N int | int64](n N, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprint(n) + " " + word + "s"
}

// Name returns name number i of a kind of things, "Kind(7)" if there is none.
func Name[N ~uint8](kind string, i N, names ...string) string {
	if int(i) < len(names) && names[i] != "" {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(i))
}

// Assumed says of a target that its facts are assumed, those of another.
func Assumed(name, from string) string {
	return name + " has not been measured: its facts are assumed, taken over from " + from
}

// Extents are those of an array, as PTX writes them: "[4][]". One that is negative is none.
func Extents(dims []int64) string {
	text := ""
	for _, n := range dims {
		if n < 0 {
			text += "[]"
		} else {
			text += fmt.Sprintf("[%d]", n)
		}
	}
	return text
}
