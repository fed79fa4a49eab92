package cdecl

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
)

// A kind is the lexical class of a token.
type kind uint8

const (
	eof kind = iota
	ident
	number
	char
	str
	punct
	newline // end of a line, seen by the preprocessor only
	pragma  // what follows #pragma, as one token
)

// A token is a piece of input. Its text is a part of the input wherever no
// macro made it.
type token struct {
	kind  kind
	space bool // white space before it
	sys   bool // from a system header of preprocessed input
	noexp bool // a macro name that must not be expanded again
	text  string
	pos   Pos
}

func (t token) is(text string) bool {
	return (t.kind == punct || t.kind == ident) && t.text == text
}

func (t token) describe() string {
	switch t.kind {
	case eof:
		return "end of input"
	case newline:
		return "end of line"
	case pragma:
		return "#pragma"
	}
	if len(t.text) > 40 {
		return t.text[:40] + "..."
	}
	return t.text
}

// A scanner cuts one file into tokens.
type scanner struct {
	src    string // without spliced line ends
	off    int
	starts []int // offsets in src where lines begin, those after a spliced end too
	line   int   // of starts, where off was last
	first  int   // the number of the first line
	file   string
	sys    bool
	dir    int // where the file was found, in prep.dirs; see include
	errs   *findings
}

func newScanner(file string, src []byte, errs *findings) *scanner {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	s := &scanner{file: file, first: 1, dir: nowhere, errs: errs}
	var b strings.Builder
	b.Grow(len(src))
	for line := range strings.SplitAfterSeq(string(src), "\n") {
		s.starts = append(s.starts, b.Len())
		text, spliced := strings.CutSuffix(line, "\\\n")
		if !spliced {
			text, _ = strings.CutSuffix(line, "\\\r\n")
		}
		b.WriteString(text)
	}
	s.src = b.String()
	return s
}

// pos returns the position of the current offset.
func (s *scanner) pos() Pos {
	for s.line+1 < len(s.starts) && s.starts[s.line+1] <= s.off {
		s.line++
	}
	return Pos{File: s.file, Pos: s.here()}
}

// here is that position, counted from the line of the last one.
func (s *scanner) here() diag.Pos {
	return diag.Pos{Line: uint32(s.line + s.first), Col: uint32(s.off - s.starts[s.line] + 1)}
}

