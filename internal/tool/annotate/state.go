package annotate

import (
	"maps"
	"slices"

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

// A place is a word of the stack: base is 0 for the stack pointer at entry, or that of
// an address that was aligned.
type place struct {
	base int32
	off  int64
}

// The registers of a state are the general ones, and from uniforms on the uniform ones.
const (
	uniforms  = 256
	registers = 512
)

// A state is what is known before an instruction.
type state struct {
	regs  [registers]word
	stack map[place]word // those of which something is known; a word may begin at any byte
	// overwritten says that the function may have stored to its parameters on
	// the stack, so that a load from there is not known to read them.
	overwritten bool
}

// reg is what is known of a general register.
func (s *state) reg(r sass.Reg) word { return s.regs[r] }

// invalidate drops n registers from i on, RZ and those after it excluded.
func (s *state) invalidate(i, n int) {
	clear(s.regs[i:max(i, min(i+n, i|int(sass.RZ)))])
}

// clearLoose drops what a store to somewhere may have overwritten: all but what belongs to the
// caller, which no pointer leads to.
func (s *state) clearLoose() {
	maps.DeleteFunc(s.stack, func(_ place, w word) bool { return w.kind != saved && w.kind != retAddr })
}

// reset makes s a state in which nothing is known.
func (s *state) reset() { *s = state{stack: make(map[place]word)} }

// A fact is a word of a state of which something is known: a register, or a word of the stack
// where reg is onStack.
type fact struct {
	word
	reg int32
	at  place
}

const onStack = -1

// A snapshot is a state that is put aside: what is known alone.
type snapshot struct {
	facts       []fact
	overwritten bool
	reached     bool // control comes there
}

// save puts s aside.
func (p *snapshot) save(s *state) {
	*p = snapshot{overwritten: s.overwritten, reached: true}
	for i, w := range s.regs {
		if w.kind != nothing {
			p.facts = append(p.facts, fact{word: w, reg: int32(i)})
		}
	}
	for at, w := range s.stack {
		p.facts = append(p.facts, fact{w, onStack, at})
	}
}

// load makes s what was put aside.
func (p *snapshot) load(s *state) {
	s.reset()
	for i := range p.facts {
		if f := &p.facts[i]; f.reg != onStack {
			s.regs[f.reg] = f.word
		} else {
			s.stack[f.at] = f.word
		}
	}
	s.overwritten = p.overwritten
}

// meet keeps what p and s agree on, and what may have happened before either, and
// reports whether p lost something.
func (p *snapshot) meet(s *state) bool {
	n, changed := len(p.facts), s.overwritten && !p.overwritten
	p.overwritten = p.overwritten || s.overwritten
	p.facts = slices.DeleteFunc(p.facts, func(f fact) bool { return !s.has(&f) })
	return changed || len(p.facts) < n
}

// has reports whether s knows a fact.
func (s *state) has(f *fact) bool {
	if f.reg != onStack {
		return s.regs[f.reg] == f.word
	}
	return s.stack[f.at] == f.word
}
