package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// accessRegs checks the operands that an access loads or stores. It reports only the first register that does
// not match the access.
func (b *bodyCheck) accessRegs(a *ptx.Access) bool {
	ok, mismatched := true, false
	b.specs = b.specs[:0]
	for i := range a.Regs {
		reported := len(b.c.list)
		spec, fine := b.accessReg(a, i)
		if b.specs = append(b.specs, spec); fine {
			continue
		}
		ok = false
		if len(b.c.list) > reported && b.c.list[reported].Code == MismatchedRegister {
			if mismatched {
				b.c.list = b.c.list[:reported]
			}
			mismatched = true
		}
	}
	return ok && (a.Vec == 0 || b.sameElements(a))
}

// accessReg checks operand i of an access, and returns the
// declaration of its register, nil if it is no register.
func (b *bodyCheck) accessReg(a *ptx.Access, i int) (reg *ptx.Spec, ok bool) {
	o := &a.Regs[i]
	switch o.Kind {
	case ptx.KindSink:
		if a.Store || len(a.Regs) < 2 {
			b.c.errorf(IllegalOperand, o.Pos, "_ stands for unused elements of a loaded vector, and for nothing else in %s", a.Op)
			return nil, false
		}
		return nil, true
	case ptx.KindInt, ptx.KindFloat:
		return nil, b.accessConstant(a, o)
	case ptx.KindName:
	case ptx.KindSum:
		return nil, storedSum(b, a, o)
	default:
		return nil, true
	}
	name := o.Name()
	sym := b.operandSym(1 + i)
	if sym == nil {
		switch g := b.c.named(name); {
		case g == nil && !special(name):
			b.undeclared(name, o.Pos)
			return nil, false
		case g != nil && g.fn != nil && a.Store && a.Vec == 0:
			return nil, storedFunction(b, a, o, g)
		case ofModule(b, g, o):
			return nil, !b.c.Lower
		}
	}
	if sym == nil && a.Vec != 0 && specialElement(a, o) {
		b.c.add(b.c.unnamed(), IllegalOperand, o.Pos, sprintf("%s is a special register in a vector, and no operand of %s in the manual; mov it into a register first", o.Text, a.Op))
		return nil, !b.c.Lower
	}
	if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		b.c.errorf(IllegalOperand, o.Pos, "%s moves registers; mov %s into one first", a.Op, o.Text)
		return nil, false
	}
	if !registerFits(a, o, sym.Spec) {
		b.c.add(diag.Error, MismatchedRegister, o.Pos, sprintf("%s does not match register %s, which is %s", a.Op, o.Text, describe(sym.Spec, sym.Var)), related(sym.Var.Pos, "declared here"))
		return nil, false
	}
	if o.Elem != 0 {
		elementExists(b, o, sym)
	}
	return sym.Spec, true
}

// sameElements checks that the registers of a vector, whose declarations are in specs,
// match each other: they have one size, and one class or .bN.
func (b *bodyCheck) sameElements(a *ptx.Access) bool {
	var first *ptx.Operand
	var spec *ptx.Spec
	predicates := 0
	for i := range a.Regs {
		o, reg := &a.Regs[i], b.specs[i]
		if reg == nil {
			continue
		}
		if reg.Type == ptx.Pred {
			predicates++
			continue
		}
		if first != nil && !fits(reg.Type, spec.Type) {
			b.c.errorf(MismatchedRegister, o.Pos, "%s does not match %s in one vector; use registers of one type", o.Text, first.Text)
			return false
		}
		first, spec = o, reg
	}
	if predicates > 0 && (first == nil || spec.Type.Size() != 4) {
		b.c.errorf(MismatchedRegister, a.Pos, "%s moves no predicates; use selp and setp", a.Op)
		return false
	}
	return a.Vec == 0 || b.sameConstants(a, spec)
}

// sameConstants checks the constants of a stored vector. They must match each
// other, and the registers of the vector, one of which has spec, or if spec is nil, the type of the access.
func (b *bodyCheck) sameConstants(a *ptx.Access, spec *ptx.Spec) bool {
	var first *ptx.Operand
	same := true // all have the size of the first
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
			b.c.errorf(MismatchedConstant, o.Pos, "constant %s does not match the other elements of the vector; make them of one kind", o.Text)
			return false
		}
	}
	if first == nil || spec != nil {
		return true
	}
	if !constantFits(a, first) && (same || first.Kind != ptx.KindFloat) {
		b.c.errorf(MismatchedConstant, first.Pos, "constant %s does not match %s", first.Text, a.Op)
		return false
	}
	return true
}

// constantFits reports whether the type of a store goes with a constant. An integer goes with all types but floats. A float
// goes with all floats, and with .bN of its own size; a decimal number is a double.
func constantFits(a *ptx.Access, o *ptx.Operand) bool {
	k, size := a.Type.Class(), int(o.FloatSize)
	if o.Kind != ptx.KindFloat {
		return k != ptx.Float
	}
	if size == 0 {
		size = 8
	}
	return k == ptx.Float || k == ptx.Bits && size == a.Type.Size()
}

// accessConstant checks a constant in place of a register.
func (b *bodyCheck) accessConstant(a *ptx.Access, o *ptx.Operand) bool {
	if !a.Store {
		b.c.errorf(IllegalOperand, o.Pos, "%s loads into constant %s; write a register", a.Op, o.Text)
		return false
	}
	if !b.c.floatLiteral(o) {
		return false
	}
	if a.Vec == 0 && !constantFits(a, o) {
		d := b.c.errorf(MismatchedConstant, o.Pos, "constant %s does not match %s", o.Text, a.Op)
		b.c.fixWhole(d, o, a.Type)
		return false
	}
	if o.Wrapped {
		n := 8 * a.Type.Size()
		b.c.forbidf(UnrepresentableConstant, o.Pos, "%s does not fit in 64 bits; the assembler takes it modulo 2^%d, and %s is stored: write the value that is meant", short(o.Text), min(n, 64), wrapped(o, n))
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
