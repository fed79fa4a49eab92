package abi

import (
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A Target is the row of one architecture: its convention, and what else of the
// machine the convention's code and limits come from, as plain data.
// [Target.Facts] lists the same with the source of each.
//
// It holds no references, so a copy is independent, and rows are comparable.
// The functions of this package that return a *Target make a fresh one, which
// is the caller's to change. The zero Target is not an architecture; [Assign]
// refuses it, and a nil one. Of a nil Target there is the name alone, "no target":
// its other methods panic.
type Target struct {
	Name       string // "sm_90a"
	SM         int    // 90
	Suffix     string // "a", "f" or ""
	Generation string // "Hopper"; "" where no public document names it

	// Toolkits names the releases of NVIDIA's assembler that the row was
	// measured with; "" in an assumed row.
	Toolkits string
	// AssumedFrom is the name of the measured target that an assumed row was
	// taken from; "" in a measured row.
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

// A Machine is the rest of a target: the spelling of the convention's instructions, and the
// registers that the threads of a multiprocessor share.
type Machine struct {
	Spelling Spelling
	Multi    Multiprocessor
}

// Family names the architectures that call alike: "old" up to sm_62, whose return
// addresses are on a stack of the hardware, and "new" from sm_70 on, with the return
// address in a pair of registers. It is "none" for a nil Target and for one without
// a name.
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

// Passing says how functions pass parameters and results.
type Passing struct {
	First     sass.Reg // first parameter register
	Count     int      // parameter registers, from First up: 1 … 32
	MaxAlign  int      // bytes; a larger alignment counts as this one in registers
	MaxResult int      // bytes; a larger result goes to memory, through the sret pointer
	// MaxLocal is how many bytes an offset in local memory reaches. Stack areas
	// and results in memory are no larger.
	MaxLocal int
	// CrashOnLoneSret says that the assembler crashes on a call without arguments whose
	// result is in memory.
	CrashOnLoneSret bool
	// Preserving is the rule for functions with .abi_preserve.
	Preserving PreserveRule
}

// RegFile says what a call does to the registers.
type RegFile struct {
	SP sass.Reg // stack pointer: a 32-bit offset in local memory; the stack grows down
	// RetAddr is the first register of the pair that holds the return address
	// when a function begins and when it returns; RZ where the hardware keeps it.
	RetAddr sass.Reg
	// CalleeSaved and CallerSaved are disjoint and hold all usable registers except
	// those of RetAddr.
	CalleeSaved, CallerSaved RegSet
	Last                     sass.Reg // highest usable register
	MinBudget                int      // smallest register budget of a function

	PredCallerSaved RegSet // P registers; the carry flag is scratch too

	// UR and UP registers; empty where there are none.
	UniformCallerSaved, UniformCalleeSaved, UniformPredCallerSaved RegSet
	// UniformDisputed are UR registers that some releases of the assembler
	// preserve and others do not name.
	UniformDisputed RegSet
	// B registers, the convergence barriers; empty where there are none.
	BarrierCallerSaved, BarrierCalleeSaved RegSet
}

// HasRetAddr reports whether the return address is in registers.
func (f *RegFile) HasRetAddr() bool { return f.RetAddr != sass.RZ }

// A ConstAddr is a byte address in a constant bank.
type ConstAddr struct {
	Bank uint8
	Off  int
}

// String returns the address as an operand, such as "c[0x0][0x28]".
func (a ConstAddr) String() string { return sass.C(a.Bank, int64(a.Off)).String() }

// Kernel has the places of a kernel's parameters and of other values in constant memory.
type Kernel struct {
	ParamBank uint8 // constant bank of the parameter block
	ParamBase int   // where the block begins, in bytes from the bank's start

	// MaxParams is how many bytes of parameters every version of the PTX ISA
	// allows. LargeParams is how many it allows from version LargeSince on; 0
	// and the zero Version where the target has no large blocks.
	MaxParams, LargeParams int
	LargeSince             ptx.Version
	// LargeBase is where a block begins that exceeds MaxParams; 0 where the
	// target has no large blocks.
	LargeBase int
	// AbsoluteAlign says that alignments count from the bank's start, in a block
	// at ParamBase; LargeAbsoluteAlign says so of a block at LargeBase.
	// Otherwise they count from the block's start. Sizes are held against
	// MaxParams and LargeParams as if they always did.
	AbsoluteAlign, LargeAbsoluteAlign bool
	// Dispute says what releases of the assembler do when a block fits MaxParams
	// only as long as alignments count from its start; "" where they agree.
	Dispute string

	// HandleAlign is the alignment of an opaque handle, in bytes.
	// HandleExtends says that this alignment counts in the block's size even
	// after the last parameter.
	HandleAlign   int
	HandleExtends bool
	// HandleDispute says what the code of a kernel does with a parameter that
	// HandleAlign moves, which [Assign] refuses; "" where it reads it from there.
	HandleDispute string

	// SP is the word that the stack pointer is loaded from.
	SP ConstAddr
	// LocalLo and LocalHi are the words of the generic address at which local
	// memory begins, and LocalOp is how a local address is combined with it.
	// LocalHi is the zero ConstAddr where the high word is 0.
	LocalLo, LocalHi ConstAddr
	LocalOp          LocalOp
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
func (t *Target) MaxKernelParams(v ptx.Version) int {
	if t.Kernel.LargeParams > 0 && v.AtLeast(t.Kernel.LargeSince.Major, t.Kernel.LargeSince.Minor) {
		return t.Kernel.LargeParams
	}
	return t.Kernel.MaxParams
}

// Spelling says how the convention's instructions are written: operation codes
// with their modifiers, and names of relocations. "" stands for something that
// the target does not have.
type Spelling struct {
	// Entry are the instructions that every function and kernel begins with,
	// before its frame is made; "" where there are none. They make UR2 a flag
	// that calls leave alone.
	Entry string

	Call     string // direct call
	CallSelf string // direct call of the enclosing function
	// CallIndirect transfers control to the address in a register, of which it
	// reads IndirectWords words. Where PreRet is set, it stands before it and
	// pushes the return address. Where IndirectTable is set, function addresses
	// are those of entries of a table, and CallIndirect has this symbol as a
	// second operand.
	CallIndirect  string
	IndirectWords int
	PreRet        string
	IndirectTable string
	// Ret returns from a function: without operands, or with those of RetAddr
	// and 0x0 where the return address is in registers. Exit ends a kernel.
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
	// AddPT says that AdjustSP and Add have PT, PT, the carries that they do not
	// make, after their first operand. AddDispute says how other releases of the
	// assembler write AdjustSP; "" where all that the row was measured with agree.
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

// Widths are the operation codes of one memory access by the width of what is
// accessed. "" stands for a width that takes several accesses.
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
