package place

import (
	"math/bits"
	"slices"

	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/ptx"
)

// Most of what instructions mention nobody asks for. What is asked for has been
// mentioned by an access or a call. So the names of registers in the text of operands are
// looked for among those, as numbers that are made where their ends are found: that takes half
// the time of asking the scope for each.

// A noted is a name that an access or a call mentions and that begins with %.
type noted struct {
	key uint64 // its bytes after the % as a number, 0 for none
	n   int32  // its number
}

// maxKey is how many bytes a key holds at most.
const maxKey = 8

// A notedTable holds the names of a body that are no longer than a key.
type notedTable struct {
	slots []noted // a power of two of them, half of them free at least
	shift uint8   // what is left of a hash is their index
}

func (t *notedTable) slot(key uint64) *noted {
	for i := keyHash(key) >> (t.shift & 63); ; i++ {
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
	t.slots, t.shift = arena.Resized(t.slots, 1<<size), uint8(64-size)
	clear(t.slots)
	for n := range uses {
		if uses[n].First == 0 { // there may be no such number yet
			continue
		}
		name := m.in.Name(int32(n))
		if len(name) < 2 || len(name) > 1+maxKey || name[0] != '%' {
			continue
		}
		key := uint64(0)
		for i := 1; i < len(name); i++ {
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
	bare := slices.ContainsFunc(m.bare, func(n int32) bool { return n < 0 || m.Use(n).First > 0 })
	for i, s := range m.in.Stmts {
		if in, ok := s.(*ptx.Instr); ok {
			if in.Guard != nil {
				m.count(m.in.Numbered(in.Guard.Name), i, in, -1)
			}
			if bare || in.Ragged {
				m.countNames(in, i)
			} else {
				m.countArgs(in, i)
			}
		}
	}
}

// countNames takes note of what the operands of an instruction mention.
func (m *uses) countNames(in *ptx.Instr, stmt int) {
	names := Identifiers{Text: in.Args}
	for name := names.Next(); name != ""; name = names.Next() {
		m.count(m.in.Numbered(name), stmt, in, names.Off-len(name))
	}
}

// countArgs is countNames where all that is asked for begins with %. All else in the text is
// passed over.
func (m *uses) countArgs(in *ptx.Instr, stmt int) {
	text, names := in.Args, &nameBytes
	for i := 0; ; {
		for uint(i) < uint(len(text)) && text[i] != '%' {
			i++
		}
		start, key := i, uint64(0)
		if i++; i >= len(text) {
			return
		}
		for uint(i) < uint(len(text)) && names[text[i]] {
			key = key<<8 | uint64(text[i])
			i++
		}
		if i-start > 1+maxKey {
			m.count(m.in.Numbered(text[start:i]), stmt, in, start)
		} else if s := m.noted.slot(key); s.key == key && key != 0 {
			m.count(s.n, stmt, in, start)
		}
	}
}

// count takes note that an instruction mentions the name of a number, if that has been
// mentioned before, at a byte of its operands; -1 is its guard.
func (m *uses) count(n int32, stmt int, in *ptx.Instr, at int) {
	uses := m.list
	if uint(n) >= uint(len(uses)) || uses[n].First == 0 {
		return
	}
	u, s := &uses[n], int32(stmt)+1
	u.Count++
	u.First, u.Last = min(u.First, s), max(u.Last, s)
	if u.narrow {
		u.read(readAt(in, at))
	}
}
