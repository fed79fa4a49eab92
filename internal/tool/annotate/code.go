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
	addr int64 // where hasAddr is set
	m    *mnemonic
	line uint32 // in the listing, from 1; 0: unknown
	// Its operands: args of them, from instructions.operands[firstArg] on.
	firstArg, args int32

	// What it writes, if it is sure: n registers from first on. If it is not, n from each
	// register on that is an operand, and all uniform ones.
	n       uint16
	first   sass.Reg
	uniform bool
	stored  sass.Reg // that a store of whole words takes its data from; RZ: none
	// Numbers of operands, -1 for none: dest as in [sass.Effects], the general register that a
	// load writes first, and the first that is memory.
	dest, loaded, mem int8
	sure, exact       bool // as in [sass.Effects]

	hasAddr bool
	guarded bool
	start   bool  // control may come here from elsewhere
	on      bool  // control may go on to the next instruction
	jump    int32 // where else it may go, in function.jumps; -1: nowhere
	call    int32 // in function.calls; -1: none
	block   int32 // that begins here, in function.blocks; -1: none
}

// An operand is what counts of a [sass.Operand].
type operand struct {
	off  int64
	name int32 // of a symbol, in instructions.names
	kind sass.OperandKind
	reg  sass.Reg
	bank uint8
	is   traits
}

// traits are what an operand has.
type traits uint8

const (
	altered    traits = 1 << iota // a sign, or a suffix: it is not the value alone
	reused                        // a hint to the hardware
	hasName                       // a name, such as that of a register of PTX
	hasLabel                      // a label
	hasUniform                    // a uniform register, in an address
	hasSuffix                     // a suffix
	has64                         // the suffix 64
	isTrue                        // the name PT
)

// newOperand takes from o what counts.
func newOperand(o *sass.Operand) operand {
	own := operand{off: o.Off, kind: o.Kind, reg: o.Reg, bank: o.Bank}
	if o.Neg || o.Abs || o.Not {
		own.is |= altered
	}
	if o.Reuse {
		own.is |= reused
	}
	if o.Name != "" {
		own.is |= hasName
		if o.Kind == sass.Pred && o.Name == "PT" {
			own.is |= isTrue
		}
	}
	if o.Label != "" {
		own.is |= hasLabel
	}
	if o.HasUni {
		own.is |= hasUniform
	}
	if o.Suffix != "" {
		own.is |= altered | hasSuffix
		if o.Suffix == "64" {
			own.is |= has64
		}
	}
	return own
}

// has reports whether an operand has one of the traits.
func (o *operand) has(t traits) bool { return o.is&t != 0 }

// isReg reports whether an operand is a general register and nothing else.
func (o *operand) isReg(r sass.Reg) bool {
	return o.kind == sass.Register && o.reg == r && o.is == 0
}

