package manual

import (
	"fmt"
	"strings"
)

// A Page is what a page for man is made of.
type Page struct {
	Name  string // of the program
	Short string // one line
	Head  Help   // of the program
	// Commands are its subcommands; nil for a program without.
	Commands []Command
}

// A Command is a subcommand.
type Command struct {
	Name, Short string
	Help        Help
}

// Roff returns the page in the man macros of troff. It has no date: the same
// text gives the same page.
func (p Page) Roff() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".\\\" Made from the help texts of %s; do not edit.\n", p.Name)
	fmt.Fprintf(&b, ".TH %s 1\n", strings.ToUpper(p.Name))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", p.Name, escape(p.Short))
	usage := []string{p.Head.Usage}
	if p.Commands != nil {
		usage = nil
		for _, c := range p.Commands {
			usage = append(usage, c.Help.Usage)
		}
	}
	for i, u := range usage {
		if i > 0 {
			b.WriteString(".br\n")
		}
		b.WriteString(line(u))
	}
	b.WriteString(".SH DESCRIPTION\n")
	blocks(&b, p.Head.Blocks)
	if p.Commands != nil {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, c := range p.Commands {
		fmt.Fprintf(&b, ".SS %s\n", escape(c.Name+" - "+c.Short))
		b.WriteString(".B " + escape(c.Help.Usage) + "\n")
		blocks(&b, c.Help.Blocks)
	}
	return []byte(b.String())
}

func blocks(b *strings.Builder, list []Block) {
	for _, block := range list {
		switch {
		case block.Flags != nil:
			for _, f := range block.Flags {
				b.WriteString(".TP\n.B " + escape("-"+f.Name))
				if f.Arg != "" {
					b.WriteString(" " + escape(f.Arg))
				}
				b.WriteString("\n" + line(f.Text))
			}
		case block.Lines != nil:
			b.WriteString(".PP\n.EX\n")
			for _, l := range block.Lines {
				b.WriteString(line(l))
			}
			b.WriteString(".EE\n")
		default:
			b.WriteString(".PP\n" + line(block.Text))
		}
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
