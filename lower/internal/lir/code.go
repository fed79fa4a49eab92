package lir

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// An Op is what an Inst does.
type Op uint8

const (
	Copy    Op = iota // Dst = A
	Load              // Dst = memory
	Store             // memory = A
	Perm              // Dst = bytes of A and B that the selector Off takes
	Const             // Dst = Off
	RetAddr           // Dst and the register after it = the address of label First
	Instr             // Name with N arguments from Code.Args[First] on
	Call              // a call of a function by its name, Code.Buf[First:First+N]
	Label             // the label of that name; label First of the function where Name is empty
	Comment           // Code.Buf[First:First+N]
	Pass              // N statements from First on, as they are
	Changed           // an instruction of the body in other words: Code.Buf[First:First+N]; Off is its index
	Begin             // Dst has no value yet; it is not printed
	Gone              // nothing, where a pass has removed an instruction
)

// An Inst is one instruction, a label, a comment, or a stretch of the body that stays as it
// is.
type Inst struct {
	Op       Op
	Kind     sass.OperandKind // of memory: Mem, Const or ConstReg
	Bank     uint8            // of memory
	NoDst    bool             // of Instr: its first argument is read, not written
	Writers  Writers          // of the memory of a Load or a Store
	Loose    bool             // of a Load: nothing reads the bytes above those that it loads
	Guard    int32            // index in Code.Guards, plus 1; 0 for none
	First, N int32            // of Load and Store: the address is N more than a multiple of First
	Dst, A   Reg
	B        Reg   // of Perm; the base of memory of Load and Store
	Off      int64 // of memory; a constant; a selector
	Name     string
	Note     Note
	Pos      diag.Pos
}

// Writers say what may write memory that a load or a store accesses, besides stores of the code
// that name the same base.
type Writers uint8

const (
	Anything Writers = iota
	Calls            // a variable in the frame whose address nothing has
	Nothing          // formals in memory whose address nothing has
)

// An Arg is an operand of an Instr.
type Arg struct {
	Reg   Reg          // a register; 0 for none
	Label int32        // number of a label of the function, plus 1; 0 for none
	Rest  sass.Operand // what else there is: all of it where Reg and Label are 0
}

// Of is a register as an operand.
func Of(r Reg) Arg { return Arg{Reg: r, Rest: sass.Operand{Kind: r.Kind()}} }

// R is a physical register as an operand.
func R(r sass.Reg) Arg { return Of(Phys(r)) }

// Plain is an operand without a virtual register in it.
func Plain(o sass.Operand) Arg { return Arg{Rest: o} }

// I is an immediate.
func I(v int64) Arg { return Plain(sass.I(v)) }

// P is a predicate by its name.
func P(name string) Arg { return Plain(sass.P(name)) }

// To is the label of a number as an operand.
func To(label int32) Arg { return Arg{Label: label + 1, Rest: sass.Operand{Kind: sass.Symbol}} }

// Negated is the operand with the other sign.
func (a Arg) Negated() Arg {
	a.Rest = a.Rest.Negated()
	return a
}

// A Names gives the names of virtual registers, by their numbers.
type Names interface {
	Name(n int32) string
}

// A Code is the code of a function. The zero Code is empty; Reset begins another one in
// the same memory.
type Code struct {
	Func   *ptx.Func // whose statements Pass means
	Names  Names
	List   []Inst
	Args   []Arg
	Buf    []byte
	Guards []string
	Labels int32 // how many there are without a name
	Marks

	// Memory that is used again: for another list, for items, their operands and a line. texts
	// has those of items side by side.
	other    []Inst
	items    []sass.Item
	operands []sass.Operand
	line     []byte
	texts    strings.Builder
}

// Marks are what is said of instructions of a code by their indexes.
type Marks struct {
	// Contracts are those of instructions, in order.
	Contracts []Contract
	// Lists are those that comments stand for, in order.
	Lists []BranchList
	// Groups are the instructions that happen at once, in order, with their members.
	Groups  []Group
	Members []Member
}

// A BranchList is what a comment stands for.
type BranchList struct {
	Inst int
	*sass.BranchList
}

// A Contract is what an instruction does that its operands do not show.
type Contract struct {
	Inst int
	*sass.Contract
}

// Reset begins the code of a function.
func (c *Code) Reset(f *ptx.Func, names Names) {
	m := &c.Marks
	*c = Code{
		Func: f, Names: names,
		List: c.List[:0], Args: c.Args[:0], Buf: c.Buf[:0], Guards: c.Guards[:0], other: c.other[:0],
		items: c.items, operands: c.operands, line: c.line,
		Marks: Marks{
			Contracts: m.Contracts[:0], Lists: m.Lists[:0],
			Groups: m.Groups[:0], Members: m.Members[:0],
		},
	}
}

