package ptx

import (
	"slices"
	"strings"
	"sync"
)

// A text is what a module was read from.
type text struct {
	src   string
	index sync.Once
	// before says how many line ends stand before each piece of pieceSize bytes.
	before []uint32
}

// pieceSize is how much text is looked through for a line.
const pieceSize = 512

// Source returns the text that the module was read from, without the NUL bytes at
// its end; "" for one that was built by hand.
func (m *Module) Source() string {
	if m == nil || m.text == nil {
		return ""
	}
	return m.text.src
}

// TokenEnd returns the end of the token that begins at pos: of an opcode with all
// its modifiers, a guard, a directive, a name, a number, a string, the sign that a
// comment begins with, or a byte of punctuation. It returns pos where no token
// begins, as at the end of the text, and the zero Pos for a position outside of the
// text and for a module that was built by hand.
//
// It may be called from several goroutines at once. The first call counts the line
// ends of the text.
func (m *Module) TokenEnd(pos Pos) Pos {
	if m == nil || m.text == nil {
		return Pos{}
	}
	off := m.text.offset(pos)
	if off < 0 {
		return Pos{}
	}
	n := tokenLen(m.text.src[off:])
	if line := strings.IndexByte(m.text.src[off:off+n], '\n'); line >= 0 {
		n = line // of a string of several lines, the first one
	}
	return Pos{Line: pos.Line, Col: pos.Col + uint32(n)}
}

// offset returns the index of pos in the text; -1 if there is none.
func (t *text) offset(pos Pos) int {
	if !pos.IsValid() || pos.Col == 0 {
		return -1
	}
	first := t.line(pos.Line)
	if first < 0 {
		return -1
	}
	end := indexFrom(t.src, first, '\n')
	if off := first + int(pos.Col) - 1; off <= end {
		return off
	}
	return -1
}

// line returns where line n begins, counted from 1; -1 if there are fewer.
func (t *text) line(n uint32) int {
	if n == 1 {
		return t.start()
	}
	t.count()
	// The line end before it stands in the last piece before which there are fewer.
	piece, _ := slices.BinarySearch(t.before, n-1)
	if piece--; piece < 0 {
		return -1
	}
	i := piece * pieceSize
	for k := t.before[piece]; k < n-1; k++ {
		end := strings.IndexByte(t.src[i:], '\n')
		if end < 0 {
			return -1
		}
		i += end + 1
	}
	return i
}

// count counts the line ends before each piece.
func (t *text) count() {
	t.index.Do(func() {
		t.before = make([]uint32, 0, len(t.src)/pieceSize+1)
		n := 0
		for i := 0; i <= len(t.src); i += pieceSize {
			t.before = append(t.before, uint32(n))
			n += strings.Count(t.src[i:min(i+pieceSize, len(t.src))], "\n")
		}
	})
}

// start returns where the first line begins.
func (t *text) start() int {
	if strings.HasPrefix(t.src, bom) {
		return len(bom)
	}
	return 0
}

// pos returns the position of an index in the text.
func (t *text) pos(off int) Pos {
	t.count()
	piece := off / pieceSize
	n := int(t.before[piece]) + strings.Count(t.src[piece*pieceSize:off], "\n")
	first := strings.LastIndexByte(t.src[:off], '\n') + 1
	if n == 0 {
		first = t.start()
	}
	return Pos{Line: uint32(n + 1), Col: uint32(off-first) + 1}
}

// tokenLen returns the length of the token that src begins with; 0 if it begins
// with none.
func tokenLen(src string) int {
	if src == "" || class[src[0]] == cSpace || src[0] == '\n' {
		return 0
	}
	s := scanner{src: src, line: 1}
	switch c := src[0]; {
	case c == '@': // a guard
		for s.off = 1; s.off < len(src) && class[src[s.off]] != cIdent && (src[s.off] == '!' || src[s.off] == '%'); {
			s.off++
		}
		s.ident()
	case strings.HasPrefix(src, "/*"), strings.HasPrefix(src, "//"):
		return 2
	case class[c] == cBad: // the bytes of one character or several
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
