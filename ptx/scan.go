package ptx

import "strings"

// Byte classes. Every byte of the text is looked up here, so the table is
// what the speed of the package rests on.
const (
	cBad    uint8 = iota // no token holds it outside strings and comments
	cIdent               // letters, digits, _ and $
	cSpace               // blank, tab, carriage return, form feed, vertical tab
	cLine                // line feed
	cPunct               // stands for itself
	cSlash               // may begin a comment
	cQuote               // begins a string
	cSemi                // ;
	cOpen                // ( [ {
	cClose               // ) ] }
	cLetter = cIdent
)

var class = func() (t [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = cIdent, cIdent
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = cIdent
	}
	t['_'], t['$'] = cIdent, cIdent
	for _, c := range " \t\r\f\v" {
		t[c] = cSpace
	}
	t['\n'] = cLine
	for _, c := range ",+-*<>=!~&|^%.:?@" {
		t[c] = cPunct
	}
	t['/'], t['"'], t[';'] = cSlash, cQuote, cSemi
	t['('], t['['], t['{'] = cOpen, cOpen, cOpen
	t[')'], t[']'], t['}'] = cClose, cClose, cClose
	return t
}()

func identByte(c byte) bool { return class[c] == cIdent }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// A token is what the parser looks at where the grammar is its business.
type token uint8

const (
	tEOF    token = iota
	tIdent        // name, perhaps with a leading %
	tDot          // .name
	tNumber       // begins with a digit
	tString       // "…"
	tPunct        // one byte of punctuation, in p.ch
)

// A scanner walks over src. It is embedded in the parser and holds its
// current token: src[start:off], which is at pos.
type scanner struct {
	name string
	src  string
	off  int    // next byte
	line uint32 // of off
	bol  int    // offset of the first byte of that line

	tok   token
	ch    byte // the byte of a tPunct
	start int
	pos   Pos
	// end is where the token before the current one ended.
	end int

	errs    ErrorList
	errLine uint32 // line of the last complaint: one a line is enough
}

// maxErrors bounds what garbage can make us remember.
const maxErrors = 10000

func (s *scanner) posAt(off int) Pos {
	return Pos{s.line, uint32(off-s.bol) + 1}
}

func (s *scanner) errorAt(pos Pos, msg string) {
	if pos.Line == s.errLine && pos.Line != 0 || len(s.errs) > maxErrors {
		return
	}
	s.errLine = pos.Line
	if len(s.errs) == maxErrors {
		msg = "too many errors; the rest of the text was read and its errors are not listed"
	}
	s.errs.Add(&Error{File: s.name, Pos: pos, Code: BadSyntax, Msg: msg})
}

// lit returns the text of the current token.
func (s *scanner) lit() string { return s.src[s.start:s.off] }

// skip moves off to the next byte that belongs to a token.
func (s *scanner) skip() {
	src := s.src
	for s.off < len(src) {
		switch class[src[s.off]] {
		case cSpace:
			s.off++
		case cLine:
			s.off++
			s.line++
			s.bol = s.off
		case cSlash:
			if !s.comment() {
				return
			}
		case cBad:
			s.errorAt(s.posAt(s.off), "unexpected character "+quoteByte(src, s.off))
			s.off++
			for s.off < len(src) && src[s.off] >= 0x80 {
				s.off++
			}
		default:
			return
		}
	}
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
			n = len(src)
		}
		s.off += n
		return true
	case '*':
		n := strings.Index(src[2:], "*/")
		if n < 0 {
			s.errorAt(s.posAt(s.off), "comment is not closed; add */")
			s.lines(len(s.src))
			return true
		}
		s.lines(s.off + 2 + n + 2)
		return true
	}
	return false
}

// lines moves off to end, counting the line ends on the way.
func (s *scanner) lines(end int) {
	for {
		n := strings.IndexByte(s.src[s.off:end], '\n')
		if n < 0 {
			break
		}
		s.off += n + 1
		s.line++
		s.bol = s.off
	}
	s.off = end
}

// next makes the next token the current one.
func (s *scanner) next() {
	s.end = s.off
	s.skip()
	s.start = s.off
	s.pos = s.posAt(s.off)
	src := s.src
	if s.off >= len(src) {
		s.tok = tEOF
		return
	}
	c := src[s.off]
	s.off++
	switch class[c] {
	case cIdent:
		s.tok = tIdent
		if digit(c) {
			s.tok = tNumber
			s.number()
			return
		}
		s.ident()
	case cQuote:
		s.tok = tString
		s.str()
	default:
		if (c == '%' || c == '.') && s.off < len(src) && identByte(src[s.off]) {
			s.tok = tIdent
			if c == '.' {
				s.tok = tDot
			}
			s.ident()
			return
		}
		s.tok, s.ch = tPunct, c
	}
}

// ident moves off behind the name it stands in.
func (s *scanner) ident() {
	src, i := s.src, s.off
	for i < len(src) && class[src[i]] == cIdent {
		i++
	}
	s.off = i
}

// number moves off behind a number whose first digit has been read: digits,
// a fraction, an exponent with its sign.
func (s *scanner) number() {
	src := s.src
	hex := src[s.start] == '0' && s.off < len(src) && strings.IndexByte("xXbBfFdD", src[s.off]) >= 0
	s.ident()
	if hex {
		return
	}
	if s.off < len(src) && src[s.off] == '.' {
		s.off++
		s.ident()
	}
	if last := src[s.off-1]; (last == 'e' || last == 'E') && s.off+1 < len(src) &&
		(src[s.off] == '+' || src[s.off] == '-') && digit(src[s.off+1]) {
		s.off++
		s.ident()
	}
}

// str moves off behind a string whose opening quote has been read.
func (s *scanner) str() {
	src := s.src
	for s.off < len(src) {
		switch src[s.off] {
		case '\\':
			if s.off+1 < len(src) && src[s.off+1] != '\n' {
				s.off++
			}
		case '"':
			s.off++
			return
		case '\n':
			s.errorAt(s.posAt(s.start), "string is not closed; add \"")
			return
		}
		s.off++
	}
	s.errorAt(s.posAt(s.start), "string is not closed; add \"")
}

func quoteByte(src string, off int) string {
	const hex = "0123456789abcdef"
	c := src[off]
	if c > ' ' && c < 0x7f {
		return "'" + string(rune(c)) + "'"
	}
	return "0x" + string(hex[c>>4]) + string(hex[c&15])
}
