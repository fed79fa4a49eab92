package check

import (
	"math"
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

// fitting has, for types of accesses, the types of registers that fit as bits: of a scalar, and
// of one element of a vector, where a predicate depends on the others.
var fitting = func() (t [2][64]uint64) {
	for vec := range t {
		for of := range t[vec] {
			a, o := ptx.Access{Type: ptx.Type(of), Vec: 2 * vec}, ptx.Operand{Kind: ptx.KindName}
			for reg := range 64 {
				if s := (ptx.Spec{Type: ptx.Type(reg)}); ordinaryTypes>>of&1 != 0 && s.Type != ptx.NoType && s.Type != ptx.Pred && registerFits(&a, &o, &s) {
					t[vec][of] |= 1 << reg
				}
			}
		}
	}
	return t
}()

// An extent is what an ordinary access that names a symbol is held against: its bytes, of a
// formal or a .param variable of the body, or its type, of a register. The zero extent is one
// that nobody has asked for.
type extent struct {
	known bool
	role  resolved.Role
	reg   ptx.Type // of a register that is no vector; NoType for all else
	align int32    // in bytes
	size  int64    // in bytes; 0 where no access is ordinary
}

// findExtent finds the extent of a symbol: that of no bytes for all but .param variables whose
// declaration is right and whose name has one meaning alone.
func (b *body) findExtent(id int32) {
	sym, e := b.in.Syms[id], &b.extents[id]
	*e = extent{known: true, role: sym.Role}
	v := sym.Var
	switch {
	case v == nil:
	case sym.Spec.Space == ptx.RegSpace && sym.Spec.Vec == 0:
		e.reg = sym.Spec.Type
	case sym.Spec.Space == ptx.ParamSpace && sym.Spec.Type.Class() != ptx.Handle &&
		!v.Ranged() && !b.broken(sym) && !b.ownNamed(v.Name) && hidden(sym) == nil && (b.arch == 0 || b.arch >= paramFormals.arch):
		e.size, e.align = int64(resolve.Size(sym.Spec, v)), int32(min(resolve.Align(sym.Spec), math.MaxInt32))
	}
}

// ordinaryAccess returns the symbol that an access names if it is ordinary, else nil: a bare
// ld.param or st.param without a guard, in its direction, within the variable, at a multiple of its size, of registers
// that are of one type which fits, or of one integer that is stored. It may be wrong in one
// way alone: of an access that it calls not ordinary the rules may have nothing to say.
func (b *body) ordinaryAccess(a *ptx.Access) *resolved.Symbol {
	if !a.Bare || a.Whole || a.Guard != nil || a.Addr.Indexed || ordinaryTypes>>a.Type&1 == 0 || a.Vec != 0 && a.Vec != 2 && a.Vec != 4 {
		return nil
	}
	refs := b.in.Operands(b.at)
	if refs[0].Sym < 0 {
		return nil
	}
	e := &b.extents[refs[0].Sym]
	if !e.known {
		b.findExtent(refs[0].Sym)
	}
	if a.Store && e.role == resolved.Param || !a.Store && (e.role == resolved.Result || !strings.HasSuffix(a.Args, "]")) {
		return nil
	}
	off, n := a.Addr.Off, int64(a.Bytes())
	if n > vectorBytes || off < 0 || a.Addr.Wrapped || off+n > e.size || off&(n-1) != 0 || int(e.align) < a.Type.Size() {
		return nil
	}
	fits := fitting[min(a.Vec, 1)][a.Type]
	for i, r := range refs[1:] {
		o := &a.Regs[i]
		if o.Kind != ptx.KindName {
			if a.Store && a.Vec == 0 && o.Kind == ptx.KindInt && !o.Wrapped && a.Type.Class() != ptx.Float {
				break // there are no others
			}
			return nil
		}
		if r.Sym < 0 || o.Elem != 0 {
			return nil
		}
		e := &b.extents[r.Sym]
		if !e.known {
			b.findExtent(r.Sym)
		}
		if fits>>e.reg&1 == 0 {
			return nil
		}
		fits = 1 << e.reg // all are of one type
	}
	return b.in.Syms[refs[0].Sym]
}
