//go:build !explorer

package cxxname

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Pattern selects functions: a symbol, or what [Full], [Name] or [Plain]
// make of one, with a * for any text. Blanks do not count. A * after a type and before what ends
// it is a pointer's: step(float*).
type Pattern struct {
	text string         // without blanks
	expr *regexp.Regexp // nil where no * is for any text
}

var pointer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([\w>*\]&])\*([),*&>])`) })

// NewPattern returns the pattern of a text.
func NewPattern(text string) *Pattern {
	p := &Pattern{text: unspaced(text)}
	if !strings.Contains(p.text, "*") {
		return p
	}
	const star = "\x00" // of a pointer
	marked := p.text
	if strings.Contains(marked, "(") || strings.Contains(marked, "<") {
		for last := ""; last != marked; {
			last, marked = marked, pointer().ReplaceAllString(marked, "${1}"+star+"${2}")
			marked = strings.ReplaceAll(marked, star+"*", star+star)
		}
	}
	if !strings.Contains(marked, "*") {
		return p
	}
	expr := strings.ReplaceAll(regexp.QuoteMeta(marked), `\*`, `.*`)
	p.expr = regexp.MustCompile(`\A(?:` + strings.ReplaceAll(expr, star, `\*`) + `)\z`)
	return p
}

// Matches reports whether a symbol is one of those that the pattern selects.
func (p *Pattern) Matches(symbol string) bool {
	if p.one(symbol) {
		return true
	}
	if !strings.HasPrefix(symbol, "_") { // as every mangled name does
		return false
	}
	return slices.ContainsFunc([]func(string) string{Plain, Name, Full}, func(read func(string) string) bool {
		return p.MatchesName(read(symbol))
	})
}

// MatchesName reports whether a name, of those that [Full], [Name] or [Plain] make, is one of those that the
// pattern selects. No empty one is.
func (p *Pattern) MatchesName(name string) bool { return name != "" && p.one(unspaced(name)) }

// Is reports whether the pattern is a name as it stands, without blanks, a * in it included.
func (p *Pattern) Is(name string) bool { return name != "" && unspaced(name) == p.text }

// Any reports whether a * of the pattern is for any text.
func (p *Pattern) Any() bool { return p.expr != nil }

func (p *Pattern) one(name string) bool {
	return name == p.text || p.expr != nil && p.expr.MatchString(name)
}

func unspaced(s string) string { return strings.ReplaceAll(s, " ", "") }
