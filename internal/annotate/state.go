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
}

// reg is what is known of a general register.
func (s *state) reg(r sass.Reg) word { return s.regs[r] }

// set sets a register, of which nothing is known if w is zero.
func (s *state) set(i int, w word) {
	s.regs[i] = w
	if w.kind != nothing {
		s.known[i/64] |= 1 << (i % 64)
	} else {
		s.known[i/64] &^= 1 << (i % 64)
	}
}

// drop forgets those of the 64 registers from 64*i on whose bits are set.
func (s *state) drop(i int, which uint64) {
	which &= s.known[i]
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
	s.overwritten = false
}

// forget drops n registers from i on, RZ and those after it excluded.
func (s *state) forget(i, n int) {
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
	overwritten bool
	reached     bool // control comes there
}

// facts are those of all snapshots of a function.
type facts struct {
	chunks [][]fact
	chunk  int // the one in use
	used   int // of it
}

// factsChunk is how many facts lie side by side.
const factsChunk = 4096

func (f *facts) reset() { f.chunk, f.used = 0, 0 }

// take returns a list with room for n facts.
func (f *facts) take(n int) []fact {
	for f.chunk < len(f.chunks) && f.used+n > len(f.chunks[f.chunk]) {
		f.chunk, f.used = f.chunk+1, 0
	}
	if f.chunk == len(f.chunks) {
		f.chunks = append(f.chunks, make([]fact, max(n, factsChunk)))
	}
	list := f.chunks[f.chunk][f.used : f.used : f.used+n]
	f.used += n
	return list
}

// save puts s aside.
func (p *snapshot) save(s *state, room *facts) {
	n := len(s.stack.lists[loose]) + len(s.stack.lists[kept])
	for _, b := range s.known {
		n += bits.OnesCount64(b)
	}
	p.facts = room.take(n)
	for i, b := range s.known {
		for ; b != 0; b &= b - 1 {
			at := 64*i + bits.TrailingZeros64(b)
			p.facts = append(p.facts, fact{s.regs[at], int32(at)})
		}
	}
	for _, list := range s.stack.lists {
		for _, slot := range list {
			p.facts = append(p.facts, fact{s.stack.words[slot], firstSlot + slot})
		}
	}
	p.overwritten, p.reached = s.overwritten, true
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
	s.overwritten = p.overwritten
}

// meet keeps what p and s agree on, and what may have happened before either, and
// reports whether p lost something.
func (p *snapshot) meet(s *state) bool {
	changed := s.overwritten && !p.overwritten
	p.overwritten = p.overwritten || s.overwritten
	n := 0
	for i := range p.facts {
		f := &p.facts[i]
		have := word{}
		if f.at < firstSlot {
			have = s.regs[f.at]
		} else {
			have = s.stack.get(int(f.at - firstSlot))
		}
		if have != f.word {
			continue
		}
		if n < i {
			p.facts[n] = *f
		}
		n++
	}
	changed = changed || n < len(p.facts)
	p.facts = p.facts[:n]
	return changed
}
