package sim

import (
	"cmp"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// callName is a call of a function by its name.
func callName(m *Machine, in *sass.Instr) error {
	if in.Args[0].Kind != sass.KindSymbol {
		return callRegister(m, in)
	}
	f := m.names[in.Args[0].Name]
	if f == nil {
		return fmt.Errorf("no function %s", in.Args[0].Name)
	}
	return m.call(f)
}

// callRegister is a call through a pair of registers; JMX, once the return address has been pushed, through one.
func callRegister(m *Machine, in *sass.Instr) error {
	n := 2
	if m.pushes() {
		n = 1
	}
	words, err := m.words(&in.Args[0], n)
	if err != nil {
		return err
	}
	for _, w := range words {
		if _, ok := w.Value(); !ok {
			return fmt.Errorf("the address in %s is undefined", in.Args[0].String())
		}
	}
	f, err := m.functionAt(words[0].bits())
	if err != nil {
		return err
	}
	if hi, want := words[n-1].bits(), m.pointerHigh(f); n > 1 && hi != want {
		return fmt.Errorf("the high word of the address of %s is %#x, want %#x", f.name, hi, want)
	}
	return m.call(f)
}

// pointerHigh is the high word of a pointer to a function.
func (m *Machine) pointerHigh(f *function) uint32 {
	if m.conf.Narrow {
		return 0
	}
	return f.high
}

// callSelf is a call of the function that it stands in.
func callSelf(m *Machine, in *sass.Instr) error {
	if in.Args[0] != sass.Symbol(m.act.f.name) {
		return fmt.Errorf("it calls another function than its own")
	}
	return callName(m, in)
}

// pushing is a call where the machine keeps the return address.
func pushing(call executor) executor {
	return func(m *Machine, in *sass.Instr) error {
		m.stack = append(m.stack, m.act.f.at(m.act.pc))
		return call(m, in)
	}
}

func preRet(m *Machine, in *sass.Instr) error {
	to, ok := m.act.f.labels[in.Args[0].Name]
	if !ok {
		return fmt.Errorf("no label %s", in.Args[0].Name)
	}
	m.stack = append(m.stack, m.act.f.at(to))
	return nil
}

// pushes reports whether return addresses are on a stack of the hardware.
func (m *Machine) pushes() bool { return m.conf.Convention.RetAddr == sass.RZ }

// call begins f as the callee of the current activation, after the checks that
// are the caller's duty.
func (m *Machine) call(f *function) error {
	if m.conf.Callee == nil {
		return fmt.Errorf("no convention is known for %s", f.name)
	}
	contract, err := m.conf.Callee(f.name)
	if err != nil {
		return err
	}
	caller := m.act
	if len(m.calls) > 1000 {
		return fmt.Errorf("more than 1000 activations")
	}
	if !caller.spKnown {
		return fmt.Errorf("a call before the stack pointer is set")
	}
	conv := cmp.Or(contract.Convention, &m.conf.Convention)
	if err := m.ready(len(m.calls) - 1); err != nil {
		return err
	}
	back := caller.f.at(caller.pc)
	if err := m.returnsTo(conv, caller.f, back, caller.depth+1); err != nil {
		return err
	}
	sp := m.regs[m.conf.SP].bits()
	if align := uint32(max(contract.Align, 1)); sp%align != 0 {
		return fmt.Errorf("the stack pointer %#x is not a multiple of %d at the call of %s", sp, align, f.name)
	}
	if int64(sp)+int64(contract.Stack) > int64(caller.entry) && contract.Stack > 0 {
		return fmt.Errorf("the frame has no room for the %d bytes of stack parameters of %s", contract.Stack, f.name)
	}
	a := &activation{f: f, contract: contract, conv: conv, spKnown: true, entry: sp, back: back, depth: caller.depth + 1}
	if contract.SretSize > 0 {
		if a.sret, err = m.sretAddr(&contract, sp); err != nil {
			return err
		}
	}
	if m.conf.Called != nil {
		if err := m.conf.Called(m, f.name); err != nil {
			return err
		}
	}
	if contract.SretSize > 0 {
		m.undefine(a.sret, a.sret+uint32(contract.SretSize))
	}
	m.clobber(conv, contract.Args)
	m.undefine(0, sp)
	m.mark(a)
	m.hold()
	m.push(a)
	return nil
}

// returnsTo checks that a return from now on goes to an address in a function.
func (m *Machine) returnsTo(conv *Convention, f *function, back uint32, depth int) error {
	if m.pushes() {
		if len(m.stack) != depth {
			return fmt.Errorf("%d return addresses are pushed, want %d", len(m.stack), depth)
		}
		if got := m.stack[depth-1]; got != back {
			return fmt.Errorf("the return address is %#x, want %#x", got, back)
		}
		return nil
	}
	lo, okLo := m.regs[conv.RetAddr].Value()
	hi, okHi := m.regs[conv.RetAddr+1].Value()
	if !okLo || !okHi || lo != back || hi != f.high {
		return fmt.Errorf("the return address %#x is not in R%d:R%d", back, conv.RetAddr, conv.RetAddr+1)
	}
	return nil
}

// sretAddr returns the sret pointer: the address of the memory for a result, which has to be
// in the caller's frame and above the stack parameters.
func (m *Machine) sretAddr(c *Contract, sp uint32) (uint32, error) {
	addr, ok := m.regs[c.Sret].Value()
	if !ok {
		return 0, fmt.Errorf("the address of the result in R%d is undefined", c.Sret)
	}
	if addr%uint32(max(c.SretAlign, 1)) != 0 {
		return 0, fmt.Errorf("the address %#x of the result is not a multiple of %d", addr, c.SretAlign)
	}
	if err := m.within(addr, c.SretSize); err != nil {
		return 0, fmt.Errorf("memory for the result: %w", err)
	}
	if int64(addr) < int64(sp)+int64(c.Stack) {
		return 0, fmt.Errorf("memory for the result at %#x overlaps the stack parameters at [%#x,%#x)", addr, sp, int64(sp)+int64(c.Stack))
	}
	return addr, nil
}

// clobber makes all caller-saved registers undefined but those given, and all
// predicates.
func (m *Machine) clobber(conv *Convention, keep abi.RegSet) {
	for _, r := range conv.Scratch {
		if !keep.Has(r) {
			m.regs[r] = Word{}
		}
	}
	m.preds = [7]Truth{}
}

// mark gives every callee-saved register a strange value and keeps the
// caller's.
func (m *Machine) mark(a *activation) {
	a.saved, a.marks = make([]Word, len(a.conv.Preserved)), make([]Word, len(a.conv.Preserved))
	for i, r := range a.conv.Preserved {
		a.saved[i] = m.regs[r]
		m.serial++
		var w Word
		for k := range w {
			v := (m.serial*4 + uint32(k)) * 2654435761
			w[k] = Byte{uint8(v >> 24), Origin{Kind: Marker, Byte: uint8(k), ID: m.serial}}
		}
		a.marks[i], m.regs[r] = w, w
	}
}

// ret is the return: by the hardware's stack, or to the address in a pair of
// registers.
func ret(m *Machine, in *sass.Instr) error {
	a := m.act
	if len(m.calls) == 1 {
		return fmt.Errorf("a kernel returns")
	}
	if m.pushes() != (len(in.Args) == 0) {
		return errOperands
	}
	if !m.pushes() {
		words, err := m.words(&in.Args[0], 2)
		if err != nil {
			return err
		}
		if in.Args[0].Reg != a.conv.RetAddr {
			return fmt.Errorf("the return address of %s is in R%d", a.f.name, a.conv.RetAddr)
		}
		if lo, ok := words[0].Value(); !ok || lo != a.back {
			return fmt.Errorf("%s does not hold the return address %#x", in.Args[0].String(), a.back)
		}
	}
	if err := m.returnsTo(a.conv, m.calls[len(m.calls)-2].f, a.back, a.depth); err != nil {
		return err
	}
	if sp := m.regs[m.conf.SP].bits(); sp != a.entry {
		return fmt.Errorf("the stack pointer is %#x at the return, was %#x", sp, a.entry)
	}
	for i, r := range a.conv.Preserved {
		if m.regs[r] != a.marks[i] {
			return fmt.Errorf("register R%d is not preserved", r)
		}
	}
	if m.conf.Returned != nil {
		if err := m.conf.Returned(m, a.f.name); err != nil {
			return err
		}
	}
	if err := m.ready(len(m.calls) - 1); err != nil {
		return err
	}
	m.release(len(m.calls) - 2)
	for i, r := range a.conv.Preserved {
		m.regs[r] = a.saved[i]
	}
	m.clobber(a.conv, a.contract.Results)
	if m.pushes() {
		m.stack = m.stack[:len(m.stack)-1]
	} else {
		m.regs[a.conv.RetAddr], m.regs[a.conv.RetAddr+1] = Word{}, Word{}
	}
	m.undefine(0, a.entry+uint32(a.contract.Stack))
	m.calls = m.calls[:len(m.calls)-1]
	m.act = m.calls[len(m.calls)-1]
	return nil
}

func exit(m *Machine, in *sass.Instr) error {
	m.done = true
	return m.ready(len(m.calls) - 1)
}

func branch(m *Machine, in *sass.Instr) error {
	return m.jump(in.Args[0].Name)
}
