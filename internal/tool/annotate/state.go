package annotate

import (
	"math/bits"

	"github.com/ptxabi/ptxabi/sass"
)

// A kind tells what is known of a word.
type kind uint8

const (
	nothing kind = iota
	value        // bytes [off, off+size) of a formal
	saved        // what the register off held when the function began
	retAddr      // the word off of the return address
	address      // a place in local memory: off bytes from a base
	buffer       // off bytes behind where the function's own result in memory begins
)

// A word is what is known of a register or of a word of the stack. The zero
// word is one of which nothing is known.
type word struct {
	off int64
	// who says whose formal it is, as an index into function.owners; of an
	// address the base: 0 is the stack pointer at entry, any other number that
	// after an instruction which aligned it.
	who  int32
	kind kind
	size uint8
}

// The words of a state are registers, uniform registers, and from firstSlot on those
// of the stack, by the numbers that slots gives them.
const (
	uniforms  = 256
	firstSlot = 512
)

// A state is what is known before an instruction.
type state struct {
	regs  [firstSlot]word
	known [firstSlot / 64]uint64 // which of regs are
	stack stackWords
	// overwritten says that the function may have stored to its parameters on
	// the stack, so that a load from there is not known to read them.
	overwritten bool

	// Where from is not nil, list has what s knows: the facts of the snapshot from, and
	// those that came to be known since.
	from *snapshot
	list []fact
	room *facts // that list is in
}

// reg is what is known of a general register.
func (s *state) reg(r sass.Reg) word { return s.regs[r] }

// set sets a register, of which nothing is known if w is zero.
func (s *state) set(i int, w word) {
	if s.from != nil {
		s.changes(int32(i), s.regs[i], w)
	}
	s.regs[i] = w
	if w.kind != nothing {
		s.known[i/64] |= 1 << (i % 64)
	} else {
		s.known[i/64] &^= 1 << (i % 64)
	}
}

// setStack sets a slot of the stack to a word of which something is known.
func (s *state) setStack(slot int, w word) {
	if s.from != nil {
		s.changes(int32(firstSlot+slot), s.stack.get(slot), w)
	}
	s.stack.set(slot, w)
}

// dropStack drops what is known of a slot of the stack.
func (s *state) dropStack(slot int) {
	if s.from != nil {
		s.changes(int32(firstSlot+slot), s.stack.get(slot), word{})
	}
	s.stack.drop(slot)
}

// clearLoose drops what a store to somewhere may have overwritten.
func (s *state) clearLoose() {
	if len(s.stack.lists[loose]) > 0 {
		s.from = nil
	}
	s.stack.clearLoose()
}

// changes takes down in the list, if there is one, that what is known of a word changes.
func (s *state) changes(at int32, was, is word) {
	switch {
	case was == is:
	case was.kind == nothing && s.room.extend(&s.list, fact{is, at}):
	default:
		s.from = nil
	}
}

// drop drops those of the 64 registers from 64*i on whose bits are set.
func (s *state) drop(i int, which uint64) {
	which &= s.known[i]
	if which != 0 {
		s.from = nil
	}
	s.known[i] &^= which
	for ; which != 0; which &= which - 1 {
		s.regs[64*i+bits.TrailingZeros64(which)] = word{}
	}
}

// reset makes s a state in which nothing is known.
func (s *state) reset() {
	for i := range s.known {
		s.drop(i, ^uint64(0))
	}
	s.stack.clear()
	s.overwritten, s.from = false, nil
}

// invalidate drops n registers from i on, RZ and those after it excluded.
func (s *state) invalidate(i, n int) {
	for end := min(i+n, i|int(sass.RZ)); i < end; i++ {
		if s.regs[i].kind != nothing {
			s.set(i, word{})
		}
	}
}

// A fact is a word of a state of which something is known: at is its register, or its slot
// from firstSlot on.
type fact struct {
	word
	at int32
}

// A snapshot is a state that is put aside: what is known alone.
type snapshot struct {
	facts       []fact
	shared      bool // others have the same facts, or some of them: they are not overwritten
	overwritten bool
	reached     bool // control comes there
}

