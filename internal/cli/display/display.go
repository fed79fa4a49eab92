// Package display lays out text for people and terminals: paragraphs, tables, lists.
package display

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

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

// Fold breaks the lines of a text that are longer than width characters, where their words allow: the rest of a line
// stands below it, four further in.
func Fold(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, end := strings.CutSuffix(line, "\n")
		indent := body[:len(body)-len(strings.TrimLeft(body, " "))]
		for first := true; utf8.RuneCountInString(body) > width; first = false {
			at, column, from := -1, 0, len(indent)
			for i, c := range body {
				if c == ' ' && i > from && column <= width {
					at = i
				}
				column++
			}
			if at < 0 {
				break
			}
			b.WriteString(strings.TrimRight(body[:at], " ") + "\n")
			if first {
				indent += "    "
			}
			body = indent + strings.TrimLeft(body[at:], " ")
		}
		b.WriteString(body)
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
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

// Columns is the width of text for people, in characters.
const Columns = 100

// Table is rows of as many cells each in columns, two blanks apart, after an indent. The columns that right names
// are aligned to the right. Where lines would be longer than width, or than [Columns] if the words need more than width, the words of the widest cells go on in the lines
// below.
func Table(rows [][]string, indent string, width int, right ...int) string {
	widths, least := make([]int, len(rows[0])), make([]int, len(rows[0]))
	total, fits := len(indent)-2, len(indent)-2
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		total += widths[i] + 2
	}
	for i := range widths {
		if width = cmp.Or(width, Columns); total <= width {
			break // the words stay in their lines
		}
		for _, row := range rows {
			for word := range strings.FieldsSeq(row[i]) {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
		fits += least[i] + 2
	}
	if width < fits {
		width = Columns // a screen too narrow for the words
	}
	for total > width {
		widest := -1
		for i := range widths {
			if widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		total--
	}
	var b []byte
	for _, row := range rows {
		cells, lines := make([][]string, len(row)), 1
		for i, cell := range row {
			if cells[i] = row[i : i+1]; utf8.RuneCountInString(cell) > widths[i] {
				cells[i] = Wrap(cell, widths[i])
			}
			lines = max(lines, len(cells[i]))
		}
		for n := range lines {
			b = append(b, indent...)
			for i := range row {
				if widths[i] == 0 {
					continue
				}
				text := ""
				if n < len(cells[i]) {
					text = cells[i][n]
				}
				pad := widths[i] - utf8.RuneCountInString(text)
				if slices.Contains(right, i) {
					b, pad = append(blanks(b, pad), text...), 0
				} else {
					b = append(b, text...)
				}
				b = blanks(b, pad+2)
			}
			b = append(bytes.TrimRight(b, " "), '\n')
		}
	}
	return string(b)
}

// blanks appends so many blanks; none for less than one.
func blanks(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

// First writes n lines of a list, or the first few and what says how many more there are: a format for their number. It does not
// say that of one.
func First(b *strings.Builder, n, few int, more string, line func(i int)) {
	for i := range n {
		if i == few && n > few+1 {
			fmt.Fprintf(b, more+"\n", n-i)
			return
		}
		line(i)
	}
}
