package symexec

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// A localAddr is an address in local memory: add bytes from the base address
// with that index.
type localAddr struct {
	base int16
	add  int64
}

// A state is what the machine knows at one moment.
type state struct {
	regs  [256]word
	uregs [256]word
	local map[localAddr]byteValue // bytes that were written

	// carries are the carries of sums that are followed, by what holds them:
	// "CC", "P0".
	carries map[string]uint32
	// virt are the words of virtual registers, by their text; of pseudo-SASS.
	virt map[string]word
	// pushed is the label that PRET has named last, barriers those where the threads of a barrier meet.
	pushed   string
	barriers map[string]string
	// beside is what is kept with the state by what follows the machine; nil for nothing.
	beside beside
}

// What is kept beside a state is copied with it.
type beside interface{ clone() beside }

// A trace is what a function does as far as calls and global memory go.
type trace struct {
	// stores are the bytes written to global memory, at a number where there is no base, else beyond a parameter.
	stores map[localAddr]byteValue
	// calls are the states when control leaves for another function, with its
	// name; ret is the state at the return, nil in a kernel.
	calls   []*state
	callees []string
	ret     *state

	// bases are the identities of words that addresses in local memory count
	// from, by the first byte of each.
	bases []byteValue
	// symbols are what label bytes are of.
	symbols []symbol
}

// A symbol is what an address that is resolved later is of: a label of a function, or
// a function where label is "".
type symbol struct{ name, label string }

// A machine executes one listing on origins of bytes instead of bytes.
type machine struct {
	*state // what holds before the instruction
	trace
	preserved abi.RegSet // general registers that a call leaves alone
	upreserv  abi.RegSet // uniform ones
	narrow    bool         // addresses have 32 bits
	sm        int          // of the target

	// pointed is set where addresses beyond a parameter are followed.
	pointed bool
	// functions returns the symbol of a function that PTX names; nil where none is known.
	functions func(name string) (symbol string, ok bool)
	// onStore is called before a byte of global memory is written; nil for nothing.
	onStore func(at localAddr, b byteValue)

	epoch uint16
	pc    int64

	// aligned are the alignments of base addresses, in bytes, where they are noted, and rounded the addresses that those
	// were before a mask has rounded them down.
	aligned map[int16]int64
	rounded map[int16]localAddr

	// wrote holds the registers that the current instruction has written, and
	// before those that the other one of its pair has.
	wrote, before []sass.Reg
	clash         bool
}

// run executes a listing from its first instruction to its return. Calls leave the
// general registers of kept alone. Where narrow is set, addresses have 32 bits.
func run(l *listing, kept abi.RegSet, target *abi.Target, narrow bool) (*trace, error) {
	m := newMachine(target, narrow)
	m.preserved = kept
	for i := 0; i < len(l.instrs); {
		in := &l.instrs[i]
		next, end, err := m.step(l, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: /*%04x*/ %s", l.name, err, in.Addr, in)
		}
		if end {
			return &m.trace, nil
		}
		i = next
	}
	return nil, fmt.Errorf("%s: the code ends without a return", l.name)
}

// clone returns a copy of what holds.
func (s *state) clone() *state {
	if s == nil {
		return nil
	}
	c := *s
	c.local, c.carries, c.virt, c.barriers = maps.Clone(s.local), maps.Clone(s.carries), maps.Clone(s.virt), maps.Clone(s.barriers)
	if s.beside != nil {
		c.beside = s.beside.clone()
	}
	return &c
}

// newMachine returns a machine at the beginning of a function.
func newMachine(target *abi.Target, narrow bool) *machine {
	m := &machine{state: new(state), preserved: target.Regs.CalleeSaved, upreserv: target.Regs.UniformCalleeSaved, narrow: narrow, sm: target.SM}
	m.local = make(map[localAddr]byteValue)
	m.carries = make(map[string]uint32)
	m.virt = make(map[string]word)
	m.stores = make(map[localAddr]byteValue)
	for i := range m.regs {
		m.regs[i] = regWord(sass.Reg(i), 0)
		m.uregs[i] = uregWord(i, 0)
	}
	m.bases = []byteValue{{}, m.regs[sass.SP].b[0]}
	return m
}

func uregWord(reg int, epoch uint16) word {
	w := regWord(sass.Reg(reg), epoch)
	for i := range w.b {
		w.b[i].kind = uregByte
	}
	return w
}

