// Package abi describes NVIDIA's device calling convention: each target as a
// row of facts with their sources, and one pure function, Assign, that says
// where every parameter and result of a signature lives.
package abi

import "github.com/ptxabi/ptxabi/sass"

// Kind is all that a convention may know of what a value is made of.
type Kind uint8

const (
	// Data is a value with bytes.
	Data Kind = iota
	// Opaque is a texture, sampler or surface handle: no bytes, but an alignment.
	Opaque
	// Unsized is the tail of a variadic function: an array without extent.
	Unsized
)

// A Value is one parameter or result as the convention sees it.
type Value struct {
	Size  int // bytes; 0 for Opaque and Unsized
	Align int // bytes, a power of two; 0 means 1
	Kind  Kind
}

// FuncKind tells functions from kernels.
type FuncKind uint8

const (
	Func  FuncKind = iota // .func, prototypes included
	Entry                 // .entry, a kernel
)

// A Signature is what caller and callee agree on.
type Signature struct {
	Kind    FuncKind
	Params  []Value
	Results []Value
}

// LocKind tells which fields of a Loc have a meaning.
type LocKind uint8

const (
	Nowhere  LocKind = iota // the value has no place
	InReg                   // 32-bit register Reg
	OnStack                 // byte offset Off from the stack pointer at the callee's entry
	InConst                 // byte Off of constant bank Bank
	Indirect                // results only: byte Off of the local memory whose address is in Reg
)

// A Loc is one place. It is comparable; the zero Loc means nowhere.
type Loc struct {
	Kind LocKind
	Reg  sass.Reg
	Bank uint8
	Off  int
}

// A Piece places the bytes [Off, Off+Size) of a value at Loc.
type Piece struct {
	Off, Size int
	Loc       Loc
}
