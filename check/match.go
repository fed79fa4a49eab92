package check

import (
	"math"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// match compares an operand of a call, whose name means sym, with a formal, and
// reports whether it fits. Its kind and space have been checked.
func (b *bodyCheck) match(o *ptx.Operand, sym *body.Symbol, f *ptx.Formal, s *signature, result bool) bool {
	if f.Type == ptx.NoType || f.Type.Class() == ptx.Alternate {
		return true // reported where it is declared
	}
	if b.c.mistakes.badVars[&f.Var] {
		return true // likewise
	}
	at := formalAt{f, s, result}
	if o.Kind != ptx.KindName {
		return b.constant(o, f, at)
	}
	a := sym.Spec
	if a.Type.Class() == ptx.Alternate || len(f.Dims) > 1 || b.c.mistakes.badVars[sym.Var] {
		return true // likewise
	}
	if len(sym.Var.Dims) > 1 {
		b.nestedArgument(o, sym, at)
		return false
	}
	array := len(sym.Var.Dims) > 0
	if (len(f.Dims) > 0) != array || array && f.Space != a.Space {
		b.c.add(diag.Error, MismatchedArray, o.Pos, sprintf("%s is %s, and the formal is %s; a scalar never matches an array", o.Text, describe(a, sym.Var), describe(&f.Spec, &f.Var)), at.here())
		return false
	}
	reported := len(b.c.list)
	if !b.types(o, sym, f, at) {
		b.c.depends(&f.Var, f.Type, reported)
		return false
	}
	if want, has := f.Spec.Alignment(), a.Alignment(); want != has && a.Type != ptx.Pred && f.Type != ptx.Pred {
		b.c.add(diag.Error, MismatchedAlignment, o.Pos, sprintf("%s is aligned to %d bytes and the formal to %d; make them equal", o.Text, has, want), at.here())
		return false
	}
	return true
}

// nestedArgument reports an array of several dimensions as an argument. It reports each variable once, and takes back
// the warning about its declaration.
func (b *bodyCheck) nestedArgument(o *ptx.Operand, sym *body.Symbol, at formalAt) {
	old := b.c.mistakes.nested[sym.Var]
	if old == nil {
		return
	}
	b.c.mistakes.nested[sym.Var] = nil
	b.c.drop(old)
	b.c.add(diag.Error, MismatchedArray, o.Pos, sprintf("%s has %d dimensions, which no formal has; declare it with one", o.Text, len(sym.Var.Dims)),
		related(sym.Var.Pos, "declared here"), at.here())
}

// A formalAt is the place of the formal that an operand is compared with. Its text is made only for a diagnostic, since
// most operands fit.
type formalAt struct {
	f      *ptx.Formal
	s      *signature
	result bool
}

func (at formalAt) here() diag.Related {
	return related(at.f.Pos, "%s of %s is declared here", formalName(at.f, at.result), at.s.name)
}

func formalName(f *ptx.Formal, result bool) string {
	what := "formal"
	if result {
		what = "result"
	}
	if f.Name == "_" || f.Name == "" {
		return what
	}
	return what + " " + clip(f.Name)
}

// types compares size and class of an operand and a formal that are both
// scalars or both arrays.
func (b *bodyCheck) types(o *ptx.Operand, sym *body.Symbol, f *ptx.Formal, at formalAt) bool {
	a := sym.Spec
	size, want := a.SizeOf(sym.Var), f.Size()
	code := MismatchedType
	ok := true
	switch {
	case len(f.Dims) > 0:
		code = MismatchedArray
		ok = (f.Var.Unsized() || size == want) && a.Vec == 0 && f.Vec == 0 &&
			(a.Type == f.Type || a.Type.Class() == ptx.Bits || f.Type.Class() == ptx.Bits) && !packed(a.Type) && !packed(f.Type)
	case a.Vec != 0 || f.Vec != 0:
		code = MismatchedVector
		ok = size == want
	default:
		ok = fits(a.Type, f.Type)
	}
	if !ok {
		b.c.add(diag.Error, code, o.Pos, sprintf("%s is %s, and the formal is %s", o.Text, describe(a, sym.Var), describe(&f.Spec, &f.Var)), at.here())
		return false
	}
	b.looseTypes(o, sym, f, at)
	return true
}

// looseTypes reports pairs of types that the assembler accepts and the manual does
// not: by the manual the types must be the same, except that .bN goes with any type of its size.
func (b *bodyCheck) looseTypes(o *ptx.Operand, sym *body.Symbol, f *ptx.Formal, at formalAt) {
	a := sym.Spec
	if a.Type == f.Type && a.Vec == f.Vec {
		return
	}
	reported := func() string {
		return sprintf("%s is %s, and the formal is %s", o.Text, describe(a, sym.Var), describe(&f.Spec, &f.Var))
	}
	switch {
	case len(f.Dims) > 0:
		if a.Type != f.Type && a.Type.Size() != f.Type.Size() || a.Type.Size() == 1 && a.Type != f.Type {
			b.c.add(b.c.forbidden(), LooseArray, o.Pos, reported()+"; the assembler compares their bytes alone: make the elements equal", at.here())
		}
	case a.Vec != f.Vec || a.Vec != 0 && a.Type != f.Type && !sameSize(a.Type, f.Type):
		b.c.add(b.c.forbidden(), LooseVector, o.Pos, reported()+"; the assembler compares their bytes alone: make the vectors equal", at.here())
	case a.Vec == 0 && packed(a.Type) != packed(f.Type) && a.Type.Class() != ptx.Bits && f.Type.Class() != ptx.Bits:
		b.c.add(b.c.forbidden(), LoosePair, o.Pos, reported()+"; the assembler takes anything for .f16x2: use .b32 or .f16x2 for both", at.here())
	}
}

// packed reports whether t is .f16x2, which the assembler matches with every
// type of 32 bits.
func packed(t ptx.Type) bool { return t == ptx.F16X2 }

// sameSize reports whether two types match by the manual: equal, or one of
// them untyped bits of the other's size, or integers of one size.
func sameSize(a, b ptx.Type) bool {
	if a.Size() != b.Size() {
		return false
	}
	return a == b || a.Class() == ptx.Bits || b.Class() == ptx.Bits || a.Class() == b.Class() && a.Class() == ptx.Integer
}

// fits reports whether the assembler accepts a scalar of type a for a formal of
// type f.
func fits(a, f ptx.Type) bool {
	switch {
	case packed(a) || packed(f):
		other := f
		if packed(f) {
			other = a
		}
		return other.Size() == 4 || other == ptx.Pred
	case a == ptx.Pred || f == ptx.Pred:
		return a == f
	}
	return sameSize(a, f)
}

// constant compares a constant with a formal.
func (b *bodyCheck) constant(o *ptx.Operand, f *ptx.Formal, at formalAt) bool {
	if !b.c.floatLiteral(o) {
		return false
	}
	if !takesConstant(o, f) {
		d := b.c.add(diag.Error, MismatchedConstant, o.Pos, sprintf("constant %s does not fit the formal, which is %s", o.Text, describe(&f.Spec, &f.Var)), at.here())
		if f.Vec == 0 && len(f.Dims) == 0 && !at.result {
			b.c.fixWhole(d, o, f.Type)
		}
		return false
	}
	if f.Vec != 0 || at.result {
		return true
	}
	if o.Kind == ptx.KindInt {
		b.representable(o, f, at)
	} else {
		b.rawFloat(o, f, at)
	}
	return true
}

// floatLiterals is floatLiteral for operands and their elements.
func (c *checker) floatLiterals(list []ptx.Operand) {
	for i := range list {
		c.floatLiteral(&list[i])
		c.floatLiterals(list[i].Elems)
	}
}

// floatLiteral reports floating-point constants that the assembler does
// not read: a decimal one takes a double that is zero or normal, and 0f… no
// sign.
func (c *checker) floatLiteral(o *ptx.Operand) bool {
	if o.Kind != ptx.KindFloat {
		return true
	}
	if text := strings.TrimLeft(o.Text, "+- \t"); o.FloatSize == 4 && text != o.Text && strings.HasPrefix(text, "0") {
		c.errorf(MismatchedConstant, o.Pos, "%s: 0f… takes no sign in front; set its first bit", o.Text)
		return false
	}
	f := math.Float64frombits(o.Bits)
	zero := f == 0 && strings.Trim(strings.FieldsFunc(o.Text, func(r rune) bool { return r|0x20 == 'e' })[0], "+-0. \t()") == ""
	if o.FloatSize == 0 && !zero && (math.IsInf(f, 0) || math.Abs(f) < 0x1p-1022) && !strings.ContainsAny(o.Text, "*/") {
		c.errorf(MismatchedConstant, o.Pos, "%s is not a normal double; write the bits as 0d…", o.Text)
		return false
	}
	return true
}

// takesConstant reports whether the assembler accepts a constant for a formal.
func takesConstant(o *ptx.Operand, f *ptx.Formal) bool {
	t := f.Type
	switch {
	case len(f.Dims) > 0, t == ptx.Pred:
		return false
	case o.Kind == ptx.KindInt && f.Vec != 0:
		return f.Vec*t.Size() == 8
	case o.Kind == ptx.KindInt:
		return t.Class() == ptx.Bits || t.Class() == ptx.Integer
	case packed(t):
		return o.FloatSize == 4
	case f.Vec != 0:
		size := 8
		if o.FloatSize != 0 {
			size = int(o.FloatSize)
		}
		return size == t.Size()*f.Vec
	}
	return t.Class() == ptx.Bits || t.Class() == ptx.Float
}

// lowBits returns a mask of n bits, of 64 at most.
func lowBits(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// wrapped returns the value of the low bits, so many, of an integer that was too large: with a
// sign if it was written with one.
func wrapped(o *ptx.Operand, bits int) string {
	if strings.HasPrefix(o.Text, "-") {
		unused := 64 - min(bits, 64)
		return strconv.FormatInt(int64(o.Bits)<<unused>>unused, 10)
	}
	return strconv.FormatUint(o.Bits&lowBits(bits), 10)
}

// representable reports an integer that loses bits: .bN and .uN take
// -2^(N-1) to 2^N-1, .sN takes -2^(N-1) to 2^(N-1)-1.
func (b *bodyCheck) representable(o *ptx.Operand, f *ptx.Formal, at formalAt) {
	bits := f.Type.Size() * 8
	if o.Wrapped {
		b.c.add(b.c.forbidden(), UnrepresentableConstant, o.Pos, sprintf("%s does not fit in 64 bits; the assembler takes it modulo 2^%d, and the callee gets %s: write the value that is meant",
			short(o.Text), min(bits, 64), wrapped(o, bits)), at.here())
		return
	}
	if bits >= 64 {
		return
	}
	v := int64(o.Bits)
	low, high := -int64(1)<<(bits-1), int64(1)<<bits-1
	if f.Type.Signed() {
		high = int64(1)<<(bits-1) - 1
	}
	if v < low || v > high {
		b.c.add(b.c.forbidden(), UnrepresentableConstant, o.Pos, sprintf("%s does not fit %s; the callee gets 0x%x, its low %d bits", o.Text, f.Type, o.Bits&(1<<bits-1), bits), at.here())
	}
}

// rawFloat reports a floating-point constant if the formal gets other bits than those of its value in the formal's
// type.
func (b *bodyCheck) rawFloat(o *ptx.Operand, f *ptx.Formal, at formalAt) {
	reported := ""
	switch t := f.Type; {
	case t == ptx.F64 && o.FloatSize == 4:
		reported = sprintf("the callee gets the bits 0x%016x, not the number; write it as 0d…", o.Bits)
	case t == ptx.B32 && o.FloatSize != 4:
		reported = sprintf("the callee gets 0x%08x, the low half of a double; write it as 0f…", uint32(o.Bits))
	case t.Size() == 2:
		reported = "the callee gets 0 or other low bits of a double; write the 16 bits as an integer to a .b16 formal"
	case t.Size() == 1:
		reported = "the callee gets the low bits of a double; write an integer"
	default:
		return
	}
	d := b.c.add(b.c.forbidden(), RawFloat, o.Pos, sprintf("constant %s to a formal of type %s: %s", o.Text, f.Type, reported), at.here())
	switch {
	case f.Type == ptx.F64:
		b.c.fixNumber(d, o, ptx.F64, float64(math.Float32frombits(uint32(o.Bits))))
	case f.Type == ptx.B32 && o.FloatSize == 0:
		b.c.fixNumber(d, o, ptx.F32, float64(float32(math.Float64frombits(o.Bits))))
	}
}
