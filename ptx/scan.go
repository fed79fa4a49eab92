package ptx

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// through returns the first index from i on of a byte whose class is above most.
func through(src string, i int, most uint8) int {
	for n, c := range []byte(src[i:]) {
		if lex.Class[c] > most {
			return i + n
		}
	}
	return len(src)
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// A token is a kind of token.
type token uint8

const (
	tEOF    token = iota
	tIdent        // name, perhaps with a leading %
	tDot          // .name
	tNumber       // begins with a digit, or with a point and a digit
	tString       // "…"
	tPunct        // one byte of punctuation, in p.ch
)

// A scanner walks over src. It is embedded in the parser and holds its
// current token: src[start:off], which begins at pos.
type scanner struct {
	name string
	src  string // the text, or its beginning
	place

	errs  diag.List
	trial trial
	// errLine is the line of the last error in the statement at hand, 0 if there is none. A statement has
	// one error a line at most: others are likely to follow from it.
	errLine uint32
	// openComment says that the text ends with a // comment.
	openComment bool
	// cut says that the text ends within a comment. That has been reported, and the end itself is no further error.
	cut bool
	// inBody is set within a function's body. The end of the text there is reported once, by bodyOf.
	inBody bool
	// outline is set to read a module without the statements of its bodies.
	outline bool
	newer   newer
}

// A trial is the state of reading that may turn out to be wrong. If quiet is set, errors are not reported, and the first is
// kept. If strict is set, an operand in no known form is an error.
type trial struct {
	quiet, strict bool
	free          bool // any byte may stand here
	pos           Pos  // of the first error
	msg           string
}

// newer counts the text in forms that are not known, in a module of a version after Newest. The version may have added
// such forms, so that they are not errors.
type newer struct {
	later       bool // the module is of such a version
	first, last Pos  // the first and the last position of such text
	forms       int  // how many there are
}

// A place is the position of a scanner: the current token, and the byte after it.
type place struct {
	off  int    // the offset of the next byte
	line uint32 // of off
	bol  int    // the offset of the first byte of that line

	tok   token
	ch    byte // the byte of a tPunct
	start int  // the offset of the first byte of the token
	pos   Pos  // its position
	end   int  // the offset of the byte after the token before
}

// maxErrors is how many errors are kept at most.
const maxErrors = 1e6

func (s *scanner) posAt(off int) Pos {
	return Pos{Line: s.line, Col: uint32(off-s.bol) + 1}
}

// errorAt reports text that is in no known form of PTX. It is an error; in a module of a later version it is counted.
func (s *scanner) errorAt(pos Pos, msg string) {
	if !s.newer.later || s.trial.quiet {
		s.fail(pos, msg)
		return
	}
	if s.newer.forms++; !s.newer.first.IsValid() {
		s.newer.first = pos
	}
	s.newer.last = pos
}

// fail reports an error that modules of all versions have.
func (s *scanner) fail(pos Pos, msg string) {
	if s.trial.quiet && s.trial.msg == "" {
		s.trial.pos, s.trial.msg = pos, msg
	}
	if s.trial.quiet || pos.Line == s.errLine || len(s.errs) > maxErrors || s.cut && s.tok == tEOF {
		return
	}
	s.errLine = pos.Line
	if len(s.errs) == maxErrors {
		msg = "too many errors; the rest of the text was read and its errors are not listed"
	}
	s.errs.Add(&diag.Diagnostic{File: s.name, Pos: pos, Code: BadSyntax, Msg: msg})
}

// lit returns the text of the current token.
func (s *scanner) lit() string { return s.src[s.start:s.off] }

// firstOfLine reports whether the current token is the first of its line.
func (s *scanner) firstOfLine() bool { return s.end <= s.bol }

// posAfter returns the position after the token before the current one, where a missing token would have stood.
func (s *scanner) posAfter() Pos {
	if s.pos.Line == s.line || s.end > s.start {
		return s.posBetween(s.end, s.start)
	}
	before := *s // the current token is a string of several lines
	before.line, before.bol = s.pos.Line, s.start-int(s.pos.Col)+1
	return before.posBetween(s.end, s.start)
}

// posBetween returns the position of the offset off, which is at or before at, an offset in the current line.
func (s *scanner) posBetween(off, at int) Pos {
	if off >= s.bol {
		return s.posAt(off)
	}
	lines := strings.Count(s.src[off:at], "\n")
	bol := strings.LastIndexByte(s.src[:off], '\n') + 1
	if bol == 0 && strings.HasPrefix(s.src, bom) {
		bol = len(bom)
	}
	return Pos{Line: s.line - uint32(lines), Col: uint32(off-bol) + 1}
}

// bom is the byte-order mark that some editors put before UTF-8 text.
const bom = "\ufeff"

// skip moves off to the next byte that belongs to a token.
func (s *scanner) skip() {
	src, i := s.src, s.off
	for i < len(src) {
		c := lex.Class[src[i]]
		if c == lex.Space {
			i++
			continue
		}
		if c == lex.Line {
			i++
			s.line++
			s.bol = i
			continue
		}
		if c != lex.Slash && c != lex.Bad {
			break
		}
		s.off = i
		if c == lex.Bad {
			s.bad()
		} else if !s.comment() {
			return
		}
		i = s.off
	}
	s.off = i
}

// comment skips a comment at off and reports whether there was one.
func (s *scanner) comment() bool {
	src := s.src[s.off:]
	if len(src) < 2 {
		return false
	}
	switch src[1] {
	case '/':
		n := strings.IndexByte(src, '\n')
		if n < 0 {
			n, s.openComment = len(src), true
		}
		s.noNUL(src[:n])
		s.off += n
		return true
	case '*':
		n := strings.Index(src[2:], "*/")
		if n < 0 {
			s.fail(s.posAt(s.off), "comment is not closed; add */")
			s.cut = true
			s.moveOver(len(s.src) - s.off)
			return true
		}
		s.noNUL(src[:2+n])
		s.moveOver(2 + n + 2)
		return true
	}
	return false
}

// noNUL reports a NUL in a comment. No release of ptxas takes it.
func (s *scanner) noNUL(comment string) {
	if i := strings.IndexByte(comment, 0); i >= 0 {
		there := *s
		there.passLines(s.off, s.off+i)
		s.errorAt(there.posAt(s.off+i), "unexpected character "+quoteByte(comment, i)+" in a comment")
	}
}

// moveOver moves off over n bytes, and counts their line ends.
func (s *scanner) moveOver(n int) {
	s.passLines(s.off, s.off+n)
	s.off += n
}

// bad skips bytes that begin no token. They are an error, unless they are the
// line marker of a C preprocessor, which is read as a comment.
func (s *scanner) bad() {
	src := s.src
	if src[s.off] == '#' {
		if lex.Marker(src[s.off:]) == 0 && !s.trial.free {
			s.errorAt(s.posAt(s.off), "unexpected '#'; run the C preprocessor over the file first")
		}
		s.hash()
		return
	}
	if src[s.off] == '\\' && s.end > 0 && (src[s.end-1] == ';' || src[s.end-1] == ':') {
		s.off++ // assemblers skip a backslash before an opcode
		return
	}
	if !s.trial.free {
		s.errorAt(s.posAt(s.off), "unexpected character "+quoteByte(src, s.off))
	}
	s.off++
	for s.off < len(src) && src[s.off] >= 0x80 {
		s.off++
	}
}

// hash moves off after a line marker; otherwise after the line, if it begins with '#', or after '#' and the name that
// follows it.
func (s *scanner) hash() {
	n := lex.Marker(s.src[s.off:])
	switch {
	case n > 0:
		s.moveOver(n)
	case strings.Trim(s.src[s.bol:s.off], " \t") == "":
		s.off = indexFrom(s.src, s.off, '\n')
	default:
		s.off = through(s.src, s.off+1, lex.Ident)
	}
}

// next makes the next token the current one.
func (s *scanner) next() {
	s.end = s.off
	if s.off < len(s.src) && lex.Class[s.src[s.off]] >= lex.Space {
		s.skip()
	}
	s.token()
}

// token makes the token at off the current one.
func (s *scanner) token() {
	s.start = s.off
	s.pos = s.posAt(s.off)
	src := s.src
	if s.off >= len(src) {
		s.tok = tEOF
		return
	}
	c := src[s.off]
	s.off++
	switch lex.Class[c] {
	case lex.Ident:
		s.tok = tIdent
		if digit(c) {
			s.tok = tNumber
			s.number()
			return
		}
		if s.ident(); c == '$' && s.off == s.start+1 { // ptxas takes '$' alone for no name
			s.tok, s.ch = tPunct, c
		}
	case lex.Quote:
		s.tok = tString
		s.str()
	default:
		if (c == '%' || c == '.') && s.off < len(src) && lex.InName(src[s.off]) {
			s.tok = tIdent
			if c == '.' {
				if digit(src[s.off]) {
					s.tok = tNumber
					s.number()
					return
				}
				s.tok = tDot
			}
			s.ident()
			return
		}
		s.tok, s.ch = tPunct, c
	}
}

// ident moves off after the name in which it is.
func (s *scanner) ident() {
	s.off = through(s.src, s.off, lex.Ident)
}

// number moves off after a number whose first byte has been read: digits,
// a fraction, an exponent with its sign.
func (s *scanner) number() {
	src := s.src
	prefixed := src[s.start] == '0' && s.off < len(src) && strings.IndexByte("xXbBfFdD", src[s.off]) >= 0
	s.ident()
	if prefixed {
		return
	}
	if src[s.start] != '.' && s.off < len(src) && src[s.off] == '.' {
		s.off++
		s.ident()
	}
	if last := src[s.off-1]; (last == 'e' || last == 'E') && s.off+1 < len(src) &&
		(src[s.off] == '+' || src[s.off] == '-') && digit(src[s.off+1]) {
		s.off++
		s.ident()
	}
}

// str moves off after the string at start.
func (s *scanner) str() {
	n, closed := lex.String(s.src[s.start:])
	s.passLines(s.start, s.start+n)
	s.off = s.start + n
	if !closed && !s.trial.free {
		s.errorAt(s.posAt(s.start), "string is not closed; add \"")
	}
}

func quoteByte(src string, off int) string {
	if c := src[off]; c > ' ' && c < 0x7f {
		return "'" + src[off:off+1] + "'"
	}
	return fmt.Sprintf("0x%02x", src[off])
}

// blanks skips blanks within a line.
func blanks(src string, i int) int {
	for i < len(src) && lex.Class[src[i]] == lex.Space {
		i++
	}
	return i
}
