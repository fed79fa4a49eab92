package manual

import (
	"fmt"
	"strings"
)

// Roff returns the page in the man macros of troff. It has no date: the same
// text gives the same page.
func (p *Program) Roff() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".\\\" Made from the help texts of %s; do not edit.\n", p.Name)
	fmt.Fprintf(&b, ".TH %s 1\n", strings.ToUpper(p.Name))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", p.Name, escape(p.Short))
	listed := p.listed()
	if listed == nil {
		b.WriteString(line(p.Help.Usage))
	}
	for i, c := range listed {
		if i > 0 {
			b.WriteString(".br\n")
		}
		b.WriteString(line(c.Help.Usage))
	}
	b.WriteString(".SH DESCRIPTION\n")
	p.Help.roff(&b)
	if listed != nil {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, c := range listed {
		fmt.Fprintf(&b, ".SS %s\n.B %s\n", escape(c.Name+" - "+c.Short), escape(c.Help.Usage))
		c.Help.roff(&b)
	}
	return []byte(b.String())
}

// roff writes all but the usage.
func (h *Help) roff(b *strings.Builder) {
	paragraphs(b, h.Text)
	for _, f := range h.Flags {
		b.WriteString(".TP\n.B " + escape(f.line()) + "\n" + line(oneLine(f.Text)))
	}
	paragraphs(b, h.More)
}

// paragraphs writes a text. Indented lines stay as they are.
func paragraphs(b *strings.Builder, text string) {
	for part := range split(text) {
		if !verbatim(part) {
			b.WriteString(".PP\n" + line(oneLine(part)))
			continue
		}
		b.WriteString(".PP\n.EX\n")
		for l := range strings.SplitSeq(part, "\n") {
			b.WriteString(line(strings.TrimPrefix(l, "  ")))
		}
		b.WriteString(".EE\n")
	}
}

// line is text as a line that troff takes as it is.
func line(text string) string {
	text = escape(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text + "\n"
}

// escape keeps troff from reading hyphens as such, and backslashes as commands.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
}
