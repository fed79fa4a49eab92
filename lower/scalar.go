package lower

import (
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Nearly all accesses are of scalars that keep their names, and of them all that is to be
// known is the size.

// scalar returns the size of the register that an operand names, whose name has number
// n, if it is a scalar that keeps its name and no predicate. For all others it is 0.
// A symbol knows it from its declaration on; to rename it makes it 0.
func (fn *fn) scalar(o *ptx.Operand, n resolved.Ref) int {
	if n.Sym < 0 || o.Elem != 0 {
		return 0
	}
	return int(fn.syms[n.Sym].size)
}

// wordOfScalar is word k of a scalar register of a size, of which the name has number n.
func wordOfScalar(n int32, size, k int) lir.Reg {
	return lir.Virt(n, partOf(size, k))
}

// partOf is word k of a scalar register of a size.
func partOf(size, k int) sass.Part {
	switch size {
	case 8:
		return sass.Lo + sass.Part(k)
	case 16:
		return sass.W0 + sass.Part(k)
	}
	return sass.Whole
}

// accessAtOnce lowers an access to v that needs no closer look at what it is: not
// guarded, of elements that are in registers of their own, and where registers keep
// their names. It reports false, and has done nothing, for any other.
func (fn *fn) accessAtOnce(a *ptx.Access, v *pvar) bool {
	size := a.Type.Size()
	if uint64(a.Addr.Off) > maxOffset || size == 0 || a.Whole || a.Addr.Indexed || a.Type == ptx.Pred || fn.h != nil {
		return false
	}
	off := int(a.Addr.Off)
	if a.Store {
		switch {
		case v.sym.Role == resolved.Param:
			return false
		case v.place != forwarded:
			return len(a.Regs) == 1 && fn.storeAtOnce(v, off, size, &a.Regs[0], fn.regRef(0))
		}
		for i := range a.Regs {
			fn.foldElement(a, v, off+i*size, &a.Regs[i], fn.regRef(i))
		}
		return true
	}
	if collectable(a, v) || fn.state(v).fetched != nil {
		return false
	}
	for i := range a.Regs {
		o, n := &a.Regs[i], fn.regRef(i)
		if r := fn.scalar(o, n); fn.relaying && fn.relay(n.Name) != nil || r < size || r > 8 || !fn.loadAtOnce(v, off+i*size, n.Name, r, a.Type, o, n, "") {
			fn.element(a, v, off+i*size, o, n, "")
		}
	}
	return true
}

// storeAtOnce stores the only element of an access to byte off of a variable in memory,
// where that takes one instruction.
func (fn *fn) storeAtOnce(v *pvar, off, size int, o *ptx.Operand, n resolved.Ref) bool {
	if v.place != sret && v.place != inFrame || fn.relay(n.Name) != nil {
		return false
	}
	r, m, op := fn.scalar(o, n), fn.memory(v, off), fn.storeOp(size)
	if size == 8 {
		op = fn.t.Spelling.StoreLocal.B64
	}
	if r < size || r > 8 || r > 4 && r > size || size > 8 || !m.aligned(size) || op == "" {
		return false
	}
	fn.storeWord("", op, &m, lir.Virt(n.Name, sass.Whole), lir.Bytes(v.source, off, off+size))
	return true
}

// foldElement stores an element of an access to byte off of a forwarded variable: o, whose name
// has number n.
func (fn *fn) foldElement(a *ptx.Access, v *pvar, off int, o *ptx.Operand, n resolved.Ref) {
	r, size := fn.scalar(o, n), a.Type.Size()
	inside := size <= 8 && off&(size-1) == 0 && off+size <= alignUp(v.size, 4)
	switch {
	case fn.relaying && fn.relay(n.Name) != nil:
		fn.element(a, v, off, o, n, "")
	case r >= size && inside: // as nearly all are
		w := fn.pendingWord(v, off/4)
		if size < 4 {
			w.takeFrom(off%4, size, wordOfScalar(n.Name, r, 0))
			return
		}
		w.whole(4, wordOfScalar(n.Name, r, 0))
		if size > 4 {
			fn.pendingWord(v, off/4+1).whole(4, wordOfScalar(n.Name, r, 1))
		}
	case o.Kind == ptx.KindName:
		fn.fold(v, off, size, o, n)
	case (o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat) && off+size <= alignUp(v.size, 4):
		bits, ok := fn.constantBits(o, a.Type, v.source)
		for i := 0; i < size && ok; {
			w := fn.pendingWord(v, (off+i)/4)
			for at := (off + i) % 4; at < 4 && i < size; at, i = at+1, i+1 {
				w.set(at, byte(bits>>(8*i)))
			}
		}
	default:
		fn.element(a, v, off, o, n, "")
	}
}
