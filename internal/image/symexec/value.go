package symexec

import "github.com/ptxabi/ptxabi/sass"

// originKind tells where a byte came from, and which fields of a byteValue have
// a meaning.
type originKind uint8

const (
	nothing     originKind = iota // was never written
	constByte                     // the number off
	regByte                       // byte n of general register reg
	uregByte                      // byte n of uniform register reg
	localByte                     // byte off of local memory from the address base on
	bankByte                      // byte off of constant bank reg
	globalByte                    // what a volatile load read at the global address off
	pointedByte                   // byte off of memory from the address in a parameter on, the base
	labelByte                     // byte n of an address that is resolved later, of the symbol number off
	madeByte                      // made in a way that is not followed, by the instruction at off
	resultByte                    // byte off of what call number epoch has left in memory for its result
	termByte                      // byte n of what an instruction of PTX computes, of the term number off
	joinByte                      // another one on each way to the instruction at off
	lostByte                      // perhaps overwritten by the instruction at off, which is not known
	phiByte                       // byte n of what several places hold where ways meet, of the term number off
	frameByte                     // byte n of the address off beyond that of base, where ways meet
)

// A byteValue is what is known of one byte: where it came from. It is
// comparable.
type byteValue struct {
	kind originKind
	reg  uint8
	n    uint8
	// sign says that it is eight copies of the highest bit of that byte.
	sign bool
	// epoch counts the calls made before: 0 is the value at entry, 1 that after
	// the first call.
	epoch uint16
	base  int16 // of localByte: index of a base address
	off   int64
}

// A word is what is known of a 32-bit register. Where base is not noBase it is
// the address base + add, and its bytes are not followed.
type word struct {
	b    [4]byteValue
	base int16
	add  int64
}

const (
	noBase = 0
	spBase = 1 // the stack pointer at entry
)

// constWord returns a number.
func constWord(v uint32) word {
	var w word
	for i := range w.b {
		w.b[i] = byteValue{kind: constByte, off: int64(v >> (8 * i) & 0xff)}
	}
	return w
}

// number reports the value of a word whose bytes are all known.
func (w word) number() (uint32, bool) {
	var v uint32
	if w.base != noBase {
		return 0, false
	}
	for i, b := range w.b {
		if b.kind != constByte {
			return 0, false
		}
		v |= uint32(b.off) << (8 * i)
	}
	return v, true
}

// regWord returns the value of a general register after epoch calls.
func regWord(reg sass.Reg, epoch uint16) word {
	var w word
	for i := range w.b {
		w.b[i] = byteValue{kind: regByte, reg: uint8(reg), n: uint8(i), epoch: epoch}
	}
	return w
}

// signOf is eight copies of the highest bit of a byte.
func signOf(b byteValue) byteValue {
	switch b.kind {
	case constByte:
		b.off = int64(uint8(int8(b.off) >> 7))
	case nothing, madeByte, joinByte, lostByte, frameByte:
	default:
		b.sign = true
	}
	return b
}

// known reports whether it is known where a byte came from.
func (b byteValue) known() bool {
	switch b.kind {
	case nothing, madeByte, joinByte, lostByte, frameByte, pointedByte: // memory changes
		return false
	}
	return true
}

// whole reports whether the bytes of w are the four bytes of one origin in
// their order.
func (w word) whole() bool {
	first := w.b[0]
	for i, b := range w.b {
		want := first
		switch first.kind {
		case regByte, uregByte, labelByte, termByte, phiByte:
			want.n = first.n + uint8(i)
		case localByte, bankByte, globalByte, resultByte:
			want.off += int64(i)
		default:
			return false
		}
		if b != want || b.sign || first.n&3 != 0 {
			return false
		}
	}
	return true
}
