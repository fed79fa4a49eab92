package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// MaxOffset bounds the offsets that an access may have, in bytes.
const MaxOffset = 1 << 30

// Extended reports whether the word of v is extended by what made it, as t says.
func (v *Var) Extended(t ptx.Type) bool {
	return !v.stores && v.Sym.Spec.Type == t && Promotes(v.Sym)
}

// Promotes reports whether a variable is a sub-word scalar whose word is
// extended by what writes it: .s types with the sign, .u types with zeros.
func Promotes(sym *body.Symbol) bool {
	return sym.Var != nil && promotes(sym.Spec, sym.Var)
}

func promotes(spec *ptx.Spec, v *ptx.Var) bool {
	return len(v.Dims) == 0 && spec.Vec == 0 && slices.Contains([]ptx.Type{ptx.U8, ptx.S8, ptx.U16, ptx.S16}, spec.Type)
}

// PromotedKind tells how the bytes beyond a sub-word scalar are filled.
func PromotedKind(p *ptx.Formal) (signed, ok bool) {
	return p.Type.Signed(), promotes(&p.Spec, &p.Var)
}

// newVar returns a variable that nothing touches yet.
func (pl *planner) newVar(sym *body.Symbol, source string, size int) *Var {
	pl.plan.Made++
	return &Var{Sym: sym, Source: source, Size: size, Align: sym.Spec.Alignment(), Index: pl.plan.Made - 1}
}

// AppendStored appends the numbers of the words below n of a variable that may have a value, in order.
func (v *Var) AppendStored(dst []int, n int) []int {
	for k := range n {
		if v == nil || v.StoredBytes(k) != 0 {
			dst = append(dst, k)
		}
	}
	return dst
}

// StoredBytes says which bytes of word k of a variable may have a value, bit 0 for the lowest: those that stores touch;
// all of one that something else writes too.
func (v *Var) StoredBytes(k int) uint8 {
	if v.Given || v.Addressed || v.Sym.Role == body.Param {
		return 0xf
	}
	if k >= len(v.stored) {
		return 0
	}
	return v.stored[k]
}
