package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A Forward is a register that does nothing but pass bytes of a parameter on: one
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
type Forward struct {
	name      int32 // its number
	V         *Var  // what it is loaded from
	Off, size int   // bytes [off, off+size) of it
	def       Ref
	uses      []forwardedUse
	bad       bool
	ToMemory  bool // it is stored to the memory of a large result
}

// A forwardedUse is one st.param of a forwarded copy.
type forwardedUse struct {
	to        *Var
	off, size int
	use       Ref // the call or return that gets it
}

// findForwards finds the forwarded copies of the body, once the places of all variables are
// known. Those of whole words are left alone, but for words of local memory, of
// which several may be loaded at once: they cost a copy either way.
func (pl *Placer) findForwards() {
	pl.AnyForwards = false
	if !pl.Runs(lir.Forwarding) {
		return
	}
	if !slices.ContainsFunc(pl.Vars, pl.storedTo) {
		return
	}
	pl.fwd = pl.fwd[:0]
	if !slices.ContainsFunc(pl.Vars, pl.hasForwards) { // mostly
		return
	}
	good := false
	for _, v := range pl.Vars {
		if !pl.ReadOnly(v) {
			continue
		}
		for _, at := range pl.Refs(v.Loads) {
			good = pl.forwardsOf(v, at) || good
		}
	}
	if !good {
		return
	}
	pl.dropFormals()
	for _, u := range pl.Vars {
		if pl.storedTo(u) {
			pl.forwardsTo(u)
		}
	}
	if !pl.sift() {
		return
	}
	pl.Uses.CountInstrs()
	if !pl.sift() {
		return
	}
	for _, u := range pl.Vars {
		if pl.storedTo(u) {
			pl.dropPartial(u)
		}
	}
	for i := range pl.fwd {
		if r := &pl.fwd[i]; !r.bad {
			pl.AnyForwards = true
			if r.ToMemory && pl.InMemory(r.V) {
				r.V.Held.Add(r.Off / 4)
			} else {
				pl.hold(r)
			}
		}
	}
}

// storedTo reports whether forwarded copies can go to u.
func (pl *Placer) storedTo(u *Var) bool {
	return u.stores.N > 0 && (u.Place == Forwarded || u.Place == Sret && pl.AllVirtual && u.Loads.N+u.Addressed.N == 0)
}

// Forward returns the forwarded copy of the name of number n, nil if it is none. There is
// none before findForwards has found them.
func (pl *Plan) Forward(n int32) *Forward {
	if !pl.AnyForwards {
		return nil
	}
	return pl.mayForward(n)
}

// mayForward returns what may be the forwarded copy of the name of number n, nil if it
// certainly is none.
func (pl *Plan) mayForward(n int32) *Forward {
	if n < 0 {
		return nil
	}
	k := pl.Uses.Use(n).forward
	if k == 0 || pl.fwd[k-1].bad {
		return nil
	}
	return &pl.fwd[k-1]
}

// ReadOnly reports whether nobody can write v between a load of it and the use
// of what was loaded, but for a call that returns into it, and whether its words
// can be had later on.
func (pl *Plan) ReadOnly(v *Var) bool {
	if v.Addressed.N > 0 || v.stores.N > 0 || v.AsArg.N > 0 || v.Sym.Spec.Space != ptx.ParamSpace {
		return false
	}
	switch v.Sym.Role {
	case resolved.Param:
	case resolved.Local:
		if v.AsResult.N != 1 {
			return false
		}
	default:
		return false
	}
	switch v.Place {
	case LiveIn, Scalarized, Forwarded:
		return pl.AllVirtual
	case InFrame, Incoming:
		return true
	case InBank:
		return v.Loc.Off%4 == 0
	}
	return false
}

// forwardsOf appends the registers that a load of v writes, as far as they can be
// forwarded copies. One that is there already is written twice. It reports whether one of
// them is good.
func (pl *Placer) forwardsOf(v *Var, at Ref) bool {
	a := pl.F.Body[at.Stmt].(*ptx.Access)
	size := a.Type.Size()
	good := pl.writesForwards(v, at)
	some := false
	for i := range a.Regs {
		o := &a.Regs[i]
		if o.Kind != ptx.KindName {
			continue
		}
		n := pl.Accessed(at.At(), i)
		use := pl.Uses.Use(n)
		if use.Count == 1 { // stored nowhere, nor loaded again
			continue
		}
		if use.forward > 0 {
			pl.fwd[use.forward-1].bad = true
			continue
		}
		k := len(pl.fwd)
		use.forward = int32(k) + 1
		off := pl.Offset(a, v.Sym) + int64(i*size)
		end := int64(v.Size)
		if v.Place == InBank { // where the words after are other parameters
			end &^= 3
		}
		r := Forward{name: n, V: v, Off: int(off), size: size, def: at}
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
func (pl *Placer) forwardsTo(u *Var) {
	var use Ref
	switch {
	case u.Place == Sret:
	case u.Sym.Role == resolved.Result:
		use = pl.rets[0]
	default:
		use = pl.Refs(u.AsArg)[0]
	}
	for _, at := range pl.Refs(u.stores) {
		a := pl.F.Body[at.Stmt].(*ptx.Access)
		if u.Place == Sret {
			use = at
		}
		size := a.Type.Size()
		for i := range a.Regs {
			r := pl.mayForward(pl.Accessed(at.At(), i))
			if r == nil {
				continue
			}
			off := pl.Offset(a, u.Sym) + int64(i*size)
			if a.Whole || a.Regs[i].Elem != 0 || size > r.size || off < 0 || off+int64(size) > int64(u.Size) {
				r.bad = true
				continue
			}
			if r.V.Sym.Role == resolved.Local && (r.def.ebb != at.ebb || r.def.Stmt > at.Stmt) {
				r.bad = true
			}
			if u.Place == Sret {
				r.ToMemory = true
				r.bad = r.bad || r.size >= 4 || a.Guard != nil
			} else if pl.inLocal(r.V) && r.def.Call != use.Call {
				r.bad = true // local memory is not read later than PTX says, seen from calls
			}
			r.uses = append(r.uses, forwardedUse{u, int(off), size, use})
		}
	}
}

// hold sees to it that the words of a forwarded copy are there when it is used: where
// the call left them if nothing has been called in between, else in registers of
// their own.
func (pl *Placer) hold(r *Forward) {
	v := r.V
	if v.Place != LiveIn && v.Place != Forwarded {
		return
	}
	from := int32(0)
	first := v.Loc
	if v.Place == Forwarded {
		from = pl.Refs(v.AsResult)[0].Call + 1
		s := &pl.Sites[from-1]
		if !s.Ok || len(s.Asn.Results) != 1 {
			return
		}
		first = s.Asn.Results[0].Loc
	}
	for i := range r.uses {
		use := &r.uses[i].use
		near := use.Call == from && (v.Place == Forwarded || use.ebb == 0)
		for k := r.Off / 4; !near && 4*k < r.Off+r.size; k++ {
			v.Held.Add(k)
		}
		for near && len(pl.Direct) <= int(use.Call) {
			pl.Direct = append(pl.Direct, abi.RegSet{})
		}
		for k := r.Off / 4; near && 4*k < r.Off+r.size; k++ {
			pl.Direct[use.Call] = pl.Direct[use.Call].Union(abi.Regs(first.Reg + sass.Reg(k)))
		}
	}
}

// inLocal reports whether a variable is in local memory, where each load costs,
// and not in a constant bank, which nobody writes.
func (pl *Plan) inLocal(v *Var) bool { return pl.InMemory(v) && v.Place != InBank }
