package symexec

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// An Addr is an address in local memory: add bytes from the base address
// with that index.
type Addr struct {
	Base int16
	Add  int64
}

// Plus returns the address n bytes further on.
func (a Addr) Plus(n int64) Addr { return Addr{a.Base, a.Add + n} }

// A State is the contents of the machine at one moment.
type State struct {
	Regs  [256]Word
	URegs [256]Word
	Local map[Addr]Byte // bytes that were written

	// Carries are the carries of sums that are followed, by what holds them:
	// "CC", "P0".
	Carries map[string]uint32
	// Virt are the words of virtual registers, by their text; of pseudo-SASS.
	Virt map[string]Word
	// Pushed is the label that PRET has named last, Barriers those where the threads of a barrier meet.
	Pushed   string
	Barriers map[string]string
	// Beside is the state of the user of the machine; nil for none.
	Beside Beside
}

// A Beside is copied with the state that it is kept with.
type Beside interface{ Clone() Beside }

// A Trace has the calls of a function and its accesses to global memory.
type Trace struct {
	// Stores are the bytes written to global memory, at a number where there is no base, else beyond a parameter.
	Stores map[Addr]Byte
	// Calls are the states when control leaves for another function, Callees the
	// names of those; Ret is the state at the return, nil in a kernel.
	Calls   []*State
	Callees []string
	Ret     *State

	// Bases are the identities of words that addresses in local memory count
	// from, by the first byte of each.
	Bases []Byte
	// Symbols are those of label bytes.
	Symbols []Symbol
}

// A Symbol names an address that is resolved later: a label of a function, or
// a function where Label is "".
type Symbol struct{ Name, Label string }

// A Machine executes one listing on origins of bytes instead of bytes.
type Machine struct {
	*State // before the instruction
	Trace
	preserved   abi.RegSet // callee-saved general registers
	UniformKept abi.RegSet // uniform ones
	Narrow      bool       // addresses have 32 bits
	sm          int        // of the target

	// FollowsPointers is set where addresses beyond a parameter are followed.
	FollowsPointers bool
	// OnStore is called before a byte of global memory is written; nil for nothing.
	OnStore func(at Addr, b Byte)

	epoch uint16
	PC    int64

	// Aligned are the alignments of base addresses, in bytes, where they are noted. Rounded are the same addresses
	// before a mask rounded them down.
	Aligned map[int16]int64
	Rounded map[int16]Addr

	// Wrote holds the registers that the current instruction has written, and
	// before those that the other one of its pair has.
	Wrote, before []sass.Reg
	clash         bool
	err           error // why it is not executed
}

// Run executes a listing from its first instruction to its return. Calls leave the
// general registers of kept alone. Where narrow is set, addresses have 32 bits.
func Run(l *Listing, kept abi.RegSet, target *abi.Target, narrow bool) (*Trace, error) {
	m := NewMachine(target, narrow)
	m.preserved = kept
	for i := 0; i < len(l.Instrs); {
		in := &l.Instrs[i]
		next, end, err := m.step(l, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: /*%04x*/ %s", l.Name, err, in.Addr, in)
		}
		if end {
			return &m.Trace, nil
		}
		i = next
	}
	return nil, fmt.Errorf("%s: the code ends without a return", l.Name)
}

// Clone returns a copy.
func (s *State) Clone() *State {
	if s == nil {
		return nil
	}
	c := *s
	c.Local, c.Carries, c.Virt, c.Barriers = maps.Clone(s.Local), maps.Clone(s.Carries), maps.Clone(s.Virt), maps.Clone(s.Barriers)
	if s.Beside != nil {
		c.Beside = s.Beside.Clone()
	}
	return &c
}

// NewMachine returns a machine at the beginning of a function.
func NewMachine(target *abi.Target, narrow bool) *Machine {
	m := &Machine{State: new(State), preserved: target.Regs.CalleeSaved, UniformKept: target.Regs.UniformCalleeSaved, Narrow: narrow, sm: target.SM}
	m.Local = make(map[Addr]Byte)
	m.Carries = make(map[string]uint32)
	m.Virt = make(map[string]Word)
	m.Stores = make(map[Addr]Byte)
	for i := range m.Regs {
		m.Regs[i] = RegWord(sass.Reg(i), 0)
		m.URegs[i] = URegWord(i, 0)
	}
	m.Bases = []Byte{{}, m.Regs[sass.SP].B[0]}
	return m
}

