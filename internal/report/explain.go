package report

import (
	"bufio"
	"io"
	"strings"

	"github.com/ptxabi/ptxabi/check"
)

// Explain writes the rule, an example, the mend and the source of a code.
func Explain(w io.Writer, e check.Explanation) error {
	b := bufio.NewWriter(w)
	b.WriteString(e.Code + " (" + e.Severity.String() + ")\n\n")
	b.WriteString(fold(e.Rule) + "\n\n")
	switch {
	case len(e.Modules) > 0:
		b.WriteString("Example of modules that draw it when linked:\n\n")
		for i, src := range e.Modules {
			if i > 0 {
				b.WriteString("\n")
			}
			writeExample(b, src)
		}
	case e.Compile:
		b.WriteString("Example, judged with -c:\n\n")
		writeExample(b, e.Example)
	default:
		b.WriteString("Example:\n\n")
		writeExample(b, e.Example)
	}
	b.WriteString("\n" + fold("Mend: "+e.Mend) + "\n")
	b.WriteString(fold("Source: "+e.Source) + "\n")
	return b.Flush()
}

func writeExample(b *bufio.Writer, src string) {
	for line := range strings.Lines(strings.TrimRight(src, "\n") + "\n") {
		b.WriteString("\t" + line)
	}
}

// fold breaks a paragraph into lines of at most 80 columns, where its words
// allow.
func fold(text string) string {
	var b strings.Builder
	col := 0
	for _, word := range strings.Fields(text) {
		if col > 0 && col+1+len(word) > 80 {
			b.WriteByte('\n')
			col = 0
		}
		if col > 0 {
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += len(word)
	}
	return b.String()
}
