package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Nearly all accesses of a module are ordinary: no rule that accessRules calls can have
// anything to say of them, whatever version and target the module states. This file finds
// them out, and body.access leaves those rules out. Where an access stands among stores,
// calls and loads (placement) is followed for ordinary ones too. TestOrdinary holds that
// the same is reported of a module if all its accesses go to the rules, as policy.thorough
// makes them; set it in newChecker to see what this file gains, by
//
//	go test ./check -run xxx -bench Text

// ordinaryTypes are the types, by bits, that ld and st have in all versions and on all
// targets.
const ordinaryTypes uint64 = 1<<ptx.B8 | 1<<ptx.B16 | 1<<ptx.B32 | 1<<ptx.B64 | 1<<ptx.U8 | 1<<ptx.U16 | 1<<ptx.U32 | 1<<ptx.U64 |
	1<<ptx.S8 | 1<<ptx.S16 | 1<<ptx.S32 | 1<<ptx.S64 | 1<<ptx.F32 | 1<<ptx.F64

// An extent is what accesses by the name of a symbol, a formal or a .param variable of the
// body, are held against. The zero extent is one that nobody has asked for.
type extent struct {
	known       bool
	size, align int64 // in bytes; size is 0 where no access is ordinary
}

// extent returns the extent of a symbol: that of no bytes for all but .param variables
// whose declaration is right and whose name has one meaning alone.
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

// ordinaryAccess reports whether an access is ordinary: a bare ld.param or st.param without
// a guard, in its direction, within the variable, at a multiple of its size, of registers
// that are of one type which fits, or of one integer that is stored. It may be wrong in one
// way alone: of an access that it calls not ordinary the rules may have nothing to say.
func (b *body) ordinaryAccess(a *ptx.Access) bool {
	if !a.Bare || a.Guard != nil || a.Addr.Indexed || ordinaryTypes>>a.Type&1 == 0 || a.Vec != 0 && a.Vec != 2 && a.Vec != 4 {
		return false
	}
	symbols := b.in.Operands(b.at)
	sym := b.in.Sym(symbols[0])
	if sym == nil || sym.Role == resolved.Param && a.Store || sym.Role == resolved.Result && !a.Store {
		return false
	}
	e, off, n := b.extent(sym), a.Addr.Off, int64(a.Bytes())
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
