// Package prose has what several packages do with text: for people, and of lists and names.
package prose

import (
	"fmt"
	"strings"
)

// Count is a number of things, as one says it: "1 place", "2 places".
func Count[N int | int64](n N, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprint(n) + " " + word + "s"
}

// Wrap breaks a paragraph into lines of at most width bytes, where its words allow. There
// is one line at least.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// List parts a list at its commas but those between brackets, such as those of template
// arguments. Blanks around the parts are left out.
func List(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range list {
		switch {
		case strings.ContainsRune("[(<", c):
			depth++
		case strings.ContainsRune("])>", c):
			depth--
		case c == ',' && depth <= 0:
			out = append(out, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(list[start:]))
}

// Sentence is the first sentence of a text, with its full stop; all of it where none ends.
func Sentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
