package annotate

import (
	"maps"

	"github.com/ptxabi/ptxabi/abi"
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
	kind kind
	// who says whose formal it is, as an index into function.owners; of an
	// address the base: 0 is the stack pointer at entry, any other number that
	// behind an instruction which aligned it.
	who       int
	off, size int
}

// A state is what is known before an instruction. The stack is by offset from
// the stack pointer at entry, or from a base after it.
type state struct {
	regs, uniform [256]word
	stack         map[place]word
	// overwritten says that the function may have stored to its parameters on
	// the stack, so that a load from there is not known to read them.
	overwritten bool
}

// A place is a word of the stack.
type place struct{ base, off int }

func newState() *state { return &state{stack: make(map[place]word)} }

func (s *state) clone() *state {
	c := *s
	c.stack = maps.Clone(s.stack)
	return &c
}

// meet keeps what s and t agree on, and what may have happened before either, and
// reports whether s lost something.
func (s *state) meet(t *state) bool {
	changed := t.overwritten && !s.overwritten
	s.overwritten = s.overwritten || t.overwritten
	for i := range s.regs {
		if s.regs[i] != t.regs[i] && s.regs[i] != (word{}) {
			s.regs[i], changed = word{}, true
		}
		if s.uniform[i] != t.uniform[i] && s.uniform[i] != (word{}) {
			s.uniform[i], changed = word{}, true
		}
	}
	for at, w := range s.stack {
		if t.stack[at] != w {
			delete(s.stack, at)
			changed = true
		}
	}
	return changed
}

// forget drops what an instruction may have overwritten.
func (s *state) forget(e *sass.Effects) {
	for _, p := range e.Regs {
		for r := int(p.First); r < min(int(p.First)+p.N, int(sass.RZ)); r++ {
			s.regs[r] = word{}
		}
	}
	for _, p := range e.Uniform {
		for r := int(p.First); r < min(int(p.First)+p.N, int(sass.RZ)); r++ {
			s.uniform[r] = word{}
		}
	}
}

// forgetStack drops what a store to somewhere may have overwritten. Where a
// function keeps its caller's registers, no pointer leads.
func (s *state) forgetStack() {
	maps.DeleteFunc(s.stack, func(_ place, w word) bool { return w.kind != saved && w.kind != retAddr })
}

// overwrite drops the words that a store of n bytes touches.
func (s *state) overwrite(at place, n int) {
	for off := at.off - 3; off < at.off+n; off++ {
		delete(s.stack, place{at.base, off})
	}
}

// call does to s what a function that keeps to the convention does.
func (s *state) call(t *abi.Target) {
	f := &t.Regs
	for r := range s.regs {
		if reg := sass.Reg(r); !f.Preserved.Has(reg) {
			s.regs[r] = word{}
		}
		if !f.UniformPreserved.Has(sass.Reg(r)) {
			s.uniform[r] = word{}
		}
	}
	s.forgetStack()
}

// entry is the state in which a function begins.
func (fn *function) entry() *state {
	s := newState()
	t := fn.target
	if fn.own.Kernel {
		return s
	}
	for r := range t.Regs.Preserved.All() {
		s.regs[r] = word{kind: saved, off: int(r)}
	}
	s.regs[t.Regs.SP] = word{kind: address}
	if t.Regs.HasRetAddr() {
		s.regs[t.Regs.RetAddr] = word{kind: retAddr}
		s.regs[t.Regs.RetAddr+1] = word{kind: retAddr, off: 1}
	}
	for i := range fn.own.Params {
		fn.place(s, &fn.own.Params[i], fn.owner("", &fn.own.Params[i]))
	}
	if fn.own.Hidden.Kind == abi.InReg {
		s.regs[fn.own.Hidden.Reg] = word{kind: buffer}
	}
	return s
}

// place puts a formal that is in registers into them.
func (fn *function) place(s *state, f *Formal, who int) {
	if f.Loc.Kind != abi.InReg {
		return
	}
	for _, p := range f.AppendPieces(nil) {
		s.regs[p.Loc.Reg] = word{kind: value, who: who, off: p.Off, size: p.Size}
	}
}
