package cdecl

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/layout"
)

// strings reads string literals that stand together. Only their type matters:
// it counts the code units, the last zero included.
func (p *parser) strings() value {
	var lits []token
	prefix := ""
	for ; p.tok.kind == str; p.advance() {
		lits = append(lits, p.tok)
		if own, _, _ := strings.Cut(p.tok.text, `"`); strings.TrimSuffix(own, "R") != "" {
			prefix = strings.TrimSuffix(own, "R")
		}
	}
	elem, unit := layout.Scalar{Kind: layout.Char}, int64(1)
	if kind, ok := encodings[prefix]; ok {
		elem.Kind = kind
		unit = p.sizeOf(elem)
	}
	if kind, ok := encodingsCXX[prefix]; ok && p.cxx {
		elem.Kind = kind
	}
	n := int64(1)
	for _, t := range lits {
		units, ok := codeUnits(t.text, unit)
		if !ok {
			p.fail(t.pos, Constant, "%s is not a string this package reads", t.text)
		}
		n += units
	}
	return value{typ: &layout.Array{Elem: elem, Len: n}}
}

// encodings are the types of characters by the prefix of their literal, and encodingsCXX those that strings have in C++.
var (
	encodings    = map[string]layout.Kind{"L": layout.WChar, "u": layout.UShort, "U": layout.UInt}
	encodingsCXX = map[string]layout.Kind{"u8": layout.Char8, "u": layout.Char16, "U": layout.Char32}
)

// codeUnits counts the units, each of so many bytes, of a string literal.
func codeUnits(text string, unit int64) (n int64, ok bool) {
	prefix, body, _ := strings.Cut(text, `"`)
	body, closed := strings.CutSuffix(body, `"`)
	if !closed {
		return 0, false
	}
	raw := strings.HasSuffix(prefix, "R")
	if raw {
		delim, rest, found := strings.Cut(body, "(")
		body, closed = strings.CutSuffix(rest, ")"+delim)
		if !found || !closed {
			return 0, false
		}
	}
	for body != "" {
		c, size := utf8.DecodeRuneInString(body)
		one := c == utf8.RuneError && size == 1
		if !raw && body[0] == '\\' {
			if c, size = character(body); size == 0 {
				return 0, false
			}
			one = body[1] != 'u' && body[1] != 'U' && body[1] < utf8.RuneSelf
		}
		if body = body[size:]; one {
			n++
		} else {
			n += runeUnits(c, unit)
		}
	}
	return n, true
}

// escapes are those of one letter.
var escapes = map[byte]rune{'a': '\a', 'b': '\b', 'e': '\x1b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// character reads the character or the escape that s begins with; its size in the source is 0 if it is none.
func character(s string) (c rune, size int) {
	if s[0] != '\\' {
		c, size = utf8.DecodeRuneInString(s)
		return c, size
	}
	number := func(from, least, most, base int) (rune, int) {
		end := from
		for end < len(s) && end-from < most && strings.ContainsRune("0123456789abcdef"[:base], unicode.ToLower(rune(s[end]))) {
			end++
		}
		n, err := strconv.ParseUint(s[from:end], base, 32)
		if end-from < least || err != nil {
			return 0, 0
		}
		return rune(n), end
	}
	switch e := (s + " ")[1]; {
	case len(s) < 2:
		return 0, 0
	case e == 'x':
		return number(2, 1, len(s), 16)
	case e == 'u' || e == 'U':
		if c, size = number(2, 4, 4, 16); e == 'U' {
			c, size = number(2, 8, 8, 16)
		}
		if c > utf8.MaxRune || c < 0 {
			return 0, 0
		}
		return c, size
	case '0' <= e && e <= '7':
		return number(1, 1, 3, 8)
	case escapes[e] != 0:
		return escapes[e], 2
	default:
		c, size = utf8.DecodeRuneInString(s[1:])
		return c, 1 + size
	}
}

// runeUnits returns how many units encode c.
func runeUnits(c rune, unit int64) int64 {
	switch {
	case unit == 1:
		return int64(max(utf8.RuneLen(c), 1))
	case unit == 2 && c > 0xffff:
		return 2
	}
	return 1
}
