package annotate

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// A mnemonic is what is looked up of an instruction by its mnemonic.
type mnemonic struct {
	*sass.Operation
	text  string // as it stands in the listing
	name  string // without modifiers
	moved int    // bytes, of a load or store
	class class
	// strange says that the instruction is not looked at: it may do anything.
	strange bool
}

// A class says what an operation may do to values that are followed.
type class uint8

const (
	other    class = iota
	moves          // one word, perhaps: of two operands, or of three
	movesSum       // one word, perhaps: of four operands
	movesWide
	loadsConst
	loadsLocal
	storesLocal
	storesAnywhere
	adds // an address and a number, perhaps
	masks
)

// newMnemonic reads a mnemonic.
func newMnemonic(op string) *mnemonic {
	o := sass.OperationOf(op)
	m := &mnemonic{Operation: o, text: op, name: o.Name(), moved: o.AccessSize()}
	switch op {
	case "MOV", "UMOV", "MOV32I", "R2UR":
		m.class = moves
		return m
	case "IMAD.MOV.U32", "IMAD.MOV", "IMAD.U32":
		m.class = movesSum
		return m
	case "MOV.64", "UMOV.64":
		m.class = movesWide
		return m
	}
	switch {
	case m.name == "LDC" || m.name == "ULDC" || m.name == "LDCU":
		m.class = loadsConst
	case m.name == "LDL":
		m.class = loadsLocal
	case m.name == "STL":
		m.class = storesLocal
	case m.name == "ST" || m.name == "ATOM" || m.name == "RED" || m.name == "STAS" || m.name == "STSM":
		m.class = storesAnywhere
	case (strings.HasPrefix(m.name, "IADD") || m.name == "VIADD") && !carries(op):
		m.class = adds
	case strings.HasPrefix(m.name, "LOP"):
		m.class = masks
	}
	return m
}

// carries reports whether a sum is of two words, or takes a carry.
func carries(op string) bool {
	parts := strings.Split(op, ".")
	return parts[0] == "IADD64" || slices.Contains(parts[1:], "64") || slices.Contains(parts[1:], "X")
}

// An instr is an instruction with what is found out of it once.
type instr struct {
	sass.Instr
	m *mnemonic

	// What it writes, if it is sure: n registers from first on. If it is not, n from each
	// register on that is an operand, and all uniform ones.
	n       int
	first   sass.Reg
	uniform bool
	stored  sass.Reg // that a store of whole words takes its data from; RZ: none
	// Numbers of operands, -1 for none: dest as in [sass.Effects], the general register that a
	// load writes first, and the first that is memory.
	dest, loaded, mem int
	sure, exact       bool // as in [sass.Effects]

	guarded bool
	start   bool    // control may come here from elsewhere
	on      bool    // control may go on to the next instruction
	goals   []int32 // where else it may go: instructions
	// joins and labels say that it may go to all of graph.joins, or to all of graph.labels.
	joins, labels bool
	call          int32 // in function.calls; -1: none
	block         int32 // that begins here, in function.blocks; -1: none
}

// isReg reports whether an operand is a general register and nothing else.
func isReg(o *sass.Operand, r sass.Reg) bool {
	return o.Kind == sass.Register && o.Reg == r && bare(o) && !o.Reuse && o.Name == ""
}

// isZero reports whether an operand is RZ.
func isZero(o *sass.Operand) bool { return o.Kind == sass.Register && o.Reg == sass.RZ }

// bare reports whether nothing changes an operand's value: neither a sign nor a suffix.
func bare(o *sass.Operand) bool { return !o.Neg && !o.Abs && !o.Not && o.Suffix == "" }

// instructions are the code of one function of a listing.
type instructions struct {
	code    []instr
	labels  []label
	touched [256 + mostWords]bool // the general registers that operands may be

	effects sass.Effects // of an instruction
}

// A label is a name of an instruction, or of the end of the code.
type label struct {
	name string
	at   int32
}

