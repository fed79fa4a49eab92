package layout

import (
	"cmp"

	"github.com/ptxabi/ptxabi/internal/core/round"
)

// A Lang is a language. C and C++ differ in the size of empty records, in tail padding,
// and in what packed applies to.
type Lang uint8

const (
	C   Lang = iota // ISO C
	CXX             // C++
)

// An ABI is a set of rules for the layout of records.
type ABI uint8

const (
	// Itanium is the Itanium C++ ABI and the System V rules for C, of Linux hosts and of
	// every compiler for nvptx.
	Itanium ABI = iota
	// Microsoft is the rules of cl, and of clang for windows-msvc.
	Microsoft
)

// Rules are the conventions of a compiler and a host for layouts. The zero Rules are
// those of C on nvptx64: LP64, with a long double of 8 bytes.
type Rules struct {
	Lang       Lang
	ABI        ABI
	Pointer    int64 // bytes of an address; 0 means 8
	Long       int64 // bytes of long; 0 means 8
	LongDouble int64 // bytes of long double; 0 means 8
	WChar      int64 // bytes of wchar_t; 0 means 4
}

// Rules of common targets. Each is for C; set Lang for C++.
var (
	// LP64 is the rules of nvptx64 and, except for long double, of its Linux hosts.
	LP64 = Rules{}
	// ILP32 is the rules of nvptx with 32-bit addresses.
	ILP32 = Rules{Pointer: 4, Long: 4}
	// LLP64 is the rules of 64-bit Windows, with Microsoft's bit-fields and records.
	LLP64 = Rules{ABI: Microsoft, Long: 4, WChar: 2}
)

// NVCC returns the rules of NVIDIA's front end for a host with the rules r: those of C++,
// whatever the language of the source, and a long double of 16 bytes unless the host is
// Windows.
func (r Rules) NVCC() Rules {
	r.Lang = CXX
	if r.ABI == Itanium && r.LongDouble == 0 {
		r.LongDouble = 16
	}
	return r
}

func (r Rules) pointer() int64    { return cmp.Or(r.Pointer, 8) }
func (r Rules) long() int64       { return cmp.Or(r.Long, 8) }
func (r Rules) longDouble() int64 { return cmp.Or(r.LongDouble, 8) }
func (r Rules) wchar() int64      { return cmp.Or(r.WChar, 4) }

func (r Rules) check() error {
	for _, f := range []struct {
		name string
		v    int64
	}{
		{"Pointer", r.pointer()},
		{"Long", r.long()},
		{"LongDouble", r.longDouble()},
		{"WChar", r.wchar()},
	} {
		if !round.IsPow2(f.v) || f.v > 16 {
			return &Error{Msg: "Rules." + f.name + " is not a power of two up to 16"}
		}
	}
	return nil
}
