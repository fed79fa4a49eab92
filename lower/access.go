package lower

import (
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
)

// maxOffset bounds the offsets that an access may have, in bytes.
const maxOffset = 1 << 30

// access lowers an ld.param or st.param.
func (fn *fn) access(a *ptx.Access) {
	guard := ""
	if a.Guard != nil {
		guard = fn.guard(a.Guard)
	}
	if a.Type.Size() == 0 || a.Type == ptx.Pred {
		fn.cannot(a.Pos, "%s accesses no bytes", a.Op)
		return
	}
	refs := fn.in.Operands(fn.at)
	sym := fn.in.Sym(refs[0])
	switch {
	case a.Addr.Base == "":
		fn.cannot(a.Addr.Pos, "a %s address without a name", ptx.ParamSpace)
		return
	case sym == nil:
		fn.cannot(a.Addr.Pos, "%s is no .param variable", a.Addr.Base)
		return
	case sym.Var != nil && sym.Spec.Space == ptx.RegSpace:
		fn.dynamic(a, guard)
		return
	}
	v := fn.variableOf(sym, a.Addr.Base)
	if v == nil || sym.Spec.Space != ptx.ParamSpace {
		fn.cannot(a.Addr.Pos, "%s is not in .param space", a.Addr.Base)
		return
	}
	off := fn.offset(a, v.sym)
	if off > maxOffset || off < 0 && (!fn.inMemory(v) || off < -maxOffset) {
		fn.cannot(a.Addr.Pos, "bytes [%d:%d) of %s, which has %d", off, off+int64(a.Bytes()), v.source, v.size)
		return
	}
	if a.Store && !fn.writable(a, v) {
		return
	}
	fn.gathers = !a.Store && (!fn.allVirtual || collectable(a, v))
	fn.allElements(a, refs[1:], v, int(off), guard)
	fn.gathers = false
	if !fn.allVirtual && !a.Store && !fn.joins[fn.at] { // else the loads wait for the rest of the run that they are part of
		fn.flush(guard)
	}
}

