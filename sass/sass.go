package sass

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/reg"
)

// Pos is a position in the text that an instruction was made from.
type Pos = diag.Pos

// Reg is a physical 32-bit general register: 0 … 254, or RZ.
type Reg = reg.Reg

const (
	// SP is R1, the stack pointer of every architecture measured.
	SP = reg.SP
	// RZ reads as zero, and writes to it have no effect.
	RZ = reg.RZ
)

// OperandKind tells which fields of an Operand have a meaning. Numbers beyond [KindOther]
// are the caller's bug.
type OperandKind uint8

const (
	KindNone     OperandKind = iota
	KindRegister             // physical general register: Reg, Neg
	KindVirtual              // register not yet allocated: Name, Part, Neg
	KindConst                // constant bank: c[Bank][Off], or c[Bank][Name+Off] with a virtual register in Name, Part
	KindMem                  // [Reg+Off], or [Name+Off] with a virtual register in Name, Part
	KindImm                  // immediate: Off, printed in lower-case hex; 64-bit patterns wrap around
	KindSymbol               // `(Name)
	KindLo32                 // 32@lo(Name), or 32@lo((Name + Label@srel)) when Label is set
	KindHi32                 // 32@hi(Name), or 32@hi((Name + Label@srel)) when Label is set
	KindPred                 // predicate: Name ("P0", "%p1", "PT"), Neg
	KindConstReg             // constant bank at a physical register: c[Bank][Reg+Off]

	// The kinds that only disassembly has.

	KindUniform  // uniform register: Reg, RZ for URZ
	KindConstUni // constant bank at a uniform register: c[Bank][Uni+Off]
	KindAddress  // memory: Label[Reg.Suffix+Uni+Off]; Reg is RZ if there is none, Uni is used if HasUni is set, Label is "desc[UR4]" or ""
	KindFloat    // number in decimal: Name ("1", "5.9604644775390625e-08", "+QNAN")
	KindOther    // any other operand, such as SRZ, B6, SB0, cx[UR4][0x0]: Name
)

// An Operand is an operand of an instruction. Operands are comparable: fields that a kind
// does not use are zero, so that equal operands compare equal. The usual kinds have
// constructors, [Register] and others; the rest are composite literals.
type Operand struct {
	Kind   OperandKind
	Reg    Reg
	Part   Part
	Neg    bool // -R4, -%r1, !P0
	Abs    bool // |R4|, in disassembly
	Not    bool // ~R4, in disassembly
	Reuse  bool // R4.reuse, in disassembly: a hint to the hardware
	Bank   uint8
	Uni    Reg   // uniform register of KindConstUni, and of KindAddress if HasUni is set
	HasUni bool  // a uniform register is part of the address
	Off    int64 // byte offset of constants and memory; value of KindImm
	Name   string
	Label  string
	// Suffix is the text after a dot, in disassembly: "H1_H1", "64", "CC". In KindAddress
	// it belongs to Reg.
	Suffix string
}

// Part selects a 32-bit word of a wider virtual register. Numbers beyond
// W3 are the caller's bug.
type Part uint8

const (
	Whole Part = iota // the register as declared
	Lo                // .lo of a 64-bit register
	Hi                // .hi of a 64-bit register
	W0                // .0 of a 128-bit register, bits 0 to 31
	W1                // .1, bits 32 to 63
	W2                // .2, bits 64 to 95
	W3                // .3, bits 96 to 127
)

// An Instr is one instruction. Op carries its modifiers ("CALL.ABS.NOINC").
//
// If Text is set, it is the whole instruction, and Op and Args are unused; a guard that
// is part of Text is not repeated in Guard. Line ends inside Text and Note are printed as
// spaces.
type Instr struct {
	Guard string // "@P0", "@!%p1"; "" for none
	Op    string // mnemonic with modifiers; "" when Text is set
	Args  []Operand
	Text  string // an instruction that is passed through, as its source text without the semicolon
	Note  string // the comment after it, without the slashes; "" for none
	Pos   Pos

	// Contract has the registers and stack words that a call, a return, a branch, or an instruction with Text reads
	// and writes beyond its operands; nil for all others. It is not printed; checkers of the code
	// use it.
	Contract *Contract

	// In a disassembly, Addr is the instruction's byte address in its section, if HasAddr
	// is set, and Remark is the text that the disassembler adds in (*"…"*).
	Addr    int64
	HasAddr bool
	Pair    Pair
	Remark  string
}

// A Contract tells which registers and stack words an instruction reads and writes beyond its
// operands. The maker of the instruction sets it, by the calling convention, on which this package
// does not depend.
type Contract struct {
	Needs []Reg   // registers that must have a value when it is executed
	Stack []int64 // offsets from the stack pointer of words that must have been stored
	// Bytes has a number for each of Needs, followed by one for each of Stack: the bytes
	// that have a value, bit 0 for the lowest. Nil means all.
	Bytes []uint8
	// Gives has the registers that have a new value after it. For a branch around a call,
	// they are those of the result, which is undefined then: code may read them, but must not depend
	// on their value.
	Gives []Reg
}

// A Pair is an instruction's place in a pair that is issued together, which
// disassembly of sm_62 and earlier shows in braces.
type Pair uint8

const (
	Single Pair = iota // it is issued alone
	First              // { MOV R0, R4 ;
	Second             // MOV R2, R5 }
)

// An ItemKind is the kind of an Item. Numbers beyond [Comment] are the caller's bug.
type ItemKind uint8

const (
	Code    ItemKind = iota // Instr
	Label                   // a label: Text, without the colon
	Comment                 // a comment in a line of its own: Text, without the slashes; "## …" has no blank after them
)

// An Item is a line of a function's body.
type Item struct {
	Kind  ItemKind
	Text  string
	Instr Instr
	// List is the list of labels that a comment stands for, and that a branch names; nil for
	// other comments. The comment prints as Text, and [Parse] does not set List.
	List *BranchList
	// Step is the step of the calling convention that the item takes. It is not printed, and [Parse]
	// does not set it.
	Step Step
}

// A Step is the step of the calling convention that an instruction takes, or the formal that a
// comment describes. Other items have the zero Step.
type Step struct {
	Kind StepKind
	// Name is the value whose bytes First to End are moved, half-open, or the formal that
	// is described; "" for the other kinds.
	Name       string
	First, End int
	// Size is the size of the frame in bytes, of MakesFrame and LeavesFrame.
	Size int
}

// A StepKind is the kind of a Step.
type StepKind uint8

const (
	NoStep      StepKind = iota
	Moves                // moves bytes of a value between its place and another one
	Describes            // of a comment: names the place of a formal
	MakesFrame           // moves the stack pointer down
	AlignsFrame          // rounds the stack pointer down, to more than a function may rely on
	LeavesFrame          // gives the stack pointer the value that it has at the entry
	Saves                // stores a callee-saved register in the frame
	Restores             // loads a saved register from the frame
	PassesSret           // makes the sret pointer of a call
)

// A BranchList is the labels that a branch through a table may go to.
type BranchList struct {
	Name   string
	Labels []string
}

// A Func is one function's or kernel's code.
type Func struct {
	Name   string
	Pos    Pos
	Items  []Item
	Kernel bool // it is launched, and never returns; not printed
}

// A Program is the code of one module.
type Program struct {
	Target string // "sm_80"
	Funcs  []*Func
}
