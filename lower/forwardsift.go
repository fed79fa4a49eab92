package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// Most functions have no forwarded copies. What follows finds that out early: to look
// through all instructions for the names of what may be one takes longest.

// hasForwards reports whether a load of v may write forwarded copies.
func (pl *placer) hasForwards(v *pvar) bool {
	return pl.readOnly(v) && slices.ContainsFunc(pl.refs(v.loads), func(at ref) bool { return pl.writesForwards(v, at) && pl.passesOn(at) })
}

// passesOn reports whether a load writes a register that an access or a call mentions
// as well: no forwarded copy is mentioned by its load alone.
func (pl *placer) passesOn(at ref) bool {
	a := pl.f.Body[at.stmt].(*ptx.Access)
	for i := range a.Regs {
		if n := pl.accessed(at.at(), i); n >= 0 && pl.uses.list[n].count > 1 {
			return true
		}
	}
	return false
}

// writesForwards reports whether a load of v that can only be read may write forwarded copies.
func (pl *placer) writesForwards(v *pvar, at ref) bool {
	a := pl.f.Body[at.stmt].(*ptx.Access)
	size := a.Type.Size()
	if a.Guard != nil || a.Whole || size == 0 || size >= 4 && !pl.inLocal(v) {
		return false
	}
	return v.sym.Role != resolved.Local || at.ebb == pl.refs(v.asResult)[0].ebb && at.stmt > pl.refs(v.asResult)[0].stmt
}

// sift drops what is stored nowhere or mentioned more often than that, as far as
// mentions have been counted. It reports whether there is something left. Before
// instructions have been looked at it says mostly that there is not.
func (pl *placer) sift() bool {
	some := false
	for i := range pl.fwd {
		r := &pl.fwd[i]
		if r.bad {
			continue
		}
		r.bad = len(r.uses) == 0 || int(pl.uses.use(r.name).count) > 1+len(r.uses) || len(r.uses) > 1 && (r.toMemory || pl.inMemory(r.v))
		some = some || !r.bad
	}
	return some
}

// dropFormals drops formals in .reg space, which are written before the body.
func (pl *placer) dropFormals() {
	for _, list := range [...][]ptx.Formal{pl.params, pl.f.Results} {
		for i := range list {
			if r := pl.mayForward(pl.in.Numbered(list[i].Name)); r != nil {
				r.bad = true
			}
		}
	}
}
