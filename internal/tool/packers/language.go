package packers

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// A language is one that is generated.
type language uint8

const (
	golang language = iota
	rust
	python
)

// String returns the name: "Rust".
func (l language) String() string { return [...]string{"Go", "Rust", "Python"}[l] }

// ends are the ends of the names of files in each language.
var ends = [...]string{golang: ".go", rust: ".rs", python: ".py"}

// chooseLanguage finds the language to generate, by Config.Lang or by the output's name, and leaves that of
// headers in Config.Lang.
func (g *generator) chooseLanguage() error {
	switch g.Lang {
	case "", "c", "c++":
	case "rust", "python":
		g.output = map[string]language{"rust": rust, "python": python}[g.Lang]
		g.asked, g.Lang = g.Lang, ""
	default:
		return fmt.Errorf("-lang %q is none of c, c++, rust, python", g.Lang)
	}
	if g.Output == "" {
		return g.forGo()
	}
	for i, end := range ends {
		if filepath.Ext(g.Output) != end {
			continue
		}
		if g.asked != "" && language(i) != g.output {
			return fmt.Errorf("-lang %s and -o %s: the file's name says %s; %s files end in %s", g.asked, g.Output, language(i), g.output, ends[g.output])
		}
		g.output = language(i)
		return g.forGo()
	}
	return fmt.Errorf("-o %s: the output is Go, Rust or Python, in a file whose name ends in .go, .rs or .py", g.Output)
}

// forGo refuses what only Go has.
func (g *generator) forGo() error {
	switch {
	case g.output == golang:
	case g.Package != "":
		return fmt.Errorf("-pkg is for Go; %s has no packages in its files", g.output)
	case g.Binding != "":
		return fmt.Errorf("-binding is for Go; kernel_params has what bindings of %s take", g.output)
	case g.Test:
		return fmt.Errorf("-test is for Go; what is generated in %s holds its own layout", g.output)
	case g.Tags != "":
		return fmt.Errorf("-tags is for Go; -rules says for %s which host a header is for", g.output)
	}
	return nil
}

// translated makes the files of a unit in a language other than Go.
func (g *generator) translated(u *unit) ([]File, error) {
	t := g.translate(u)
	if err := g.failed(); err != nil {
		return nil, err
	}
	write := map[language]func() string{rust: t.rust, python: t.python}[g.output]
	return g.companions(u, []File{{Path: g.out.code, Data: []byte(write())}})
}

// normal are letters that are the same in the form NFKC, to which Python brings each name of its source, and in which Rust
// wants them.
var normal = &unicode.RangeTable{R16: []unicode.Range16{
	{0xc0, 0xd6, 1},
	{0xd8, 0xf6, 1},
	{0xf8, 0x131, 1},
	{0x134, 0x13e, 1},
	{0x141, 0x148, 1},
	{0x14a, 0x17e, 1},
	{0x391, 0x3a1, 1},
	{0x3a3, 0x3a9, 1},
	{0x3b1, 0x3c9, 1},
	{0x410, 0x44f, 1},
	{0x3041, 0x3096, 1},
	{0x30a1, 0x30fa, 1},
	{0x4e00, 0x9fef, 1},
	{0xac00, 0xd7a3, 1},
}, LatinOffset: 2}

// normalized is a name with an underscore for each letter that may have another form.
func normalized(name string) string {
	name = strings.ReplaceAll(name, "µ", "μ") // its form NFKC
	return underscored(name, func(r rune) bool { return r < 0x80 || unicode.Is(normal, r) })
}

// snakeCase spells a name with small letters: NRows is n_rows.
func snakeCase(name string) string {
	var b strings.Builder
	list := []rune(normalized(name))
	for i, r := range list {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = '_'
		}
		if unicode.IsUpper(r) && i > 0 && list[i-1] != '_' {
			before := unicode.IsLower(list[i-1]) || unicode.IsDigit(list[i-1])
			if before || i+1 < len(list) && unicode.IsUpper(list[i-1]) && unicode.IsLower(list[i+1]) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// upperSnake spells a name with capitals: NRows is N_ROWS.
func upperSnake(name string) string { return strings.ToUpper(snakeCase(name)) }

// bracketed writes a list between brackets: on a line if it has no more than most bytes, else on several of a width with an indent.
func bracketed(open string, list []string, end string, most int, indent string, width int) string {
	if s := open + strings.Join(list, ", ") + end; len(s) <= most {
		return s
	}
	lines, at := open, width
	for _, s := range list {
		if at+len(s)+2 > width {
			lines += "\n" + indent + "   "
			at = len(indent) + 3
		}
		lines += " " + s + ","
		at += len(s) + 2
	}
	return lines + "\n" + indent + end
}

// Offsets and Sizes are those of a kernel's parameters, and Limits what its source says of blocks, by names in languages
// other than Go.

func (k *kernel) Offsets() []string {
	return each(k.Params, func(p kernelParam) string { return decimal(p.Off) })
}

func (k *kernel) Sizes() []string {
	return each(k.Params, func(p kernelParam) string { return decimal(p.Size) })
}

func (k *kernel) Limits() []constantValue {
	return each(k.Bounds, func(c constantValue) constantValue {
		c.Name = upperSnake(strings.TrimPrefix(c.Name, k.GoName))
		return c
	})
}
