package cdecl

import (
	"cmp"
	"strconv"

	"github.com/ptxabi/ptxabi/layout"
)

// A value is the result of an expression. Integers of up to 64 bits are
// computed; of anything else only the type is known.
type value struct {
	typ    layout.Type // nil if not even that is known
	bits   uint64      // sign-extended for signed types
	known  bool
	lvalue bool   // bits are the address of an object
	why    string // why it is not known, if that is worth saying
}

func (v value) String() string {
	if s, ok := layout.Unalias(v.typ).(layout.Scalar); ok && s.Integer() && !s.Signed() {
		return strconv.FormatUint(v.bits, 10)
	}
	return strconv.FormatInt(int64(v.bits), 10)
}

// int64 returns v if it is in the range of the type.
func (v value) int64() (int64, bool) {
	if s, ok := layout.Unalias(v.typ).(layout.Scalar); ok && s.Integer() && !s.Signed() {
		return int64(v.bits), int64(v.bits) >= 0
	}
	return int64(v.bits), true
}

func scalarOf(t layout.Type) (layout.Scalar, bool) {
	switch t := layout.Unalias(t).(type) {
	case layout.Scalar:
		return t, true
	case *layout.Enum:
		if t.Underlying != nil {
			return scalarOf(t.Underlying)
		}
		return layout.Scalar{Kind: layout.Int}, true
	}
	return layout.Scalar{}, false
}

// sizeOf returns the size of an integer type, or 0.
func (p *parser) sizeOf(t layout.Type) int64 {
	s, ok := scalarOf(t)
	if !ok || !s.Integer() {
		return 0
	}
	l, err := p.memo.Of(s)
	if err != nil {
		return 0
	}
	return l.Size
}

func (p *parser) signed(t layout.Type) bool {
	s, ok := scalarOf(t)
	return ok && s.Signed()
}

// sizeType is size_t.
func (p *parser) sizeType() layout.Scalar {
	word, long := p.pointerSize(), p.sizeOf(layout.Scalar{Kind: layout.Long})
	switch {
	case word == 4:
		return layout.Scalar{Kind: layout.UInt}
	case word == long:
		return layout.Scalar{Kind: layout.ULong}
	}
	return layout.Scalar{Kind: layout.ULongLong}
}

func (p *parser) pointerSize() int64 {
	if n := p.opts.Rules.Pointer; n != 0 {
		return n
	}
	return 8
}

// convert returns v as a value of type t.
func (p *parser) convert(v value, t layout.Type) value {
	out := value{typ: t, known: v.known && !v.lvalue, why: v.why}
	_, isPointer := layout.Unalias(t).(*layout.Pointer)
	switch s, _ := scalarOf(t); {
	case isPointer:
		out.bits = v.bits
	case s.Kind == layout.Bool:
		out.bits = min(v.bits, 1)
	case s.Integer() && p.sizeOf(s) <= 8 && s.Bits == 0:
		out.bits = truncate(v.bits, p.sizeOf(s), s.Signed())
	default:
		out.known = false
		out.why = cmp.Or(out.why, "a value of type "+t.String()+" is not computed")
	}
	return out
}

// fit returns v with its bits cut to the size of its type; if it has none that is computed with, v is not known.
func (p *parser) fit(v value) value {
	if size := p.sizeOf(v.typ); size > 0 && size <= 8 {
		v.bits = truncate(v.bits, size, p.signed(v.typ))
	} else {
		v.known = false
	}
	return v
}

// truncate keeps size bytes of bits, extended by the sign if signed.
func truncate(bits uint64, size int64, signed bool) uint64 {
	shift := uint(64 - size*8)
	if signed {
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits << shift >> shift
}

// promote applies C's integer promotions.
func (p *parser) promote(v value) value {
	switch size := p.sizeOf(v.typ); {
	case size >= 4:
		v.typ, _ = scalarOf(v.typ)
	case size > 0:
		return p.convert(v, layout.Scalar{Kind: layout.Int})
	}
	return v
}

// balance brings two operands to their common type.
func (p *parser) balance(a, b value) (value, value) {
	a, b = p.promote(a), p.promote(b)
	sa, sb := p.sizeOf(a.typ), p.sizeOf(b.typ)
	x, isX := scalarOf(a.typ)
	y, isY := scalarOf(b.typ)
	switch {
	case isX && isY && (sa == 0 || sb == 0): // a floating-point number is one
		if sa > 0 || sb == 0 && y.Kind > x.Kind {
			a.typ = b.typ
		}
		b.typ = a.typ
		return a, b
	case sa == 0 || sb == 0:
		if layout.Unalias(a.typ) != layout.Unalias(b.typ) {
			a.typ, b.typ = nil, nil
		}
		return a, b
	}
	t := a.typ
	if sb > sa || sb == sa && (x.Signed() && !y.Signed() || x.Signed() == y.Signed() && y.Kind > x.Kind) {
		t = b.typ
	}
	return p.convert(a, t), p.convert(b, t)
}
