package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// A plain is what the checker remembers to see fast that nothing is to be said of
// an access, as of nearly all: to look at each by all rules takes twice as long. What
// it does not see goes the long way.
type plain struct {
	// base is what the last name of an address means, and other the last one that
	// means no parameter, until a block ends or a declaration comes.
	base  variableAt
	other string
	// accesses holds opcodes that are right, the last ones by type, by elements and
	// by whether they store.
	accesses [ptx.F64 + 1][3][2]string
}

// A variableAt is what a name means.
type variableAt struct {
	name        string
	sym         *sig.Symbol // nil if it is no .param variable that accesses can be right for
	size, align int64
	local       *local // of the placement; nil before an access of it
}

// forget is called where names may come to mean something else.
func (p *plain) forget() { p.base, p.other = variableAt{}, "" }

// plainAccess follows an access that is certainly right, and reports whether it is.
// If not, nothing has been done.
func (c *checker) plainAccess(a *ptx.Access) bool {
	if a.Guard != nil || a.Qual != ptx.AnyParam || a.Whole || a.Addr.Indexed || !a.Store && !strings.HasSuffix(a.Args, "]") || !c.plainOp(a) {
		return false
	}
	base := &c.fn.plain.base
	if base.name != a.Addr.Base {
		*base = c.plainBase(a.Addr.Base)
	}
	sym, off, size := base.sym, a.Addr.Off, int64(a.Volume)
	if sym == nil || off < 0 || off+size > base.size || off%size != 0 || base.align < int64(a.Type.Size()) {
		return false
	}
	if sym.Role == sig.Param && a.Store || sym.Role == sig.Result && !a.Store || !c.plainRegs(a) {
		return false
	}
	if !a.Store && c.fn.taint.bits != 0 {
		c.untaint(&a.Instr)
	}
	if sym.Role != sig.Local {
		c.fn.place.other()
		return true
	}
	if base.local == nil {
		base.local = c.fn.place.local(base.name, sym)
	}
	c.fn.place.access(c, a, base.local)
	return true
}

// plainOp reports whether the opcode is one that compilers write, of a type that
// accesses have.
func (c *checker) plainOp(a *ptx.Access) bool {
	t := a.Type
	if t > ptx.F64 || a.Vec != 0 && a.Vec != 2 && a.Vec != 4 {
		return false
	}
	store := 0
	if a.Store {
		store = 1
	}
	known := &c.fn.plain.accesses[t][a.Vec/2][store]
	if *known == a.Op {
		return true
	}
	switch t {
	case ptx.NoType, ptx.B128, ptx.F16, ptx.F16X2:
		return false
	}
	if a.Volume != t.Size()*max(a.Vec, 1) || a.Volume > vectorBytes || !plainModifiers(a) {
		return false
	}
	*known = a.Op
	return true
}

func (c *checker) plainBase(name string) variableAt {
	sym := c.lookup(name)
	switch {
	case sym == nil || sym.Var == nil || sym.Spec.Space != ptx.ParamSpace:
	case sym.Spec.Type.Class() == ptx.Handle || c.broken(sym):
	case sym.Role == sig.Local && c.arch != 0 && c.arch < paramFormals.arch:
	case c.ownNamed(name):
	default:
		return variableAt{name: name, sym: sym, size: int64(sig.Size(sym.Spec, sym.Var)), align: int64(sig.Align(sym.Spec))}
	}
	return variableAt{name: name}
}

// plainRegs reports whether all operands of an access are registers of one type,
// which goes with it.
func (c *checker) plainRegs(a *ptx.Access) bool {
	first := ptx.NoType
	for i := range a.Regs {
		o := &a.Regs[i]
		if o.Kind != ptx.KindName || o.Elem != 0 {
			return false
		}
		sym := c.lookup(o.Text)
		if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
			return false
		}
		t := sym.Spec.Type
		switch {
		case t == first:
		case first == ptx.NoType && t != ptx.Pred && registerFits(a, o, sym.Spec):
			first = t
		default:
			return false
		}
		if sym.Spec.Vec != 0 {
			return false
		}
	}
	return true
}