// maxOperands is how many operands an instruction has at most: more than any. What
// has more, or a mnemonic of more than maxMnemonic bytes, may do anything.
const (
	maxOperands = 64
	maxMnemonic = 128
)

// mostWords is how many registers an operand is at most.
const mostWords = 8

// item adds an item of the function.
func (c *instructions) item(it *sass.Item) {
	switch it.Kind {
	case sass.Label:
		c.labels = append(c.labels, label{it.Text, int32(len(c.code))})
	case sass.Code:
		c.add(&it.Instr)
	}
}

// add adds an instruction, whose operands are the reader's.
func (c *instructions) add(in *sass.Instr) {
	at := instr{
		Instr: *in, guarded: in.Guard != "" && in.Guard != "@PT",
		stored: sass.RZ, dest: -1, loaded: -1, mem: -1, call: -1, block: -1,
	}
	at.Args = slices.Clone(in.Args)
	for k := range at.Args {
		switch o := &at.Args[k]; o.Kind {
		case sass.Register, sass.Mem, sass.Address:
			for n := range mostWords {
				c.touched[int(o.Reg)+n] = true
			}
			if o.Kind != sass.Register && at.mem < 0 {
				at.mem = k
			}
		}
	}
	if len(in.Args) > maxOperands || len(in.Op) > maxMnemonic {
		at.m, at.mem = newMnemonic(""), -1
		at.m.text, at.m.strange = in.Op, true
	} else {
		at.m = newMnemonic(strings.Clone(in.Op)) // and not all around it
		c.effectsOf(&at)
	}
	c.code = append(c.code, at)
}

// effectsOf finds out what an instruction writes and stores.
func (c *instructions) effectsOf(at *instr) {
	e := &c.effects
	at.m.Effects(&at.Instr, e)
	at.dest, at.sure, at.exact = e.Dest, e.Sure, e.Exact
	switch {
	case len(e.Regs) > 0:
		at.first, at.n = e.Regs[0].First, e.Regs[0].N
	case len(e.Uniform) > 0 && e.Sure:
		at.first, at.n, at.uniform = e.Uniform[0].First, e.Uniform[0].N, true
	}
	switch at.m.class {
	case loadsLocal:
		at.loaded = at.Destination(sass.Register)
	case storesLocal:
		at.stored = at.m.Stored(&at.Instr)
	}
}

// written are the general registers that an instruction may write.
func (in *instr) written() (all []sass.Span) {
	switch {
	case in.m.strange:
		all = append(all, sass.Span{First: 0, N: 256})
	case !in.sure:
		for _, o := range in.Args {
			if o.Kind == sass.Register && o.Reg != sass.RZ {
				all = append(all, sass.Span{First: o.Reg, N: in.n})
			}
		}
	case !in.uniform && in.n > 0:
		all = append(all, sass.Span{First: in.first, N: in.n})
	}
	return all
}

// writes reports whether an instruction may write a general register.
func (in *instr) writes(r sass.Reg) bool {
	return slices.ContainsFunc(in.written(), func(s sass.Span) bool { return s.Has(r) })
}

// isMove reports whether an instruction copies one word, its last operand, to
// its first.
func (in *instr) isMove() bool {
	a := in.Args
	switch in.m.class {
	case moves:
		return len(a) == 2 || len(a) == 3 && a[2].Kind == sass.Imm && in.m.name != "R2UR" // a mask of bytes, in old disassembly
	case movesSum:
		return len(a) == 4 && isZero(&a[1]) && isZero(&a[2])
	}
	return false
}

// isWideMove is the same of two words.
func (in *instr) isWideMove() bool { return in.m.class == movesWide && len(in.Args) == 2 }

// source is the operand that a move copies.
func (in *instr) source() *sass.Operand {
	if len(in.Args) == 3 {
		return &in.Args[1]
	}
	return &in.Args[len(in.Args)-1]
}

// memory is the first operand that is memory, nil if there is none.
func (in *instr) memory() *sass.Operand {
	if in.mem < 0 {
		return nil
	}
	return &in.Args[in.mem]
}
