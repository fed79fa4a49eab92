package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// Most functions have no forwarded copies. What follows finds that out early: to look
// through all instructions for the names of what may be one takes longest.

// hasForwards reports whether a load of v may write forwarded copies.
func (pl *Placer) hasForwards(v *Var) bool {
	return pl.ReadOnly(v) && slices.ContainsFunc(pl.Refs(v.Loads), func(at Ref) bool { return pl.writesForwards(v, at) && pl.passesOn(at) })
}

// passesOn reports whether a load writes a register that an access or a call mentions
// as well: no forwarded copy is mentioned by its load alone.
func (pl *Placer) passesOn(at Ref) bool {
	a := pl.F.Body[at.Stmt].(*ptx.Access)
	for i := range a.Regs {
		if n := pl.Accessed(at.At(), i); n >= 0 && pl.Uses.list[n].Count > 1 {
			return true
		}
	}
	return false
}

// writesForwards reports whether a load of v that can only be read may write forwarded copies.
func (pl *Placer) writesForwards(v *Var, at Ref) bool {
	a := pl.F.Body[at.Stmt].(*ptx.Access)
	size := a.Type.Size()
	if a.Guard != nil || a.Whole || size == 0 || size >= 4 && !pl.inLocal(v) {
		return false
	}
	return v.Sym.Role != resolved.Local || at.ebb == pl.Refs(v.AsResult)[0].ebb && at.Stmt > pl.Refs(v.AsResult)[0].Stmt
}

// sift drops what is stored nowhere or mentioned more often than that, as far as
// mentions have been counted. It reports whether there is something left. Before
// instructions have been looked at it says mostly that there is not.
func (pl *Placer) sift() bool {
	some := false
	for i := range pl.fwd {
		r := &pl.fwd[i]
		if r.bad {
			continue
		}
		r.bad = len(r.uses) == 0 || int(pl.Uses.Use(r.name).Count) > 1+len(r.uses) || len(r.uses) > 1 && (r.ToMemory || pl.InMemory(r.V))
		some = some || !r.bad
	}
	return some
}

// dropFormals drops formals in .reg space, which are written before the body.
func (pl *Placer) dropFormals() {
	for _, list := range [...][]ptx.Formal{pl.Params, pl.F.Results} {
		for i := range list {
			if r := pl.mayForward(pl.In.Numbered(list[i].Name)); r != nil {
				r.bad = true
			}
		}
	}
}
