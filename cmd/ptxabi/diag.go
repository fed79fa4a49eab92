package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/diag"
)

// A printer writes complaints about a module.
type printer struct {
	w     io.Writer
	src   *source // nil to show no source lines
	color bool
}

// newPrinter returns a printer to standard error. Source lines are for
// terminals; so are colours, unless the flag says otherwise.
func newPrinter(e env, color string, src *source) printer {
	p := printer{w: e.stderr}
	if e.terminal {
		p.src = src
	}
	switch color {
	case "always":
		p.color = true
	case "auto":
		p.color = e.terminal && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
	}
	return p
}

// isTerminal reports whether f is a terminal, as far as the standard library
// can tell.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p printer) all(list diag.List) {
	var b bytes.Buffer
	for _, e := range list {
		p.one(&b, e)
	}
	p.w.Write(b.Bytes())
}

// Escape sequences of terminals.
const (
	bold  = "\x1b[1m"
	green = "\x1b[1;32m"
	reset = "\x1b[0m"
)

var severityColors = map[diag.Severity]string{
	diag.Error:   "\x1b[1;31m",
	diag.Warning: "\x1b[1;35m",
	diag.Note:    "\x1b[1;36m",
}

// one writes a complaint, the line it is about, and the places that belong to
// it, indented.
func (p printer) one(b *bytes.Buffer, e *diag.Diagnostic) {
	b.WriteString(p.paint(bold, where(e.File, e.Pos)))
	b.WriteString(p.paint(severityColors[e.Severity], e.Severity.String()+":"))
	b.WriteString(" " + printable(e.Msg))
	if e.Code != "" {
		b.WriteString(" [" + string(e.Code) + "]")
	}
	b.WriteByte('\n')
	p.excerpt(b, "", e.File, e.Pos)
	for _, r := range e.Related {
		file := r.File
		if file == "" {
			file = e.File
		}
		b.WriteString("\t" + p.paint(bold, where(file, r.Pos)) + printable(r.Msg) + "\n")
		p.excerpt(b, "\t", file, r.Pos)
	}
}

func (p printer) paint(color, s string) string {
	if !p.color || s == "" {
		return s
	}
	return color + s + reset
}

// where is what stands before a message.
func where(file string, pos diag.Pos) string {
	if !pos.IsValid() {
		return printable(file) + ": "
	}
	return fmt.Sprintf("%s:%s: ", printable(file), pos)
}

// excerpt writes the source line at pos, and a caret below the place. A long
// line is cut around it.
func (p printer) excerpt(b *bytes.Buffer, indent, file string, pos diag.Pos) {
	if p.src == nil || file != p.src.name || !pos.IsValid() {
		return
	}
	line, ok := lineAt(p.src.text, int(pos.Line))
	at := int(pos.Col) - 1
	if !ok || at > len(line) {
		return
	}
	const before, after = 60, 60
	first, last := max(0, at-before), min(len(line), at+after)
	head, tail := display(line[first:at]), display(line[at:last])
	if first > 0 {
		head = "..." + head
	}
	if last < len(line) {
		tail += "..."
	}
	blank := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, head)
	fmt.Fprintf(b, "%s%s%s\n%s%s%s\n", indent, head, tail, indent, blank, p.paint(green, "^"))
}

// display is text as a terminal may see it, a cell for each rune.
func display(text string) string {
	s := strings.ToValidUTF8(text, "?")
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || 0x7f <= r && r < 0xa0 || r == utf8.RuneError) {
			return '?'
		}
		return r
	}, s)
}

// lineAt returns line n of text, counted from 1, without its end and without
// the byte-order mark, which columns do not count.
func lineAt(text string, n int) (line string, ok bool) {
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	for ; n > 1; n-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return "", false
		}
		text = text[i+1:]
	}
	line, _, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), true
}
