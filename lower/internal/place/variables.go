package place

import (
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
	sym := body.Symbol{Spec: &p.Spec, Var: &p.Var}
	return p.Type.Signed(), Promotes(&sym)
}

// newVar returns a variable that nothing touches yet.
func (pl *planner) newVar(sym *body.Symbol, source string, size int) *Var {
	pl.plan.Made++
	return &Var{Sym: sym, Source: source, Size: size, Align: sym.Spec.Alignment(), Index: pl.plan.Made - 1}
}

// Stored returns the numbers of the words below n of a variable that may have a value, in order: those that
// stores touch; all of a variable that something else writes too.
func (v *Var) Stored(n int) []int {
	all := v == nil || v.Given || v.Addressed
	if !all {
		n = min(n, len(v.stored))
	}
	list := make([]int, 0, n)
	for k := range n {
		if all || v.stored[k] != 0 {
			list = append(list, k)
		}
	}
	return list
}

// StoredBytes says which bytes of word k of a variable may have a value, bit 0 for the lowest: all
// of one that is no argument alone, else those that stores touch.
func (v *Var) StoredBytes(k int) uint8 {
	if v.Given || v.Addressed || v.Sym.Role == body.Param {
		return 0xf
	}
	if k >= len(v.stored) {
		return 0
	}
	return v.stored[k]
}
