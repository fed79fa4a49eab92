package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// access checks one ld.param or st.param.
func (c *checker) access(a *ptx.Access) {
	fn := c.fn
	if !a.Store {
		defer c.untaint(&a.Instr)
	}
	sym, ok := c.base(a)
	switch {
	case sym == nil && !ok:
		fn.place.lost = fn.place.lost || a.Store // it may be that of an argument
	case sym == nil || sym.Role != sig.Local:
		fn.place.other()
	}
	if a.Qual != ptx.AnyParam {
		ok = c.need(subQualifiers, a.Pos) && ok
	}
	if ok && a.Store && a.Qual == ptx.EntryParam {
		c.errorf(IllegalModifier, a.Pos, "st.param::entry: kernel parameters are never written; use st.param::func")
		ok = false
	}
	ok = c.modifiers(a) && c.oneOperand(a) && ok
	ok = c.accessType(a) && ok
	ok = ok && c.accessRegs(a)
	ok = ok && c.sameElements(a)
	if sym == nil {
		if ok {
			c.registerAccess(a)
		}
		return
	}
	if ok && c.direction(a, sym) {
		c.qualifier(a, sym)
		c.ownName(a, sym)
		said := len(c.errs)
		c.bounds(a, sym)
		c.depends(sym.Var, sym.Spec.Type, said)
	}
	if sym.Role == sig.Local {
		fn.place.access(c, a, fn.place.local(a.Addr.Base, sym))
	}
}

// base returns the .param variable that an access names, nil if it goes through
// a register; ok is false after a complaint.
func (c *checker) base(a *ptx.Access) (sym *sig.Symbol, ok bool) {
	name := a.Addr.Base
	if name == "" {
		c.errorf(IllegalAddress, a.Addr.Pos, "%s has a number for an address; name a .param variable or a register", a.Op)
		return nil, false
	}
	if a.Addr.Off < 0 && minusOffset(a) {
		c.errorf(IllegalAddress, a.Addr.Pos, "[%s-%d] is no address of PTX; write [%s+-%d]", name, -a.Addr.Off, name, -a.Addr.Off)
		return nil, false
	}
	sym = c.lookup(name)
	if sym == nil {
		if g := c.globals[name]; g != nil {
			c.add(ptx.SeverityError, MismatchedSpace, a.Addr.Pos, sprintf("%s is no parameter; %s reaches .param variables alone", name, a.Op), related(g.pos, "declared here"))
		} else {
			c.undeclared(name, a.Addr.Pos)
		}
		return nil, false
	}
	if sym.Var == nil {
		c.errorf(IllegalAddress, a.Addr.Pos, "%s has no address", name)
		return nil, false
	}
	if a.Addr.Indexed && len(sym.Var.Dims) == 0 {
		c.add(ptx.SeverityError, IllegalAddress, a.Addr.Pos, sprintf("%s is no array; write [%s]", name, name), related(sym.Var.Pos, "declared here"))
		return nil, false
	}
	switch s := sym.Spec; s.Space {
	case ptx.ParamSpace:
		if s.Type.Class() == ptx.Handle {
			c.errorf(IllegalAccessType, a.Addr.Pos, "%s is %s, which no ld or st reads; name it in tex, suld and the like", name, describe(s, sym.Var))
			return sym, false
		}
		return sym, !c.broken(sym)
	case ptx.RegSpace:
		if k := s.Type.Class(); k == ptx.Float || k == ptx.Predicate || s.Vec != 0 {
			c.errorf(IllegalAddress, a.Addr.Pos, "%s holds %s, which is no address; use an integer register", name, describe(s, sym.Var))
			return nil, false
		}
		return nil, true
	default:
		c.add(ptx.SeverityError, MismatchedSpace, a.Addr.Pos, sprintf("%s is in %s space, and %s reaches .param", name, s.Space, a.Op), related(sym.Var.Pos, "declared here"))
		return nil, false
	}
}

// broken reports whether the declaration of a symbol was complained about, so
// that its size and alignment mean nothing.
func (c *checker) broken(sym *sig.Symbol) bool {
	a := sym.Spec.Align
	return c.bad.vars[sym.Var] || a&(a-1) != 0 || sym.Spec.Type.Class() == ptx.Alternate || len(sym.Var.Dims) > 1
}

