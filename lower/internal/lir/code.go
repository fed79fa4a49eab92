package lir

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// An Op is the operation of an Inst.
type Op uint8

const (
	Copy    Op = iota // Dst = A
	Load              // Dst = memory
	Store             // memory = A
	Perm              // Dst = bytes of A and B that the selector Off takes
	Const             // Dst = Off
	RetAddr           // Dst and the register after it = the address of label First
	Instr             // Name with N arguments from Code.Args[First] on
	Label             // the label of that name; label First of the function where Name is empty
	Comment           // Name
	Pass              // N statements from First on, as they are
	Changed           // a statement in other words: Code.Buf[First:First+N]
	// The others print nothing.
	Begin  // Dst has no value yet
	Group  // the members that follow, up to Apart, happen at once: all read before one of them writes
	Member // begins a member of a group: instructions, up to the next Member or Apart, that give a register its word
	Apart  // ends a group
)

// An Inst is one instruction, a label, a comment, or a stretch of the body that stays as it
// is. Which fields have a meaning depends on Op.
type Inst struct {
	Op       Op
	Bank     uint8            // of memory: the number of a constant bank, plus 1; 0 for local memory
	Size     uint8            // of a Load or a Store, in bytes: 1, 2, 4, 8 or 16
	Signed   bool             // of a Load of fewer than 4 bytes: the word is extended with the sign
	Writers  Writers          // of the memory of a Load or a Store
	Loose    bool             // of a Load: nothing reads the bytes above those that it loads
	Leaves   bool             // control leaves the function, by a call or a return
	Jumps    bool             // control may go to a label
	First, N int32            // of Load and Store: the address is N more than a multiple of First
	Dst      Reg              // the first register that is written; more words go to those after it
	A, B     Reg              // the registers that are read: B is the base of memory of Load and Store
	Off      int64            // of memory, in bytes; a constant; a selector
	Guard    string           // as it is printed; "" for none
	Name     string           // of an Instr, its opcode; of a Label, a Comment or a Changed, its text
	Contract *sass.Contract   // registers that it reads and writes beside its operands; nil for none
	Targets  *sass.BranchList // the list of targets that a Comment stands for; nil for none
	Note     Note
	Pos      diag.Pos
}

// Writers tells which code may write the memory of a load or a store, besides the stores to the same variable.
type Writers uint8

const (
	Anything Writers = iota
	Calls            // only a call: the memory is a variable in the frame whose address is not taken
	Nothing          // the memory is a formal whose address is not taken
)

// An Arg is an operand of an Instr.
type Arg struct {
	reg   Reg          // the register, until an instruction has it
	field field        // of the instruction that has the register; 0 for none
	Label int32        // number of a label of the function, plus 1; 0 for none
	Rest  sass.Operand // the rest of the operand: all of it where field and Label are 0
}

// A field names one of the registers of an instruction. An operand names the field and not the register, so that a pass
// which replaces the register replaces it in the operands too.
type field uint8

const (
	inDst field = iota + 1
	inA
	inB
)

// Def is a register that is written, as an operand.
func Def(r Reg) Arg { return Arg{reg: r, field: inDst} }

// Of is a register that is read, as an operand. An instruction has two of them at most.
func Of(r Reg) Arg { return Arg{reg: r, field: inA} }

// RZ is the register that reads as zero, as an operand.
var RZ = Plain(sass.Register(sass.RZ))

// Plain is an operand without a virtual register in it.
func Plain(o sass.Operand) Arg { return Arg{Rest: o} }

// I is an immediate.
func I(v int64) Arg { return Plain(sass.Imm(v)) }

// P is a predicate by its name.
func P(name string) Arg { return Plain(sass.Pred(name)) }

// To is the label of a number as an operand.
func To(label int32) Arg { return Arg{Label: label + 1, Rest: sass.Operand{Kind: sass.KindSymbol}} }

// Negated is the operand with the other sign.
func (a Arg) Negated() Arg {
	a.Rest = a.Rest.Negated()
	return a
}

// A Code is the code of a function. Its maker hands it on to one pass. From then on nothing changes it: the pass makes
// another Code.
type Code struct {
	Func      *ptx.Func // the function that has the statements of a Pass
	Names     Names
	Spelling  *machine.Spelling // of its instructions
	List      []Inst
	Args      []Arg
	Written   []Reg   // the registers that each Pass and each Changed writes, one list after the other
	statement []int32 // by Off of a Pass or a Changed: where its list begins in Written
	InText    []bool  // by numbers of names: the text of a statement names the register
	Labels    int32   // how many labels without a name there are
	LabelStem string  // the text before the numbers of those; "" for that of listings
	Memory    *Memory
}

// A Memory keeps the slices of released codes, for the next codes to use. The zero Memory is empty.
type Memory struct {
	lists   [][]Inst
	last    Code // the last code of the function before
	printer printer
}

// list returns an empty list of instructions; nil if there is none in memory. The Memory may be nil.
func (m *Memory) list() (list []Inst) {
	if m != nil && len(m.lists) > 0 {
		last := len(m.lists) - 1
		list, m.lists = m.lists[last], m.lists[:last]
	}
	return list
}

// New returns a code of a function that has names, and nothing else yet.
func (m *Memory) New(f *ptx.Func, names Names, spelling *machine.Spelling) *Code {
	old := m.last
	m.last = Code{}
	names.made = append(old.Names.made[:0], names.made...)
	return &Code{
		Memory: m, Func: f, Names: names, Spelling: spelling, List: m.list(), Args: old.Args[:0],
		Written: old.Written[:0], statement: old.statement[:0], InText: old.InText[:0],
	}
}

