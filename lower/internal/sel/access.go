package sel

import (
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// access lowers an ld.param or st.param.
func (fn *Selector) access(a *ptx.Access) {
	guard := ""
	if a.Guard != nil {
		guard = fn.guard(a.Guard)
	}
	if a.Type.Size() == 0 || a.Type == ptx.Pred {
		fn.LetThrough(a.Pos)
		return
	}
	refs := fn.In.Operands(fn.At)
	sym := fn.In.Sym(refs[0])
	switch {
	case a.Addr.Base == "":
		fn.LetThrough(a.Addr.Pos)
		return
	case sym == nil:
		fn.LetThrough(a.Addr.Pos)
		return
	case sym.Var != nil && sym.Spec.Space == ptx.RegSpace:
		fn.dynamic(a, guard)
		return
	}
	v := fn.VariableOf(sym, a.Addr.Base)
	if v == nil || sym.Spec.Space != ptx.ParamSpace {
		fn.LetThrough(a.Addr.Pos)
		return
	}
	off := fn.Offset(a, v.Sym)
	if off > place.MaxOffset || off < 0 && (!fn.InMemory(v) || off < -place.MaxOffset) {
		fn.Cannot(a.Addr.Pos, "bytes [%d:%d) of %s, which has %d", off, off+int64(a.Bytes()), v.Source, v.Size)
		return
	}
	if a.Store && !fn.writable(a, v) {
		return
	}
	fn.gathers = !a.Store && (!fn.AllVirtual || collectable(a, v))
	fn.allElements(a, refs[1:], v, int(off), guard)
	fn.gathers = false
	if !fn.AllVirtual && !a.Store && !fn.Joins[fn.At] { // else the loads wait for the rest of the run that they are part of
		fn.flush(guard)
	}
}

// allElements accesses v from byte off on. The names of the registers are refs.
func (fn *Selector) allElements(a *ptx.Access, refs []resolved.Ref, v *place.Var, off int, guard string) {
	regs, ok := fn.operands(a)
	size := a.Type.Size()
	switch {
	case !ok:
	case storesAsOne(a) && fn.InMemory(v) && (size >= 4 || fn.aligned(v, off, min(a.Bytes(), 4)) && !fn.forwardsAny(a)):
		if all, ok := fn.vectorBytes(a, refs, regs, v.Source); ok {
			fn.store(v, off, a.Bytes(), &all, guard)
		}
	case a.Store && v.Place == place.Forwarded && !fn.AnyForwards: // as nearly all stores are
		for i := range regs {
			if o := &regs[i]; o.Kind == ptx.KindName {
				fn.fold(v, off+i*size, size, o, idOf(refs, i))
			} else {
				fn.element(a, v, off+i*size, o, idOf(refs, i), guard)
			}
		}
	default:
		for i := range regs {
			fn.element(a, v, off+i*size, &regs[i], idOf(refs, i), guard)
		}
	}
}

// writable returns whether v may be stored to, and reports it if not.
func (fn *Selector) writable(a *ptx.Access, v *place.Var) bool {
	switch {
	case v.Place == place.InBank:
		fn.LetThrough(a.Addr.Pos)
		return false
	case v.Sym.Role == resolved.Param:
		fn.LetThrough(a.Addr.Pos)
		return false
	}
	return true
}

// element accesses one element at byte off of v; the operand's name has number n.
func (fn *Selector) element(a *ptx.Access, v *place.Var, off int, o *ptx.Operand, n resolved.Ref, guard string) {
	size := a.Type.Size()
	forward := fn.Forward(n.Name)
	if a.Store {
		if forward != nil && (forward.ToMemory || fn.InMemory(forward.V)) {
			if _, ok := fn.sourceRegister(o, n, size); !ok {
				return
			}
			if forward.ToMemory {
				fn.storeHeld(v, off, size, forward)
			} else {
				fn.storeForward(v, off, size, forward)
			}
			return
		}
		if v.Place == place.Forwarded && forward == nil && o.Kind == ptx.KindName {
			fn.fold(v, off, size, o, n)
		} else if bytes, ok := fn.sourceBytes(o, n, a.Type, v.Source); ok {
			fn.store(v, off, size, &bytes, guard)
		}
		return
	}
	if o.Kind == ptx.KindSink {
		return
	}
	r, ok := fn.registerAt(o, n)
	if !ok {
		return
	}
	if r.pred || r.size < size || r.elems > 0 {
		fn.LetThrough(o.Pos)
		return
	}
	if forward != nil {
		fn.loadHeld(forward)
		if !fn.gathers {
			fn.flush(guard)
		}
		return
	}
	if !fn.gathers && fn.loadAtOnce(v, off, r.id, r.size, a.Type, o, n, guard) {
		return
	}
	if !fn.inRegs(v, off, size) {
		fn.loadMem(fn.memory(v, off), r, a.Type, v.Source, off, guard)
	} else {
		fn.loadRegs(v, off, r, a.Type, o, n)
	}
	if !fn.gathers {
		fn.flush(guard)
	}
}

// sourceBytes returns the bytes of a stored operand as words.
func (fn *Selector) sourceBytes(o *ptx.Operand, n resolved.Ref, t ptx.Type, name string) ([4]word, bool) {
	var out [4]word
	size := t.Size()
	if o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat {
		bits, ok := fn.constantBits(o, t, name)
		for i := range min(size, 8) {
			out[i/4].set(i%4, byte(bits>>(8*i)))
		}
		return out, ok
	}
	r, ok := fn.sourceRegister(o, n, size)
	if !ok {
		return out, false
	}
	if forward := fn.Forward(n.Name); forward != nil {
		for i := range size {
			fn.heldByte(forward.V, &out[i/4], i%4, forward.Off+i)
		}
		return out, true
	}
	for k := 0; 4*k < size; k++ {
		out[k].whole(min(4, size-4*k), fn.part(r, k))
	}
	return out, true
}

// store puts size bytes at byte off of v. What would fall beyond the last word
// of a variable in registers goes nowhere.
func (fn *Selector) store(v *place.Var, off, size int, bytes *[4]word, guard string) {
	switch v.Place {
	case place.Forwarded:
		size = min(size, place.AlignUp(v.Size, 4)-off)
		pending := &fn.state(v).pending
		for i := 0; i < size; {
			k := (off + i) / 4
			w := fn.pendingWord(pending, v, k)
			if off%4 == 0 && size-i >= 4 && bytes[i/4].n < 2 && !w.defined() { // a whole one, as nearly all are
				*w = bytes[i/4]
				i += 4
				continue
			}
			w.put((off+i)%4, &bytes[i/4], i%4)
			i++
		}
	case place.Scalarized:
		for k := off / 4; 4*k < min(off+size, v.Size); k++ {
			fn.insert(v, k, off, size, bytes, guard)
		}
	case place.Sret, place.InFrame:
		fn.storeMem(fn.memory(v, off), size, bytes, v.Source, off, guard)
	}
}

// insert stores the bytes that fall into word k of a scalarized variable.
func (fn *Selector) insert(v *place.Var, k, off, size int, bytes *[4]word, guard string) {
	dst := fn.wordOf(v, k)
	var w word
	for b := range 4 {
		if i := 4*k + b - off; i >= 0 && i < size {
			w.put(b, &bytes[i/4], i%4)
		} else if 4*k+b < v.Size {
			w.take(b, dst, b) // keep what is there
		}
	}
	fn.assemble(dst, &w, guard, lir.Bytes(v.Source, max(off, 4*k), min(off+size, 4*k+4)))
}

// byteAt puts byte i of a variable that is in registers at byte at of w.
func (fn *Selector) byteAt(v *place.Var, w *word, at, i int) {
	switch {
	case i >= place.AlignUp(v.Size, 4):
	case fn.fetched(v) != nil:
		w.take(at, fn.fetched(v)[i/4], i%4)
	case v.Place == place.LiveIn:
		w.take(at, fn.formalWord(v.Loc, i/4), i%4)
	case v.Place == place.Scalarized:
		w.take(at, fn.wordOf(v, i/4), i%4)
	case v.Place == place.Forwarded && v.AsResult.N == 1:
		if s := &fn.Sites[fn.Refs(v.AsResult)[0].Call]; s.Ok && len(s.Asn.Results) == 1 {
			w.take(at, fn.formalWord(s.Asn.Results[0].Loc, i/4), i%4)
		}
	}
}

// bytesAt makes the first n bytes of w, of which none has a value, those of v
// from byte i on.
func (fn *Selector) bytesAt(v *place.Var, w *word, n, i int) {
	if v.Place == place.LiveIn && fn.fetched(v) == nil && i%4 == 0 && i+n <= v.Size {
		w.whole(n, fn.formalWord(v.Loc, i/4))
		return
	}
	for b := range n {
		fn.byteAt(v, w, b, i+b)
	}
}

// loadRegs loads from a variable that is in registers to r, which an operand names
// whose name has number id.
func (fn *Selector) loadRegs(v *place.Var, off int, r *register, t ptx.Type, o *ptx.Operand, id resolved.Ref) {
	size := t.Size()
	// The word is extended by whoever made it, unless it was stored here.
	promoted := off == 0 && v.Extended(t)
	for k := range r.words() {
		var w word
		switch {
		case 4*k < size:
			n := min(4, size-4*k)
			fn.bytesAt(v, &w, n, off+4*k)
			switch {
			case promoted:
				for b := range 4 {
					fn.byteAt(v, &w, b, b)
				}
			case n < 4 && r.size > size && (off%4 != 0 || !fn.IgnoredAbove(o, id, size)):
				w.extend(n, t.Signed())
			}
		case t.Signed():
			var top word
			fn.byteAt(v, &top, 0, off+size-1)
			if top.n == 0 {
				break // beyond the variable: undefined
			}
			for b := range 4 {
				w.sign(b, top.srcs[0], int(top.from[0].val()))
			}
		default:
			for b := range 4 {
				w.set(b, 0)
			}
		}
		var text lir.Note
		if 4*k < size {
			text = lir.Bytes(v.Source, off+4*k, off+min(4*k+4, size))
		}
		fn.toRegister(r, k, &w, text)
	}
}

// loadsOver reports whether a load through a register takes several steps and
// writes that register. One of one register takes one: see loadWhole.
func (fn *Selector) loadsOver(a *ptx.Access, base *register, m memory) bool {
	if len(a.Regs) == 1 && (a.Bytes() <= 8 || fn.wideLoad(&m, 4) != "") {
		return false
	}
	for i := range a.Regs {
		if a.Regs[i].Name() == a.Addr.Base {
			return true
		}
		if !base.homed || a.Regs[i].Kind != ptx.KindName {
			continue
		}
		if h := fn.HomeOf(a.Regs[i].Name(), fn.In.Lookup(fn.At, a.Regs[i].Name())); h != nil && h.Reg <= base.home && int(base.home) < int(h.Reg)+h.Words {
			return true
		}
	}
	return false
}
