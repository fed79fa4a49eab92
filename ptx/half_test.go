package ptx_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/ptx"
)

// half is the value of the bits of a half-precision number.
func half(bits uint16) float64 {
	sign := 1 - 2*float64(bits>>15)
	exp, frac := int(bits>>10&31), float64(bits&0x3ff)
	switch {
	case exp == 31 && frac == 0:
		return sign * math.Inf(1)
	case exp == 31:
		return math.NaN()
	case exp == 0:
		return math.Copysign(math.Ldexp(frac, -24), sign)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// halfBits are the bits of a constant as a half-precision number.
func halfBits(v float64) uint16 {
	o := ptx.Operand{Kind: ptx.KindFloat, Bits: math.Float64bits(v), FloatSize: 8}
	return uint16(o.BitsAs(ptx.F16))
}

// TestHalfBits tries all halves, and all places where rounding turns: the middle
// between two of them, and what lies on either side of it.
func TestHalfBits(t *testing.T) {
	for b := range uint16(0x7c00) {
		for _, sign := range []uint16{0, 0x8000} {
			bits := b | sign
			v, next := half(bits), half(bits+1)
			assert.Equal(t, bits, halfBits(v), "%v", v)
			if b+1 == 0x7c00 {
				next = math.Copysign(65536, v) // were there one more
			}
			middle := (v + next) / 2
			assert.Equal(t, bits, halfBits(math.Nextafter(middle, v)), "below the middle above %v", v)
			assert.Equal(t, bits+1, halfBits(math.Nextafter(middle, next)), "above the middle above %v", v)
			assert.Equal(t, bits+bits&1, halfBits(middle), "the middle above %v", v)
		}
	}
	assert.Equal(t, uint16(0x7c00), halfBits(math.Inf(1)))
	assert.Equal(t, uint16(0xfc00), halfBits(-1e300))
	assert.True(t, math.IsNaN(half(halfBits(math.NaN()))))
}

// TestBitsAs converts constants to types of other sizes.
func TestBitsAs(t *testing.T) {
	for _, c := range []struct {
		o    ptx.Operand
		t    ptx.Type
		want uint64
	}{
		{ptx.Operand{Kind: ptx.KindInt, Bits: 7}, ptx.F32, 7},
		{ptx.Operand{Kind: ptx.KindFloat, Bits: 0x3f800000, FloatSize: 4}, ptx.F32, 0x3f800000},
		{ptx.Operand{Kind: ptx.KindFloat, Bits: 0x3f800000, FloatSize: 4}, ptx.F64, 0x3ff0000000000000},
		{ptx.Operand{Kind: ptx.KindFloat, Bits: 0x3ff0000000000000}, ptx.F32, 0x3f800000},
		{ptx.Operand{Kind: ptx.KindFloat, Bits: 0x3ff0000000000000, FloatSize: 8}, ptx.B32, 0x3ff0000000000000},
		{ptx.Operand{Kind: ptx.KindName, Bits: 7}, ptx.B32, 0},
	} {
		assert.Equal(t, c.want, c.o.BitsAs(c.t), "%+v as %v", c.o, c.t)
	}
	assert.Zero(t, (*ptx.Operand)(nil).BitsAs(ptx.B32))
}