// facts are those of all snapshots of a function.
type facts struct {
	chunks [][]fact
	chunk  int // the one in use
	used   int // of it
}

// factsChunk is how many facts lie side by side at least.
const factsChunk = 4096

func (f *facts) reset() { f.chunk, f.used = 0, 0 }

// take returns a list with room for n facts.
func (f *facts) take(n int) []fact {
	for f.chunk < len(f.chunks) && f.used+n > len(f.chunks[f.chunk]) {
		f.chunk, f.used = f.chunk+1, 0
	}
	if f.chunk == len(f.chunks) {
		f.chunks = append(f.chunks, make([]fact, max(2*n, factsChunk)))
	}
	list := f.chunks[f.chunk][f.used : f.used : f.used+n]
	f.used += n
	return list
}

// extend adds a fact to a list, if there is room behind it.
func (f *facts) extend(list *[]fact, one fact) bool {
	n := len(*list)
	if f == nil || n == 0 || f.chunk == len(f.chunks) || f.used < n || f.used == len(f.chunks[f.chunk]) {
		return false
	}
	chunk := f.chunks[f.chunk]
	if &chunk[f.used-n] != &(*list)[0] {
		return false
	}
	chunk[f.used] = one
	f.used++
	*list = chunk[f.used-n-1 : f.used : f.used]
	return true
}

// save puts s aside. Its facts are those of the snapshot that s was made of, or was last put
// aside as, if it knows as much: most code knows the same on both sides of a label.
func (p *snapshot) save(s *state, room *facts) {
	if s.from != nil {
		s.from.shared, p.shared = true, true
		p.facts = s.list
	} else {
		p.facts, p.shared = s.facts(room), false
		s.from, s.list = p, p.facts
	}
	p.overwritten, p.reached = s.overwritten, true
}

// facts returns what is known.
func (s *state) facts(room *facts) []fact {
	n := len(s.stack.lists[loose]) + len(s.stack.lists[kept])
	for _, b := range s.known {
		n += bits.OnesCount64(b)
	}
	all := room.take(n)
	for i, b := range s.known {
		for ; b != 0; b &= b - 1 {
			at := 64*i + bits.TrailingZeros64(b)
			all = append(all, fact{s.regs[at], int32(at)})
		}
	}
	for _, list := range s.stack.lists {
		for _, slot := range list {
			all = append(all, fact{s.stack.words[slot], firstSlot + slot})
		}
	}
	return all
}

// load makes s what was put aside.
func (p *snapshot) load(s *state) {
	s.stack.clear()
	var known [firstSlot / 64]uint64
	for i := range p.facts {
		f := &p.facts[i]
		if f.at < firstSlot {
			s.regs[f.at] = f.word
			known[f.at/64] |= 1 << (f.at % 64)
		} else {
			s.stack.set(int(f.at-firstSlot), f.word)
		}
	}
	for i, b := range known {
		s.drop(i, ^b)
		s.known[i] = b
	}
	s.overwritten, s.from, s.list = p.overwritten, p, p.facts
}

// meet keeps what p and s agree on, and what may have happened before either, and
// reports whether p lost something.
func (p *snapshot) meet(s *state, room *facts) bool {
	changed := s.overwritten && !p.overwritten
	p.overwritten = p.overwritten || s.overwritten
	n := 0 // facts that stay where they are
	for n < len(p.facts) && s.has(&p.facts[n]) {
		n++
	}
	if n == len(p.facts) {
		return changed
	}
	both := p.facts[:n]
	if p.shared {
		both, p.shared = append(room.take(len(p.facts)-1), both...), false
	}
	for i := n + 1; i < len(p.facts); i++ {
		if f := &p.facts[i]; s.has(f) {
			both = append(both, *f)
		}
	}
	p.facts = both
	return true
}

// has reports whether s knows a fact.
func (s *state) has(f *fact) bool {
	if f.at < firstSlot {
		return s.regs[f.at] == f.word
	}
	return s.stack.get(int(f.at-firstSlot)) == f.word
}