// minusOffset reports whether an address is written [base-off].
func minusOffset(a *ptx.Access) bool {
	args := a.Args
	if a.Ragged {
		args = string(ptx.AppendTokens(nil, args))
	}
	_, rest, ok := strings.Cut(args, "[")
	if !ok {
		return false
	}
	rest = strings.TrimLeft(rest, " \t")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, a.Addr.Base), " \t")
	return strings.HasPrefix(rest, "-")
}

// modifiers checks what stands between ld or st and the type.
func (c *checker) modifiers(a *ptx.Access) bool {
	if plainModifiers(a) {
		return true
	}
	for _, m := range strings.Split(a.Op, ".")[1:] {
		switch m {
		case "param", "param::entry", "param::func", "weak", "cg", "cs", "v2", "v4":
			continue
		case "ca", "lu", "cv":
			if !a.Store {
				continue
			}
		case "wb", "wt":
			if a.Store {
				continue
			}
		}
		if ptx.TypeOf("."+m) != ptx.NoType || a.Vec != 0 && strings.HasPrefix(m, "v") && m != "volatile" {
			continue
		}
		c.errorf(IllegalModifier, a.Pos, ".%s does not go with .param: parameters are seen by one thread and not cached by hand; drop it", m)
		return false
	}
	return c.twice(a)
}

// plainModifiers reports whether an access is ld or st, .param, and a type: what
// compilers write, with a vector or without. It spares taking the opcode apart.
func plainModifiers(a *ptx.Access) bool {
	rest := strings.TrimPrefix(a.Op[2:], ".param")
	if a.Vec == 2 || a.Vec == 4 {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, ".v2"), ".v4")
	}
	return rest == a.Type.String()
}

// accessType checks the type and the width of an access.
func (c *checker) accessType(a *ptx.Access) bool {
	t := a.Type
	switch {
	case t.Class() == ptx.Alternate || t.Class() == ptx.Handle || t == ptx.Pred || t == ptx.F16 || t == ptx.F16X2:
		c.errorf(IllegalAccessType, a.Pos, "%s: ld and st take no %s; use %s", a.Op, t, accessContainer(t))
	case a.Vec != 0 && a.Vec != 2 && a.Vec != 4:
		c.errorf(IllegalVector, a.Pos, "%s: .v%d is no vector of parameters; there are .v2 and .v4", a.Op, a.Vec)
	case a.Volume > vectorBytes:
		c.errorf(IllegalVector, a.Pos, "%s takes %d bytes; an access has at most %d", a.Op, a.Volume, vectorBytes)
	case t == ptx.B128:
		return c.need(quadWords, a.Pos)
	default:
		return true
	}
	return false
}

func accessContainer(t ptx.Type) string {
	switch t {
	case ptx.F16:
		return ".b16"
	case ptx.F16X2:
		return ".b32"
	case ptx.Pred:
		return ".b32 and setp or selp"
	}
	if t.Class() == ptx.Handle {
		return "tex, suld and the like"
	}
	return container(t)
}

// accessRegs checks the operands that are loaded or stored. That their registers do
// not go with the access is said once.
func (c *checker) accessRegs(a *ptx.Access) bool {
	ok, mismatched := true, false
	c.specs = c.specs[:0]
	for i := range a.Regs {
		said := len(c.errs)
		spec, fine := c.accessReg(a, &a.Regs[i])
		if c.specs = append(c.specs, spec); fine {
			continue
		}
		ok = false
		if len(c.errs) > said && c.errs[said].Code == MismatchedRegister {
			if mismatched {
				c.errs = c.errs[:said]
			}
			mismatched = true
		}
	}
	return ok
}

