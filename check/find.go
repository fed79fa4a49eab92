package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// rest returns the text of the module from pos on; "" for a position outside of it, and for a module that was built
// by hand.
func (c *checker) rest(pos diag.Pos) string {
	if off, _, ok := c.m.Offsets(pos, pos); ok {
		return c.m.Source()[off:]
	}
	return ""
}

// find returns the start and the end of the first want in the text of the module from pos on, in
// the same statement: before the next semicolon or brace. It skips comments and strings, and does
// not match parts of names and numbers. It returns zero positions if there is none.
func (c *checker) find(pos diag.Pos, want string) (from, to diag.Pos) {
	rest := c.rest(pos)
	word := func(i int) bool { return 0 <= i && i < len(rest) && lex.InName(rest[i]) }
	for i := 0; i < len(rest) && want != ""; {
		if end := i + len(want); strings.HasPrefix(rest[i:], want) && !(word(i-1) && word(i)) && !(word(end-1) && word(end)) {
			return pos.After(rest[:i]), pos.After(rest[:end])
		}
		switch c := rest[i]; {
		case c == ';' || c == '{' || c == '}':
			return diag.Pos{}, diag.Pos{}
		case c == '"':
			n, _ := lex.String(rest[i:])
			i += n
		default:
			i += max(1, lex.Blank(rest[i:]))
		}
	}
	return diag.Pos{}, diag.Pos{}
}

// at returns the position at which find finds a word, pos if it does not.
func (c *checker) at(pos diag.Pos, want string) diag.Pos {
	if from, _ := c.find(pos, want); from.IsValid() {
		return from
	}
	return pos
}

// skip returns the position of the next token at pos or after it, past blanks, line ends and comments; the zero Pos for a
// position outside of the text.
func (c *checker) skip(pos diag.Pos) diag.Pos {
	rest := c.rest(pos)
	if rest == "" {
		return diag.Pos{}
	}
	i := 0
	for n := 1; i < len(rest) && n > 0; i += n {
		n = lex.Blank(rest[i:])
	}
	return pos.After(rest[:i])
}
