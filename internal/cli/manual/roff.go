package manual

import "strings"

// Roff returns the page in the man macros of troff. It has no date: the same
// text gives the same page.
func (p *Program) Roff() []byte { return []byte(p.fill("man", escape)) }

// paragraphs is a text of several. Indented lines stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	for part := range split(text) {
		if !verbatim(part) {
			b.WriteString(".PP\n" + line(part))
			continue
		}
		b.WriteString(".PP\n.EX\n")
		for l := range strings.SplitSeq(part, "\n") {
			b.WriteString(asIs(strings.TrimPrefix(l, "  ")))
		}
		b.WriteString(".EE\n")
	}
	return b.String()
}

// line is a paragraph as a line.
func line(text string) string { return asIs(oneLine(text)) }

// asIs is text as a line that troff takes as it is.
func asIs(text string) string {
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
