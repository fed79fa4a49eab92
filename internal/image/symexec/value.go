package symexec

import (
	"github.com/ptxabi/ptxabi/sass"
)

// Origin is where a byte came from, and which fields of a Byte have
// a meaning.
type Origin uint8

const (
	Nothing     Origin = iota // was never written
	ConstByte                 // the number Off
	RegByte                   // byte N of general register Reg
	URegByte                  // byte N of uniform register Reg
	LocalByte                 // byte Off of local memory from the address Base on
	BankByte                  // byte Off of constant bank Reg
	GlobalByte                // what a volatile load read at the global address Off
	PointedByte               // byte Off of memory from the address in a parameter on, the Base
	LabelByte                 // byte N of an address that is resolved later, of the symbol number Off
	MadeByte                  // made in a way that is not followed, by the instruction at Off
	ResultByte                // byte Off of what call number Epoch has left in memory for its result
	TermByte                  // byte N of what an instruction of PTX computes, of the term number Off
	JoinByte                  // another one on each way to the instruction at Off
	LostByte                  // perhaps overwritten by the instruction at Off, which is not known
	PhiByte                   // byte N of what several places hold where ways meet, of the term number Off
	FrameByte                 // byte N of the address Off beyond that of Base, where ways meet
)

// A Byte is the origin of one byte. It is comparable.
type Byte struct {
	Kind Origin
	Reg  uint8
	N    uint8
	// Sign is set for eight copies of the highest bit of that byte.
	Sign bool
	// Epoch counts the calls made before: 0 is the value at entry, 1 that after
	// the first call.
	Epoch uint16
	Base  int16 // of LocalByte: index of a base address
	Off   int64
}

// A Word is the origin of a 32-bit register: of each byte or, where Base is not NoBase, the
// address Base + Add, and its bytes are not followed.
type Word struct {
	B    [4]Byte
	Base int16
	Add  int64
}

const (
	NoBase = 0
	SPBase = 1 // the stack pointer at entry
)

// ConstWord returns a number.
func ConstWord(v uint32) Word {
	var w Word
	for i := range w.B {
		w.B[i] = Byte{Kind: ConstByte, Off: int64(v >> (8 * i) & 0xff)}
	}
	return w
}

// number reports the value of a word whose bytes are all known.
func (w Word) number() (uint32, bool) {
	var v uint32
	if w.Base != NoBase {
		return 0, false
	}
	for i, b := range w.B {
		if b.Kind != ConstByte {
			return 0, false
		}
		v |= uint32(b.Off) << (8 * i)
	}
	return v, true
}

// RegWord returns the value of a general register after epoch calls.
func RegWord(reg sass.Reg, epoch uint16) Word {
	return WordFrom(Byte{Kind: RegByte, Reg: uint8(reg), Epoch: epoch})
}

// URegWord returns the value of a uniform register after epoch calls.
func URegWord(reg int, epoch uint16) Word {
	return WordFrom(Byte{Kind: URegByte, Reg: uint8(reg), Epoch: epoch})
}

// WordFrom returns the four bytes of an origin from one on.
func WordFrom(first Byte) (w Word) {
	for i := range w.B {
		w.B[i] = first.Next(i)
	}
	return w
}

// Next returns the byte that is n after another of its origin.
func (b Byte) Next(n int) Byte {
	switch b.Kind {
	case Nothing, ConstByte:
	case RegByte, URegByte, LabelByte, TermByte, MadeByte, LostByte, JoinByte, PhiByte:
		b.N += uint8(n)
	default:
		b.Off += int64(n)
	}
	return b
}

// SignOf is eight copies of the highest bit of a byte.
func SignOf(b Byte) Byte {
	switch b.Kind {
	case ConstByte:
		b.Off = int64(uint8(int8(b.Off) >> 7))
	case Nothing, MadeByte, JoinByte, LostByte, FrameByte:
	default:
		b.Sign = true
	}
	return b
}

// Known reports whether it is known where a byte came from.
func (b Byte) Known() bool {
	switch b.Kind {
	case Nothing, MadeByte, JoinByte, LostByte, FrameByte, PointedByte: // memory changes
		return false
	}
	return true
}

// Whole reports whether the bytes of w are the four bytes of one origin in
// their order.
func (w Word) Whole() bool {
	first := w.B[0]
	switch first.Kind {
	case RegByte, URegByte, LabelByte, TermByte, PhiByte, LocalByte, BankByte, GlobalByte, ResultByte:
		return w == WordFrom(first) && !first.Sign && first.N&3 == 0
	}
	return false
}

// Effective returns byte i of a word, also of an address.
func Effective(w Word, i int) Byte {
	if w.Base != NoBase {
		return Byte{Kind: FrameByte, Base: w.Base, Off: w.Add, N: uint8(i)}
	}
	return w.B[i]
}

// number64 reports the value of two words whose bytes are all known.
func number64(lo, hi Word) (int64, bool) {
	l, okL := lo.number()
	h, okH := hi.number()
	return int64(h)<<32 + int64(l), okL && okH
}
