package report

import (
	"bufio"
	"io"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A Style says how Text writes.
type Style struct {
	// Sources is set to show the line of the source, with a caret below the
	// column.
	Sources Sources
	// Color is set to colour severities, carets and codes.
	Color bool
}

// Text writes each complaint as "file:line:col: severity: message [code]". Its
// related positions follow, indented by a tab.
//
//	x.ptx:7:25: error: %v is .reg .v4 .f32, and the formal is .reg .v2 .f32 [MismatchedVector]
//	        call f, (%v);
//	                 ^
//		x.ptx:3:9: formal x of f is declared here
func Text(w io.Writer, list ptx.ErrorList, style Style) error {
	b := bufio.NewWriter(w)
	src := lines{sources: style.Sources}
	for _, e := range list {
		writeError(b, e, style)
		excerpt(b, &src, e.File, e.Pos, style)
		for _, r := range e.Related {
			b.WriteString("\t")
			writePlace(b, fileOf(e, r), r.Pos)
			b.WriteString(oneLine(r.Msg) + "\n")
		}
	}
	return b.Flush()
}

func writeError(b *bufio.Writer, e *ptx.Error, style Style) {
	writePlace(b, e.File, e.Pos)
	color := ""
	if style.Color {
		color = colorOf(e.Severity)
	}
	paint(b, color, e.Severity.String()+":")
	b.WriteString(" " + oneLine(e.Msg))
	if e.Code != "" {
		if style.Color {
			color = faint
		}
		b.WriteString(" ")
		paint(b, color, "["+e.Code+"]")
	}
	b.WriteString("\n")
}

func writePlace(b *bufio.Writer, file string, pos ptx.Pos) {
	switch {
	case pos.IsValid():
		if file == "" {
			file = "-"
		}
		b.WriteString(file + ":" + pos.String() + ": ")
	case file != "":
		b.WriteString(file + ": ")
	}
}

// Escape sequences of ECMA-48, which terminals understand.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	blue   = "\x1b[1;34m"
	faint  = "\x1b[2m"
	reset  = "\x1b[0m"
)

func colorOf(s ptx.Severity) string {
	switch s {
	case ptx.SeverityError:
		return red
	case ptx.SeverityWarning:
		return yellow
	}
	return blue
}

func paint(b *bufio.Writer, color, text string) {
	if color == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(color + text + reset)
}

// A line of source is cut to a window around the caret.
const (
	windowBefore = 60
	windowAfter  = 60
)

// excerpt writes the line of a position and a caret below its column.
func excerpt(b *bufio.Writer, src *lines, file string, pos ptx.Pos, style Style) {
	line, ok := src.line(file, pos.Line)
	if !ok {
		return
	}
	at := min(int(pos.Col)-1, len(line))
	if at < 0 {
		at = 0
	}
	start, end := 0, len(line)
	lead, tail := "", ""
	if at > windowBefore+8 {
		start, lead = at-windowBefore, "…"
	}
	if len(line)-at > windowAfter+8 {
		end, tail = at+windowAfter, "…"
	}
	// A character is not cut in half.
	for start > 0 && start < len(line) && line[start]&0xC0 == 0x80 {
		start++
	}
	for end < len(line) && line[end]&0xC0 == 0x80 {
		end++
	}
	start = min(start, at)
	b.WriteString("\t" + lead + clean(line[start:end]) + tail + "\n")
	b.WriteString("\t")
	if lead != "" {
		b.WriteString(" ")
	}
	for _, c := range line[start:at] {
		if c == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	color := ""
	if style.Color {
		color = red
	}
	paint(b, color, "^")
	b.WriteString("\n")
}

// oneLine returns a message without line ends, which operands of the source may
// have brought into it.
func oneLine(s string) string {
	return clean(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}

// clean replaces control characters, which a terminal would obey.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r == 0x7f) {
			return '·'
		}
		return r
	}, s)
}
