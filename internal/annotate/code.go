package annotate

import (
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// A mnemonic is what is looked up of an instruction by its mnemonic.
type mnemonic struct {
	*sass.Operation
	name  string // without modifiers
	moved int    // bytes, of a load or store
	class class
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
	m := &mnemonic{Operation: o, name: o.Name(), moved: o.AccessSize()}
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
	name, mods, _ := strings.Cut(op, ".")
	if name == "IADD64" {
		return true
	}
	for mod := range strings.SplitSeq(mods, ".") {
		if mod == "64" || mod == "X" {
			return true
		}
	}
	return false
}

// An instr is an instruction with what is found out of it once.
type instr struct {
	*sass.Instr
	m *mnemonic
	// What it writes, if it is sure: n registers from first on.
	first   sass.Reg
	n       uint16
	uniform bool
	// As in [sass.Effects]. Of an instruction that is not sure all effects are asked for
	// when they are needed.
	dest        int32
	sure, exact bool

	guarded bool
	start   bool  // control may come here from elsewhere
	on      bool  // control may go on to the next instruction
	jump    int32 // where else it may go, in function.jumps; -1: nowhere
	call    int32 // in function.calls; -1: none
	block   int32 // that begins here, in function.blocks; -1: none
}

// maxOperands is how many operands an instruction has at most: more than any. What
// has more, or a mnemonic of more than maxMnemonic bytes, may do anything.
const (
	maxOperands = 64
	maxMnemonic = 128
)

// mostWords is how many registers an operand is at most.
const mostWords = 8

// strange are instructions that are none.
var strange = newMnemonic("")

// add adds an instruction to the code.
func (fn *function) add(in *sass.Instr) {
	fn.code = append(fn.code, instr{Instr: in, jump: -1, call: -1, block: -1})
	at := &fn.code[len(fn.code)-1]
	at.guarded = in.Guard != "" && in.Guard != "@PT"
	for k := range in.Args {
		switch o := &in.Args[k]; o.Kind {
		case sass.Register, sass.Mem, sass.Address:
			for r := int(o.Reg); r < min(int(o.Reg)+mostWords, 256); r++ {
				fn.named[r/64] |= 1 << (r % 64)
			}
		case sass.Const:
			local := fn.target.Kernel.LocalLo
			fn.escapes = fn.escapes || o.Bank == local.Bank && o.Off == int64(local.Off)
		}
	}
	if len(in.Args) > maxOperands || len(in.Op) > maxMnemonic {
		at.m, at.dest = strange, -1
		return
	}
	at.m = fn.mnemonics[in.Op]
	if at.m == nil {
		at.m = newMnemonic(in.Op)
		fn.mnemonics[strings.Clone(in.Op)] = at.m
	}
	e := &fn.effects
	at.m.Effects(in, e)
	at.dest, at.sure, at.exact = int32(e.Dest), e.Sure, e.Exact
	switch {
	case !e.Sure:
	case len(e.Regs) > 0:
		at.first, at.n = e.Regs[0].First, uint16(e.Regs[0].N)
	case len(e.Uniform) > 0:
		at.first, at.n, at.uniform = e.Uniform[0].First, uint16(e.Uniform[0].N), true
	}
}

// written are the general registers that an instruction may write. The result is good
// until the next call.
func (fn *function) written(in *instr) []sass.Span {
	e := &fn.effects
	switch {
	case in.m == strange:
		e.Regs = append(e.Regs[:0], sass.Span{First: 0, N: 256})
	case !in.sure:
		in.m.Effects(in.Instr, e)
	case in.uniform || in.n == 0:
		return nil
	default:
		e.Regs = append(e.Regs[:0], sass.Span{First: in.first, N: int(in.n)})
	}
	return e.Regs
}

// writes reports whether an instruction may write a general register.
func (fn *function) writes(in *instr, r sass.Reg) bool {
	for _, s := range fn.written(in) {
		if s.Has(r) {
			return true
		}
	}
	return false
}

// isMove reports whether an instruction copies one word, its last operand, to
// its first.
func isMove(in *instr) bool {
	a := in.Args
	switch in.m.class {
	case moves:
		return len(a) == 2 || len(a) == 3 && a[2].Kind == sass.Imm && in.m.name != "R2UR" // a mask of bytes, in old disassembly
	case movesSum:
		return len(a) == 4 && zero(&a[1]) && zero(&a[2])
	}
	return false
}

// isWideMove is the same of two words.
func isWideMove(in *instr) bool { return in.m.class == movesWide && len(in.Args) == 2 }

// source is the operand that a move copies.
func source(in *instr) *sass.Operand {
	if len(in.Args) == 3 {
		return &in.Args[1]
	}
	return &in.Args[len(in.Args)-1]
}

func zero(o *sass.Operand) bool { return o.Kind == sass.Register && o.Reg == sass.RZ }

// bare reports whether nothing changes an operand's value.
func bare(o *sass.Operand) bool { return !o.Neg && !o.Abs && !o.Not && o.Suffix == "" }

// memOperand is the first operand that is memory, nil if there is none.
func memOperand(in *instr) *sass.Operand {
	for i := range in.Args {
		if k := in.Args[i].Kind; k == sass.Mem || k == sass.Address {
			return &in.Args[i]
		}
	}
	return nil
}
