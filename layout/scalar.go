package layout

import (
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/round"
)

// A Kind is a built-in type. The constants have the names of C and C++ without blanks,
// with U for unsigned and S for signed. Char is neither.
type Kind uint8

const (
	Void Kind = iota + 1 // has no layout; void * points to it
	Bool                 // _Bool, bool
	Char
	SChar
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	LongLong
	ULongLong
	Int128
	UInt128
	BitInt  // _BitInt(Bits)
	UBitInt // unsigned _BitInt(Bits)
	Float16
	BFloat16
	Float
	Double
	LongDouble
	WChar
	Char8
	Char16
	Char32
	NullPtr // std::nullptr_t
	VaList  // the list of a variadic function's further arguments
	numKinds
)

// A Scalar is a built-in type. Scalars are comparable.
type Scalar struct {
	Kind    Kind
	Bits    int64 // the width of a BitInt or UBitInt, 0 otherwise
	Complex bool  // _Complex: two of them
}

// A class groups the kinds that load alike.
type class uint8

const (
	signed class = iota
	unsigned
	floating
	opaque // copied, not computed with
)

// scalarFact is one row of the table of built-in types.
type scalarFact struct {
	name  string
	size  int64 // bytes, also the alignment; 0 where Rules decide
	class class
}

// scalars has the facts that hold by every Rules value. Sizes of long, long
// double, wchar_t and what holds addresses are in Rules.
var scalars = [numKinds]scalarFact{
	Void:       {"void", 0, opaque},
	Bool:       {"_Bool", 1, unsigned},
	Char:       {"char", 1, signed},
	SChar:      {"signed char", 1, signed},
	UChar:      {"unsigned char", 1, unsigned},
	Short:      {"short", 2, signed},
	UShort:     {"unsigned short", 2, unsigned},
	Int:        {"int", 4, signed},
	UInt:       {"unsigned int", 4, unsigned},
	Long:       {"long", 0, signed},
	ULong:      {"unsigned long", 0, unsigned},
	LongLong:   {"long long", 8, signed},
	ULongLong:  {"unsigned long long", 8, unsigned},
	Int128:     {"__int128", 16, signed},
	UInt128:    {"unsigned __int128", 16, unsigned},
	BitInt:     {"_BitInt", 0, signed},
	UBitInt:    {"unsigned _BitInt", 0, unsigned},
	Float16:    {"_Float16", 2, floating},
	BFloat16:   {"__bf16", 2, floating},
	Float:      {"float", 4, floating},
	Double:     {"double", 8, floating},
	LongDouble: {"long double", 0, floating},
	WChar:      {"wchar_t", 0, signed},
	Char8:      {"char8_t", 1, unsigned},
	Char16:     {"char16_t", 2, unsigned},
	Char32:     {"char32_t", 4, unsigned},
	NullPtr:    {"decltype(nullptr)", 0, unsigned},
	VaList:     {"__builtin_va_list", 0, opaque},
}

// Valid reports whether s is one of the built-in types, with a width if it
// needs one.
func (s Scalar) Valid() bool {
	if s.Kind == 0 || s.Kind >= numKinds {
		return false
	}
	if s.isBitInt() {
		return !s.Complex && s.Bits >= 1 && s.Bits <= maxBitInt && (s.Kind != BitInt || s.Bits >= 2)
	}
	return s.Bits == 0
}

// maxBitInt is the widest _BitInt of clang for nvptx.
const maxBitInt = 128

func (s Scalar) isBitInt() bool { return s.Kind == BitInt || s.Kind == UBitInt }

// Integer reports whether s is an integer type, _Bool and the character types
// included.
func (s Scalar) Integer() bool {
	switch {
	case s.Kind == 0, s.Kind >= numKinds, s.Complex, s.Kind == NullPtr:
		return false
	}
	c := scalars[s.Kind].class
	return c == signed || c == unsigned
}

// Signed reports whether s is a signed integer type. Plain char is, as on
// every host that CUDA supports.
func (s Scalar) Signed() bool {
	return s.Integer() && scalars[s.Kind].class == signed
}

// String returns the name in C: "unsigned int".
func (s Scalar) String() string {
	if s.Kind == 0 || s.Kind >= numKinds {
		return "Scalar(" + strconv.Itoa(int(s.Kind)) + ")"
	}
	name := scalars[s.Kind].name
	if s.isBitInt() {
		name += "(" + strconv.FormatInt(s.Bits, 10) + ")"
	}
	if s.Complex {
		name = "_Complex " + name
	}
	return name
}

// size returns the size and alignment of a valid scalar.
func (s Scalar) size(r Rules) (size, align int64) {
	switch s.Kind {
	case Long, ULong:
		size = r.long()
	case LongDouble:
		size = r.longDouble()
	case WChar:
		size = r.wchar()
	case NullPtr, VaList:
		size = r.pointer()
	case BitInt, UBitInt:
		// The width rounded up to a power of two, of which the alignment
		// is at most that of long long.
		align = 1
		for align*8 < s.Bits && align < 8 {
			align *= 2
		}
		return round.Up((s.Bits+7)/8, align), align
	default:
		size = scalars[s.Kind].size
	}
	if s.Complex {
		return 2 * size, size
	}
	return size, size
}
