// Package prose has phrases for the messages of several packages.
package prose

import "fmt"

// Count returns a number of things in words: "1 place", "2 places".
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

// Assumed returns the message that the facts of a target are assumed, and from which other target.
func Assumed(name, from string) string {
	return name + " has not been measured: its facts are assumed, taken over from " + from
}

// Extents returns the extents of an array as PTX writes them: "[4][]". A negative one stands for [].
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
