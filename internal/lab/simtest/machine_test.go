package simtest

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// An execution holds what was lowered against the events of the PTX.
type execution struct {
	t      *abi.Target
	mod    *ptx.Module
	table  *resolve.Table
	events []event
	next   int
	logs   simLog
	kernel abi.Assignment
	asns   map[string]*abi.Assignment // by the name of the function
	open   []*abi.Assignment          // of the calls under way
}

var errEvent = errors.New("it differs from the PTX")

func differs(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errEvent, fmt.Sprintf(format, args...))
}

// take returns the next event of the PTX.
func (x *execution) take(kind, name string) (*event, error) {
	if x.next == len(x.events) {
		return nil, differs("%s %s, where the PTX does nothing more", kind, name)
	}
	e := &x.events[x.next]
	x.next++
	if e.kind != kind || e.name != name {
		return nil, differs("%s %s, where the PTX does %s %s", kind, name, e.kind, e.name)
	}
	return e, nil
}

// assignment returns the contract of the call that is about to happen.
func (x *execution) assignment(name string) (*abi.Assignment, error) {
	if a := x.asns[name]; a != nil {
		return a, nil
	}
	c := x.table.Lookup(name)
	if c == nil {
		return nil, fmt.Errorf("%s is not a function of the module", name)
	}
	s := resolve.NewFunction(nil, c.Func).Signature()
	last := len(s.Params) - 1
	tail := last >= 0 && s.Params[last].Kind == abi.Unsized
	if tail && x.next < len(x.events) && x.events[x.next].kind == "call" && last < len(x.events[x.next].bytes) {
		s.Params[last].Size = len(x.events[x.next].bytes[last])
	}
	a, err := abi.Assign(s, x.t)
	if err != nil {
		return nil, err
	}
	if !tail {
		x.asns[name] = &a
	}
	return &a, nil
}

// contract is the assignment in the words of package sim.
func (x *execution) contract(name string) (sim.Contract, error) {
	a, err := x.assignment(name)
	if err != nil {
		return sim.Contract{}, err
	}
	x.open = append(x.open, a)
	c := sim.ContractOf(x.t, a)
	if p := resolve.NewFunction(nil, x.table.Lookup(name).Func).Signature().Preserve; p.Given {
		c.Convention = conventionOf(x.t, p)
	}
	return c, nil
}

// called compares the arguments as the convention places them.
func (x *execution) called(m *sim.Machine, name string) error {
	e, err := x.take("call", name)
	if err != nil {
		return err
	}
	a, fn := x.open[len(x.open)-1], x.table.Lookup(name).Func
	for i, want := range e.bytes {
		p := &fn.Params[i]
		if err := x.placed(m, a.Params[i].Loc, promoted(p, want)); err != nil {
			return fmt.Errorf("argument %s of %s, %w", p.Name, name, err)
		}
	}
	return nil
}

func (x *execution) returned(m *sim.Machine, name string) error {
	e, err := x.take("return", name)
	if err != nil {
		return err
	}
	a, fn := x.open[len(x.open)-1], x.table.Lookup(name).Func
	x.open = x.open[:len(x.open)-1]
	if len(fn.Results) == 0 {
		return nil
	}
	p := &fn.Results[0]
	loc := a.Results[0].Loc
	if err := x.placed(m, loc, promoted(p, e.bytes[0])); err != nil {
		return fmt.Errorf("result %s of %s, %w", p.Name, name, err)
	}
	return nil
}

// promoted returns the bytes of a value as they have to be in its word:
// sub-word integers are extended.
func promoted(p *ptx.Formal, bytes []sim.Byte) []sim.Byte {
	if len(p.Dims) > 0 || p.Vec != 0 {
		return bytes
	}
	switch p.Type {
	case ptx.U8, ptx.S8, ptx.U16, ptx.S16, ptx.Pred:
		return widen(bytes, 4, p.Type.Signed())
	}
	return bytes
}

// placed compares a value with the place where it has to be.
func (x *execution) placed(m *sim.Machine, loc abi.Loc, want []sim.Byte) error {
	sp, _ := m.StackPointer()
	for k, w := range want {
		var got sim.Byte
		switch loc.Kind {
		case abi.InReg:
			got = m.Reg(loc.Reg + sass.Reg(k/4))[k%4]
		case abi.OnStack:
			got = m.Local(sp + uint32(loc.Off+k))
		case abi.Indirect:
			got = m.Local(m.SretAddr() + uint32(k))
		}
		if !got.Same(w) {
			return differs("byte %d is %v, want %v", k, got, w)
		}
	}
	return nil
}

func (x *execution) observe(addr int64, bytes []sim.Byte) error {
	e, err := x.take("observe", "")
	if err != nil {
		return err
	}
	if e.addr != addr || len(e.bytes[0]) != len(bytes) {
		return differs("%d bytes stored at out+%d, want %d at out+%d", len(bytes), addr, len(e.bytes[0]), e.addr)
	}
	for k, w := range e.bytes[0] {
		if !bytes[k].Same(w) {
			return differs("byte %d of what is stored at out+%d is %v, want %v", k, addr, bytes[k], w)
		}
	}
	return nil
}

