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