// Release gives the instructions of a code back. Nothing may read them afterwards.
func (c *Code) Release() { c.Memory.lists = append(c.Memory.lists, c.List[:0]) }

// ReleaseAll gives back all slices of a code, which it shares with the other codes of its function. Nothing may read any
// of these codes afterwards.
func (c *Code) ReleaseAll() {
	c.Release()
	c.Memory.last = *c
}

// Next returns a code like c without instructions, with room for those of c and some more. It shares everything else
// with c; that is safe, since the shared slices are only appended to.
func (c *Code) Next(more int) *Code {
	next := *c
	next.List = slices.Grow(c.Memory.list(), len(c.List)+more)
	return &next
}

// Copy returns a code like c with a copy of its instructions, which the caller may change.
func (c *Code) Copy() *Code {
	next := c.Next(0)
	next.List = append(next.List, c.List...)
	return next
}

// Add appends an instruction, to be filled in.
func (c *Code) Add(op Op, guard string, pos diag.Pos) *Inst {
	c.List = append(c.List, Inst{})
	in := &c.List[len(c.List)-1]
	in.Op, in.Guard, in.Pos = op, guard, pos
	return in
}

// NewLabel returns the number of a new label.
func (c *Code) NewLabel() int32 {
	c.Labels++
	return c.Labels - 1
}

// AddArgs appends an instruction with operands: at most one of Def and two of Of.
func (c *Code) AddArgs(op, guard string, pos diag.Pos, note Note, args ...Arg) *Inst {
	in := c.Add(Instr, guard, pos)
	in.Name, in.Note = op, note
	in.First, in.N = int32(len(c.Args)), int32(len(args))
	for _, o := range args {
		switch {
		case o.field == inDst:
			in.Dst = o.reg
		case o.field == inA && in.A == 0:
			in.A = o.reg
		case o.field == inA:
			in.B, o.field = o.reg, inB
		}
		o.reg = 0
		c.Args = append(c.Args, o)
	}
	return in
}

// AddText appends a comment, or a statement with another text.
func (c *Code) AddText(op Op, text string, pos diag.Pos) *Inst {
	in := c.Add(op, "", pos)
	in.Name = text
	return in
}

// AddLabel appends the label of a number.
func (c *Code) AddLabel(label int32) *Inst {
	in := c.Add(Label, "", diag.Pos{})
	in.First = label
	return in
}

// OnlyReturns is N of a label to which only the call before it returns: no branch goes there.
const OnlyReturns = 1

// AddPass appends a statement of the body that stays as it is, to the Pass before it if that ends with the statement
// before.
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
	c.writes(in)
}

// AddChanged appends a statement of the body with another text.
func (c *Code) AddChanged(text string, jumps bool, pos diag.Pos) {
	in := c.AddText(Changed, text, pos)
	in.Jumps = jumps
	c.writes(in)
}

// writes begins the list of the registers that an instruction writes, which must be the last one. The caller appends them
// to Written.
func (c *Code) writes(in *Inst) {
	in.Off = int64(len(c.statement))
	c.statement = append(c.statement, int32(len(c.Written)))
}

// Mention records that the text of a statement names a virtual register, by the number of its name.
func (c *Code) Mention(name int32) {
	if n := int(name) + 1 - len(c.InText); n > 0 {
		c.InText = append(c.InText, make([]bool, n)...)
	}
	c.InText[name] = true
}

// Dest returns the first register that an instruction writes, and how many it writes; 0, 0 if none. Those that the text of
// a statement writes are not among them: see [Code.Writes].
func (in *Inst) Dest() (Reg, int) {
	switch {
	case in.Op == Begin || in.Dst == 0:
		return 0, 0
	case in.Op == RetAddr:
		return in.Dst, 2
	case in.Op == Load:
		return in.Dst, in.Words()
	}
	return in.Dst, 1
}

// Sources yields pointers to the registers that an instruction reads, so that the caller can replace them. Those that the
// text of a statement reads are not among them.
func (in *Inst) Sources(yield func(*Reg) bool) {
	_ = (in.A == 0 || yield(&in.A)) && (in.B == 0 || yield(&in.B))
}

// Writes returns the registers that a Pass or a Changed may write, virtual ones as a whole.
func (c *Code) Writes(in *Inst) []Reg {
	list := c.Written[c.statement[in.Off]:]
	if next := int(in.Off) + 1; next < len(c.statement) {
		list = list[:c.statement[next]-c.statement[in.Off]]
	}
	return list
}

// Words returns how many registers a Load writes or a Store reads, beside the base.
func (in *Inst) Words() int { return max(1, int(in.Size)/4) }

// Bytes returns how many bytes of each of these registers it accesses.
func (in *Inst) Bytes() int { return min(4, int(in.Size)) }

// Opcode returns the opcode of a load or a store like in, but of size bytes and signed or not; "" if there is none.
func (c *Code) Opcode(in *Inst, size int, signed bool) string {
	ops := &c.Spelling.LoadLocal
	switch {
	case in.Op == Store:
		ops = &c.Spelling.StoreLocal
	case in.Bank == 0:
	case in.B == 0:
		ops = &c.Spelling.LoadConst
	default:
		ops = &c.Spelling.LoadConstIndexed
	}
	return ops.Of(size, signed)
}

// Aligned reports whether the address of a load or a store is known to be a multiple of n, a power of two.
func (in *Inst) Aligned(n int) bool { return int(in.First) >= n && int(in.N)&(n-1) == 0 }
