package simtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// An event is something that a program does as seen from outside: all that two
// executions of it have to agree on.
type event struct {
	kind  string       // "call", "return", "observe"
	name  string       // of the function
	addr  int64        // of what is observed
	bytes [][]sim.Byte // arguments, the result, what is observed
}

// A ptxMachine executes PTX as its manual says: variables of .param space are
// memory that a call copies, and there are no physical registers.
type ptxMachine struct {
	mod    *ptx.Module
	table  *resolve.Table
	block  func(index int) int // offset of a kernel's parameter in its block
	events []event
	logs   simLog
	text   *sim.Text
	steps  int
	depth  int

	mem  map[uint32]*ptxVar // by base address, variables whose address was taken
	next uint32
}

// A ptxVar is a variable in memory.
type ptxVar struct {
	spec  *ptx.Spec
	bytes []sim.Byte
	addr  uint32 // 0 if nothing takes it
}

// A ptxFrame is an activation.
type ptxFrame struct {
	*ptxMachine
	regs   map[string][]sim.Byte
	truths map[string]sim.Truth
	vars   []map[string]*ptxVar // by the depth of the block
	protos map[string]*ptx.Prototype
}

// Width implements [sim.Registers].
func (f *ptxFrame) Width(reg string) int { return regSize(reg) }

// Get implements [sim.Registers].
func (f *ptxFrame) Get(reg string, size int) []sim.Byte {
	b := f.regs[reg]
	out := make([]sim.Byte, size)
	copy(out, b)
	return out
}

// Set implements [sim.Registers].
func (f *ptxFrame) Set(reg string, bytes []sim.Byte) { f.regs[reg] = slices.Clone(bytes) }

// Truth implements [sim.Registers].
func (f *ptxFrame) Truth(pred string) sim.Truth { return f.truths[pred] }

// SetTruth implements [sim.Registers].
func (f *ptxFrame) SetTruth(pred string, t sim.Truth) { f.truths[pred] = t }

// Load reads the memory at an address.
func (m *ptxMachine) Load(a uint32, n int) ([]sim.Byte, error) { return m.at(a, n) }

// Store writes the memory at an address.
func (m *ptxMachine) Store(a uint32, bytes []sim.Byte) error {
	to, err := m.at(a, len(bytes))
	copy(to, bytes)
	return err
}

// at returns the memory at an address, objects being 1 MiB apart.
func (m *ptxMachine) at(addr uint32, n int) ([]sim.Byte, error) {
	v := m.mem[addr&^0xfffff]
	off := int(addr & 0xfffff)
	if v == nil || off+n > len(v.bytes) {
		return nil, fmt.Errorf("%d bytes at %#x belong to no variable", n, addr)
	}
	return v.bytes[off : off+n], nil
}

func (m *ptxMachine) addressOf(v *ptxVar) uint32 {
	if v.addr == 0 {
		m.next += 0x100000
		v.addr = m.next
		m.mem[v.addr] = v
	}
	return v.addr
}

func (f *ptxFrame) symbol(name string) ([]sim.Byte, error) {
	if v := f.lookup(name); v != nil {
		return address(f.addressOf(v), f.logs.pointer), nil
	}
	for i, it := range f.mod.Items {
		if fn, ok := it.(*ptx.Func); ok && fn.Name == name {
			return address(uint32(i+1), f.logs.pointer), nil
		}
	}
	return nil, fmt.Errorf("%s means nothing here", name)
}

// lookup returns the variable that a name means, nil if it means none.
func (f *ptxFrame) lookup(name string) *ptxVar {
	for i := len(f.vars) - 1; i >= 0; i-- {
		if v := f.vars[i][name]; v != nil {
			return v
		}
	}
	return nil
}

// newVar returns a variable whose bytes are undefined.
func newVar(s *ptx.Spec, v *ptx.Var) *ptxVar {
	return &ptxVar{spec: s, bytes: make([]sim.Byte, s.SizeOf(v))}
}

// run executes a kernel.
func (m *ptxMachine) run(kernel string) error {
	m.logs.pointer = m.mod.AddressSize / 8
	m.mem = make(map[uint32]*ptxVar)
	m.table = resolve.NewTable(m.mod)
	m.logs.observe = func(addr int64, bytes []sim.Byte) error {
		m.events = append(m.events, event{kind: "observe", addr: addr, bytes: [][]sim.Byte{slices.Clone(bytes)}})
		return nil
	}
	m.text = newText(nil, m, nil, &m.logs)
	f := m.table.Lookup(kernel).Func
	args := make([][]sim.Byte, len(f.Params))
	for i := range f.Params {
		p := &f.Params[i]
		args[i] = make([]sim.Byte, p.Size())
		for k := range args[i] {
			args[i][k] = kernelByte(m.logs.seed, m.block(i)+k)
		}
	}
	_, err := m.call(f, args)
	return err
}

// kernelByte is a byte of a parameter block.
func kernelByte(seed uint32, off int) sim.Byte {
	return sim.Byte{Val: uint8(mix(seed, uint32(off))), From: sim.Origin{Kind: sim.Input, ID: 1<<31 | uint32(off)}}
}

