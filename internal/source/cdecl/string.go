package cdecl

import (
	"strconv"
	"strings"
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
		if own := literalPrefix(p.tok.text); own != "" {
			prefix = own
		}
	}
	elem := layout.Scalar{Kind: layout.Char}
	unit := int64(1)
	switch prefix {
	case "L":
		elem.Kind = layout.WChar
		unit = p.sizeOf(elem)
	case "u":
		elem.Kind, unit = layout.UShort, 2
	case "U":
		elem.Kind, unit = layout.UInt, 4
	}
	if p.cxx {
		switch prefix {
		case "u8":
			elem.Kind = layout.Char8
		case "u":
			elem.Kind = layout.Char16
		case "U":
			elem.Kind = layout.Char32
		}
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

// literalPrefix returns the encoding prefix of a string literal, without R.
func literalPrefix(text string) string {
	prefix, _, _ := strings.Cut(text, `"`)
	return strings.TrimSuffix(prefix, "R")
}

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
		if raw || body[0] != '\\' {
			c, size := utf8.DecodeRuneInString(body)
			if c == utf8.RuneError && size == 1 {
				n++
			} else {
				n += runeUnits(c, unit)
			}
			body = body[size:]
			continue
		}
		units, size := escapeUnits(body, unit)
		if size == 0 {
			return 0, false
		}
		n += units
		body = body[size:]
	}
	return n, true
}

// escapeUnits returns the units of the escape that s begins with, and its
// length in the source, 0 if it is none.
func escapeUnits(s string, unit int64) (units int64, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	digits := func(from, most int, set string) int {
		i := from
		for i < len(s) && i-from < most && strings.IndexByte(set, s[i]) >= 0 {
			i++
		}
		return i
	}
	const hex = "0123456789abcdefABCDEF"
	switch c := s[1]; c {
	case 'x':
		end := digits(2, len(s), hex)
		if end == 2 {
			return 0, 0
		}
		return 1, end
	case 'u', 'U':
		want := 4
		if c == 'U' {
			want = 8
		}
		end := digits(2, want, hex)
		code, err := strconv.ParseUint(s[2:end], 16, 32)
		if end != 2+want || err != nil || code > utf8.MaxRune {
			return 0, 0
		}
		return runeUnits(rune(code), unit), end
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return 1, digits(1, 3, "01234567")
	}
	return 1, 2
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
