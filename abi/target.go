package abi

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Target is the facts about one architecture: its convention, and the other facts that
// code and limits depend on. [Target.Facts] lists them in words, with the source of each.
//
// Targets contain no pointers: they are comparable, and copies are independent. The
// functions of this package return a new *Target each time, which the caller may change.
// The zero Target is not an architecture; [Assign] refuses it, and a nil one. String
// returns "no target" for a nil Target; its other methods panic.
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

	Convention
	Machine
}

// A Convention is the part of a target that separately compiled modules have to agree on.
type Convention struct {
	Passing Passing
	Regs    RegFile
	Kernel  Kernel
	Frame   Frame
}

// A Machine is the other facts about a target: the spelling of the convention's
// instructions, and the resources that the blocks on a multiprocessor share.
type Machine struct {
	Spelling Spelling
	Multi    Multiprocessor
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
func (f *RegFile) HasRetAddr() bool { return f.RetAddr != reg.RZ }

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
	if t.Kernel.LargeParams > 0 && v.AtLeast(t.Kernel.LargeSince.Major, t.Kernel.LargeSince.Minor) {
		return t.Kernel.LargeParams
	}
	return t.Kernel.MaxParams
}

// Spelling is the convention's instructions: operation codes with their modifiers, and
// names of relocations. "" is an instruction that the target does not have.
type Spelling struct {
	// Entry is, for people, what every function and kernel begins with, before its frame is
	// made; "" for nothing. The instructions are those of EntryCode of package sass.
	Entry string

	Call     string // direct call
	CallSelf string // direct call of the enclosing function
	// CallIndirect transfers control to the address in IndirectWords registers. If PreRet
	// is set, that instruction is before it and pushes the return address. If
	// IndirectTable is set, function addresses are those of entries of a table, and
	// CallIndirect has this symbol as a second operand.
	CallIndirect  string
	IndirectWords int
	PreRet        string
	IndirectTable string
	// Ret returns from a function; its operands are RetAddr and 0x0 if the return address
	// is in registers. Exit ends a kernel.
	Ret, Exit string
	RetMove   string // loads each half of the return address before a call

	RelocCall              string // relocation of Call's target
	RelocRetLo, RelocRetHi string // relocations of the two RetMove
	// RelocAddrLo and RelocAddrHi are the relocations of the halves of a
	// function's address, RelocTable that of IndirectTable in a call.
	RelocAddrLo, RelocAddrHi, RelocTable string

	// AdjustSP adds an immediate to the stack pointer, with RZ as a last operand
	// where AdjustSPZero is set.
	AdjustSP     string
	AdjustSPZero bool
	// Add adds two registers, with RZ as a last operand where AdjustSPZero is
	// set.
	Add string
	// AddPT reports that AdjustSP and Add have PT, PT after their first operand, for
	// carries that are not used. AddDispute is how other releases of the assembler write
	// AdjustSP; "" if those of the row agree.
	AddPT      bool
	AddDispute string
	// AlignSP ands the stack pointer with an immediate; where AlignSPTable is
	// not 0, further operands are RZ, this truth table and !PT.
	AlignSP      string
	AlignSPTable int
	LoadImm      string // loads a 32-bit immediate

	LoadLocal, StoreLocal Widths
	// LoadConst is for constant addresses, LoadConstIndexed for those with a
	// register in them.
	LoadConst, LoadConstIndexed Widths
	LoadSP                      string // loads the stack pointer of a kernel from Kernel.SP
	SelectBytes                 string // permutes the bytes of two registers
}

// Widths are the operation codes of loads or stores by their width. "" is a width that
// takes several accesses.
type Widths struct {
	U8, S8, U16, S16, B32, B64, B128 string // the signed ones of loads only
}

// String returns the operation codes that there are, in order of width.
func (w Widths) String() string {
	s := ""
	for _, op := range [...]string{w.U8, w.S8, w.U16, w.S16, w.B32, w.B64, w.B128} {
		if op != "" && s != "" {
			s += " "
		}
		s += op
	}
	return s
}
