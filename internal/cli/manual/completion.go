package manual

import (
	"embed"
	"slices"
	"strings"
	"text/template"

	"github.com/ptxabi/ptxabi/internal/cli/display"
)

// quotes are the shells that have a script, with their quotation of a text.
var quotes = map[string]*strings.Replacer{
	"bash": strings.NewReplacer(),
	"zsh":  strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`),
	"fish": strings.NewReplacer(`\`, `\\`, "'", `\'`),
}

// Shells are those that there are scripts for.
var Shells = []string{"bash", "zsh", "fish"}

//go:embed templates
var templates embed.FS

// Script returns the script with which one of the [Shells] completes a program's
// commands, their flags, and the values of those flags that have few. Another shell is
// an error.
func (p *Program) Script(shell string) (string, error) {
	if err := OneOf("", shell, Shells); err != nil {
		return "", err
	}
	return p.fill(shell, quotes[shell].Replace), nil
}

// fill fills one of the templates.
func (p *Program) fill(name string, quote func(string) string) string {
	funcs := template.FuncMap{
		"quote": quote, "line": line, "paragraphs": paragraphs, "upper": strings.ToUpper,
		"join": func(words []string) string { return strings.Join(words, " ") },
	}
	var b strings.Builder
	if err := template.Must(template.New(name+".txt").Funcs(funcs).ParseFS(templates, "templates/"+name+".txt")).Execute(&b, p); err != nil {
		panic("manual: " + err.Error()) // a mistake in the template
	}
	return b.String()
}

// Listed are the commands that help lists.
func (p *Program) Listed() []Command {
	return slices.DeleteFunc(slices.Clone(p.Commands), func(c Command) bool { return c.Short == "" })
}

// Each is all commands; of a program without the one that it is, without a name.
func (p *Program) Each() []Command {
	if p.Commands == nil {
		return []Command{{Help: p.Help}}
	}
	return p.Commands
}

// Brief is the beginning of the description of a flag: a sentence, or as many words of it as fit beside the flag.
func (f *Flag) Brief() string {
	const most = 72
	text, _, _ := strings.Cut(oneLine(f.Text), ". ")
	if lines := display.Wrap(text, most); len(lines) > 1 {
		return strings.TrimRight(lines[0], ",;:") + " …"
	}
	return text
}

// Words are the values that a shell completes; nil for those that nothing lists.
func (f *Flag) Words() []string {
	if f.Values != nil {
		return f.Values
	}
	return f.Hints
}

// NamesFile reports whether the argument of a flag is a file or a folder.
func (f *Flag) NamesFile() bool { return f.Arg == "FILE" || f.Arg == "DIR" }

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
