package lower

import (
	"slices"

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

// pvar returns a variable that nothing touches yet. It is emptied where it stands: to copy
// one takes as long as all the rest of declaring it.
func (pl *placer) pvar(sym *resolved.Symbol, source string, size int) *pvar {
	v := pl.memory.pvars.One()
	v.sym, v.source = sym, source
	v.size, v.align = size, resolve.Align(sym.Spec)
	v.stores, v.loads, v.asArg, v.asResult, v.addressed = refList{}, refList{}, refList{}, refList{}, refList{}
	v.stored.reset()
	v.held.reset()
	v.place, v.loc, v.frame = place(0), abi.Loc{}, 0
	v.index = pl.pvarsMade
	pl.pvarsMade++
	return v
}

// touch appends the statement at hand to a list.
func (pl *placer) touch(l *refList) {
	n := l.n
	if n == 0 {
		l.at, l.n = int32(len(pl.touches)), 1
		pl.touches = append(pl.touches, pl.here())
		return
	}
	if n&(n-1) == 0 {
		pl.lengthen(l)
	}
	pl.touches[l.at+n] = pl.here()
	l.n++
}

// lengthen makes a list that is full, as one is whose length is a power of two, twice as
// long: at the end of the memory for all, where most are already.
func (pl *placer) lengthen(l *refList) {
	if l.at+l.n != int32(len(pl.touches)) {
		list := pl.refs(*l)
		l.at = int32(len(pl.touches))
		pl.touches = append(pl.touches, list...)
	}
	end := len(pl.touches) + int(l.n)
	pl.touches = slices.Grow(pl.touches, int(l.n))[:end]
}
