package diag

import (
	"strings"
	"unicode/utf8"
)

// A Printer writes diagnostics as text for people. Its zero value writes the text that
// [Diagnostic.Error] returns, without control characters.
type Printer struct {
	// Texts has texts by the names of their files. A diagnostic in one of them is followed by its line, with a
	// caret at its place and an underline to its end. Diagnostics in other files have no
	// such lines.
	Texts Texts
	Color bool // write the escape sequences of colours
}

// Escape sequences of terminals.
const (
	bold  = "\x1b[1m"
	green = "\x1b[1;32m"
	reset = "\x1b[0m"
)

var severityColors = [...]string{
	Error:   "\x1b[1;31m",
	Warning: "\x1b[1;35m",
	Note:    "\x1b[1;36m",
}

// Append appends each diagnostic of a list, the line that it is about, and its
// related places, indented by a tab. Every line ends in "\n".
func (p *Printer) Append(dst []byte, list List) []byte {
	for _, d := range list {
		dst = p.one(dst, d, Printable)
	}
	return dst
}

// one appends a diagnostic. printable turns each of its texts into the text that is written.
func (p *Printer) one(dst []byte, d *Diagnostic, printable func(string) string) []byte {
	dst = p.paint(dst, bold, Place(printable(d.File), d.Pos))
	color := ""
	if int(d.Severity) < len(severityColors) {
		color = severityColors[d.Severity]
	}
	dst = p.paint(dst, color, d.Severity.String()+":")
	dst = append(dst, " "+printable(d.Msg)...)
	if d.Code != "" {
		dst = append(dst, " ["+printable(string(d.Code))+"]"...)
	}
	dst = append(dst, '\n')
	dst = p.excerpt(dst, "", d.File, d.Pos, d.End)
	for i := range d.Related {
		r := &d.Related[i]
		file := d.FileOf(r)
		dst = append(dst, '\t')
		dst = p.paint(dst, bold, Place(printable(file), r.Pos))
		dst = append(dst, printable(r.Msg)+"\n"...)
		dst = p.excerpt(dst, "\t", file, r.Pos, r.End)
	}
	return dst
}

func (p *Printer) paint(dst []byte, color, s string) []byte {
	if !p.Color || s == "" || color == "" {
		return append(dst, s...)
	}
	return append(dst, color+s+reset...)
}

// shown is how many bytes of a line are shown on either side of a position.
const shown = 60

// excerpt appends the line of a position and marks the position in it, and the range up to the
// end if that is on the same line. A long line is cut around the position.
func (p *Printer) excerpt(dst []byte, indent, file string, pos, end Pos) []byte {
	text := p.Texts[file]
	if text == nil || !pos.IsValid() {
		return dst
	}
	line, ok := text.Line(pos.Line)
	at := int(pos.Col) - 1
	if !ok || at < 0 || at > len(line) {
		return dst
	}
	first, last := max(0, at-shown), min(len(line), at+shown)
	head, tail := display(line[first:at]), display(line[at:last])
	mark := "^"
	if to := int(end.Col) - 1; end.Line == pos.Line && at < to && to <= len(line) {
		_, size := utf8.DecodeRuneInString(line[at:])
		if under := min(to, last); at+size < under {
			mark += blank(display(line[at+size:under]), '~')
		}
	}
	if first > 0 {
		head = "..." + head
	}
	if last < len(line) {
		tail += "..."
	}
	dst = append(dst, indent+head+tail+"\n"+indent+blank(head, ' ')...)
	dst = p.paint(dst, green, mark)
	return append(dst, '\n')
}

// blank returns s with each character but tabs replaced by another one.
func blank(s string, with rune) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return with
	}, s)
}

// display returns text that is safe for a terminal, a cell for each character: control characters and bytes that are
// not UTF-8 become '?'.
func display(text string) string {
	s := strings.ToValidUTF8(text, "?")
	return strings.Map(func(r rune) rune {
		if r != '\t' && (isControl(r) || r == utf8.RuneError) {
			return '?'
		}
		return r
	}, s)
}
