package abi

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Target is the convention of one architecture. [Target.Facts] lists it in words, with the
// source of each fact, together with the spelling of the convention's instructions and
// the resources that blocks on a multiprocessor share.
//
// Targets contain no pointers: they are comparable, and copies are independent. The
// functions of this package return a new *Target each time, which the caller may change.
// The zero Target is not an architecture; [Assign] refuses it, and a nil one. Methods
// of a nil Target answer as those of the zero one, String "no target".
type Target struct {
	Name       string // "sm_90a"
	SM         int    // 90
	Suffix     string // "a", "f" or ""
	Generation string // "Hopper"; "" if no public document names it

	// Toolkits names the releases of NVIDIA's assembler with which the row was
	// measured; "" in an assumed row.
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

// String returns the target's name, "no target" for nil and for a target without a name.
func (t *Target) String() string {
	if t == nil || t.Name == "" {
		return "no target"
	}
	return t.Name
}

// Passing has the facts about passing parameters and results of functions.
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

// RegFile tells which registers a call preserves and which it may change.
type RegFile struct {
	SP Reg // stack pointer: a 32-bit offset in local memory; the stack grows down
	// RetAddr is the first register of the pair that holds the return address
	// when a function begins and when it returns; RZ if the hardware keeps it.
	RetAddr Reg
	// CalleeSaved and CallerSaved are disjoint and hold all usable registers except
	// those of RetAddr.
	CalleeSaved, CallerSaved RegSet
	Last                     Reg // highest usable register
	MinBudget                int // smallest register budget of a function

	PredCallerSaved RegSet // P registers; the carry flag is caller-saved too

	// UR and UP registers; empty where there are none.
	UniformCallerSaved, UniformCalleeSaved, UniformPredCallerSaved RegSet
	// UniformDisputed has UR registers that are callee-saved in some releases of the
	// assembler, and that the others do not mention.
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

	// MaxParams is the most bytes of parameters in every version of the PTX ISA,
	// and LargeParams the most from version LargeSince on; 0
	// and the zero Version if the target has no large blocks.
	MaxParams, LargeParams int
	LargeSince             Version
	// LargeBase is the start of a block that exceeds MaxParams, in bytes from the bank's start; 0 if the
	// target has no large blocks.
	LargeBase int
	// AbsoluteAlign reports that alignments count from the bank's start in a block at
	// ParamBase, and LargeAbsoluteAlign in a block at LargeBase. Otherwise they count
	// from the block's start, as they always do for the size that is compared with
	// MaxParams and LargeParams.
	AbsoluteAlign, LargeAbsoluteAlign bool
	// Dispute tells how releases of the assembler differ if a block fits MaxParams only with
	// alignments that count from its start; "" if they agree.
	Dispute string

	// HandleAlign is the alignment of an opaque handle, in bytes. HandleExtends reports
	// that this alignment counts in the block's size even if the handle is the last
	// parameter.
	HandleAlign   int
	HandleExtends bool
	// HandleDispute tells where the code of a kernel reads a parameter that HandleAlign
	// moves; "" if it reads it at its place. [Assign] refuses such parameters if it is not "".
	HandleDispute string

	// SP is the word from which the stack pointer is loaded.
	SP ConstAddr
	// LocalLo and LocalHi are the words of the generic address at which local memory
	// begins, and LocalOp combines a local address with it. LocalHi is the zero
	// ConstAddr if the high word is 0.
	LocalLo, LocalHi ConstAddr
	LocalOp          LocalOp
	// PerCTASize is the word with the value of %perctamemorysize, and PerCTAStart the two words with the
	// address from which %perctamemoryoffset is computed; zero if they are not known.
	PerCTASize, PerCTAStart ConstAddr
}

// LocalOp is the operation that makes a generic address of a local address and the start of local
// memory.
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

// MaxKernelParams returns how many bytes of parameters a kernel may have in a
// module of version v of the PTX ISA.
func (t *Target) MaxKernelParams(v Version) int {
	t = zero.Or(t)
	if t.Kernel.LargeParams > 0 && v.atLeast(t.Kernel.LargeSince.Major, t.Kernel.LargeSince.Minor) {
		return t.Kernel.LargeParams
	}
	return t.Kernel.MaxParams
}
