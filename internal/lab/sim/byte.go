// Package sim executes pseudo-SASS, so that lowering is proved by running it.
//
// It has physical registers, virtual registers of each activation of a
// function, predicates, local memory with a stack, constant banks and a call
// stack. Every byte carries, beside its value, where it came from; so a byte
// that nothing defined, byte 2 of an argument, and byte 1 of a register that the
// function has to preserve are never confused, whatever their values are.
//
// At each call and each return the machine does what the convention allows the
// other side to do: registers that a call may change become undefined, those
// that it must preserve hold strange values while the callee runs, and memory
// outside what an activation may use is guarded. Copying an undefined byte is
// right; using one as an address, in a condition or as a guard is a [Fault].
package sim

// A Kind is a sort of origin.
type Kind uint8

const (
	// Undefined is a byte that nothing has given a value that may be used. The
	// zero Byte is one.
	Undefined Kind = iota
	// Plain is a constant, or computed from bytes that are defined.
	Plain
	// Input came from outside: byte Byte of the input number ID.
	Input
	// Marker was in a callee-saved register when an activation began. Its ID is
	// different for each register of each activation.
	Marker
	// Address belongs to an address of code or local memory. Two lowerings of
	// one program may differ in its value.
	Address
)

var kinds = [...]string{"undefined", "plain", "input", "marker", "address"}

// String returns the kind as one word.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return "unknown"
	}
	return kinds[k]
}

// An Origin says where a byte came from. It is comparable; the zero Origin is
// undefined.
type Origin struct {
	Kind Kind
	// Sign says that the byte is eight copies of the top bit of the byte that the
	// other fields describe.
	Sign bool
	Byte uint8  // of an input or register, 0 for the lowest
	ID   uint32 // of an input or marked register
}

// A Byte is a value and its origin. The value of an undefined byte means
// nothing.
type Byte struct {
	Val  uint8
	From Origin
}

// Same reports whether b is what want describes: the same origin and value, any
// plain value for an equal one, any address for an address, and anything where
// want is undefined.
func (b Byte) Same(want Byte) bool {
	switch want.From.Kind {
	case Undefined:
		return true
	case Address:
		return b.From.Kind == Address
	}
	return b == want
}

// Sign returns what extending b with its sign puts above it: eight copies of its top bit.
func (b Byte) Sign() Byte {
	b.Val = uint8(int8(b.Val) >> 7)
	if b.From.Kind != Undefined && b.From.Kind != Plain {
		b.From.Sign = true
	}
	return b
}

// A Word is the four bytes of a register, the lowest first.
type Word [4]Byte

// Number returns the word of a plain value.
func Number(v uint32) Word { return number(v, Origin{Kind: Plain}) }

func number(v uint32, from Origin) Word {
	var w Word
	for i := range w {
		w[i] = Byte{uint8(v >> (8 * i)), from}
	}
	return w
}

// Value returns the value of w, and whether all bytes of it are defined.
func (w Word) Value() (v uint32, ok bool) {
	n, ok := Uint(w[:])
	return uint32(n), ok
}

// bits returns the value of w, whatever is defined of it.
func (w Word) bits() uint32 {
	v, _ := w.Value()
	return v
}

// A Truth is the value of a predicate. The zero Truth is undefined.
type Truth struct {
	Val, Defined bool
}
