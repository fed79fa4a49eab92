package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Nearly all accesses of a module are ordinary: no rule can have anything to say of them.
// This file finds that out; all others go to the rules. TestOrdinary holds that the rules
// are silent about what is ordinary. The gain is what
//
//	go test ./check -run xxx -bench Text
//
// shows with policy.thorough set.

// ordinaryTypes are those that accesses of all versions and targets have, by bits.
const ordinaryTypes uint64 = 1<<ptx.B8 | 1<<ptx.B16 | 1<<ptx.B32 | 1<<ptx.B64 | 1<<ptx.U8 | 1<<ptx.U16 | 1<<ptx.U32 | 1<<ptx.U64 |
	1<<ptx.S8 | 1<<ptx.S16 | 1<<ptx.S32 | 1<<ptx.S64 | 1<<ptx.F32 | 1<<ptx.F64

// An extent is what accesses to a .param variable of a body are held against. The zero
// extent is not known yet.
type extent struct {
	known       bool
	size, align int64 // in bytes; size is 0 if the variable is not ordinary
}

// extent returns the extent of a symbol.
func (b *body) extent(sym *resolved.Symbol) *extent {
	e := &b.extents[sym.ID]
	if !e.known {
		*e = extent{known: true}
		if v := sym.Var; v != nil && sym.Spec.Space == ptx.ParamSpace && sym.Spec.Type.Class() != ptx.Handle &&
			!v.Ranged() && !b.broken(sym) && !b.ownNamed(v.Name) && hidden(sym) == nil && (b.arch == 0 || b.arch >= paramFormals.arch) {
			e.size, e.align = int64(resolve.Size(sym.Spec, v)), int64(resolve.Align(sym.Spec))
		}
	}
	return e
}

// ordinaryAccess reports whether an access is ordinary.
func (b *body) ordinaryAccess(a *ptx.Access) bool {
	if !a.Bare || a.Guard != nil || a.Addr.Indexed || ordinaryTypes>>a.Type&1 == 0 || a.Vec != 0 && a.Vec != 2 && a.Vec != 4 {
		return false
	}
	symbols := b.in.Operands(b.at)
	sym := b.in.Sym(symbols[0])
	if sym == nil || sym.Role == resolved.Param && a.Store || sym.Role == resolved.Result && !a.Store {
		return false
	}
	e, off, n := b.extent(sym), a.Addr.Off, int64(a.Volume)
	if n > vectorBytes || off < 0 || a.Addr.Wrapped || off+n > e.size || off&(n-1) != 0 || e.align < int64(a.Type.Size()) {
		return false
	}
	if !a.Store && !strings.HasSuffix(a.Args, "]") {
		return false
	}
	first := ptx.NoType
	for i := range a.Regs {
		o := &a.Regs[i]
		if o.Kind != ptx.KindName {
			return a.Store && a.Vec == 0 && o.Kind == ptx.KindInt && !o.Wrapped && a.Type.Class() != ptx.Float
		}
		reg := b.in.Sym(symbols[1+i])
		if reg == nil || reg.Var == nil || o.Elem != 0 {
			return false
		}
		s := reg.Spec
		if s.Space != ptx.RegSpace || s.Vec != 0 || s.Type != first && (first != ptx.NoType || !registerFits(a, o, s)) {
			return false
		}
		first = s.Type
	}
	return true
}
