package sassverify

import (
	"slices"

	"github.com/ptxabi/ptxabi/sass"
)

// A regSet is a set of registers.
type regSet [4]uint64

func (s *regSet) add(r sass.Reg)     { s[r/64] |= 1 << (r % 64) }
func (s *regSet) remove(r sass.Reg)  { s[r/64] &^= 1 << (r % 64) }
func (s regSet) has(r sass.Reg) bool { return s[r/64]>>(r%64)&1 != 0 }

func (s regSet) and(t regSet) regSet {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// A state is what holds at one place on every path that leads there. It is a
// value: its lists are replaced and never written.
type state struct {
	full  regSet // registers that hold something
	own   regSet // registers that hold what they held when the function began
	vals  []tracked
	slots []slot
}

// A value is a number of which more is known than that it is there: an address
// in the frame, or a half of a label's address.
type value struct {
	kind  valueKind
	base  int // 0 is the stack pointer at entry; others are made by the item base-1
	off   int64
	label string
}

type valueKind uint8

const (
	unknown valueKind = iota
	stackAddr
	loLabel
	hiLabel
)

// tracked says that a register holds a value.
type tracked struct {
	reg sass.Reg
	val value
}

// A slot is a word in memory that holds what a register held when the function
// began.
type slot struct {
	base int
	off  int64
	reg  sass.Reg
}

// meet makes s hold what holds in both, and reports whether that is less.
func (s *state) meet(t *state) bool {
	less := false
	if full := s.full.and(t.full); full != s.full {
		s.full, less = full, true
	}
	if own := s.own.and(t.own); own != s.own {
		s.own, less = own, true
	}
	if list := common(s.vals, t.vals); len(list) < len(s.vals) {
		s.vals, less = list, true
	}
	if list := common(s.slots, t.slots); len(list) < len(s.slots) {
		s.slots, less = list, true
	}
	return less
}

// common returns what is in both lists.
func common[T comparable](a, b []T) []T {
	if slices.Equal(a, b) {
		return a
	}
	var out []T
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// value returns what is known of a register.
func (s *state) value(r sass.Reg) value {
	for _, t := range s.vals {
		if t.reg == r {
			return t.val
		}
	}
	return value{}
}

// set gives a register a new value.
func (s *state) set(r sass.Reg, val value) {
	if r == sass.RZ {
		return
	}
	s.full.add(r)
	s.own.remove(r)
	s.vals = without(s.vals, func(t tracked) bool { return t.reg == r })
	if val.kind != unknown {
		s.vals = append(s.vals[:len(s.vals):len(s.vals)], tracked{r, val})
	}
}

// invalidate makes n bytes of memory hold nothing that is known.
func (s *state) invalidate(base int, off, n int64) {
	s.slots = without(s.slots, func(x slot) bool { return x.base == base && x.off < off+n && off < x.off+4 })
}

// without returns a list without some of its elements; the list itself is left
// alone.
func without[T any](list []T, drop func(T) bool) []T {
	i := slices.IndexFunc(list, drop)
	if i < 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// A path is a way through a block, from its label on.
type path struct {
	state
	dead   bool   // control has left it
	stored []part // of words above the stack pointer, stored since a call
	pushed string // the label that PRET has pushed
}

// A part is some bytes of a word in memory, bit 0 for the lowest.
type part struct {
	off   int64 // of the word
	bytes uint8
}

// holds reports whether bytes of the word at an offset from the stack pointer
// have been stored since a call.
func (p *path) holds(off int64, bytes uint8) bool {
	for _, s := range p.stored {
		if s.off == off {
			bytes &^= s.bytes
		}
		if bytes == 0 {
			return true
		}
	}
	return bytes == 0
}

func (p *path) meet(q *path) {
	switch {
	case q.dead:
		return
	case p.dead:
		*p = *q
		return
	}
	p.state.meet(&q.state)
	p.stored = common(p.stored, q.stored)
	if p.pushed != q.pushed {
		p.pushed = ""
	}
}

// A fork is one path, or two while a guard's predicate is the same: what is
// under the guard happens on the first, the rest on the other.
type fork struct {
	guard string // "" for one path
	paths [2]path
}

// under returns the paths that an instruction with a guard is executed on.
func (f *fork) under(guard string) []path {
	if guard == "" {
		if f.guard == "" {
			return f.paths[:1]
		}
		return f.paths[:]
	}
	if f.guard != guard && f.guard != opposite(guard) {
		f.join()
		f.guard = guard
		f.paths[1] = f.paths[0]
		f.paths[1].stored = slices.Clip(f.paths[1].stored)
		f.paths[0].stored = slices.Clip(f.paths[0].stored)
	}
	if f.guard == guard {
		return f.paths[:1]
	}
	return f.paths[1:]
}

// join makes one path of two.
func (f *fork) join() {
	if f.guard != "" {
		f.guard = ""
		f.paths[0].meet(&f.paths[1])
	}
}

// dead reports whether control has left all paths.
func (f *fork) dead() bool { return f.paths[0].dead && (f.guard == "" || f.paths[1].dead) }

func opposite(guard string) string {
	if len(guard) > 1 && guard[1] == '!' {
		return "@" + guard[2:]
	}
	return "@!" + guard[min(1, len(guard)):]
}
