package place

import (
	"math/bits"

	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/ptx"
)

// Most of what instructions mention nobody asks for. What is asked for has been
// mentioned by an access or a call. So each name in the text of operands is looked for
// among those, as a number that is made where the name's end is found: that takes half
// the time of asking the scope for it.

// A noted is a name that an access or a call mentions.
type noted struct {
	key uint64 // its bytes as a number, 0 for none
	n   int32  // its number
}

// maxKey is how many bytes a key holds.
const maxKey = 8

// A notedTable holds the names of a body that are no longer than a key.
type notedTable struct {
	slots []noted // a power of two of them, half of them free at least
	shift int     // what is left of a hash is their index
}

func (t *notedTable) slot(key uint64) *noted {
	for i := keyHash(key) >> t.shift; ; i++ {
		if s := &t.slots[i&uint64(len(t.slots)-1)]; s.key == key || s.key == 0 {
			return s
		}
	}
}

func keyHash(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 }

// noteNames fills the table with what is mentioned so far.
func (m *uses) noteNames() {
	uses := m.list
	size := bits.Len(uint(2*len(uses)) + 1)
	t := &m.noted
	t.slots, t.shift = arena.Resized(t.slots, 1<<size), 64-size
	clear(t.slots)
	for n := range uses {
		if uses[n].First == 0 { // there may be no such number yet
			continue
		}
		name := m.in.Name(int32(n))
		if len(name) > maxKey {
			continue
		}
		key := uint64(0)
		for i := range len(name) {
			key = key<<8 | uint64(name[i])
		}
		*t.slot(key) = noted{key, int32(n)}
	}
}

// CountInstrs takes note of what instructions mention of the names that have been
// mentioned before, if that has not been done.
func (m *uses) CountInstrs() {
	if m.counted || !m.passes {
		return
	}
	m.counted = true
	m.noteNames()
	for i, s := range m.in.Stmts {
		if in, ok := s.(*ptx.Instr); ok {
			if in.Guard != nil {
				m.count(m.in.Numbered(in.Guard.Name), i, allBytes)
			}
			if in.Args != "" {
				m.countArgs(in, i)
			}
		}
	}
}

// countArgs takes note of what the operands of an instruction mention. The names are
// those that identifiers returns.
func (m *uses) countArgs(in *ptx.Instr, stmt int) {
	size, from, known := uint8(0), 0, false // what readBy returns, when it is known
	text := in.Args
	for i := 0; i < len(text); {
		c := text[i]
		switch classes[c] {
		case between:
			i++
			continue
		case inName, percent:
		case quote:
			i = afterString(text, i)
			continue
		case slash:
			i = afterComment(text, i)
			continue
		default: // a number, or what follows a dot
			for i++; i < len(text) && NameByte(text[i]); i++ {
			}
			continue
		}
		start, key := i, uint64(c)
		for i++; uint(i) < uint(len(text)) && NameByte(text[i]); i++ {
			key = key<<8 | uint64(text[i])
		}
		n := int32(-1)
		if i-start > maxKey {
			n = m.in.Numbered(text[start:i])
		} else if s := m.noted.slot(key); s.key == key {
			n = s.n
		}
		if n < 0 {
			continue
		}
		if !known {
			size, from = readBy(in)
			known = true
		}
		if start < from {
			m.count(n, stmt, allBytes)
		} else {
			m.count(n, stmt, size)
		}
	}
}

// count takes note that a statement mentions the name of a number, if that has been
// mentioned before, and reads as many bytes of it at most.
func (m *uses) count(n int32, stmt int, reads uint8) {
	if uint(n) >= uint(len(m.list)) || m.list[n].First == 0 {
		return
	}
	u, at := &m.list[n], int32(stmt)+1
	u.Count++
	u.reads = max(u.reads, reads)
	u.First, u.Last = min(u.First, at), max(u.Last, at)
}