// accessReg checks an operand that is loaded or stored, and returns the
// declaration of the register that it is, nil if it is none.
func (c *checker) accessReg(a *ptx.Access, o *ptx.Operand) (reg *ptx.Spec, ok bool) {
	switch o.Kind {
	case ptx.KindSink:
		if a.Store || len(a.Regs) < 2 {
			c.errorf(IllegalOperand, o.Pos, "_ stands for elements of a loaded vector that nobody wants, and for nothing else in %s", a.Op)
			return nil, false
		}
		return nil, true
	case ptx.KindInt, ptx.KindFloat:
		return nil, c.accessConstant(a, o)
	case ptx.KindName:
	case ptx.KindOther:
		return nil, c.storedSum(a, o)
	default:
		return nil, true
	}
	name := o.Name()
	sym := c.lookup(name)
	if g := c.globals[name]; sym == nil && a.Store && a.Vec == 0 && g != nil && g.fn != nil {
		return nil, c.storedFunction(a, o, g)
	}
	if sym == nil {
		if c.globals[name] == nil && !special(name) {
			c.undeclared(name, o.Pos)
			return nil, false
		}
	}
	if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		c.errorf(IllegalOperand, o.Pos, "%s moves registers; mov %s into one first", a.Op, o.Text)
		return nil, false
	}
	if !registerFits(a, o, sym.Spec) {
		c.add(ptx.SeverityError, MismatchedRegister, o.Pos, sprintf("%s does not go with register %s, which is %s", a.Op, o.Text, describe(sym.Spec, sym.Var)), related(sym.Var.Pos, "declared here"))
		return nil, false
	}
	return sym.Spec, true
}

// sameElements checks that the registers of a vector, which accessRegs has seen,
// go together: they are as wide, and of one class or .bN.
func (c *checker) sameElements(a *ptx.Access) bool {
	var first *ptx.Operand
	var spec *ptx.Spec
	predicates := 0
	for i := range a.Regs {
		o, reg := &a.Regs[i], c.specs[i]
		if reg == nil {
			continue
		}
		if reg.Type == ptx.Pred {
			predicates++
			continue
		}
		if first != nil && !fits(reg.Type, spec.Type) {
			c.errorf(MismatchedRegister, o.Pos, "%s does not go with %s in one vector; use registers of one type", o.Text, first.Text)
			return false
		}
		first, spec = o, reg
	}
	if predicates > 0 && (first == nil || spec.Type.Size() != 4) {
		c.errorf(MismatchedRegister, a.Pos, "%s moves no predicates; use selp and setp", a.Op)
		return false
	}
	return a.Vec == 0 || c.sameConstants(a, spec)
}

// sameConstants checks the constants of a stored vector: they go with each
// other, with the registers, one of which is of type spec, and with the access
// if there are none.
func (c *checker) sameConstants(a *ptx.Access, spec *ptx.Spec) bool {
	var first *ptx.Operand
	same := true // all as wide as the first
	for i := range a.Regs {
		o := &a.Regs[i]
		if o.Kind != ptx.KindInt && o.Kind != ptx.KindFloat {
			continue
		}
		if first == nil {
			first = o
		}
		same = same && o.FloatSize == first.FloatSize
		wrong := ptx.Float
		if o.Kind == ptx.KindFloat {
			wrong = ptx.Integer
		}
		if o.Kind != first.Kind || spec != nil && spec.Type.Class() == wrong {
			c.errorf(MismatchedConstant, o.Pos, "constant %s does not go with the other elements of the vector; make them of one kind", o.Text)
			return false
		}
	}
	if first == nil || spec != nil {
		return true
	}
	k, size := a.Type.Class(), first.FloatSize
	if size == 0 {
		size = 8 // a decimal number is a double
	}
	ok := k != ptx.Float
	if first.Kind == ptx.KindFloat {
		ok = !same || k == ptx.Float || k == ptx.Bits && a.Type.Size() == size
	}
	if !ok {
		c.errorf(MismatchedConstant, first.Pos, "constant %s does not go with %s", first.Text, a.Op)
		return false
	}
	return true
}

