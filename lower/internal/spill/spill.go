// Package spill loads and stores the registers that live in slots of a function's frame.
package spill

import (
	"slices"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Offsets has the offsets of the registers in slots, by the numbers of their names, in bytes
// from the beginning of an area. It is nil where there are none.
type Offsets map[int32]int

// Offset returns the offset of a register's word, in bytes; ok is false for a register without a slot.
func (o Offsets) Offset(r lir.Reg) (off int, ok bool) {
	if r.Kind() != sass.KindVirtual {
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

// An Area is the part of a frame that has the slots, with the registers that they are accessed through.
type Area struct {
	At    Offsets
	Frame lir.Reg // addresses the frame
	Off   int     // where in the frame the area begins
	Align int     // what Frame is known to be a multiple of, a power of two
	// Quad is the first of four consecutive registers, in which instructions have the values of slots. Temp has a base of
	// memory that lives in a slot.
	Quad, Temp sass.Reg
	SP         sass.Reg // the stack pointer; a word for it is loaded through Quad
}

// Has reports whether a register is a word of a slot.
func (a *Area) Has(r lir.Reg) bool {
	_, ok := a.At.Offset(r)
	return ok
}

// Run is the pass over the code of a function. Before an instruction that reads registers in slots, it loads them into the
// temporary registers; after one that writes such a register, it stores it. The temporary registers have no value from one
// instruction to the next, so that each instruction is right by itself.
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

// spilled emits an instruction that reads or writes registers in slots, with its loads and stores. It reports false for
// an instruction without such registers.
func (a *Area) spilled(c *lir.Code, in *lir.Inst) bool {
	out, words := *in, 1
	if in.Op == lir.Load || in.Op == lir.Store {
		words = in.Words()
	}
	if !slices.ContainsFunc([]lir.Reg{in.Dst, in.A, in.B}, a.Has) {
		return false
	}
	to, stored := a.At.Offset(in.Dst)
	if from, loaded := a.At.Offset(in.A); in.Op == lir.Copy && in.Dst != lir.Phys(a.SP) {
		r, note := in.A, in.Note
		if loaded && stored {
			r, note = lir.Phys(a.Quad), lir.Note{}
		} else if loaded {
			r = in.Dst
		}
		if loaded {
			a.move(c, lir.Load, in, note, r, from, 1)
		}
		if stored {
			a.move(c, lir.Store, in, in.Note, r, to, 1)
		}
		return true
	}
	if stored {
		out.Dst = lir.Phys(a.Quad)
	}
	next := 0
	for r := range out.Sources {
		off, ok := a.At.Offset(*r)
		size, into := 1, lir.Phys(a.Quad+sass.Reg(next))
		switch {
		case !ok:
			continue
		case r == &out.B && (in.Op == lir.Load || in.Op == lir.Store): // the base of memory
			into = lir.Phys(a.Temp)
			next--
		case in.Name == c.Spelling.CallIndirect: // an address of code
			size = c.Spelling.IndirectWords
		case in.Op == lir.Store:
			size = words
		}
		a.move(c, lir.Load, in, lir.Note{}, into, off, size)
		*r = into
		next += size
	}
	c.List = append(c.List, out)
	if stored {
		a.move(c, lir.Store, in, lir.Note{}, lir.Phys(a.Quad), to, words)
	}
	return true
}

// move loads words from a slot into consecutive registers, or stores them there, under the guard of an instruction. Each
// access takes as many words as the alignment allows.
func (a *Area) move(c *lir.Code, op lir.Op, of *lir.Inst, note lir.Note, r lir.Reg, off, words int) {
	for k := 0; k < words; {
		n := a.Width(r+lir.Reg(k), off+4*k, words-k)
		in := c.Add(op, of.Guard, of.Pos)
		in.Size, in.B, in.Off, in.Note = uint8(4*n), a.Frame, int64(a.Off+off+4*k), note
		in.First, in.N = int32(a.Align), int32(a.Off+off+4*k)
		if op == lir.Load {
			in.Dst = r + lir.Reg(k)
		} else {
			in.A = r + lir.Reg(k)
		}
		k += n
	}
}

// Width returns how many words, at most so many, one access at an offset may have whose first register is r: 1, 2 or 4.
func (a *Area) Width(r lir.Reg, off, words int) int {
	for n := lir.Widest; n > 1; n /= 2 {
		if n <= words && int(r.Num())%n == 0 && a.Align >= 4*n && (a.Off+off)%(4*n) == 0 {
			return n
		}
	}
	return 1
}
