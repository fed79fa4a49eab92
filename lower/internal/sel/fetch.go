package sel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// fetch loads parts of a result that came through memory right after its call,
// several words at a time, where that takes fewer instructions than all the
// loads on their own, wherever they stand. Nothing writes the result before the
// next call.
func (fn *Selector) fetch(v *place.Var) {
	if !fn.Runs(lir.Fetching) || v.Sym.Role != resolved.Local || !fn.ReadOnly(v) || !place.Follow(fn.Refs(v.AsResult)[0], fn.Refs(v.Loads)) {
		return
	}
	list := fn.elements(v)
	for off := 0; off+8 <= v.Size; {
		n := lir.Widest
		for n > 1 && !fn.worthFetching(v, off, n, list) {
			n /= 2
		}
		if n > 1 {
			fn.fetchWords(v, off, n)
		}
		off += max(4*n, 8)
	}
}

// An element is a part of a variable that is loaded into one register.
type element struct {
	off, size int
	apart     bool // it has to be taken out of its word by an instruction that is no copy
}

// elements returns what is loaded from v; nil if one of the loads is guarded or
// reaches beyond it.
func (fn *Selector) elements(v *place.Var) []element {
	list := fn.parts[:0]
	defer func() { fn.parts = list[:0] }()
	for _, r := range fn.Refs(v.Loads) {
		a := fn.F.Body[r.Stmt].(*ptx.Access)
		size := a.Type.Size()
		for i := range a.Regs {
			off := fn.Offset(a, v.Sym) + int64(i*size)
			if a.Guard != nil || off < 0 || off+int64(size) > int64(v.Size) || off%int64(max(min(size, 4), 1)) != 0 {
				return nil
			}
			o := &a.Regs[i]
			if o.Kind == ptx.KindName && fn.Forward(fn.Accessed(r.At(), i)) == nil {
				list = append(list, element{int(off), size, size < 4 && (off%4 != 0 || !fn.holdsOnly(o, fn.In.Operands(r.At())[1+i], size))})
			}
		}
	}
	return list
}

// holdsOnly reports whether a register that is loaded holds no more than size bytes, or is
// not read beyond them, so that a copy of the word that they are the lowest of will do. It
// decides what is cheap, not what is right: o may be declared further on.
func (fn *Selector) holdsOnly(o *ptx.Operand, n resolved.Ref, size int) bool {
	sym := fn.In.Sym(n)
	if sym != nil && sym.Var != nil && sym.Spec.Space == ptx.RegSpace && size == sym.Spec.Type.Size() && (sym.Spec.Vec == 0 || o.Elem != 0) {
		return true
	}
	return fn.IgnoredAbove(o, n, size)
}

// worthFetching reports whether loading n words of v at once saves instructions,
// and half of them would not do.
func (fn *Selector) worthFetching(v *place.Var, off, n int, list []element) bool {
	m := fn.memory(v, off)
	if off+4*n > v.Size || !m.aligned(4*n) || fn.wideLoad(&m, n) == "" {
		return false
	}
	each, together := 0, 1
	low, high := false, false
	for _, e := range list {
		switch {
		case e.off+e.size <= off || e.off >= off+4*n:
			continue
		case e.off < off || e.off+e.size > off+4*n:
			return false
		}
		each++
		if e.apart {
			together++
		}
		low = low || e.off < off+2*n
		high = high || e.off+e.size > off+2*n
	}
	return together < each && low && high
}

// fetchWords loads n words of v from byte off on.
func (fn *Selector) fetchWords(v *place.Var, off, n int) {
	if fn.state(v).fetched == nil {
		fn.state(v).fetched = make([]lir.Reg, (v.Size+3)/4)
	}
	m := fn.memory(v, off)
	b := append(append(fn.line[:0], v.Source...), fn.Added(v.Sym)...)
	b = append(strconv.AppendInt(append(b, '.'), int64(off/4), 10), fn.Names.Suffix...)
	fn.line = strconv.AppendInt(append(b, 'x'), int64(n), 10)
	to := fn.Virtual(fn.bytes(fn.line), sass.Whole)
	fn.loadWord("", fn.wideLoad(&m, n), to, &m, lir.Bytes(v.Source, off, off+4*n))
	first := sass.Lo
	if n > 2 {
		first = sass.W0
	}
	for k := range n {
		fn.state(v).fetched[off/4+k] = to.WithPart(first + sass.Part(k))
	}
}

// inRegs reports whether bytes of a variable are in registers.
func (fn *Selector) inRegs(v *place.Var, off, size int) bool {
	if !fn.InMemory(v) {
		return true
	}
	for k := off / 4; 4*k < off+size; k++ {
		if k < 0 || k >= len(fn.state(v).fetched) || fn.state(v).fetched[k].Kind() == sass.None {
			return false
		}
	}
	return true
}
