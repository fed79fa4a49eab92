package symexec

import "github.com/ptxabi/ptxabi/sass"

// originKind tells where a byte came from, and which fields of a byteValue have
// a meaning.
type originKind uint8

const (
	Nothing     originKind = iota // was never written
	ConstByte                     // the number off
	RegByte                       // byte n of general register reg
	URegByte                      // byte n of uniform register reg
	LocalByte                     // byte off of local memory from the address base on
	BankByte                      // byte off of constant bank reg
	GlobalByte                    // what a volatile load read at the global address off
	PointedByte                   // byte off of memory from the address in a parameter on, the base
	LabelByte                     // byte n of an address that is resolved later, of the symbol number off
	MadeByte                      // made in a way that is not followed, by the instruction at off
	ResultByte                    // byte off of what call number epoch has left in memory for its result
	TermByte                      // byte n of what an instruction of PTX computes, of the term number off
	JoinByte                      // another one on each way to the instruction at off
	LostByte                      // perhaps overwritten by the instruction at off, which is not known
	PhiByte                       // byte n of what several places hold where ways meet, of the term number off
	FrameByte                     // byte n of the address off beyond that of base, where ways meet
)

// A byteValue is what is known of one byte: where it came from. It is
// comparable.
type Byte struct {
	Kind originKind
	Reg  uint8
	N    uint8
	// sign says that it is eight copies of the highest bit of that byte.
	Sign bool
	// epoch counts the calls made before: 0 is the value at entry, 1 that after
	// the first call.
	Epoch uint16
	Base  int16 // of localByte: index of a base address
	Off   int64
}

// A word is what is known of a 32-bit register. Where base is not noBase it is
// the address base + add, and its bytes are not followed.
type Word struct {
	B    [4]Byte
	Base int16
	Add  int64
}

const (
	NoBase = 0
	SPBase = 1 // the stack pointer at entry
)

// constWord returns a number.
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

// regWord returns the value of a general register after epoch calls.
func RegWord(reg sass.Reg, epoch uint16) Word {
	var w Word
	for i := range w.B {
		w.B[i] = Byte{Kind: RegByte, Reg: uint8(reg), N: uint8(i), Epoch: epoch}
	}
	return w
}

// signOf is eight copies of the highest bit of a byte.
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

// known reports whether it is known where a byte came from.
func (b Byte) Known() bool {
	switch b.Kind {
	case Nothing, MadeByte, JoinByte, LostByte, FrameByte, PointedByte: // memory changes
		return false
	}
	return true
}

// whole reports whether the bytes of w are the four bytes of one origin in
// their order.
func (w Word) Whole() bool {
	first := w.B[0]
	for i, b := range w.B {
		want := first
		switch first.Kind {
		case RegByte, URegByte, LabelByte, TermByte, PhiByte:
			want.N = first.N + uint8(i)
		case LocalByte, BankByte, GlobalByte, ResultByte:
			want.Off += int64(i)
		default:
			return false
		}
		if b != want || b.Sign || first.N&3 != 0 {
			return false
		}
	}
	return true
}

// effective returns byte i of a word, also of an address.
func Effective(w Word, i int) Byte {
	if w.Base != NoBase {
		return Byte{Kind: FrameByte, Base: w.Base, Off: w.Add, N: uint8(i)}
	}
	return w.B[i]
}
