package sel

import (
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// storesAsOne reports whether a store is of a vector that can be stored at once, or
// as a few words.
func storesAsOne(a *ptx.Access) bool {
	return a.Store && a.Bytes() > a.Type.Size() && a.Bytes() <= 4*lir.Widest
}

// vectorBytes returns the bytes of all elements that are stored as words; name is
// that of the variable.
func (fn *Selector) vectorBytes(a *ptx.Access, refs []resolved.Ref, regs []ptx.Operand, name string) (all [4]word, ok bool) {
	size := a.Type.Size()
	for i := range regs {
		bytes, ok := fn.sourceBytes(&regs[i], idOf(refs, i), a.Type, name)
		if !ok {
			return all, false
		}
		if size >= 4 {
			copy(all[i*size/4:], bytes[:size/4])
			continue
		}
		for b := range size {
			at := i*size + b
			all[at/4].put(at%4, &bytes[0], b)
		}
	}
	return all, true
}

// aligned reports whether byte off of a variable in memory is known to be aligned to n.
func (fn *Selector) aligned(v *place.Var, off, n int) bool {
	m := fn.memory(v, off)
	return m.aligned(n)
}

// forwardsAny reports whether an access stores what only passes through a register: a
// word of it may be made of several stores.
func (fn *Selector) forwardsAny(a *ptx.Access) bool {
	for i := range a.Regs {
		if fn.Forward(fn.RegRef(i).Name) != nil {
			return true
		}
	}
	return false
}

// operands returns what an access moves, element by element: the elements of a
// vector register if it is one.
func (fn *Selector) operands(a *ptx.Access) ([]ptx.Operand, bool) {
	if !a.Whole {
		return a.Regs, true
	}
	r, ok := fn.register(&a.Regs[0], fn.RegRef(0))
	if !ok {
		return nil, false
	}
	if r.elems != a.Vec || r.elem < a.Type.Size() {
		fn.LetThrough(a.Regs[0].Pos)
		return nil, false
	}
	for i := range a.Vec {
		o := a.Regs[0]
		o.Text, o.Elem = o.Name()+"."+"xyzw"[i:i+1], "xyzw"[i]
		fn.elems[i] = o
	}
	return fn.elems[:a.Vec], true
}

// idOf is element i of an access as a name: of a vector register all have one.
func idOf(refs []resolved.Ref, i int) resolved.Ref {
	if i >= len(refs) {
		i = 0
	}
	return refs[i]
}