func isIdent(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// universal is the length of the universal character name, such as \u00fc, that a text begins with; 0 where it begins
// with none.
func universal(text string) int {
	if len(text) > 2 && text[0] == '\\' && (text[1] == 'u' || text[1] == 'U') {
		if r, _, rest, err := strconv.UnquoteChar(text, 0); err == nil && r >= 0x80 {
			return len(text) - len(rest)
		}
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// next returns the next token; line ends are tokens.
func (s *scanner) next() token {
	space := s.skipSpace()
	t := token{space: space, sys: s.sys, pos: s.pos()}
	from := s.off
	if from >= len(s.src) {
		t.kind = eof
		return t
	}
	c := s.src[from]
	switch {
	case c == '\n':
		s.off++
		t.kind = newline
		return t
	case isDigit(c) || c == '.' && from+1 < len(s.src) && isDigit(s.src[from+1]):
		t.kind = number
		s.number()
	case c == '"' || c == '\'':
		t.kind = s.literal(c)
	case isIdent(c) || universal(s.src[from:]) > 0:
		t.kind = ident
		for s.off < len(s.src) {
			if n := universal(s.src[s.off:]); n > 0 {
				s.off += n
			} else if isIdent(s.src[s.off]) {
				s.off++
			} else {
				break
			}
		}
		if s.off < len(s.src) {
			if q := s.src[s.off]; (q == '"' || q == '\'') && slices.Contains(prefixes, s.src[from:s.off]) {
				if q == '"' && s.src[s.off-1] == 'R' {
					t.kind = str
					s.rawString(t.pos)
				} else {
					t.kind = s.literal(q)
				}
			}
		}
	default:
		t.kind = punct
		s.off += punctLen(s.src[from:])
	}
	t.text = s.src[from:s.off]
	if t.kind == ident && strings.Contains(t.text, "\\") {
		if text, err := strconv.Unquote(`"` + t.text + `"`); err == nil {
			t.text = text
		}
	}
	if s.line+1 == len(s.starts) || s.starts[s.line+1] >= s.off { // else the token goes on in another line
		t.pos.End = s.here()
	}
	return t
}

// prefixes are words that belong to the literal before whose quote they stand.
var prefixes = []string{"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}

// skipSpace skips blanks and comments, not line ends.
func (s *scanner) skipSpace() bool {
	from := s.off
	for s.off < len(s.src) {
		switch c := s.src[s.off]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			s.off++
		case c == '/' && strings.HasPrefix(s.src[s.off:], "//"):
			if i := strings.IndexByte(s.src[s.off:], '\n'); i >= 0 {
				s.off += i
			} else {
				s.off = len(s.src)
			}
		case c == '/' && strings.HasPrefix(s.src[s.off:], "/*"):
			s.comment()
		default:
			return s.off > from
		}
	}
	return s.off > from
}

func (s *scanner) comment() {
	i := strings.Index(s.src[s.off+2:], "*/")
	if i < 0 {
		s.errs.add(s.pos(), Syntax, "comment is not closed")
		s.off = len(s.src)
		return
	}
	s.off += 2 + i + 2
}

// number scans a preprocessing number.
func (s *scanner) number() {
	for s.off < len(s.src) {
		c := s.src[s.off]
		switch {
		case (c == '+' || c == '-') && strings.IndexByte("eEpP", s.src[s.off-1]) >= 0 && !s.hexInt():
		case c == '\'' && s.off+1 < len(s.src) && isIdent(s.src[s.off+1]): // C++14 separator
		case c == '.' || isIdent(c):
		default:
			return
		}
		s.off++
	}
}

// hexInt reports whether the e before the current offset is a hexadecimal
// digit, so that a sign after it is an operator.
func (s *scanner) hexInt() bool {
	i := s.off - 1
	if c := s.src[i]; c == 'p' || c == 'P' {
		return false
	}
	for i > 0 && (isIdent(s.src[i-1]) || s.src[i-1] == '.') {
		i--
	}
	return strings.HasPrefix(s.src[i:], "0x") || strings.HasPrefix(s.src[i:], "0X")
}

func (s *scanner) literal(quote byte) kind {
	for s.off++; s.off < len(s.src) && s.src[s.off] != '\n'; s.off++ {
		switch s.src[s.off] {
		case '\\':
			if s.off+1 < len(s.src) && s.src[s.off+1] != '\n' {
				s.off++
			}
		case quote:
			s.off++
			if quote == '"' {
				return str
			}
			return char
		}
	}
	// A lone apostrophe occurs in text that conditionals leave out, so the
	// error waits until the token is used.
	return punct
}

func (s *scanner) rawString(pos Pos) {
	rest := s.src[s.off+1:]
	open := strings.IndexByte(rest, '(')
	if open < 0 || open > 16 {
		s.errs.add(pos, Syntax, "raw string is malformed")
		s.off++
		return
	}
	end := strings.Index(rest, ")"+rest[:open]+`"`)
	if end < 0 {
		s.errs.add(pos, Syntax, "raw string is not closed")
		s.off = len(s.src)
	} else {
		s.off += 1 + end + open + 2
	}
	s.pos() // its end may be on another line
}

// puncts of more than one byte, longest first.
var puncts = [...]string{
	"%:%:", "...", "<<=", ">>=", "->*", "<=>",
	"::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*",
}

func punctLen(s string) int {
	for _, p := range puncts {
		if s[0] == p[0] && strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 1
}