// call executes a function and returns the bytes of its result.
func (m *ptxMachine) call(fn *ptx.Func, args [][]sim.Byte) ([]sim.Byte, error) {
	if m.depth++; m.depth > 50 {
		return nil, fmt.Errorf("too many activations")
	}
	defer func() { m.depth-- }()
	f := &ptxFrame{
		ptxMachine: m, regs: map[string][]sim.Byte{}, truths: map[string]sim.Truth{},
		vars: []map[string]*ptxVar{{}}, protos: map[string]*ptx.Prototype{},
	}
	for i := range fn.Params {
		p := &fn.Params[i]
		if p.Space == ptx.RegSpace {
			f.assign(p.Name, args[i])
			continue
		}
		f.vars[0][p.Name] = &ptxVar{spec: &p.Spec, bytes: slices.Clone(args[i])}
	}
	for i := range fn.Results {
		if p := &fn.Results[i]; p.Space == ptx.ParamSpace {
			f.vars[0][p.Name] = newVar(&p.Spec, &p.Var)
		}
	}
	if err := f.body(fn); err != nil {
		return nil, fmt.Errorf("%s: %w", fn.Name, err)
	}
	if len(fn.Results) == 0 {
		return nil, nil
	}
	p := &fn.Results[0]
	if p.Space == ptx.RegSpace {
		return f.read(p.Name, p.Size()), nil
	}
	return slices.Clone(f.vars[0][p.Name].bytes), nil
}

// assign sets a register, a vector of them or a predicate to the bytes of a
// value.
func (f *ptxFrame) assign(reg string, bytes []sim.Byte) {
	elems := vecElems(reg)
	for i, e := range elems {
		n := len(bytes) / len(elems)
		f.Set(e, bytes[n*i:n*(i+1)])
	}
	switch {
	case elems != nil:
	case regSize(reg) == 0:
		v, ok := sim.Uint(bytes)
		f.SetTruth(reg, sim.Truth{Val: v != 0, Defined: ok})
	default:
		f.Set(reg, bytes)
	}
}

// read is the converse of assign.
func (f *ptxFrame) read(reg string, size int) []sim.Byte {
	if elems := vecElems(reg); elems != nil {
		var out []sim.Byte
		for _, e := range elems {
			out = append(out, f.Get(e, size/len(elems))...)
		}
		return out
	}
	if regSize(reg) != 0 {
		return f.Get(reg, size)
	}
	t := f.Truth(reg)
	switch {
	case !t.Defined:
		return make([]sim.Byte, 1)
	case t.Val:
		return sim.Bytes(1, 1)
	}
	return sim.Bytes(0, 1)
}

// body executes the statements up to the return.
func (f *ptxFrame) body(fn *ptx.Func) error {
	labels, depths, depth := map[string]int{}, map[string]int{}, 1
	for i, s := range fn.Body {
		switch s := s.(type) {
		case *ptx.Open:
			depth++
		case *ptx.Close:
			depth--
		case *ptx.Label:
			labels[s.Name], depths[s.Name] = i, depth
		}
	}
	for pc := 0; pc < len(fn.Body); pc++ {
		if f.steps++; f.steps > 1e6 {
			return fmt.Errorf("an endless loop")
		}
		switch s := fn.Body[pc].(type) {
		case *ptx.Open:
			f.vars = append(f.vars, map[string]*ptxVar{})
		case *ptx.Close:
			f.vars = f.vars[:len(f.vars)-1]
		case *ptx.Decl:
			for i := range s.Vars {
				if s.Space == ptx.ParamSpace || s.Space == ptx.LocalSpace {
					f.vars[len(f.vars)-1][s.Vars[i].Name] = newVar(&s.Spec, &s.Vars[i])
				}
			}
		case *ptx.Prototype:
			f.protos[s.Name] = s
		case *ptx.Access:
			if on, err := f.on(s.Guard); err != nil {
				return err
			} else if on {
				if err := f.access(fn, s); err != nil {
					return err
				}
			}
		case *ptx.Call:
			if on, err := f.on(s.Guard); err != nil {
				return err
			} else if on {
				if err := f.callStmt(s); err != nil {
					return err
				}
			}
		case *ptx.Instr:
			on, err := f.on(s.Guard)
			if err != nil {
				return err
			}
			if s.Op == "ret" || s.Op == "exit" {
				if on {
					return nil
				}
				continue
			}
			if !on {
				continue
			}
			label, err := f.instr(s)
			if err != nil {
				return fmt.Errorf("%d: %w", s.Pos.Line, err)
			}
			if label != "" {
				if depths[label] > len(f.vars) {
					return fmt.Errorf("a branch into a block, to %s", label)
				}
				pc, f.vars = labels[label], f.vars[:depths[label]]
			}
		}
	}
	return nil
}

func (f *ptxFrame) instr(s *ptx.Instr) (string, error) {
	args := strings.Split(strings.ReplaceAll(s.Args, " ", ""), ",")
	switch op, _, _ := strings.Cut(s.Op, "."); op {
	case "alloca":
		var n int
		if _, err := fmt.Sscan(args[1], &n); err != nil {
			return "", err
		}
		f.Set(args[0], address(f.addressOf(&ptxVar{bytes: make([]sim.Byte, n)}), f.logs.pointer))
		return "", nil
	case "stacksave":
		f.Set(args[0], address(0, f.logs.pointer))
		return "", nil
	case "stackrestore":
		return "", nil
	}
	f.text.Registers, f.text.Symbol = f, f.symbol
	return f.text.Run(string(ptx.AppendStmt(nil, s)))
}

func (f *ptxFrame) on(g *ptx.Guard) (bool, error) {
	if g == nil {
		return true, nil
	}
	t := f.Truth(g.Name)
	if !t.Defined {
		return false, fmt.Errorf("the guard %s is undefined", g.Name)
	}
	return t.Val != g.Neg, nil
}
