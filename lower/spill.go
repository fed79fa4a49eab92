package lower

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// throughSlots is the pass over the code of a function that has registers in slots of its
// frame: what reads one loads it before, what writes one stores it after.
func (fn *fn) throughSlots() {
	r := fn.code.Rewrite()
	for i := range r.Old {
		in := &r.Old[i]
		fn.pos = in.Pos
		if !fn.spilled(in) {
			fn.code.List = append(fn.code.List, *in)
		}
		r.Became(i)
	}
	r.End()
}

// spilled emits an instruction that reads or writes registers in slots, and what loads
// and stores those. It reports false for one that has none.
func (fn *fn) spilled(in *lir.Inst) bool {
	out := *in
	var dst, base *lir.Reg
	var srcs [8]*lir.Reg
	n := 0
	read := func(r *lir.Reg) { srcs[n], n = r, n+1 }
	words, callee := 1, false // that the access moves; whether the first source is an address of code
	switch in.Op {
	case lir.Copy:
		dst = &out.Dst
		read(&out.A)
	case lir.Load:
		dst, base, words = &out.Dst, &out.B, in.Words()
	case lir.Store:
		base, words = &out.B, in.Words()
		read(&out.A)
	case lir.Perm:
		dst = &out.Dst
		read(&out.A)
		read(&out.B)
	case lir.Const:
		dst = &out.Dst
	case lir.Instr:
		args := fn.code.Operands(in)
		callee = in.Name == fn.t.Spelling.CallIndirect
		for k := range args {
			if k == 0 && !callee {
				dst = &args[k].Reg
			} else {
				read(&args[k].Reg)
			}
		}
	}
	uses := dst != nil && fn.inSpills(*dst) || base != nil && fn.inSpills(*base)
	for _, r := range srcs[:n] {
		uses = uses || fn.inSpills(*r)
	}
	if !uses {
		return false
	}
	guard, s := fn.code.GuardOf(in), &fn.spill
	if in.Op == lir.Copy && fn.moveThrough(guard, in) {
		return true
	}
	to, stored := 0, false
	if dst != nil {
		if to, stored = fn.slotOf(*dst); stored {
			*dst = lir.Phys(s.quad)
		}
	}
	if base != nil {
		if off, ok := fn.slotOf(*base); ok {
			fn.loadSlot(guard, s.base, off, 1)
			if *base = lir.Phys(s.base); out.Kind == sass.Const {
				out.Kind = sass.ConstReg
			}
		}
	}
	next := 0
	for k, r := range srcs[:n] {
		off, ok := fn.slotOf(*r)
		if !ok {
			continue
		}
		size := 1
		switch {
		case k == 0 && callee:
			size = fn.t.Spelling.IndirectWords
		case in.Op == lir.Store:
			size = words
		}
		fn.loadSlot(guard, s.quad+sass.Reg(next), off, size)
		*r = lir.Phys(s.quad + sass.Reg(next))
		next += size
	}
	for k := range out.N {
		if in.Op == lir.Instr {
			if a := &fn.code.Args[out.First+k]; a.Reg != 0 {
				a.Rest.Kind = a.Reg.Kind()
			}
		}
	}
	fn.code.List = append(fn.code.List, out)
	if stored {
		fn.storeSlot(guard, lir.Note{}, s.quad, to, words)
	}
	return true
}

// moveThrough emits a copy that is one load or one store.
func (fn *fn) moveThrough(guard string, in *lir.Inst) bool {
	to, stored := fn.slotOf(in.Dst)
	from, loaded := fn.slotOf(in.A)
	switch {
	case stored && loaded:
		fn.loadSlot(guard, fn.spill.quad, from, 1)
		fn.storeSlot(guard, in.Note, fn.spill.quad, to, 1)
	case stored:
		m := fn.inSlot(to)
		fn.storeWord(guard, fn.t.Spelling.StoreLocal.B32, &m, in.A, in.Note)
	case in.Dst != lir.Phys(fn.t.Regs.SP):
		m := fn.inSlot(from)
		fn.loadWord(guard, fn.t.Spelling.LoadLocal.B32, in.Dst, &m, in.Note)
	default:
		return false
	}
	return true
}

// inSlot returns byte off of the spill area.
func (pl *plan) inSlot(off int) memory { return pl.inBase(pl.frame.spills + off) }

// loadSlot loads words from a slot, as many at a time as its alignment allows.
func (fn *fn) loadSlot(guard string, r sass.Reg, off, words int) {
	for k := 0; k < words; {
		n, ops := fn.slotAccess(r+sass.Reg(k), off+4*k, words-k), &fn.t.Spelling.LoadLocal
		m := fn.inSlot(off + 4*k)
		fn.loadWord(guard, [...]string{ops.B32, ops.B64, ops.B128}[n/2], lir.Phys(r+sass.Reg(k)), &m, lir.Note{})
		k += n
	}
}

// storeSlot stores words to a slot likewise.
func (fn *fn) storeSlot(guard string, note lir.Note, r sass.Reg, off, words int) {
	for k := 0; k < words; {
		n, ops := fn.slotAccess(r+sass.Reg(k), off+4*k, words-k), &fn.t.Spelling.StoreLocal
		m := fn.inSlot(off + 4*k)
		fn.storeWord(guard, [...]string{ops.B32, ops.B64, ops.B128}[n/2], &m, lir.Phys(r+sass.Reg(k)), note)
		k += n
	}
}

// slotAccess returns how many words one access takes.
func (fn *fn) slotAccess(r sass.Reg, off, words int) int {
	m := fn.inSlot(off)
	for n := widest; n > 1; n /= 2 {
		if n <= words && int(r)%n == 0 && m.aligned(4*n) {
			return n
		}
	}
	return 1
}
