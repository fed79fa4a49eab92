package annotate

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/sass"
)

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

// classes are those of operations: of a name with certain modifiers, or of one without them.
var classes = map[string]class{
	"MOV": moves, "UMOV": moves, "MOV32I": moves, "R2UR": moves,
	"IMAD.MOV.U32": movesSum, "IMAD.MOV": movesSum, "IMAD.U32": movesSum,
	"MOV.64": movesWide, "UMOV.64": movesWide,
}

var classesOfAll = map[string]class{
	"LDC": loadsConst, "ULDC": loadsConst, "LDCU": loadsConst, "LDL": loadsLocal, "STL": storesLocal,
	"ST": storesAnywhere, "ATOM": storesAnywhere, "RED": storesAnywhere, "STAS": storesAnywhere, "STSM": storesAnywhere,
}

// classOf returns the class of a mnemonic.
func classOf(op, name string) class {
	switch {
	case classes[op] != other:
		return classes[op]
	case (strings.HasPrefix(name, "IADD") || name == "VIADD") && !carries(op):
		return adds
	case strings.HasPrefix(name, "LOP"):
		return masks
	}
	return classesOfAll[name]
}

// carries reports whether a sum is of two words, or takes a carry.
func carries(op string) bool {
	parts := strings.Split(op, ".")
	return parts[0] == "IADD64" || slices.Contains(parts[1:], "64") || slices.Contains(parts[1:], "X")
}

// An instr is an instruction with what is found out of it once.
type instr struct {
	sass.Instr
	op      *isa.Operation
	class   class
	effects isa.Effects
	// strange says that the instruction is not looked at: it may do anything.
	strange bool

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
	return o.Kind == sass.KindRegister && o.Reg == r && bare(o) && !o.Reuse && o.Name == ""
}

// isConst reports whether an operand is what the constant bank has at an address.
func isConst(o *sass.Operand, at abi.ConstAddr) bool {
	return o.Kind == sass.KindConst && o.Bank == at.Bank && o.Off == int64(at.Off)
}

// isZero reports whether an operand is RZ.
func isZero(o *sass.Operand) bool { return o.Kind == sass.KindRegister && o.Reg == sass.RZ }

// bare reports whether nothing changes an operand's value: neither a sign nor a suffix.
func bare(o *sass.Operand) bool { return !o.Neg && !o.Abs && !o.Not && o.Suffix == "" }

// instructions are the code of one function of a listing.
type instructions struct {
	code    []instr
	labels  []label
	touched [256 + mostWords]bool // the general registers that operands may be
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
	at := instr{Instr: *in, guarded: in.Guard != "" && in.Guard != "@PT", call: -1, block: -1}
	at.Args = slices.Clone(in.Args)
	for k := range at.Args {
		switch o := &at.Args[k]; o.Kind {
		case sass.KindRegister, sass.KindMem, sass.KindAddress:
			for n := range mostWords {
				c.touched[int(o.Reg)+n] = true
			}
		}
	}
	if at.strange = len(in.Args) > maxOperands || len(in.Op) > maxMnemonic; at.strange {
		all := []isa.Span{{First: 0, N: 256}}
		at.op, at.effects = isa.OperationOf(""), isa.Effects{Regs: all, Uniform: all, Dest: -1}
	} else {
		at.op = isa.OperationOf(in.Op)
		at.effects = at.op.Effects(&at.Instr)
		at.class = classOf(in.Op, at.op.Name())
	}
	c.code = append(c.code, at)
}

// isMove reports whether an instruction copies one word, its last operand, to
// its first.
func (in *instr) isMove() bool {
	a := in.Args
	switch in.class {
	case moves:
		return len(a) == 2 || len(a) == 3 && a[2].Kind == sass.KindImm && in.op.Name() != "R2UR" // a mask of bytes, in old disassembly
	case movesSum:
		return len(a) == 4 && isZero(&a[1]) && isZero(&a[2])
	}
	return false
}

// isWideMove is the same of two words.
func (in *instr) isWideMove() bool { return in.class == movesWide && len(in.Args) == 2 }

// source is the operand that a move copies.
func (in *instr) source() *sass.Operand {
	if len(in.Args) == 3 {
		return &in.Args[1]
	}
	return &in.Args[len(in.Args)-1]
}

// memory is the first operand that is memory, nil if there is none.
func (in *instr) memory() *sass.Operand {
	k := slices.IndexFunc(in.Args, func(o sass.Operand) bool { return o.Kind == sass.KindMem || o.Kind == sass.KindAddress })
	if k < 0 {
		return nil
	}
	return &in.Args[k]
}