// accessConstant checks a constant in place of a register: a scalar store takes
// integers unless its type is a float, and floats that fit unless it is an
// integer. A decimal number is a double.
func (c *checker) accessConstant(a *ptx.Access, o *ptx.Operand) bool {
	if !a.Store {
		c.errorf(IllegalOperand, o.Pos, "%s loads into constant %s; write a register", a.Op, o.Text)
		return false
	}
	if !c.floatLiteral(o) {
		return false
	}
	k := a.Type.Class()
	ok := k != ptx.Float
	if o.Kind == ptx.KindFloat {
		size := o.FloatSize
		if size == 0 {
			size = 8
		}
		ok = k == ptx.Float || k == ptx.Bits && size == a.Type.Size()
	}
	if !ok && a.Vec == 0 {
		c.errorf(MismatchedConstant, o.Pos, "constant %s does not go with %s", o.Text, a.Op)
		return false
	}
	return true
}

// registerFits reports whether the assembler takes a register for an access: a
// register may be wider than the type; .bN goes with all classes, .uN and .sN
// with all but floats, .fN with floats and bits.
func registerFits(a *ptx.Access, o *ptx.Operand, s *ptx.Spec) bool {
	vec := s.Vec
	if o.Elem != 0 {
		vec = 0
	}
	if a.Whole != (vec != 0) || a.Whole && vec != a.Vec {
		return false
	}
	t, r := a.Type, s.Type
	if r == ptx.Pred && a.Vec != 0 && !a.Whole {
		return t.Size() <= 4 // sameElements sees to it
	}
	if r == ptx.Pred || r.Size() < t.Size() || a.Vec != 0 && t == ptx.B128 {
		return false
	}
	switch t.Class() {
	case ptx.Integer:
		return r.Class() != ptx.Float || packed(r)
	case ptx.Float:
		return r.Class() == ptx.Bits || r == t || a.Vec != 0 && r.Class() == ptx.Integer && r.Size() == t.Size()
	}
	return true
}

// direction checks that inputs are read and results written.
func (c *checker) direction(a *ptx.Access, sym *sig.Symbol) bool {
	fn := c.fn
	at := related(sym.Var.Pos, "declared here")
	switch {
	case sym.Role == sig.Param && a.Store:
		what := "function"
		if fn.Entry {
			what = "kernel"
		}
		c.add(ptx.SeverityError, WrittenInput, a.Pos, sprintf("%s is an input of %s %s, which cannot write it; use a register or .local memory", a.Addr.Base, what, clip(fn.Name)), at)
		return false
	case sym.Role == sig.Result && !a.Store:
		c.add(c.refused(), ReadResult, a.Pos, sprintf("%s is the result of %s, which cannot read it back; keep the value in a register", a.Addr.Base, clip(fn.Name)), at)
		return false
	case sym.Role == sig.Local && a.Guard != nil:
		c.add(c.refused(), PredicatedAccess, a.Pos, sprintf("%s of %s is predicated, and arguments and results move on every path; select the value before, or branch around the whole call", a.Op, a.Addr.Base), at)
		return true
	case sym.Role == sig.Local && a.Store && c.arch != 0 && c.arch < paramFormals.arch:
		return c.need(paramFormals, a.Pos)
	}
	if a.Type == ptx.B128 && sym.Role == sig.Param && !fn.Entry && len(sym.Var.Dims) > 0 {
		c.add(ptx.SeverityWarning, TruncatedQuad, a.Pos, sprintf("releases 12.4 to 13.5 of the assembler load 64 bits of %s alone; use %s.v2.b64", a.Addr.Base, strings.TrimSuffix(a.Op, ".b128")), at)
	}
	return true
}

// qualifier checks ::entry and ::func against what the variable is.
func (c *checker) qualifier(a *ptx.Access, sym *sig.Symbol) {
	kernel := c.fn.Entry && sym.Role == sig.Param
	switch {
	case a.Qual == ptx.EntryParam && !kernel:
		c.forbidf(WrongQualifier, a.Pos, "%s is no kernel parameter; use ld.param::func (the assembler ignores the difference)", a.Addr.Base)
	case a.Qual == ptx.FuncParam && kernel:
		c.forbidf(WrongQualifier, a.Pos, "%s is a kernel parameter; use ld.param::entry (releases of the assembler up to 13.0 ignore the difference, 13.5 refuses it)", a.Addr.Base)
	}
}