// allElements accesses v from byte off on. The names of the registers are refs.
func (fn *fn) allElements(a *ptx.Access, refs []resolved.Ref, v *pvar, off int, guard string) {
	regs, ok := fn.operands(a)
	size := a.Type.Size()
	switch {
	case !ok:
	case storesAsOne(a) && fn.inMemory(v) && (size >= 4 || fn.aligned(v, off, min(a.Bytes(), 4)) && !fn.forwardsAny(a)):
		if all, ok := fn.vectorBytes(a, refs, regs, v.source); ok {
			fn.store(v, off, a.Bytes(), &all, guard)
		}
	case a.Store && v.place == forwarded && !fn.anyForwards: // as nearly all stores are
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
func (fn *fn) writable(a *ptx.Access, v *pvar) bool {
	switch {
	case v.place == inBank:
		fn.cannot(a.Addr.Pos, "%s is a kernel parameter and cannot be written", v.source)
		return false
	case v.sym.Role == resolved.Param:
		fn.cannot(a.Addr.Pos, "%s is an input parameter and cannot be written", v.source)
		return false
	}
	return true
}

// element accesses one element at byte off of v; the operand's name has number n.
func (fn *fn) element(a *ptx.Access, v *pvar, off int, o *ptx.Operand, n resolved.Ref, guard string) {
	size := a.Type.Size()
	forward := fn.forward(n.Name)
	if a.Store {
		if forward != nil && (forward.toMemory || fn.inMemory(forward.v)) {
			if _, ok := fn.sourceRegister(o, n, size); !ok {
				return
			}
			if forward.toMemory {
				fn.storeHeld(v, off, size, forward)
			} else {
				fn.storeForward(v, off, size, forward)
			}
			return
		}
		if v.place == forwarded && forward == nil && o.Kind == ptx.KindName {
			fn.fold(v, off, size, o, n)
		} else if bytes, ok := fn.sourceBytes(o, n, a.Type, v.source); ok {
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
		fn.cannot(o.Pos, "%s needs a register of %d bits or more; %s", a.Op, 8*size, noRegister(o, r))
		return
	}
	if forward != nil {
		fn.loadHeld(forward)
		if !fn.gathers {
			fn.flush(guard)
		}
		return
	}
	if !fn.gathers && fn.allVirtual && fn.loadAtOnce(v, off, r.id, r.size, a.Type, o, n, guard) {
		return
	}
	if !fn.inRegs(v, off, size) {
		fn.loadMem(fn.memory(v, off), r, a.Type, v.source, off, guard)
	} else {
		fn.loadRegs(v, off, r, a.Type, o, n)
	}
	if !fn.gathers {
		fn.flush(guard)
	}
}

// sourceBytes returns the bytes of a stored operand as words.
func (fn *fn) sourceBytes(o *ptx.Operand, n resolved.Ref, t ptx.Type, name string) ([4]word, bool) {
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
	if forward := fn.forward(n.Name); forward != nil {
		for i := range size {
			fn.heldByte(forward.v, &out[i/4], i%4, forward.off+i)
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
func (fn *fn) store(v *pvar, off, size int, bytes *[4]word, guard string) {
	switch v.place {
	case forwarded:
		size = min(size, alignUp(v.size, 4)-off)
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
	case scalarized:
		for k := off / 4; 4*k < min(off+size, v.size); k++ {
			fn.insert(v, k, off, size, bytes, guard)
		}
	case sret, inFrame:
		fn.storeMem(fn.memory(v, off), size, bytes, v.source, off, guard)
	}
}

// insert stores the bytes that fall into word k of a scalarized variable.
func (fn *fn) insert(v *pvar, k, off, size int, bytes *[4]word, guard string) {
	dst := fn.wordOf(v, k)
	var w word
	for b := range 4 {
		if i := 4*k + b - off; i >= 0 && i < size {
			w.put(b, &bytes[i/4], i%4)
		} else if 4*k+b < v.size {
			w.take(b, dst, b) // keep what is there
		}
	}
	fn.assemble(dst, &w, guard, lir.Bytes(v.source, max(off, 4*k), min(off+size, 4*k+4)))
}

// byteAt puts byte i of a variable that is in registers at byte at of w.
func (fn *fn) byteAt(v *pvar, w *word, at, i int) {
	switch {
	case i >= alignUp(v.size, 4):
	case fn.fetched(v) != nil:
		w.take(at, fn.fetched(v)[i/4], i%4)
	case v.place == liveIn:
		w.take(at, fn.formalWord(v.loc, i/4), i%4)
	case v.place == scalarized:
		w.take(at, fn.wordOf(v, i/4), i%4)
	case v.place == forwarded && v.asResult.n == 1:
		if s := &fn.sites[fn.refs(v.asResult)[0].call]; s.ok && len(s.asn.Results) == 1 {
			w.take(at, fn.formalWord(s.asn.Results[0].Loc, i/4), i%4)
		}
	}
}

// bytesAt makes the first n bytes of w, of which none has a value, those of v
// from byte i on.
func (fn *fn) bytesAt(v *pvar, w *word, n, i int) {
	if v.place == liveIn && fn.fetched(v) == nil && i%4 == 0 && i+n <= v.size {
		w.whole(n, fn.formalWord(v.loc, i/4))
		return
	}
	for b := range n {
		fn.byteAt(v, w, b, i+b)
	}
}

// loadRegs loads from a variable that is in registers to r, which an operand names
// whose name has number id.
func (fn *fn) loadRegs(v *pvar, off int, r *register, t ptx.Type, o *ptx.Operand, id resolved.Ref) {
	size := t.Size()
	// The word is extended by whoever made it, unless it was stored here.
	promoted := off == 0 && v.extended(t)
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
			case n < 4 && r.size > size && (off%4 != 0 || !fn.ignoredAbove(o, id, size)):
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
			text = lir.Bytes(v.source, off+4*k, off+min(4*k+4, size))
		}
		fn.toRegister(r, k, &w, text)
	}
}

// extended reports whether the word of v is extended by whoever made it, as t says.
func (v *pvar) extended(t ptx.Type) bool {
	return v.stores.n == 0 && v.sym.Spec.Type == t && promotes(v.sym)
}

// promotes reports whether a variable is a sub-word scalar whose word is
// extended by whoever writes it: .s types with the sign, .u types with zeros.
func promotes(sym *resolved.Symbol) bool {
	if sym.Var == nil || len(sym.Var.Dims) > 0 || sym.Spec.Vec != 0 {
		return false
	}
	switch sym.Spec.Type {
	case ptx.U8, ptx.S8, ptx.U16, ptx.S16:
		return true
	}
	return false
}

// promotedKind tells how the bytes beyond a sub-word scalar are filled.
func promotedKind(p *ptx.Formal) (signed, ok bool) {
	sym := resolved.Symbol{Spec: &p.Spec, Var: &p.Var}
	return p.Type.Signed(), promotes(&sym)
}

// loadsOver reports whether a load through a register takes several steps and
// writes that register.
func (fn *fn) loadsOver(a *ptx.Access, base *register, m memory) bool {
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
		if h := fn.homeOf(a.Regs[i].Name(), fn.in.Lookup(fn.at, a.Regs[i].Name())); h != nil && h.reg <= base.home && int(base.home) < int(h.reg)+h.Words {
			return true
		}
	}
	return false
}
