// Package spill puts registers that have no home into slots of a function's frame.
package spill

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Offsets says where the registers in slots are, by the numbers of their names, in bytes
// from the beginning of an area. It is nil where there are none.
type Offsets map[int32]int

// Offset returns where a register's word is; ok is false for one that is in no slot.
func (o Offsets) Offset(r lir.Reg) (off int, ok bool) {
	if r.Kind() != sass.Virtual {
		return 0, false
	}
	off, ok = o[r.Name()]
	switch {
	case r.Part() == sass.Hi:
		off += 4
	case r.Part() >= sass.W0:
		off += 4 * int(r.Part()-sass.W0)
	}
	return off, ok
}

// An Area is the part of a frame that has the slots.
type Area struct {
	At    Offsets
	Frame lir.Reg // addresses the frame
	Off   int     // where in the frame the area begins
	Align int     // what Frame is known to be a multiple of, a power of two
	// Quad is the first of four registers for what instructions read and write, Temp one for
	// addresses.
	Quad, Temp sass.Reg
	SP         sass.Reg // which is loaded through Quad
}

// Has reports whether a register is a word of a slot.
func (a *Area) Has(r lir.Reg) bool {
	_, ok := a.At.Offset(r)
	return ok
}

// Run is the pass over the code of a function: what reads a register in a slot loads it
// before, what writes one stores it after.
func (a *Area) Run(c *lir.Code) *lir.Code {
	to := c.Next(len(c.List))
	for i := range c.List {
		if in := &c.List[i]; !a.spilled(to, in) {
			to.List = append(to.List, *in)
		}
		to.List[len(to.List)-1].Contract = c.List[i].Contract
	}
	return to
}

// spilled emits an instruction that reads or writes registers in slots, and what loads
// and stores those. It reports false for one that has none.
func (a *Area) spilled(c *lir.Code, in *lir.Inst) bool {
	out, words := *in, 1
	if in.Op == lir.Load || in.Op == lir.Store {
		words = in.Words()
	}
	if !slices.ContainsFunc([]lir.Reg{in.Dst, in.A, in.B}, a.Has) {
		return false
	}
	guard := c.GuardOf(in)
	if in.Op == lir.Copy && a.moveThrough(c, guard, in) {
		return true
	}
	to, stored := a.At.Offset(in.Dst)
	if stored {
		out.Dst = lir.Phys(a.Quad)
	}
	next := 0
	for r := range out.Sources {
		off, ok := a.At.Offset(*r)
		size, into := 1, a.Quad+sass.Reg(next)
		switch {
		case !ok:
			continue
		case r == &out.B && (in.Op == lir.Load || in.Op == lir.Store): // the base of memory
			into = a.Temp
			next--
		case in.Name == c.Spelling.CallIndirect: // an address of code
			size = c.Spelling.IndirectWords
		case in.Op == lir.Store:
			size = words
		}
		a.move(c, lir.Load, guard, in.Pos, lir.Note{}, into, off, size)
		*r = lir.Phys(into)
		next += size
	}
	c.List = append(c.List, out)
	if stored {
		a.move(c, lir.Store, guard, in.Pos, lir.Note{}, a.Quad, to, words)
	}
	return true
}

// moveThrough emits a copy that is one load or one store.
func (a *Area) moveThrough(c *lir.Code, guard string, in *lir.Inst) bool {
	to, stored := a.At.Offset(in.Dst)
	from, loaded := a.At.Offset(in.A)
	switch {
	case stored && loaded:
		a.move(c, lir.Load, guard, in.Pos, lir.Note{}, a.Quad, from, 1)
		a.move(c, lir.Store, guard, in.Pos, in.Note, a.Quad, to, 1)
	case stored:
		a.access(c.Add(lir.Store, guard, in.Pos), 1, to, in.Note).A = in.A
	case in.Dst != lir.Phys(a.SP):
		a.access(c.Add(lir.Load, guard, in.Pos), 1, from, in.Note).Dst = in.Dst
	default:
		return false
	}
	return true
}

// move loads words from a slot into registers, or stores them there, as many at a time as its alignment allows.
func (a *Area) move(c *lir.Code, op lir.Op, guard string, pos diag.Pos, note lir.Note, r sass.Reg, off, words int) {
	for k := 0; k < words; {
		n, one := a.Width(r+sass.Reg(k), off+4*k, words-k), lir.Phys(r+sass.Reg(k))
		if in := a.access(c.Add(op, guard, pos), n, off+4*k, note); op == lir.Load {
			in.Dst = one
		} else {
			in.A = one
		}
		k += n
	}
}

// access fills in an access to words of the area from byte off on, but for the register that it moves.
func (a *Area) access(in *lir.Inst, words, off int, note lir.Note) *lir.Inst {
	in.Size, in.B, in.Off, in.Note = uint8(4*words), a.Frame, int64(a.Off+off), note
	in.First, in.N = int32(a.Align), int32(a.Off+off)
	return in
}

// Width returns how many of some words one access takes, the first of which is in r.
func (a *Area) Width(r sass.Reg, off, words int) int {
	for n := lir.Widest; n > 1; n /= 2 {
		if n <= words && int(r)%n == 0 && a.Align >= 4*n && (a.Off+off)%(4*n) == 0 {
			return n
		}
	}
	return 1
}
