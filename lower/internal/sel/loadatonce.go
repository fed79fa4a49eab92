package sel

import (
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Nearly all accesses of real modules are of a scalar that lies within one word,
// or of whole words. What they become can be seen at once, without a recipe for
// each byte and a list of what happens together: that takes a third of the time.

// loadAtOnce emits a load of element off of v that takes one instruction, or one
// for each word, where nothing waits and registers keep their names; the operand o,
// whose name has number id, names a register of the given size, no vector, and r is the
// number of what that is written as. It reports false, and has done nothing, for any other.
func (fn *Selector) loadAtOnce(v *place.Var, off int, r int32, wide int, t ptx.Type, o *ptx.Operand, id resolved.Ref, guard string) bool {
	size := t.Size()
	if size >= 4 && wide != size || wide > 8 || size < 4 && wide > 4 || fn.fetched(v) != nil {
		return false
	}
	if fn.InMemory(v) {
		return fn.loadFromMemory(v, off, r, wide, t, guard)
	}
	if off < 0 || off+size > v.Size || off%4+size > 4 && off%4 != 0 {
		return false
	}
	for k := 0; 4*k < size; k++ {
		src, ok := fn.wordIn(v, off/4+k)
		if !ok {
			return false
		}
		s := lir.Bytes(v.Source, off+4*k, off+min(4*k+4, size))
		switch {
		case size >= 4, off%4 == 0 && (wide == size || off == 0 && v.Extended(t) || fn.IgnoredAbove(o, id, size)):
			fn.move(guard, wordOfScalar(r, wide, k), src, s)
		default:
			fn.selectBytes(guard, wordOfScalar(r, wide, k), src, within(off%4, size, t.Signed() && wide > size), lir.Phys(sass.RZ), s)
		}
	}
	return true
}

// wordIn returns the register that holds word k of a variable that is in
// registers.
func (fn *Selector) wordIn(v *place.Var, k int) (lir.Reg, bool) {
	switch v.Place {
	case place.LiveIn:
		return fn.formalWord(v.Loc, k), true
	case place.Scalarized:
		return fn.wordOf(v, k), true
	case place.Forwarded:
		if v.AsResult.N == 1 {
			if s := &fn.Sites[fn.Refs(v.AsResult)[0].Call]; s.Ok && len(s.Asn.Results) == 1 {
				return fn.formalWord(s.Asn.Results[0].Loc, k), true
			}
		}
	}
	return 0, false
}

// within returns the selector of size bytes from byte at on of the first register,
// where the second is RZ: with the sign above, or with zeros.
func within(at, size int, sign bool) uint32 {
	var sel uint32
	for i := range 4 {
		n := uint32(fromZero)
		switch {
		case i < size:
			n = uint32(at + i)
		case sign:
			n = signed + uint32(at+size-1)
		}
		sel |= n << (4 * i)
	}
	return sel
}

// loadFromMemory is loadAtOnce for a variable in memory.
func (fn *Selector) loadFromMemory(v *place.Var, off int, r int32, wide int, t ptx.Type, guard string) bool {
	size := t.Size()
	m := fn.memory(v, off)
	s := lir.Bytes(v.Source, off, off+size)
	switch {
	case !m.aligned(min(size, 4)):
		return false
	case size <= 4:
		fn.loadWord(guard, fn.loadOp(&m, size, t.Signed()), wordOfScalar(r, wide, 0), &m, s)
		return true
	}
	if op := fn.wideLoad(&m, 2); op != "" && m.aligned(8) {
		fn.loadWord(guard, op, lir.Virt(r, sass.Whole), &m, s)
		return true
	}
	for k := range 2 {
		at := m.at(4 * k)
		fn.loadWord(guard, fn.loadOp(&at, 4, false), wordOfScalar(r, wide, k), &at, lir.Bytes(v.Source, off+4*k, off+4*k+4))
	}
	return true
}

// fold stores a register to byte off of a forwarded variable. What would fall beyond
// its last word goes nowhere.
func (fn *Selector) fold(v *place.Var, off, size int, o *ptx.Operand, n resolved.Ref) {
	r, ok := fn.sourceRegister(o, n, size)
	if !ok {
		return
	}
	size = min(size, place.AlignUp(v.Size, 4)-off)
	pending := &fn.state(v).pending
	for i := 0; i < size; {
		k := (off + i) / 4
		w := fn.pendingWord(pending, v, k)
		if off%4 == 0 && size-i >= 4 {
			w.whole(4, fn.part(r, i/4))
			i += 4
			continue
		}
		from := fn.part(r, i/4)
		for i < size && (off+i)/4 == k {
			if i%4 == 0 {
				from = fn.part(r, i/4)
			}
			w.take((off+i)%4, from, i%4)
			i++
		}
	}
}
