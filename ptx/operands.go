package ptx

import "math/bits"

// What the operands of an instruction are read by is a machine of states, which takes a
// step for each byte. Nothing is decided before the semicolon, so that the processor has
// nothing to guess. A step looks a word up by the byte, and the next state in it, by
// shifting it by the present one; that is six instructions a byte. Odd states follow the
// beginning of a name without a percent sign.
const (
	opStop   = 0  // it may be wrong, and is not read here
	opFresh  = 6  // behind what separates, and at the beginning
	opName   = 12 // behind a byte of a name or a number
	opGap    = 18 // behind a name and a blank
	opInside = 24 // opFresh between brackets
	opIndex  = 30 // opName between brackets
	opEnd    = 36 // behind the semicolon, whatever follows
	opBare   = 43 // behind a byte of a name without a percent sign
	opBareAt = 49 // opBare between brackets

	bareBit = 1
)

var operandSteps = func() *[256]uint64 {
	var t [256]uint64
	step := func(c byte, fromTo ...int) {
		for i := 0; i < len(fromTo); i += 2 {
			t[c] |= uint64(fromTo[i+1]) << fromTo[i]
		}
	}
	for i := range t {
		c := byte(i)
		step(c, opEnd, opEnd)
		switch class[c] {
		case cIdent, cDot, cPercent:
			name, index := opName, opIndex
			if c-'%' > '9'-'%' { // else it is % or a digit, or a dot
				name, index = opBare, opBareAt
			}
			step(c, opFresh, name, opName, opName, opBare, opBare, opInside, index, opIndex, opIndex, opBareAt, opBareAt)
		case cPunct:
			step(c, opFresh, opFresh, opName, opFresh, opGap, opFresh, opBare, opFresh, opInside, opInside, opIndex, opInside, opBareAt, opInside)
		case cSpace:
			step(c, opFresh, opFresh, opName, opGap, opGap, opGap, opBare, opGap, opInside, opInside)
		}
	}
	step('[', opFresh, opInside, opName, opInside, opGap, opInside, opBare, opInside)
	step(']', opInside, opFresh, opIndex, opFresh, opBareAt, opFresh)
	step(';', opFresh, opEnd, opName, opEnd, opGap, opEnd, opBare, opEnd)
	return &t
}()

// operandsEnd reads the operands of an instruction from i on. It returns the offset of the
// semicolon, and -1 if they are not for quick, and reports whether the names among
// them begin with a percent sign. It takes eight steps at a time, as the bytes behind the
// semicolon do no harm.
func operandsEnd(src string, i int) (end int, percent bool) {
	t := operandSteps
	_ = *t // else each eight steps have a test for nil
	state, seen := uint64(opFresh), uint64(0)
	for ; i+8 <= len(src); i += 8 {
		b := src[i : i+8]
		state = t[b[0]] >> (state & 63)
		seen |= state
		state = t[b[1]] >> (state & 63)
		seen |= state
		state = t[b[2]] >> (state & 63)
		seen |= state
		state = t[b[3]] >> (state & 63)
		seen |= state
		state = t[b[4]] >> (state & 63)
		seen |= state
		state = t[b[5]] >> (state & 63)
		seen |= state
		state = t[b[6]] >> (state & 63)
		seen |= state
		state = t[b[7]] >> (state & 63)
		seen |= state
		if state &= 63; state == opEnd {
			// The first one is what counts, before which there is nothing but ASCII. To
			// look for it takes one step and no guess.
			w := eight(b, 0) ^ ';'*ones
			return i + bits.TrailingZeros64((w-ones)&high)>>3, seen&bareBit == 0
		} else if state == opStop {
			break
		}
	}
	return -1, false
}

// Words of eight bytes.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones // the highest bit of each
)

// eight returns the eight bytes of text at i as a number, the first one lowest.
func eight(text string, i int) uint64 {
	b := text[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// blanksIn marks the first byte of a word that is a blank or a control, and perhaps others
// behind it; 0 if there is none.
func blanksIn(w uint64) uint64 { return (w - (' '+1)*ones) &^ w & high }

// bytesBefore keeps the bytes of a word before the first one that is marked.
func bytesBefore(w, marked uint64) uint64 { return w & (((marked - 1) &^ marked) >> 7) }
