package ptx

import (
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/core/lex"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A text is the text of a module, with an index of its lines.
type text struct {
	src   string
	index sync.Once
	lines []uint32 // where each line begins
}

// Source returns the text that the module was read from, without the NUL bytes at
// its end; "" for one that was built by hand.
func (m *Module) Source() string {
	if m == nil || m.text == nil {
		return ""
	}
	return m.text.src
}

// TokenEnd returns the end of the token that begins at pos: of an opcode with all
// its modifiers, a guard, a directive, a name, a number, a string, the // or /* of a
// comment, or a byte of punctuation. It returns pos where no token
// begins, as at the end of the text, and the zero Pos for a position outside of the
// text and for a module that was built by hand.
//
// It may be called from several goroutines at once. The first call indexes the lines of the text.
func (m *Module) TokenEnd(pos Pos) Pos {
	off := zero.Or(m).text.offset(pos)
	if off < 0 {
		return Pos{}
	}
	n := tokenLen(m.text.src[off:])
	if line := strings.IndexByte(m.text.src[off:off+n], '\n'); line >= 0 {
		n = line // a string of several lines: the token ends with the first
	}
	return Pos{Line: pos.Line, Col: pos.Col + uint32(n)}
}

// offset returns the index of pos in the text; -1 if there is none, or no text.
func (t *text) offset(pos Pos) int {
	if t == nil || !pos.IsValid() || pos.Col == 0 {
		return -1
	}
	t.count()
	n := int64(pos.Line)
	if n > int64(len(t.lines)) {
		return -1
	}
	end := len(t.src) // the offset of the end of the line
	if n < int64(len(t.lines)) {
		end = int(t.lines[n]) - 1
	}
	if off := int(t.lines[n-1]) + int(pos.Col) - 1; off <= end {
		return off
	}
	return -1
}

// count finds the lines, once.
func (t *text) count() {
	t.index.Do(func() {
		t.lines = append(make([]uint32, 0, strings.Count(t.src, "\n")+1), uint32(len(t.src)-len(strings.TrimPrefix(t.src, bom))))
		for i := range len(t.src) {
			if t.src[i] == '\n' {
				t.lines = append(t.lines, uint32(i+1))
			}
		}
	})
}

// tokenLen returns the length of the token that src begins with; 0 if it begins
// with none.
func tokenLen(src string) int {
	if src == "" || lex.Class[src[0]] == lex.Space || src[0] == '\n' {
		return 0
	}
	s := scanner{src: src, place: place{line: 1}}
	switch c := src[0]; {
	case c == '@': // a guard
		for s.off = 1; s.off < len(src) && lex.Class[src[s.off]] != lex.Ident && (src[s.off] == '!' || src[s.off] == '%'); {
			s.off++
		}
		s.ident()
	case strings.HasPrefix(src, "/*"), strings.HasPrefix(src, "//"):
		return 2
	case lex.Class[c] == lex.Bad: // the bytes of one character or several
		for s.off = 1; s.off < len(src) && src[s.off] >= 0x80; {
			s.off++
		}
	default:
		if s.token(); s.tok == tIdent {
			s.opcode()
		}
	}
	return s.off
}