// step executes one instruction and returns the index of the next one.
func (m *machine) step(l *listing, i int) (next int, end bool, err error) {
	in := &l.instrs[i]
	m.pc = in.Addr
	m.before = nil
	if in.Pair == sass.Second {
		m.before = m.wrote
	}
	m.wrote, m.clash = nil, false

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
	if in.Text != "" {
		return i + 1, false, m.source(in.Text)
	}
	switch in.op {
	case "RET":
		m.ret = m.state.clone()
		return 0, true, nil
	case "EXIT":
		return 0, true, nil
	case "CALL", "JCAL", "CAL", "JMX":
		return i + 1, false, m.call(in)
	}
	exec, ok := semantics[in.op]
	if !ok {
		return 0, false, fmt.Errorf("unknown instruction")
	}
	if err := exec(m, in); err != nil {
		return 0, false, err
	}
	if m.clash {
		return 0, false, fmt.Errorf("reads what its pair writes")
	}
	return i + 1, false, nil
}

// skipsAside reports whether the guarded instruction at i is a branch over
// nothing but the initialisation of barriers, or over the trap of a stack that
// is too small, and where it goes.
func skipsAside(l *listing, i int) (int, bool) {
	in := &l.instrs[i]
	if in.op != "BRA" || len(in.Args) != 1 || in.Args[0].Kind != sass.Symbol {
		return 0, false
	}
	to, ok := l.labels[in.Args[0].Name]
	if !ok || to <= i {
		return 0, false
	}
	for _, skipped := range l.instrs[i+1 : to] {
		switch {
		case skipped.op == "BMOV", skipped.Op == "BPT.TRAP":
		case skipped.op == "UMOV" && skipped.Args[0] == sass.U(2):
		default:
			return 0, false
		}
	}
	return to, true
}

// call notes a call and forgets what the callee may change.
func (m *machine) call(in *instr) error {
	target, _, err := m.callTarget(in)
	if err != nil {
		return err
	}
	m.calls = append(m.calls, m.state.clone())
	m.callees = append(m.callees, target)
	m.epoch++
	clear(m.carries)
	for i := range m.regs {
		if !m.preserved.Has(sass.Reg(i)) {
			m.regs[i] = regWord(sass.Reg(i), m.epoch)
		}
		if !m.upreserv.Has(sass.Reg(i)) {
			m.uregs[i] = uregWord(i, m.epoch)
		}
	}
	return nil
}

// made is a word whose bytes are not followed.
func (m *machine) made() word {
	var w word
	for i := range w.b {
		w.b[i] = byteValue{kind: madeByte, n: uint8(i), off: m.pc}
	}
	return w
}

// reg returns the value of general register n.
func (m *machine) reg(n sass.Reg) word {
	if n == sass.RZ {
		return constWord(0)
	}
	if slices.Contains(m.before, n) {
		m.clash = true
	}
	return m.regs[n]
}

func (m *machine) ureg(n sass.Reg) word {
	if n == sass.RZ {
		return constWord(0)
	}
	return m.uregs[n]
}

// set gives a destination a value: the register of o, or one beyond it.
func (m *machine) set(o sass.Operand, beyond int, w word) error {
	if o.Kind == sass.Virtual && bare(o) {
		return m.setVirtual(o, beyond, w)
	}
	if !bare(o) || o.Suffix != "" || o.Kind != sass.Register && o.Kind != sass.Uniform {
		return fmt.Errorf("unknown destination %s", o)
	}
	n := int(o.Reg) + beyond
	switch {
	case o.Reg == sass.RZ:
	case n >= int(sass.RZ):
		return fmt.Errorf("no register %s+%d", o, beyond)
	case o.Kind == sass.Register:
		m.wrote = append(m.wrote, sass.Reg(n))
		m.regs[n] = w
	default:
		m.uregs[n] = w
	}
	return nil
}

// value returns the 32-bit value of a source operand. Signs are an error.
func (m *machine) value(o sass.Operand) (word, error) {
	if !bare(o) {
		if w, err := m.unsigned(o); err == nil {
			if v, ok := w.number(); ok && v == 0 && !o.Not {
				return w, nil // -RZ
			}
		}
		return word{}, fmt.Errorf("unknown operand %s", o)
	}
	return m.unsigned(o)
}