// step executes one instruction and returns the index of the next one.
func (m *Machine) step(l *Listing, i int) (next int, end bool, err error) {
	in := &l.Instrs[i]
	m.Begin(in, in.Addr)
	switch in.Guard {
	case "@!PT", "@!UPT":
		return i + 1, false, nil
	case "", "@PT", "@UPT":
	default:
		if next, ok := skipsAside(l, i); ok {
			return next, false, nil
		}
		return 0, false, fmt.Errorf("guarded instruction")
	}
	switch in.Name {
	case "RET":
		m.Ret = m.State.Clone()
		return 0, true, nil
	case "EXIT":
		return 0, true, nil
	case "CALL", "JCAL", "CAL", "JMX":
		return i + 1, false, m.call(in)
	}
	return i + 1, false, m.Execute(in)
}

// Begin makes an instruction be the current one; pc is what names it in what it makes.
func (m *Machine) Begin(in *Instr, pc int64) {
	m.PC, m.before = pc, nil
	if in.Pair == sass.Second {
		m.before = m.Wrote
	}
	m.Wrote, m.clash = nil, false
}

// Execute executes an instruction that changes registers and memory alone.
func (m *Machine) Execute(in *Instr) error {
	exec, ok := semantics[in.Name]
	if !ok {
		return fmt.Errorf("unknown instruction")
	}
	m.err = nil
	if exec(m, in); m.clash {
		m.fail(fmt.Errorf("reads what its pair writes"))
	}
	return m.err
}

// skipsAside reports whether the guarded instruction at i is a branch over
// nothing but the initialisation of barriers, or over the trap of a stack that
// is too small, and where it goes.
func skipsAside(l *Listing, i int) (int, bool) {
	in := &l.Instrs[i]
	if in.Name != "BRA" || len(in.Args) != 1 || in.Args[0].Kind != sass.KindSymbol {
		return 0, false
	}
	to, ok := l.Labels[in.Args[0].Name]
	if !ok || to <= i {
		return 0, false
	}
	for _, skipped := range l.Instrs[i+1 : to] {
		switch {
		case skipped.Name == "BMOV", skipped.Op == "BPT.TRAP":
		case skipped.Name == "UMOV" && skipped.Args[0] == sass.Uniform(2):
		default:
			return 0, false
		}
	}
	return to, true
}

// call notes a call and drops what the callee may change.
func (m *Machine) call(in *Instr) error {
	target, _, err := m.CallTarget(in)
	if err != nil {
		return err
	}
	m.Calls = append(m.Calls, m.State.Clone())
	m.Callees = append(m.Callees, target)
	m.epoch++
	clear(m.Carries)
	for i := range m.Regs {
		if !m.preserved.Has(sass.Reg(i)) {
			m.Regs[i] = RegWord(sass.Reg(i), m.epoch)
		}
		if !m.UniformKept.Has(sass.Reg(i)) {
			m.URegs[i] = URegWord(i, m.epoch)
		}
	}
	return nil
}

// Pointer stands for the name of a function that is called through a register.
const Pointer = "a pointer"

// CallTarget returns the name of the callee of a call, Pointer and the words of the
// registers if it goes through such.
func (m *Machine) CallTarget(in *Instr) (name string, pointer []Word, err error) {
	name = Pointer
	switch n := len(in.Args); {
	case n == 1 && in.Args[0].Kind == sass.KindSymbol:
		name = FunctionName(in.Args[0].Name)
	case (n == 1 || n == 2 && in.Args[1].Kind == sass.KindSymbol) && (in.Args[0].Kind == sass.KindRegister || in.Args[0].Kind == sass.KindVirtual):
		words := 2
		if in.Name == "JMX" {
			words = 1
		}
		for k := range words {
			w := ConstWord(0) // of both words of RZ
			if in.Args[0].Reg != sass.RZ {
				w = m.reg(in.Args[0].Reg + sass.Reg(k))
			}
			if in.Args[0].Kind == sass.KindVirtual {
				w = m.Virt[wordOf(in.Args[0], k, words)]
			}
			pointer = append(pointer, w)
		}
	default:
		return "", nil, fmt.Errorf("unknown call")
	}
	return name, pointer, nil
}

// Made returns a word whose bytes are not followed.
func (m *Machine) Made() Word {
	return WordFrom(Byte{Kind: MadeByte, Off: m.PC})
}

// reg returns the value of general register n.
func (m *Machine) reg(n sass.Reg) Word {
	if n == sass.RZ {
		return ConstWord(0)
	}
	if slices.Contains(m.before, n) {
		m.clash = true
	}
	return m.Regs[n]
}

func (m *Machine) ureg(n sass.Reg) Word {
	if n == sass.RZ {
		return ConstWord(0)
	}
	return m.URegs[n]
}

