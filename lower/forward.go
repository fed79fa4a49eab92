package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A forward is a register that does nothing but pass bytes of a parameter on: one
// ld.param writes it, st.params of arguments or of the result read it, and
// nothing else mentions it. It is never made. What would have been stored from it
// is taken from where the parameter is, so that words that PTX takes apart and
// puts together again stay whole. From memory to memory a word goes through a
// register of its own, loaded and stored where PTX does it.
//
// Why that is the same: between the load and the call or return that gets the
// bytes, nothing can write where the parameter is. A formal is never written. A
// result is written by its call alone, and there is no label between that and
// the use, so that the call does not happen again on the way. Neither may have
// its address taken. A path that reads the register without having come by the
// load reads what PTX leaves undefined.
type forward struct {
	name      int32 // its number
	v         *pvar // what it is loaded from
	off, size int   // bytes [off, off+size) of it
	def       ref
	uses      []forwardedUse
	bad       bool
	toMemory  bool // it is stored to the memory of a large result
}

// A forwardedUse is one st.param of a forwarded copy.
type forwardedUse struct {
	to        *pvar
	off, size int
	use       ref // the call or return that gets it
}

// A wholeWord is a word of a forwarded variable that is word k of another one,
// which is in memory.
type wholeWord struct {
	v    *pvar
	k    int
	mask uint8 // which of its bytes are wanted
}

// findForwards finds the forwarded copies of the body, once the places of all variables are
// known. Those of whole words are left alone, but for words of local memory, of
// which several may be loaded at once: they cost a copy either way.
func (pl *placer) findForwards() {
	pl.anyForwards = false
	if !pl.runs(forwarding) {
		return
	}
	if !slices.ContainsFunc(pl.vars, pl.storedTo) {
		return
	}
	pl.fwd = pl.fwd[:0]
	if !slices.ContainsFunc(pl.vars, pl.hasForwards) { // mostly
		return
	}
	good := false
	for _, v := range pl.vars {
		if !pl.readOnly(v) {
			continue
		}
		for _, at := range pl.refs(v.loads) {
			good = pl.forwardsOf(v, at) || good
		}
	}
	if !good {
		return
	}
	pl.dropFormals()
	for _, u := range pl.vars {
		if pl.storedTo(u) {
			pl.forwardsTo(u)
		}
	}
	if !pl.sift() {
		return
	}
	pl.uses.countInstrs()
	if !pl.sift() {
		return
	}
	for _, u := range pl.vars {
		if pl.storedTo(u) {
			pl.dropPartial(u)
		}
	}
	for i := range pl.fwd {
		if r := &pl.fwd[i]; !r.bad {
			pl.anyForwards = true
			if r.toMemory && pl.inMemory(r.v) {
				r.v.held.add(r.off / 4)
			} else {
				pl.hold(r)
			}
		}
	}
}

// storedTo reports whether forwarded copies can go to u.
func (pl *placer) storedTo(u *pvar) bool {
	return u.stores.n > 0 && (u.place == forwarded || u.place == sret && pl.allVirtual && u.loads.n+u.addressed.n == 0)
}

// forward returns the forwarded copy of the name of number n, nil if it is none. There is
// none before findForwards has found them.
func (pl *plan) forward(n int32) *forward {
	if !pl.anyForwards {
		return nil
	}
	return pl.mayForward(n)
}

// mayForward returns what may be the forwarded copy of the name of number n, nil if it
// certainly is none.
func (pl *plan) mayForward(n int32) *forward {
	if n < 0 {
		return nil
	}
	k := pl.uses.use(n).forward
	if k == 0 || pl.fwd[k-1].bad {
		return nil
	}
	return &pl.fwd[k-1]
}

// readOnly reports whether nobody can write v between a load of it and the use
// of what was loaded, but for a call that returns into it, and whether its words
// can be had later on.
func (pl *plan) readOnly(v *pvar) bool {
	if v.addressed.n > 0 || v.stores.n > 0 || v.asArg.n > 0 || v.sym.Spec.Space != ptx.ParamSpace {
		return false
	}
	switch v.sym.Role {
	case resolved.Param:
	case resolved.Local:
		if v.asResult.n != 1 {
			return false
		}
	default:
		return false
	}
	switch v.place {
	case liveIn, scalarized, forwarded:
		return pl.allVirtual
	case inFrame, incoming:
		return true
	case inBank:
		return v.loc.Off%4 == 0
	}
	return false
}

// forwardsOf appends the registers that a load of v writes, as far as they can be
// forwarded copies. One that is there already is written twice. It reports whether one of
// them is good.
func (pl *placer) forwardsOf(v *pvar, at ref) bool {
	a := pl.f.Body[at.stmt].(*ptx.Access)
	size := a.Type.Size()
	good := pl.writesForwards(v, at)
	some := false
	for i := range a.Regs {
		o := &a.Regs[i]
		if o.Kind != ptx.KindName {
			continue
		}
		n := pl.accessed(at.at(), i)
		use := pl.uses.use(n)
		if use.count == 1 { // stored nowhere, nor loaded again
			continue
		}
		if use.forward > 0 {
			pl.fwd[use.forward-1].bad = true
			continue
		}
		k := len(pl.fwd)
		use.forward = int32(k) + 1
		off := pl.offset(a, v.sym) + int64(i*size)
		end := int64(v.size)
		if v.place == inBank { // where the words after are other parameters
			end &^= 3
		}
		r := forward{name: n, v: v, off: int(off), size: size, def: at}
		r.bad = !good || o.Elem != 0 || off < 0 || off+int64(size) > end
		if k < cap(pl.fwd) {
			r.uses = pl.fwd[:k+1][k].uses[:0] // the memory of one before
		}
		pl.fwd = append(pl.fwd, r)
		some = some || !r.bad
	}
	return some
}

