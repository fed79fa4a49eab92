package ptx

import (
	"math"
	"strconv"
	"strings"
)

// floatValue returns the value of a floating-point literal: 0f and eight
// hexadecimal digits, 0d and sixteen, or a decimal number with a point or an
// exponent.
func floatValue(lit string) (value, bool) {
	if len(lit) > 2 && lit[0] == '0' {
		switch size := 4; lit[1] | 0x20 {
		case 'd':
			size = 8
			fallthrough
		case 'f':
			v, err := strconv.ParseUint(lit[2:], 16, 8*size)
			return value{bits: v, float: true, size: size}, err == nil && len(lit) == 2+2*size
		case 'x', 'b':
			return value{}, false
		}
	}
	if strings.IndexByte(lit, '.') < 0 && !strings.ContainsAny(lit, "eE") || strings.Trim(lit, "0123456789.eE+-") != "" {
		return value{}, false
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil && !math.IsInf(f, 0) {
		return value{}, false
	}
	return value{bits: math.Float64bits(f), float: true}, true
}

// applyFloat returns a op b of two doubles as ptxas 11.8 to 13.5 evaluate it: they take
// + - * / and the comparisons.
func (e *exprParser) applyFloat(pos Pos, op string, a, b value) (value, bool) {
	if !a.float || !b.float || a.size == 4 || b.size == 4 {
		e.p.errorAt(pos, "'"+op+"' takes two integers or two doubles; write one constant")
		return value{}, false
	}
	x, y := math.Float64frombits(a.bits), math.Float64frombits(b.bits)
	if v, ok := compared(x, op, y); ok {
		return v, true
	}
	switch op {
	case "+":
		x += y
	case "-":
		x -= y
	case "*":
		x *= y
	case "/":
		if y == 0 {
			e.p.errorAt(pos, "division by zero")
			return value{}, false
		}
		x /= y
	default:
		e.p.errorAt(pos, "'"+op+"' takes integers")
		return value{}, false
	}
	return value{bits: math.Float64bits(x), float: true}, true
}

// BitsAs returns the bits of a constant as a value of a type. The value has the lowest bits of the result, as many as the
// type has. For a type .bN, a floating-point constant gives the lowest bits of the double, as
// NVIDIA's assembler does. It is 0 for an operand that is no constant.
func (o *Operand) BitsAs(t Type) uint64 {
	switch {
	case o == nil || o.Kind != KindInt && o.Kind != KindFloat:
		return 0
	case o.Kind == KindInt:
		return o.Bits
	}
	value := math.Float64frombits(o.Bits)
	if o.FloatSize == 4 {
		value = float64(math.Float32frombits(uint32(o.Bits)))
	}
	switch {
	case t == F64 && o.FloatSize == 4:
		return math.Float64bits(value)
	case t == F32 && o.FloatSize != 4:
		return uint64(math.Float32bits(float32(value)))
	case int(o.FloatSize) != t.Size() && t == F16:
		return uint64(halfBits(value))
	}
	return o.Bits
}

// halfBits returns the bits of the half-precision number nearest to v; of two equally near ones, those of the even one.
func halfBits(v float64) uint16 {
	sign := uint16(math.Float64bits(v)>>48) & 0x8000
	a := math.Abs(v)
	switch {
	case a == 0:
		return sign
	case math.IsNaN(v):
		return sign | 0x7e00
	case a >= 65520: // halfway to the number after the largest
		return sign | 0x7c00
	}
	exp := max(math.Ilogb(a), -14)
	n := math.RoundToEven(math.Ldexp(a, 10-exp)) // with the leading one of normal numbers
	return sign | uint16((exp+14)<<10+int(n))
}