// Add appends an instruction, to be filled in.
func (c *Code) Add(op Op, guard string, pos diag.Pos) *Inst {
	n := len(c.List)
	if n == cap(c.List) {
		c.List = slices.Grow(c.List, 1)
	}
	c.List = c.List[:n+1]
	in := &c.List[n]
	in.Op, in.NoDst, in.Writers, in.Loose, in.Guard, in.Pos = op, false, Anything, false, 0, pos
	if guard != "" {
		in.Guard = c.guard(guard)
	}
	in.Note = Note{}
	return in
}

// guard returns the number of a guard, plus 1.
func (c *Code) guard(guard string) int32 {
	if n := len(c.Guards); n == 0 || c.Guards[n-1] != guard {
		c.Guards = append(c.Guards, guard)
	}
	return int32(len(c.Guards))
}

// GuardOf returns the guard of an instruction, "" if it has none.
func (c *Code) GuardOf(in *Inst) string {
	if in.Guard == 0 {
		return ""
	}
	return c.Guards[in.Guard-1]
}

// NewLabel returns the number of a new label.
func (c *Code) NewLabel() int32 {
	c.Labels++
	return c.Labels - 1
}

// AddArgs appends an instruction with arguments.
func (c *Code) AddArgs(op, guard string, pos diag.Pos, note Note, args ...Arg) {
	in := c.Add(Instr, guard, pos)
	in.Name, in.Note = op, note
	in.First, in.N = int32(len(c.Args)), int32(len(args))
	c.Args = append(c.Args, args...)
}

// AddText appends a comment, a changed instruction, or a call, whose text is Buf from at on.
func (c *Code) AddText(op Op, at int, pos diag.Pos) *Inst {
	in := c.Add(op, "", pos)
	in.First, in.N = int32(at), int32(len(c.Buf)-at)
	return in
}

// AddLabel appends the label of a number.
func (c *Code) AddLabel(label int32) {
	in := c.Add(Label, "", diag.Pos{})
	in.Name, in.First, in.N = "", label, 0
}

// OnlyReturns is N of a label that only the call before it comes back to.
const OnlyReturns = 1

// AddPass appends a statement that stays as it is.
func (c *Code) AddPass(stmt, n int, pos diag.Pos) {
	if k := len(c.List) - 1; k >= 0 {
		if last := &c.List[k]; last.Op == Pass && int(last.First+last.N) == stmt {
			last.N += int32(n)
			return
		}
	}
	in := c.Add(Pass, "", pos)
	in.First, in.N = int32(stmt), int32(n)
}

// Agree gives the last instruction a contract.
func (c *Code) Agree(contract *sass.Contract) {
	if contract != nil {
		c.Contracts = append(c.Contracts, Contract{len(c.List) - 1, contract})
	}
}

// Text returns the bytes of a comment, a changed instruction or a callee.
func (c *Code) Text(in *Inst) []byte { return c.Buf[in.First : in.First+in.N] }

// Operands returns the arguments of an Instr.
func (c *Code) Operands(in *Inst) []Arg { return c.Args[in.First : in.First+in.N] }

// Written returns where the first register stands that an instruction writes, nil where it writes
// none.
func (c *Code) Written(in *Inst) *Reg {
	switch in.Op {
	case Copy, Perm, Const, RetAddr, Load:
		return &in.Dst
	case Instr:
		if args := c.Operands(in); len(args) > 0 && args[0].Reg != 0 && !in.NoDst {
			return &args[0].Reg
		}
	}
	return nil
}

// Dest returns the first register that an instruction writes, and how many; none, 0 where it
// writes none.
func (c *Code) Dest(in *Inst) (Reg, int) {
	r := c.Written(in)
	switch {
	case r == nil:
		return 0, 0
	case in.Op == RetAddr:
		return *r, 2
	case in.Op == Load:
		return *r, in.Words()
	}
	return *r, 1
}

// Sources appends the registers that an instruction reads to dst: where they stand, so that
// another one can take their place. Of an Instr that begins with an operand the first is
// what it writes.
func (c *Code) Sources(in *Inst, dst []*Reg) []*Reg {
	switch in.Op {
	case Copy:
		return append(dst, &in.A)
	case Load:
		if in.B != 0 {
			dst = append(dst, &in.B)
		}
	case Store:
		if dst = append(dst, &in.A); in.B != 0 {
			dst = append(dst, &in.B)
		}
	case Perm:
		return append(dst, &in.A, &in.B)
	case Instr:
		i, args := 1, c.Operands(in)
		if in.NoDst {
			i = 0
		}
		for ; i < len(args); i++ {
			if args[i].Reg != 0 {
				dst = append(dst, &args[i].Reg)
			}
		}
	}
	return dst
}

// Words returns how many registers an access to memory reads or writes.
func (in *Inst) Words() int {
	switch {
	case strings.HasSuffix(in.Name, ".128"):
		return 4
	case strings.HasSuffix(in.Name, ".64"):
		return 2
	}
	return 1
}

// Aligned reports whether the address that a load or a store accesses is known to be a
// multiple of n.
func (in *Inst) Aligned(n int) bool { return int(in.First) >= n && int(in.N)&(n-1) == 0 }