// forwardsTo notes the stores of forwarded copies to a forwarded variable.
func (pl *placer) forwardsTo(u *pvar) {
	var use ref
	switch {
	case u.place == sret:
	case u.sym.Role == resolved.Result:
		use = pl.rets[0]
	default:
		use = pl.refs(u.asArg)[0]
	}
	for _, at := range pl.refs(u.stores) {
		a := pl.f.Body[at.stmt].(*ptx.Access)
		if u.place == sret {
			use = at
		}
		size := a.Type.Size()
		for i := range a.Regs {
			r := pl.mayForward(pl.accessed(at.at(), i))
			if r == nil {
				continue
			}
			off := pl.offset(a, u.sym) + int64(i*size)
			if a.Whole || a.Regs[i].Elem != 0 || size > r.size || off < 0 || off+int64(size) > int64(u.size) {
				r.bad = true
				continue
			}
			if r.v.sym.Role == resolved.Local && (r.def.ebb != at.ebb || r.def.stmt > at.stmt) {
				r.bad = true
			}
			if u.place == sret {
				r.toMemory = true
				r.bad = r.bad || r.size >= 4 || a.Guard != nil
			} else if pl.inLocal(r.v) && r.def.call != use.call {
				r.bad = true // local memory is not read later than PTX says, seen from calls
			}
			r.uses = append(r.uses, forwardedUse{u, int(off), size, use})
		}
	}
}

// hold sees to it that the words of a forwarded copy are there when it is used: where
// the call left them if nothing has been called in between, else in registers of
// their own.
func (pl *placer) hold(r *forward) {
	v := r.v
	if v.place != liveIn && v.place != forwarded {
		return
	}
	from := int32(0)
	first := v.loc
	if v.place == forwarded {
		from = pl.refs(v.asResult)[0].call + 1
		s := &pl.sites[from-1]
		if !s.ok || len(s.asn.Results) != 1 {
			return
		}
		first = s.asn.Results[0].Loc
	}
	for i := range r.uses {
		use := &r.uses[i].use
		near := use.call == from && (v.place == forwarded || use.ebb == 0)
		for k := r.off / 4; !near && 4*k < r.off+r.size; k++ {
			v.held.add(k)
		}
		for near && len(pl.direct) <= int(use.call) {
			pl.direct = append(pl.direct, abi.RegSet{})
		}
		for k := r.off / 4; near && 4*k < r.off+r.size; k++ {
			pl.direct[use.call] = pl.direct[use.call].Union(abi.Regs(first.Reg + sass.Reg(k)))
		}
	}
}

// heldByte puts byte i of v, from which a forwarded copy comes, at byte at of w.
func (fn *fn) heldByte(v *pvar, w *word, at, i int) {
	if k := i / 4; v.held.has(k) && !fn.state(v).freed.has(k) {
		w.take(at, fn.wordOf(v, k), i%4)
		return
	}
	fn.byteAt(v, w, at, i)
}

// holdWords copies the words of v, which a call left in the registers from first
// on, to registers of their own, where forwarded copies need that.
func (fn *fn) holdWords(v *pvar, first abi.Loc) {
	if v.held.empty() {
		return
	}
	fn.nums = v.held.appendBelow(fn.nums[:0], (v.size+3)/4)
	for _, k := range fn.nums {
		fn.move("", fn.wordOf(v, k), fn.formalWord(first, k), lir.Bytes(v.source, 4*k, min(4*k+4, v.size)))
	}
}

// inLocal reports whether a variable is in local memory, where each load costs,
// and not in a constant bank, which nobody writes.
func (pl *plan) inLocal(v *pvar) bool { return pl.inMemory(v) && v.place != inBank }

// loadHeld loads the word of a forwarded copy that goes from memory to memory, with the
// first of those that it is made of.
func (fn *fn) loadHeld(r *forward) {
	k := r.off / 4
	if !r.toMemory || !fn.inMemory(r.v) || fn.state(r.v).loaded.has(k) {
		return
	}
	if fn.inRegs(r.v, 4*k, 4) {
		fn.state(r.v).freed.add(k) // fetched with others
		return
	}
	fn.state(r.v).loaded.add(k)
	fn.fromMemory(fn.wait(), fn.memory(r.v, 4*k), 4, false)
	fn.takenTo(fn.wordOf(r.v, k), lir.Bytes(r.v.source, 4*k, 4*k+4))
}

// storeHeld stores a forwarded copy to byte off of a large result: its word, with the last
// forwarded copy of those that make it up.
func (fn *fn) storeHeld(u *pvar, off, size int, r *forward) {
	k := off / 4
	fn.storeForward(u, off, size, r)
	if w := fn.state(u).wholes.at(k); w.mask == 0xf {
		var bytes [4]word
		for i := range 4 {
			fn.heldByte(r.v, &bytes[0], i, 4*w.k+i)
		}
		fn.storeMem(fn.memory(u, 4*k), 4, &bytes, u.source, 4*k, "")
	}
}

// storeForward stores a forwarded copy from memory to byte off of a forwarded variable.
func (fn *fn) storeForward(u *pvar, off, size int, r *forward) {
	for i := range size {
		k := (off + i) / 4
		w := fn.state(u).wholes.at(k)
		if w == nil {
			w = fn.wholeWords.One()
			*w = wholeWord{v: r.v, k: (r.off + i) / 4}
			fn.state(u).wholes.put(k, w)
		}
		w.mask |= 1 << ((off + i) % 4)
	}
}

// wholeLoad makes l the load of a word that is one of another variable.
func (fn *fn) wholeLoad(l *load, w *wholeWord) {
	fn.fromMemory(l, fn.memory(w.v, 4*w.k), 4, false)
	l.mask = w.mask
}
