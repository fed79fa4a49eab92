package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// MaxOffset bounds the offsets that an access may have, in bytes.
const MaxOffset = 1 << 30

// Extended reports whether the word of v is extended by whoever made it, as t says.
func (v *Var) Extended(t ptx.Type) bool {
	return v.stores.N == 0 && v.Sym.Spec.Type == t && Promotes(v.Sym)
}

// Promotes reports whether a variable is a sub-word scalar whose word is
// extended by whoever writes it: .s types with the sign, .u types with zeros.
func Promotes(sym *resolved.Symbol) bool {
	if sym.Var == nil || len(sym.Var.Dims) > 0 || sym.Spec.Vec != 0 {
		return false
	}
	switch sym.Spec.Type {
	case ptx.U8, ptx.S8, ptx.U16, ptx.S16:
		return true
	}
	return false
}

// PromotedKind tells how the bytes beyond a sub-word scalar are filled.
func PromotedKind(p *ptx.Formal) (signed, ok bool) {
	sym := resolved.Symbol{Spec: &p.Spec, Var: &p.Var}
	return p.Type.Signed(), Promotes(&sym)
}

// values returns the formals as the convention sees them, in the space given.
func (pl *Placer) values(space *[]abi.Value, list []ptx.Formal) []abi.Value {
	*space = resolve.AppendValues((*space)[:0], list)
	return *space
}

// newVar returns a variable that nothing touches yet. It is emptied where it stands: to copy
// one takes as long as all the rest of declaring it.
func (pl *Placer) newVar(sym *resolved.Symbol, source string, size int) *Var {
	v := pl.memory.pvars.One()
	v.Sym, v.Source = sym, source
	v.Size, v.Align = size, sym.Spec.Alignment()
	v.stores, v.Loads, v.AsArg, v.AsResult, v.Addressed = refList{}, refList{}, refList{}, refList{}, refList{}
	v.Stored.Reset()
	v.Place, v.Loc, v.Frame = Storage(0), abi.Loc{}, 0
	v.Index = pl.PvarsMade
	pl.PvarsMade++
	return v
}

// touch appends the statement at hand to a list.
func (pl *Placer) touch(l *refList) {
	n := l.N
	if n == 0 {
		l.at, l.N = int32(len(pl.touches)), 1
		pl.touches = append(pl.touches, pl.here())
		return
	}
	if n&(n-1) == 0 {
		pl.lengthen(l)
	}
	pl.touches[l.at+n] = pl.here()
	l.N++
}

// lengthen makes a list that is full, as one is whose length is a power of two, twice as
// long: at the end of the memory for all, where most are already.
func (pl *Placer) lengthen(l *refList) {
	if l.at+l.N != int32(len(pl.touches)) {
		list := pl.Refs(*l)
		l.at = int32(len(pl.touches))
		pl.touches = append(pl.touches, list...)
	}
	end := len(pl.touches) + int(l.N)
	pl.touches = slices.Grow(pl.touches, int(l.N))[:end]
}

// StoredBytes says which bytes of word k of a variable may have a value, bit 0 for the lowest: all
// of one that is no argument alone, else those that stores touch.
func (pl *Plan) StoredBytes(v *Var, k int) uint8 {
	if v.AsResult.N+v.Addressed.N > 0 || v.Sym.Role == resolved.Param {
		return 0xf
	}
	mask := uint8(0)
	for _, r := range pl.Refs(v.stores) {
		a := pl.F.Body[r.Stmt].(*ptx.Access)
		off := int(pl.Offset(a, v.Sym))
		for b := range 4 {
			if i := 4*k + b; off <= i && i < off+a.Bytes() {
				mask |= 1 << b
			}
		}
	}
	return mask
}