// set gives a destination values: the register of o, and those after it.
func (m *Machine) set(o sass.Operand, words ...Word) {
	virtual := o.Kind == sass.KindVirtual && bare(o)
	if !virtual && (!bare(o) || o.Suffix != "" || o.Kind != sass.KindRegister && o.Kind != sass.KindUniform) {
		m.fail(fmt.Errorf("unknown destination %s", o))
	}
	for k, w := range words {
		n := int(o.Reg) + k
		switch {
		case m.err != nil:
		case virtual:
			m.setVirtual(o, k, w)
		case o.Reg == sass.RZ:
		case n >= int(sass.RZ):
			m.fail(fmt.Errorf("no register %s+%d", o, k))
		case o.Kind == sass.KindRegister:
			m.Wrote = append(m.Wrote, sass.Reg(n))
			m.Regs[n] = w
		default:
			m.URegs[n] = w
		}
	}
}

// value returns the 32-bit value of a source operand. Signs are an error, but that of -RZ.
func (m *Machine) value(o sass.Operand) (w Word) {
	known := o.Suffix == ""
	switch o.Kind {
	case sass.KindRegister:
		w = m.reg(o.Reg)
	case sass.KindUniform:
		w = m.ureg(o.Reg)
	case sass.KindVirtual:
		w = m.virtual(o)
	case sass.KindImm:
		w = ConstWord(uint32(o.Off))
	case sass.KindConst:
		w = WordFrom(Byte{Kind: BankByte, Reg: o.Bank, Off: bankOffset(o)})
	case sass.KindSymbol, sass.KindLo32:
		w = m.SymbolWord(Symbol{o.Name, o.Label}, 0)
	case sass.KindHi32:
		w = m.SymbolWord(Symbol{o.Name, o.Label}, 4)
	default:
		known = false
	}
	if !bare(o) {
		v, ok := w.number()
		known = known && ok && v == 0 && !o.Not
	}
	if !known {
		m.fail(fmt.Errorf("unknown operand %s", o))
	}
	return w
}

// SymbolWord returns a word of the address of a symbol: bytes from first on.
func (t *Trace) SymbolWord(s Symbol, first uint8) Word {
	i := slices.Index(t.Symbols, s)
	if i < 0 {
		i = len(t.Symbols)
		t.Symbols = append(t.Symbols, s)
	}
	return WordFrom(Byte{Kind: LabelByte, N: first, Off: int64(i)})
}

// bankOffset returns the offset of a constant without register. Offsets have 16
// bits, which nvdisasm writes with a sign.
func bankOffset(o sass.Operand) int64 {
	if o.Off < 0 {
		return o.Off + 1<<16
	}
	return o.Off
}

// Linear splits a word into a base address and a number: NoBase for a number
// alone. It reports false for a word that is neither.
func (t *Trace) Linear(w Word) (Addr, bool) {
	if w.Base != NoBase {
		return Addr{w.Base, w.Add}, true
	}
	if v, ok := w.number(); ok {
		return Addr{NoBase, int64(int32(v))}, true
	}
	if !w.Whole() {
		return Addr{}, false
	}
	return Addr{t.BaseOf(w.B[0]), 0}, true
}

// BaseOf returns the index of a base address, which is new where it was not
// used before.
func (t *Trace) BaseOf(b Byte) int16 {
	for i, have := range t.Bases {
		if i != NoBase && have == b {
			return int16(i)
		}
	}
	t.Bases = append(t.Bases, b)
	return int16(len(t.Bases) - 1)
}

// unlinear is the inverse of Linear.
func (m *Machine) unlinear(a Addr) Word {
	if a.Base == NoBase {
		return ConstWord(uint32(a.Add))
	}
	w := m.Made()
	if a.Add != 0 || m.Bases[a.Base].Kind == MadeByte {
		w.Base, w.Add = a.Base, a.Add
		return w
	}
	return WordFrom(m.Bases[a.Base])
}

// Add returns the sum of words: of addresses and numbers, or of words of which
// at most one has something in each byte.
func (m *Machine) Add(words ...Word) Word {
	sum := words[0]
	for _, w := range words[1:] {
		sum = m.add2(sum, w)
	}
	return sum
}

func (m *Machine) add2(a, b Word) Word {
	x, okX := m.Linear(a)
	y, okY := m.Linear(b)
	if okX && okY && (x.Base == NoBase || y.Base == NoBase) {
		return m.unlinear(Addr{max(x.Base, y.Base), int64(int32(x.Add + y.Add))})
	}
	if a.Base != NoBase || b.Base != NoBase {
		return m.Made()
	}
	sum := m.Made()
	zero := Byte{Kind: ConstByte}
	for i := range sum.B {
		switch {
		case a.B[i] == zero:
			sum.B[i] = b.B[i]
		case b.B[i] == zero:
			sum.B[i] = a.B[i]
		default:
			return m.Made() // a carry may reach every byte above
		}
	}
	return sum
}
