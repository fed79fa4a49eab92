package abi

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Target is the convention of one architecture. [Target.Facts] lists it in words, with the
// source of each fact, together with how the instructions of the convention are spelled and
// what blocks on a multiprocessor share.
//
// Targets contain no pointers: they are comparable, and copies are independent. The
// functions of this package return a new *Target each time, which the caller may change.
// The zero Target is not an architecture; [Assign] refuses it, and a nil one. Methods
// of a nil Target answer as those of the zero one, String "no target".
type Target struct {
	Name       string // "sm_90a"
	SM         int    // 90
	Suffix     string // "a", "f" or ""
	Generation string // "Hopper"; "" where no public document names it

	// Toolkits names the releases of NVIDIA's assembler that the row was
	// measured with; "" in an assumed row.
	Toolkits string
	// AssumedFrom is the name of the measured target from which an assumed row was
	// copied; "" in a measured row.
	AssumedFrom string

	Passing Passing
	Regs    RegFile
	Kernel  Kernel
	Frame   Frame
}

// Family returns "old" for architectures up to sm_62, whose return addresses are on a
// stack of the hardware, and "new" from sm_70 on, with the return address in a pair of
// registers. It is "none" for a nil Target and for one without a name.
func (t *Target) Family() string {
	switch {
	case t == nil || t.Name == "":
		return "none"
	case t.Regs.HasRetAddr():
		return "new"
	}
	return "old"
}

// String returns the target's name, "no target" for nil and for one without.
func (t *Target) String() string {
	if t == nil || t.Name == "" {
		return "no target"
	}
	return t.Name
}

// Passing is how functions pass parameters and results.
type Passing struct {
	First     Reg // first parameter register
	Count     int // parameter registers, from First up: 1 … 32
	MaxAlign  int // bytes; a larger alignment counts as this one in registers
	MaxResult int // bytes; a larger result goes to memory, through the sret pointer
	// MaxLocal is how many bytes an offset in local memory reaches. Stack areas
	// and results in memory are no larger.
	MaxLocal int
	// CrashOnLoneSret reports that the assembler crashes on a call without arguments
	// whose result is in memory.
	CrashOnLoneSret bool
	// Preserving is the rule for functions with .abi_preserve.
	Preserving PreserveRule
}

// RegFile is what a call does to the registers.
type RegFile struct {
	SP Reg // stack pointer: a 32-bit offset in local memory; the stack grows down
	// RetAddr is the first register of the pair that holds the return address
	// when a function begins and when it returns; RZ where the hardware keeps it.
	RetAddr Reg
	// CalleeSaved and CallerSaved are disjoint and hold all usable registers except
	// those of RetAddr.
	CalleeSaved, CallerSaved RegSet
	Last                     Reg // highest usable register
	MinBudget                int // smallest register budget of a function

	PredCallerSaved RegSet // P registers; the carry flag is caller-saved too

	// UR and UP registers; empty where there are none.
	UniformCallerSaved, UniformCalleeSaved, UniformPredCallerSaved RegSet
	// UniformDisputed are UR registers that are callee-saved in some releases of the
	// assembler and not mentioned by others.
	UniformDisputed RegSet
	// B registers, the convergence barriers; empty where there are none.
	BarrierCallerSaved, BarrierCalleeSaved RegSet
}

// HasRetAddr reports whether the return address is in registers.
func (f *RegFile) HasRetAddr() bool { return zero.Or(f).RetAddr != reg.RZ }

// A ConstAddr is a byte address in a constant bank.
type ConstAddr struct {
	Bank uint8
	Off  int
}

// String returns the address as an operand, such as "c[0x0][0x28]".
func (a ConstAddr) String() string { return fmt.Sprintf("c[0x%x][0x%x]", a.Bank, a.Off) }

// Kernel is the places of a kernel's parameters and of other values in constant memory.
type Kernel struct {
	ParamBank uint8 // constant bank of the parameter block
	ParamBase int   // where the block begins, in bytes from the bank's start

	// MaxParams is how many bytes of parameters every version of the PTX ISA
	// allows. LargeParams is how many it allows from version LargeSince on; 0
	// and the zero Version where the target has no large blocks.
	MaxParams, LargeParams int
	LargeSince             Version
	// LargeBase is where a block begins that exceeds MaxParams; 0 where the
	// target has no large blocks.
	LargeBase int
	// AbsoluteAlign reports that alignments count from the bank's start in a block at
	// ParamBase, and LargeAbsoluteAlign in a block at LargeBase. Otherwise they count
	// from the block's start, as they always do for the size that is compared with
	// MaxParams and LargeParams.
	AbsoluteAlign, LargeAbsoluteAlign bool
	// Dispute is what releases of the assembler do if a block fits MaxParams only with
	// alignments that count from its start; "" if they agree.
	Dispute string

	// HandleAlign is the alignment of an opaque handle, in bytes. HandleExtends reports
	// that this alignment counts in the block's size even if the handle is the last
	// parameter.
	HandleAlign   int
	HandleExtends bool
	// HandleDispute is what the code of a kernel does with a parameter that HandleAlign
	// moves, which [Assign] refuses; "" if the code reads it at that place.
	HandleDispute string

	// SP is the word that the stack pointer is loaded from.
	SP ConstAddr
	// LocalLo and LocalHi are the words of the generic address at which local memory
	// begins, and LocalOp is how a local address is combined with it. LocalHi is the zero
	// ConstAddr if the high word is 0.
	LocalLo, LocalHi ConstAddr
	LocalOp          LocalOp
	// PerCTASize is the word that %perctamemorysize is, and PerCTAStart the two words with the
	// address from which %perctamemoryoffset is computed; zero where they are not known.
	PerCTASize, PerCTAStart ConstAddr
}

// LocalOp is how a local address and the start of local memory make a generic
// address.
type LocalOp uint8

const (
	// LocalOr combines the low words bitwise.
	LocalOr LocalOp = iota + 1
	// LocalAdd adds with carry into the high word.
	LocalAdd
)

// String returns "or" or "add"; "none" for the zero LocalOp.
func (o LocalOp) String() string {
	switch o {
	case LocalOr:
		return "or"
	case LocalAdd:
		return "add"
	}
	return "none"
}

// MaxKernelParams reports how many bytes of parameters a kernel may have in a
// module of version v of the PTX ISA.
func (t *Target) MaxKernelParams(v Version) int {
	t = zero.Or(t)
	if t.Kernel.LargeParams > 0 && v.atLeast(t.Kernel.LargeSince.Major, t.Kernel.LargeSince.Minor) {
		return t.Kernel.LargeParams
	}
	return t.Kernel.MaxParams
}