// unsigned returns the value of a source operand without regard to its signs.
func (m *machine) unsigned(o sass.Operand) (word, error) {
	if o.Suffix != "" {
		return word{}, fmt.Errorf("unknown operand %s", o)
	}
	switch o.Kind {
	case sass.Register:
		return m.reg(o.Reg), nil
	case sass.Uniform:
		return m.ureg(o.Reg), nil
	case sass.Virtual:
		return m.virtual(o), nil
	case sass.Imm:
		return constWord(uint32(o.Off)), nil
	case sass.Const:
		return bankWord(o.Bank, bankOffset(o)), nil
	case sass.Symbol, sass.Lo32:
		return m.symbolWord(symbol{o.Name, o.Label}, 0), nil
	case sass.Hi32:
		return m.symbolWord(symbol{o.Name, o.Label}, 4), nil
	}
	return word{}, fmt.Errorf("unknown operand %s", o)
}

// symbolWord returns a word of the address of a symbol: bytes from first on.
func (t *trace) symbolWord(s symbol, first uint8) word {
	i := slices.Index(t.symbols, s)
	if i < 0 {
		i = len(t.symbols)
		t.symbols = append(t.symbols, s)
	}
	var w word
	for k := range w.b {
		w.b[k] = byteValue{kind: labelByte, n: first + uint8(k), off: int64(i)}
	}
	return w
}

// bankOffset returns the offset of a constant without register. Offsets have 16
// bits, which nvdisasm writes with a sign.
func bankOffset(o sass.Operand) int64 {
	if o.Off < 0 {
		return o.Off + 1<<16
	}
	return o.Off
}

// bankWord returns the word at an offset of a constant bank.
func bankWord(bank uint8, off int64) word {
	var w word
	for i := range w.b {
		w.b[i] = byteValue{kind: bankByte, reg: bank, off: off + int64(i)}
	}
	return w
}

// linear splits a word into a base address and a number: noBase for a number
// alone. It reports false for a word that is neither.
func (t *trace) linear(w word) (localAddr, bool) {
	if w.base != noBase {
		return localAddr{w.base, w.add}, true
	}
	if v, ok := w.number(); ok {
		return localAddr{noBase, int64(int32(v))}, true
	}
	if !w.whole() {
		return localAddr{}, false
	}
	return localAddr{t.baseOf(w.b[0]), 0}, true
}

// baseOf returns the index of a base address, which is new where it was not
// used before.
func (t *trace) baseOf(b byteValue) int16 {
	for i, have := range t.bases {
		if i != noBase && have == b {
			return int16(i)
		}
	}
	t.bases = append(t.bases, b)
	return int16(len(t.bases) - 1)
}

// unlinear is the inverse of linear.
func (m *machine) unlinear(a localAddr) word {
	if a.base == noBase {
		return constWord(uint32(a.add))
	}
	w := m.made()
	if a.add != 0 || m.bases[a.base].kind == madeByte {
		w.base, w.add = a.base, a.add
		return w
	}
	for i := range w.b {
		w.b[i] = m.bases[a.base]
		switch w.b[i].kind {
		case regByte, uregByte, labelByte, termByte, phiByte:
			w.b[i].n += uint8(i)
		default:
			w.b[i].off += int64(i)
		}
	}
	return w
}

// add returns the sum of words: of addresses and numbers, or of words of which
// at most one has something in each byte.
func (m *machine) add(words ...word) word {
	sum := words[0]
	for _, w := range words[1:] {
		sum = m.add2(sum, w)
	}
	return sum
}

func (m *machine) add2(a, b word) word {
	x, okX := m.linear(a)
	y, okY := m.linear(b)
	if okX && okY && (x.base == noBase || y.base == noBase) {
		return m.unlinear(localAddr{max(x.base, y.base), int64(int32(x.add + y.add))})
	}
	if a.base != noBase || b.base != noBase {
		return m.made()
	}
	sum := m.made()
	zero := byteValue{kind: constByte}
	for i := range sum.b {
		switch {
		case a.b[i] == zero:
			sum.b[i] = b.b[i]
		case b.b[i] == zero:
			sum.b[i] = a.b[i]
		default:
			return m.made() // a carry may reach every byte above
		}
	}
	return sum
}
