// Package abi describes NVIDIA's device calling convention. A [Target] has the facts
// about an architecture, with their sources, and the function [Assign] returns the place
// of every parameter and result of a signature.
//
// The convention binds functions that are compiled for separate linking, with ptxas -c. Without
// -c the assembler copies functions into the kernels that call them, and may pass values in other
// ways; the parameters of kernels have the same places either way.
//
// The algorithm is stated in numbered steps in docs/abi.md; the code carries
// the same numbers (F1 … for functions, K1 … for kernels).
//
// A caller and a callee with the same signature and target have the same assignment. All
// functions are safe for concurrent use; an [Assignment] is not safe for concurrent
// writing.
package abi

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/reg"
)

// Reg is a physical 32-bit general register: 0 … 254; 255 is the register that reads as zero. Package sass has the same
// type.
type Reg = reg.Reg

// A Version is a version of the PTX ISA. The zero Version is none. A Version of package ptx
// converts to it.
type Version struct{ Major, Minor int }

// atLeast reports whether v is major.minor or later.
func (v Version) atLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// String returns the version as "8.1".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// A Kind is the kind of a value. The convention depends on it, besides size and
// alignment.
type Kind uint8

const (
	// Data is a value with bytes.
	Data Kind = iota
	// Opaque is a texture, sampler or surface handle: no bytes, but an alignment.
	Opaque
	// Unsized is the tail of a variadic function: an array without extent.
	Unsized
)

// A Value is the size, alignment and kind of one parameter or result. The zero Value is
// an empty value: it has no bytes, no alignment and no place.
type Value struct {
	// Size in bytes, at least 0. It is ignored for Opaque. For Unsized it is 0
	// on the callee's side; a caller may give the number of bytes that it
	// passes, which then count in [Assignment.StackBytes].
	Size int
	// Align in bytes, a power of two; 0 means 1. It is ignored for Opaque.
	Align int
	Kind  Kind
}

// A FuncKind distinguishes functions and kernels.
type FuncKind uint8

const (
	// Func is a .func, prototypes included.
	Func FuncKind = iota
	// Entry is an .entry, a kernel.
	Entry
)

// A Signature is the sizes, alignments and kinds of the values of a function or kernel.
// The zero Signature is that of a function without parameters and results.
type Signature struct {
	Kind    FuncKind
	Params  []Value
	Results []Value // none for an Entry; more than one puts a Func outside the ABI
	// Preserve is the .abi_preserve of a Func, which changes the places of values that do
	// not fit the parameter registers.
	Preserve Preserve
}

// Outside returns the reason why no convention binds s, "several results" or "a handle"; [Assign] then puts all of its
// values Nowhere, without an error. It is "" if a convention does, as for all kernels. Source: rule F1 of docs/abi.md.
func (s Signature) Outside() string {
	opaque := func(v Value) bool { return v.Kind == Opaque }
	switch {
	case s.Kind == Entry:
	case len(s.Results) > 1:
		return "several results"
	case slices.ContainsFunc(s.Results, opaque), slices.ContainsFunc(s.Params, opaque):
		return "a handle"
	}
	return ""
}

// A LocKind is the kind of a Loc, and decides which of its fields have a meaning.
type LocKind uint8

const (
	// Nowhere is the kind of a value without a place.
	Nowhere LocKind = iota
	// InReg is the 32-bit register Reg.
	InReg
	// OnStack is the byte offset Off from the stack pointer at the callee's
	// entry, which is the caller's at the call.
	OnStack
	// InConst is byte Off of constant bank Bank.
	InConst
	// Indirect, of results only, is byte Off of the local memory whose 32-bit
	// address is in Reg at the callee's entry.
	Indirect
)

// A Loc is one place. It is comparable; the zero Loc means nowhere. Fields
// that have no meaning for the kind are zero.
type Loc struct {
	Kind LocKind
	Reg  Reg
	Bank uint8
	Off  int
}

// A Piece places the bytes [Off, Off+Size) of a value at Loc.
type Piece struct {
	Off, Size int
	Loc       Loc
}

// A Placement is the place of one value. The zero Placement is that of an empty value.
type Placement struct {
	// Loc is the place of the first byte. Word i of a value InReg is in Reg+i, its
	// bytes in little-endian order; other values have their bytes in the order of memory.
	Loc Loc
	// Size and Align are those of the value, in bytes. In the result of
	// Assign, Align is at least 1.
	Size, Align int
}

// Words returns the number of 32-bit registers that a value in registers
// occupies; 0 for a value that is not in registers.
func (p Placement) Words() int {
	if p.Loc.Kind != InReg {
		return 0
	}
	return words(p.Size)
}

// Pieces returns the place of each part of the value, in order of offset. A value in registers has a piece for each
// 32-bit word, the last of which may be shorter than 4 bytes. A value on the stack, in
// a constant bank or Indirect is one piece. A value Nowhere has none.
func (p Placement) Pieces() []Piece {
	switch p.Loc.Kind {
	case Nowhere:
		return nil
	case InReg:
		var all []Piece
		loc := p.Loc
		for off := 0; off < p.Size; off += wordSize {
			all = append(all, Piece{Off: off, Size: min(wordSize, p.Size-off), Loc: loc})
			loc.Reg++
		}
		return all
	}
	return []Piece{{Size: p.Size, Loc: p.Loc}}
}

// A Block is the parameter block of a kernel, the bytes [Base, Base+Size) of a
// constant bank. Size is the end of the last parameter relative to Base, not
// rounded: a launch passes so many bytes. The zero Block is that of a function.
type Block struct {
	Bank uint8
	Base int // bytes from the bank's start
	Size int // bytes
}

// An Assignment is the places of all values that a caller and a callee exchange. The zero
// Assignment is that of a function without parameters and results.
type Assignment struct {
	Kind FuncKind
	// Params and Results are parallel to the signature's.
	Params, Results []Placement
	// Sret is the register with the address of a result that is too large for registers; the zero
	// Loc if there is none.
	Sret Loc
	// StackBytes is the size of the stack area, a multiple of 4: the bytes from
	// the stack pointer at the call up to the end of the last parameter passed
	// there. 0 for kernels. The bytes of an Unsized tail count only when the
	// signature gives its Size.
	StackBytes int
	// Block is the parameter block of an Entry; zero for a Func.
	Block Block
}

// wordSize is the size of a register in bytes.
const wordSize = 4

// words returns the number of registers that n bytes take.
func words(n int) int { return (n + wordSize - 1) / wordSize }