// bank is the constant bank of a kernel.
func (x *execution) bank(top uint32) func(bank uint8, off int64) sim.Byte {
	k := &x.t.Kernel
	return func(bank uint8, off int64) sim.Byte {
		at := int(off)
		if bank == k.SP.Bank && at >= k.SP.Off && at < k.SP.Off+4 {
			return address(top, 4)[at-k.SP.Off]
		}
		if at -= x.kernel.Block.Base; bank == k.ParamBank && at >= 0 && at < x.kernel.Block.Size {
			return kernelByte(x.logs.seed, at)
		}
		return sim.Byte{}
	}
}

// stackTop is where stacks begin: a multiple of 16 and of nothing more.
const stackTop = 96<<10 + 16

// A tally counts what a run compared.
type tally struct {
	calls    int
	observed int // bytes that were looked at
	defined  int // those of them that have a value
	crowded  int // programs that left no registers for random homes, and ran without
}

func (t *tally) add(u tally) {
	t.calls += u.calls
	t.observed += u.observed
	t.defined += u.defined
	t.crowded += u.crowded
}

func (x *execution) tally() tally {
	var t tally
	for i := range x.events {
		e := &x.events[i]
		switch e.kind {
		case "call":
			t.calls++
		case "observe":
			for _, b := range e.bytes[0] {
				t.observed++
				if b.From.Kind != sim.Undefined {
					t.defined++
				}
			}
		}
	}
	return t
}

// runModule executes the kernel "k" of a module, as PTX and as lowered, and returns
// the difference. The change, if any, is made to the lowered program; if it reports
// false, nothing is executed. Homes may be nil.
func runModule(mod *ptx.Module, t *abi.Target, seed uint32, homes lower.Homes, change func(*sass.Program) bool) (tally, error) {
	return runLowered(mod, t, seed, allocated(homes), change)
}

// runLowered is runModule with any options.
func runLowered(mod *ptx.Module, t *abi.Target, seed uint32, opts lower.Options, change func(*sass.Program) bool) (tally, error) {
	prog, err := lower.Module(mod, t, opts)
	if err != nil {
		return tally{}, err
	}
	return runProgram(mod, t, seed, prog, change)
}

// runProgram is runModule with a module as lowered.
func runProgram(mod *ptx.Module, t *abi.Target, seed uint32, prog *sass.Program, change func(*sass.Program) bool) (tally, error) {
	var err error
	if err := sassverify.Forms(mod.Name, prog, t); err != nil {
		return tally{}, fmt.Errorf("lowered to what cannot be:\n%w", err)
	}
	if change != nil && !change(prog) {
		return tally{}, errUnchanged
	}
	x := &execution{t: t, mod: mod, table: resolve.NewTable(mod), asns: map[string]*abi.Assignment{}}
	if x.kernel, err = abi.Assign(resolve.NewFunction(nil, x.table.Lookup("k").Func).Signature(), t); err != nil {
		return tally{}, err
	}
	ref := &ptxMachine{mod: mod, block: func(i int) int { return x.kernel.Params[i].Loc.Off - x.kernel.Block.Base }}
	ref.logs.seed = seed
	if err := ref.run("k"); err != nil {
		return tally{}, fmt.Errorf("the PTX itself: %w", err)
	}
	x.events = ref.events
	x.logs = simLog{pointer: mod.AddressSize / 8, seed: seed, observe: x.observe}
	m, err := sim.New(prog, x.config())
	if err != nil {
		return tally{}, err
	}
	if err := m.Run("k"); err != nil {
		return tally{}, err
	}
	if x.next != len(x.events) {
		return tally{}, differs("it ends before the PTX does %s %s", x.events[x.next].kind, x.events[x.next].name)
	}
	return x.tally(), nil
}

var errUnchanged = errors.New("there is nothing to change")

func (x *execution) config() *sim.Config {
	conf := sim.Around(x.t, stackTop)
	conf.Narrow = x.mod.AddressSize == 32
	conf.Bank, conf.Callee, conf.Called, conf.Returned = x.bank(stackTop), x.contract, x.called, x.returned
	var text *sim.Text
	conf.Text = func(m *sim.Machine, line string) (string, error) {
		if text == nil {
			text = newText(sim.Virtuals{Machine: m, WidthOf: regSize}, m, func(name string) ([]sim.Byte, error) {
				lo, hi, ok := m.FuncAddr(name)
				if !ok {
					return nil, fmt.Errorf("%s means nothing here", name)
				}
				return append(lo[:], hi[:]...), nil
			}, &x.logs)
		}
		return text.Run(line)
	}
	return conf
}
