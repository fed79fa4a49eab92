package lsp

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A tokenKind tells tokens of PTX apart as far as they look different.
type tokenKind uint8

const (
	tokComment tokenKind = iota
	tokString
	tokName   // letters, digits, _ and $, perhaps after one %
	tokDot    // a dot and a name: a directive, a type, a modifier
	tokNumber // begins with a digit
	tokPunct  // one byte of anything else
)

// A token is a part of a text, from from to to.
type token struct {
	kind     tokenKind
	from, to int
}

// next returns the token that is at an offset or after blanks there; ok is false at the end.
func (t *text) next(off int) (tok token, ok bool) {
	src := t.src
	for off < len(src) && (src[off] <= ' ' || strings.HasPrefix(src[off:], "\ufeff")) {
		if off++; src[off-1] == 0xef {
			off += len("\ufeff") - 1
		}
	}
	if off == len(src) {
		return token{}, false
	}
	tok = token{tokPunct, off, off + 1}
	rest := src[off:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), c == '#' && ptx.BlankLen(rest) > 0: // a line marker is no part of the program
		tok.kind, tok.to = tokComment, off+len(strings.TrimSuffix(rest[:ptx.BlankLen(rest)], "\r"))
	case c == '"':
		n, _ := ptx.StringLen(rest)
		tok.kind, tok.to = tokString, off+n
	case c >= '0' && c <= '9':
		tok.kind, tok.to = tokNumber, off+wordLen(rest)
		if e := rest[:tok.to-off]; strings.HasPrefix(rest[len(e):], ".") && strings.Trim(e, "0123456789") == "" { // 1.5
			tok.to += 1 + wordLen(rest[len(e)+1:])
		}
	case c == '.':
		if n := wordLen(rest[1:]); n > 0 {
			for tok.kind, tok.to = tokDot, off+1+n; strings.HasPrefix(src[tok.to:], "::"); { // .shared::cta
				tok.to += 2 + wordLen(src[tok.to+2:])
			}
		}
	case inWord(c), c == '%' && len(rest) > 1 && inWord(rest[1]):
		tok.kind, tok.to = tokName, off+1+wordLen(rest[1:])
	}
	return tok, true
}

// lineLen is the length of a text up to its first line end, without a carriage return before it.
func lineLen(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		text = text[:n]
	}
	return len(strings.TrimSuffix(text, "\r"))
}

// wordLen is how many bytes of a name a text begins with.
func wordLen(text string) int {
	n := 0
	for n < len(text) && inWord(text[n]) {
		n++
	}
	return n
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$'
}
