package lir

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
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
	Changed           // a statement in other words: Code.Buf[First:First+N]
	// The others print nothing.
	Begin  // Dst has no value yet
	Group  // what follows up to Apart happens at once: no register is written before all that read it have
	Member // in a group: what follows up to the next one gives a register its word
	Apart
)

// An Inst is one instruction, a label, a comment, or a stretch of the body that stays as it
// is.
type Inst struct {
	Op       Op
	Kind     sass.OperandKind // of memory: Mem, Const or ConstReg
	Bank     uint8            // of memory
	Size     uint8            // of a Load or a Store, in bytes: 1, 2, 4, 8 or 16
	Signed   bool             // of a Load of fewer than 4: the word is extended with the sign
	Writers  Writers          // of the memory of a Load or a Store
	NoDst    bool             // of Instr: its first argument is read, not written
	Loose    bool             // of a Load: nothing reads the bytes above those that it loads
	Jumps    bool             // it may go to a label, or is statements of which one may
	Guard    int32            // index in Code.Guards, plus 1; 0 for none
	More     int32            // index in Code.Contracts, or of a comment in Code.Lists, plus 1; 0 for none
	First, N int32            // of Load and Store: the address is N more than a multiple of First
	Dst, A   Reg
	B        Reg    // of Perm; the base of memory of Load and Store
	Off      int64  // of memory; a constant; a selector
	Name     string // of an Instr, its opcode; of a Label; of a Call
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

// A Code is the code of a function. Who makes it hands it on, to one pass; then nothing changes it, and a pass makes
// another one of its own.
type Code struct {
	Func      *ptx.Func // whose statements Pass means
	Names     Names
	Spelling  *abi.Spelling // of its instructions
	List      []Inst
	Args      []Arg
	Buf       []byte
	Guards    []string
	Mentioned []Mention // by statements, in other words or not
	statement []int32   // where the registers begin in there that a Pass or a Changed mentions, by its Off
	InText    []bool    // by numbers of names: those that statements mention
	Contracts []*sass.Contract
	Lists     []*sass.BranchList
	Labels    int32 // how many there are without a name
	Memory    *Memory
}

// A Memory keeps codes that nothing needs any more: their lists are those of other codes. With none of it, lowering
// takes half as long again.
type Memory struct {
	free    []*Code
	printer printer
}

// Code returns a code without anything in it but names, which it has for itself. Without a memory all of it is new.
func (m *Memory) Code(names Names) *Code {
	c := new(Code)
	if m != nil && len(m.free) > 0 {
		c = m.free[len(m.free)-1]
		m.free = m.free[:len(m.free)-1]
	}
	names.made = append(c.Names.made[:0], names.made...)
	*c = Code{
		Memory: m, Names: names, List: c.List[:0], Args: c.Args[:0], Buf: c.Buf[:0], Guards: c.Guards[:0],
		Mentioned: c.Mentioned[:0], statement: c.statement[:0], InText: c.InText[:0], Contracts: c.Contracts[:0], Lists: c.Lists[:0],
	}
	return c
}

// Release gives a code back that nothing reads any more.
func (c *Code) Release() { c.Memory.free = append(c.Memory.free, c) }

// Next returns code like c that has no instructions yet, for as many as c has and more.
func (c *Code) Next(more int) *Code {
	next := c.Memory.Code(c.Names)
	next.Func, next.Spelling, next.Labels = c.Func, c.Spelling, c.Labels
	next.List = slices.Grow(next.List, len(c.List)+more)
	next.Args, next.Buf, next.Guards = append(next.Args, c.Args...), append(next.Buf, c.Buf...), append(next.Guards, c.Guards...)
	next.Mentioned, next.InText = append(next.Mentioned, c.Mentioned...), append(next.InText, c.InText...)
	next.statement = append(next.statement, c.statement...)
	next.Contracts, next.Lists = append(next.Contracts, c.Contracts...), append(next.Lists, c.Lists...)
	return next
}

// Copy returns code like c with its instructions, to be changed.
func (c *Code) Copy() *Code {
	next := c.Next(0)
	next.List = append(next.List, c.List...)
	return next
}

// Add appends an instruction, to be filled in.
func (c *Code) Add(op Op, guard string, pos diag.Pos) *Inst {
	c.List = append(c.List, Inst{})
	in := &c.List[len(c.List)-1]
	in.Op, in.Pos = op, pos
	if guard != "" {
		if n := len(c.Guards); n == 0 || c.Guards[n-1] != guard {
			c.Guards = append(c.Guards, guard)
		}
		in.Guard = int32(len(c.Guards))
	}
	return in
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
func (c *Code) AddArgs(op, guard string, pos diag.Pos, note Note, args ...Arg) *Inst {
	in := c.Add(Instr, guard, pos)
	in.Name, in.Note = op, note
	in.First, in.N = int32(len(c.Args)), int32(len(args))
	c.Args = append(c.Args, args...)
	return in
}

// AddText appends a comment, a changed statement, or a call, with its text.
func (c *Code) AddText(op Op, text []byte, pos diag.Pos) *Inst {
	in := c.Add(op, "", pos)
	in.First, in.N = int32(len(c.Buf)), int32(len(text))
	c.Buf = append(c.Buf, text...)
	return in
}

// AddLabel appends the label of a number.
func (c *Code) AddLabel(label int32) *Inst {
	in := c.Add(Label, "", diag.Pos{})
	in.First = label
	return in
}

// OnlyReturns is N of a label that only the call before it comes back to.
const OnlyReturns = 1

// AddPass appends a statement that stays as it is.
func (c *Code) AddPass(stmt int, jumps bool, pos diag.Pos) {
	if k := len(c.List) - 1; k >= 0 {
		if last := &c.List[k]; last.Op == Pass && int(last.First+last.N) == stmt {
			last.N++
			last.Jumps = last.Jumps || jumps
			return
		}
	}
	in := c.Add(Pass, "", pos)
	in.First, in.N, in.Jumps = int32(stmt), 1, jumps
	c.mentions(in)
}

// AddChanged appends a statement in other words.
func (c *Code) AddChanged(text []byte, jumps bool, pos diag.Pos) {
	in := c.AddText(Changed, text, pos)
	in.Jumps = jumps
	c.mentions(in)
}

// mentions begins the list of registers that an instruction, the last one, mentions.
func (c *Code) mentions(in *Inst) {
	in.Off = int64(len(c.statement))
	c.statement = append(c.statement, int32(len(c.Mentioned)))
}

// Mention takes note of a register that the last statement mentions.
func (c *Code) Mention(r Reg, written bool) {
	c.Mentioned = append(c.Mentioned, Mention{r, written})
	if r.Kind() != sass.Virtual {
		return
	}
	if n := int(r.Name()) + 1 - len(c.InText); n > 0 {
		c.InText = append(c.InText, make([]bool, n)...)
	}
	c.InText[r.Name()] = true
}

// Agree gives the last instruction a contract.
func (c *Code) Agree(contract *sass.Contract) {
	c.Contracts = append(c.Contracts, contract)
	c.List[len(c.List)-1].More = int32(len(c.Contracts))
}

// ContractOf returns what an instruction does that its operands do not show, nil for nothing.
func (c *Code) ContractOf(in *Inst) *sass.Contract {
	if in.More == 0 || in.Op == Comment {
		return nil
	}
	return c.Contracts[in.More-1]
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

// A Mention is a register that the text of a statement names.
type Mention struct {
	Reg     Reg  // physical, or the whole of a virtual one
	Written bool // it may be written
}

// Mentions returns the registers that a Pass or a Changed mentions. No instruction is known
// that writes a register of another operand than the first.
func (c *Code) Mentions(in *Inst) []Mention {
	list := c.Mentioned[c.statement[in.Off]:]
	if next := int(in.Off) + 1; next < len(c.statement) {
		list = list[:c.statement[next]-c.statement[in.Off]]
	}
	return list
}

// Words returns how many registers an access to memory reads or writes.
func (in *Inst) Words() int { return max(1, int(in.Size)/4) }

// Bytes returns how many bytes of each of those it accesses.
func (in *Inst) Bytes() int { return min(4, int(in.Size)) }

// Opcode returns the opcode of an access like a load or a store that has so many bytes, "" if there is none.
func (c *Code) Opcode(in *Inst, size int, signed bool) string {
	ops := &c.Spelling.LoadLocal
	switch {
	case in.Op == Store:
		ops = &c.Spelling.StoreLocal
	case in.Kind == sass.Mem:
	case in.B == 0:
		ops = &c.Spelling.LoadConst
	default:
		ops = &c.Spelling.LoadConstIndexed
	}
	switch {
	case size == 1 && signed:
		return ops.S8
	case size == 1:
		return ops.U8
	case size == 2 && signed:
		return ops.S16
	case size == 2:
		return ops.U16
	case size == 4:
		return ops.B32
	case size == 8:
		return ops.B64
	}
	return ops.B128
}

// Aligned reports whether the address that a load or a store accesses is known to be a
// multiple of n.
func (in *Inst) Aligned(n int) bool { return int(in.First) >= n && int(in.N)&(n-1) == 0 }
