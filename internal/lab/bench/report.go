package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// Replace returns a document with the text between the lines
//
//	<!-- begin NAME -->
//	<!-- end NAME -->
//
// replaced. It is an error if they are not there, each once and in this order.
func Replace(doc []byte, name string, text []byte) ([]byte, error) {
	begin, end := []byte("<!-- begin "+name+" -->\n"), []byte("<!-- end "+name+" -->\n")
	if bytes.Count(doc, begin) != 1 || bytes.Count(doc, end) != 1 {
		return nil, fmt.Errorf("the document needs one line %q and one line %q", bytes.TrimSpace(begin), bytes.TrimSpace(end))
	}
	head, rest, _ := bytes.Cut(doc, begin)
	_, tail, ok := bytes.Cut(rest, end)
	if !ok {
		return nil, fmt.Errorf("%q stands after %q", bytes.TrimSpace(begin), bytes.TrimSpace(end))
	}
	return bytes.Join([][]byte{head, begin, text, end, tail}, nil), nil
}

// A Table is a table of a document. The cells of its first row are the heads
// of the columns; the first column is set to the left, all others to the right.
type Table [][]string

// Markdown returns the table as Markdown.
func (t Table) Markdown() []byte {
	var b []byte
	for i, row := range t {
		b = fmt.Appendf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b = fmt.Appendf(b, "| ---%s |\n", strings.Repeat(" | ---:", len(row)-1))
		}
	}
	return b
}
