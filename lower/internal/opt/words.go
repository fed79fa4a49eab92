package opt

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A byteOf is a byte of a register, or of a constant where reg is none. The zero byteOf is one
// without a value.
type byteOf struct {
	reg  lir.Reg
	bits uint32 // a constant
	byte uint8
	set  bool
	time int32 // how often the register had been written
}

// A word is where the bytes of a register come from, the lowest first.
type word [4]byteOf

// from returns the register of a byte: RZ for zero, none for another constant and for a byte without a value.
func (b *byteOf) from() lir.Reg {
	if b.reg == 0 && b.set && b.bits == 0 {
		return lir.Zero
	}
	return b.reg
}

func constant(bits uint32) (v word) {
	for i := range v {
		v[i] = byteOf{bits: bits >> (8 * i) & 0xff, set: true}
	}
	return v
}

// plain returns the one register whose lowest n bytes a word has in their places, none for a
// constant.
func (v *word) plain(n int) (r lir.Reg, bits uint32, ok bool) {
	seen := false
	for i, b := range v[:n] {
		switch {
		case !b.set:
			continue
		case b.reg == 0:
			bits |= b.bits << (8 * i)
		case int(b.byte) != i:
			return 0, 0, false
		}
		if seen && b.reg != r {
			return 0, 0, false
		}
		r, seen = b.reg, true
	}
	return r, bits, seen
}

// selection returns the registers that a word is selected from and the selector; ok is false for a
// word of more than two, or with a constant that is not zero.
func (v *word) selection() (from [2]lir.Reg, sel int64, ok bool) {
	n := 0
	for i, b := range v {
		if !b.set {
			sel |= int64(i) << (4 * i)
			continue
		}
		r, at := b.reg, int(b.byte)
		if r == 0 {
			if b.bits != 0 {
				return from, 0, false
			}
			r, at = lir.Zero, 3
		}
		k := 0
		for k < n && from[k] != r {
			k++
		}
		if k == 2 {
			return from, 0, false
		}
		if k == n {
			from[n] = r
			n++
		}
		sel |= int64(4*k+at) << (4 * i)
	}
	return from, sel, true
}

// cost returns how many instructions the word of a register has taken, as far as is known.
func (f *follower) cost(r lir.Reg) int32 {
	if r.Kind() == sass.Virtual && own(f.c, r) {
		if k := f.at[index(r)]; k > 0 && f.list[k-1].time == f.time(r) {
			return f.list[k-1].cost
		}
	}
	return 0
}

// build puts a word that an instruction reads together anew, before that instruction, where this takes
// fewer instructions than the word has taken: its constants first, then a register after the other. It returns
// how many instructions the word takes.
func (f *follower) build(at *lir.Reg, v *word, pos diag.Pos) int32 {
	cost := f.cost(*at)
	if !f.plan.AllVirtual {
		return cost
	}
	var regs []lir.Reg
	bits := uint32(0)
	for i, b := range v {
		bits |= b.bits << (8 * i)
	}
	for _, b := range v {
		if r := b.from(); r != 0 && !(r == lir.Zero && bits != 0) && !slices.Contains(regs, r) {
			regs = append(regs, r)
		}
	}
	if len(regs) == 1 && bits == 0 {
		regs = append(regs, lir.Zero) // a selection reads two
	}
	n := int32(len(regs)) - 1
	if bits != 0 {
		n += 2 // all constants are in a register as well
	}
	if n < 1 || n >= cost {
		return cost
	}
	to, last := f.c.NewTemp(), lir.Reg(0)
	if bits != 0 {
		f.c.List = append(f.c.List, lir.Inst{Op: lir.Const, Name: f.plan.T.Spelling.LoadImm, Dst: to, Off: int64(bits), Pos: pos})
		last = to
	}
	for _, r := range regs {
		if last == 0 {
			last = r
			continue
		}
		in := lir.Inst{Op: lir.Perm, Name: f.plan.T.Spelling.SelectBytes, Dst: to, A: last, B: r, Pos: pos}
		for i, b := range v {
			digit := int64(i)
			switch {
			case b.from() == r:
				digit = 4 + int64(b.byte)
			case last != to:
				digit = int64(b.byte)
			}
			in.Off |= digit << (4 * i)
		}
		f.c.List = append(f.c.List, in)
		last = to
	}
	*at = to
	return n
}
