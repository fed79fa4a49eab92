package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// MaxOffset is the largest offset of an access, in bytes, that is planned for.
const MaxOffset = 1 << 30

// Extended reports whether the whole word of v has been extended already, as a load of type t would extend it: only the
// convention writes v, and v has type t.
func (v *Var) Extended(t ptx.Type) bool {
	return !v.stores && v.Sym.Spec.Type == t && Promotes(v.Sym)
}

// Promotes reports whether a variable is an integer scalar of fewer than 32 bits. The convention extends its word: .s
// types with the sign, .u types with zeros.
func Promotes(sym *body.Symbol) bool {
	return sym.Var != nil && promotes(sym.Spec, sym.Var)
}

func promotes(spec *ptx.Spec, v *ptx.Var) bool {
	return len(v.Dims) == 0 && spec.Vec == 0 && slices.Contains([]ptx.Type{ptx.U8, ptx.S8, ptx.U16, ptx.S16}, spec.Type)
}

// PromotedKind returns how the convention extends a formal to a word; ok is false if it does not.
func PromotedKind(p *ptx.Formal) (signed, ok bool) {
	return p.Type.Signed(), promotes(&p.Spec, &p.Var)
}

// newVar returns a variable that nothing touches yet.
func (pl *planner) newVar(sym *body.Symbol, source string, size int) *Var {
	pl.plan.Made++
	return &Var{Sym: sym, Source: source, Size: size, Align: sym.Spec.Alignment(), Index: pl.plan.Made - 1}
}

// AppendStored appends the numbers of the words of a variable, below n and in order, that may have a value. If v is nil, all
// words may.
func (v *Var) AppendStored(dst []int, n int) []int {
	for k := range n {
		if v == nil || v.StoredBytes(k) != 0 {
			dst = append(dst, k)
		}
	}
	return dst
}

// StoredBytes returns which bytes of word k of a variable may have a value, bit 0 for the lowest: those that stores write.
// All bytes may if something else writes the variable too: a call, an instruction with its address, the caller.
func (v *Var) StoredBytes(k int) uint8 {
	if v.Given || v.Addressed || v.Sym.Role == body.Param {
		return 0xf
	}
	if k >= len(v.stored) {
		return 0
	}
	return v.stored[k]
}