// instructions are the code of one function of a listing, in memory that serves for the next one.
type instructions struct {
	code     []instr
	operands []operand
	names    []string // of symbols among the operands
	labels   []label
	touched  [256 + mostWords]bool // the general registers that operands may be

	mnemonics map[string]*mnemonic
	effects   sass.Effects // of an instruction
	shape     sass.Instr   // for [instructions.operandWords]
	spans     [maxOperands]sass.Span
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

// maxMnemonics is how many mnemonics are remembered: more than there are.
const maxMnemonics = 1 << 14

// mostWords is how many registers an operand is at most.
const mostWords = 8

// reset makes c that of a function without code.
func (c *instructions) reset() {
	c.code, c.operands, c.labels = c.code[:0], c.operands[:0], c.labels[:0]
	c.names, c.touched = c.names[:0], [256 + mostWords]bool{}
	if c.mnemonics == nil || len(c.mnemonics) > maxMnemonics {
		c.mnemonics = make(map[string]*mnemonic)
	}
}

// item adds an item of the function.
func (c *instructions) item(it *sass.Item) {
	switch it.Kind {
	case sass.Label:
		c.labels = append(c.labels, label{it.Text, int32(len(c.code))})
	case sass.Code:
		c.add(&it.Instr)
	}
}

// add adds an instruction.
func (c *instructions) add(in *sass.Instr) {
	at := instr{
		addr: in.Addr, hasAddr: in.HasAddr, line: in.Pos.Line, firstArg: int32(len(c.operands)), args: int32(len(in.Args)),
		guarded: in.Guard != "" && in.Guard != "@PT", dest: -1, loaded: -1, mem: -1, jump: -1, call: -1, block: -1,
	}
	for k := range in.Args {
		o := newOperand(&in.Args[k])
		switch o.kind {
		case sass.Register, sass.Mem, sass.Address:
			for k := range mostWords {
				c.touched[int(o.reg)+k] = true
			}
		case sass.Symbol:
			o.name = int32(len(c.names))
			c.names = append(c.names, in.Args[k].Name)
		}
		c.operands = append(c.operands, o)
	}
	if len(in.Args) > maxOperands || len(in.Op) > maxMnemonic {
		at.m = newMnemonic("")
		at.m.text, at.m.strange = in.Op, true
	} else {
		at.m = c.mnemonic(in.Op)
		at.mem = int8(slices.IndexFunc(c.operands[at.firstArg:], func(o operand) bool {
			return o.kind == sass.Mem || o.kind == sass.Address
		}))
		c.effectsOf(&at, in)
	}
	c.code = append(c.code, at)
}

// mnemonic looks a mnemonic up.
func (c *instructions) mnemonic(op string) *mnemonic {
	m := c.mnemonics[op]
	if m == nil {
		op = strings.Clone(op) // and not all around it
		m = newMnemonic(op)
		c.mnemonics[op] = m
	}
	return m
}

// effectsOf finds out what an instruction writes and stores.
func (c *instructions) effectsOf(at *instr, in *sass.Instr) {
	e := &c.effects
	at.m.Effects(in, e)
	at.dest, at.sure, at.exact = int8(e.Dest), e.Sure, e.Exact
	switch {
	case len(e.Regs) > 0:
		at.first, at.n = e.Regs[0].First, uint16(e.Regs[0].N)
	case len(e.Uniform) > 0 && e.Sure:
		at.first, at.n, at.uniform = e.Uniform[0].First, uint16(e.Uniform[0].N), true
	}
	switch at.m.class {
	case loadsLocal:
		at.loaded = int8(in.Destination(sass.Register))
	case storesLocal:
		at.stored = at.m.Stored(in)
	}
}

// args are the operands of an instruction.
func (c *instructions) args(in *instr) []operand { return c.operands[in.firstArg:][:in.args] }

// operandWords is how many registers, or words of the constant bank, operand j of an instruction
// is that reads it, on architecture sm; 0: not known.
func (c *instructions) operandWords(in *instr, j, sm int) int {
	c.shape.Args = c.shape.Args[:0]
	for _, o := range c.args(in) {
		c.shape.Args = append(c.shape.Args, sass.Operand{Kind: o.kind})
	}
	return in.m.Words(&c.shape, j, sm)
}

// addressWords is how many registers an address is in; 0: not known.
func addressWords(in *instr, o *operand, sm int) int {
	address := sass.Operand{Kind: o.kind}
	switch {
	case o.has(has64):
		address.Suffix = "64"
	case o.has(hasSuffix):
		address.Suffix = "other"
	}
	return in.m.AddressWords(address, sm)
}

// written are the general registers that an instruction may write. The result is good
// until the next call.
func (c *instructions) written(in *instr) []sass.Span {
	all := c.spans[:0]
	switch {
	case in.m.strange:
		all = append(all, sass.Span{First: 0, N: 256})
	case !in.sure:
		for _, o := range c.args(in) {
			if o.kind == sass.Register && o.reg != sass.RZ {
				all = append(all, sass.Span{First: o.reg, N: int(in.n)})
			}
		}
	case !in.uniform && in.n > 0:
		all = append(all, sass.Span{First: in.first, N: int(in.n)})
	}
	return all
}

// writes reports whether an instruction may write a general register.
func (c *instructions) writes(in *instr, r sass.Reg) bool {
	for _, s := range c.written(in) {
		if s.Has(r) {
			return true
		}
	}
	return false
}

// isMove reports whether an instruction copies one word, its last operand, to
// its first.
func (c *instructions) isMove(in *instr) bool {
	a := c.args(in)
	switch in.m.class {
	case moves:
		return len(a) == 2 || len(a) == 3 && a[2].kind == sass.Imm && in.m.name != "R2UR" // a mask of bytes, in old disassembly
	case movesSum:
		return len(a) == 4 && a[1].isZero() && a[2].isZero()
	}
	return false
}

// isWideMove is the same of two words.
func isWideMove(in *instr) bool { return in.m.class == movesWide && in.args == 2 }

// source is the operand that a move copies.
func (c *instructions) source(in *instr) *operand {
	a := c.args(in)
	if len(a) == 3 {
		return &a[1]
	}
	return &a[len(a)-1]
}

// isZero reports whether an operand is RZ.
func (o *operand) isZero() bool { return o.kind == sass.Register && o.reg == sass.RZ }

// bare reports whether nothing changes an operand's value.
func (o *operand) bare() bool { return !o.has(altered) }

// memory is the first operand that is memory, nil if there is none.
func (c *instructions) memory(in *instr) *operand {
	if in.mem < 0 {
		return nil
	}
	return &c.operands[in.firstArg+int32(in.mem)]
}
