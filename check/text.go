package check

import (
	"fmt"
	"iter"

	"github.com/ptxabi/ptxabi/ptx"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// clip shortens a name that is not at the place reported, so that long
// names make no message longer than what it is about.
func clip(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return name[:most] + "…"
}

// short is clip for constants.
func short(text string) string { return clip(string(ptx.AppendTokens(nil, text))) }

// identifiers yields the names in the text of operands or an initialiser:
// what begins with a letter, '_', '$' or '%', outside strings and comments and
// not after a digit or a dot.
func identifiers(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			switch c := text[i]; {
			case nameStart(c):
				end := nameEnd(text, i+1)
				if !yield(text[i:end]) {
					return
				}
				i = end
			case digit(c), c == '.':
				i = nameEnd(text, i+1)
			case c == '"':
				for i++; i < len(text) && text[i] != '"'; i++ {
					if text[i] == '\\' {
						i++
					}
				}
				i++
			case c == '/' && i+1 < len(text) && text[i+1] == '/':
				for i < len(text) && text[i] != '\n' {
					i++
				}
			case c == '/' && i+1 < len(text) && text[i+1] == '*':
				for i += 2; i < len(text) && !(text[i] == '/' && text[i-1] == '*'); i++ {
				}
				i++
			default:
				i++
			}
		}
	}
}

// bytesOf says of each byte where in names it stands.
var bytesOf = func() (t [256]struct{ starts, inside bool }) {
	for b := range t {
		c := byte(b)
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
		t[b].starts, t[b].inside = letter || c == '%', letter || digit(c)
	}
	return t
}()

func nameStart(c byte) bool { return bytesOf[c].starts }

func nameByte(c byte) bool { return bytesOf[c].inside }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// nameEnd returns the index after the name bytes from i on.
func nameEnd(text string, i int) int {
	for i < len(text) && nameByte(text[i]) {
		i++
	}
	return i
}
