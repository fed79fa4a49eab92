package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// values returns the formals as the convention sees them, in the space given.
func (pl *placer) values(space *[]abi.Value, list []ptx.Formal) []abi.Value {
	*space = resolve.AppendValues((*space)[:0], list)
	return *space
}

// pvar returns a variable that nothing touches yet, with memory for what will. It is
// emptied where it stands: to copy one takes as long as all the rest of declaring it.
func (pl *placer) pvar(sym *resolved.Symbol, source string, size int) *pvar {
	v := pl.pvars.One()
	if v.stores == nil {
		pl.refsFor(v)
	}
	v.sym, v.source = sym, source
	v.size, v.align = size, resolve.Align(sym.Spec)
	// Each by itself: that writes no pointers, of which the collector would take note.
	v.stores = v.stores[:0]
	v.loads = v.loads[:0]
	v.asArg = v.asArg[:0]
	v.asResult = v.asResult[:0]
	v.addressed = v.addressed[:0]
	v.held = v.held[:0]
	v.place, v.loc, v.frame = place(0), abi.Loc{}, 0
	v.stored.reset()
	v.index = pl.pvarsMade
	pl.pvarsMade++
	return v
}

// refsFor gives a new variable memory for as many refs as most have. One allocation
// is for several: a variable that is stored to and passed took two.
func (pl *placer) refsFor(v *pvar) {
	const stores, loads, passed, addressed = 4, 4, 1, 1
	const each = stores + loads + 2*passed + addressed
	if len(pl.refs) < each {
		pl.refs = make([]ref, 16*each)
	}
	take := func(n int) []ref {
		list := pl.refs[:0:n]
		pl.refs = pl.refs[n:]
		return list
	}
	v.stores, v.loads, v.asArg, v.asResult, v.addressed = take(stores), take(loads), take(passed), take(passed), take(addressed)
}
