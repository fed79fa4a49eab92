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

// applyFloat returns a op b of two doubles as ptxas 11.8 to 13.5 evaluate it:
// there are the four operations and the comparisons.
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
