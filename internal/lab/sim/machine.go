package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// A Config is the machine's surroundings: what it takes from a convention
// and of the program's purpose. Functions that are nil stand for nothing: no
// constants, no callees, no texts, no questions.
type Config struct {
	SP sass.Reg // the stack pointer
	// Convention is that of calls whose contract has none.
	Convention Convention
	Last       sass.Reg // highest register there is
	// Narrow says that pointers to functions have one word; a call through two
	// takes a second one of zeros. Return addresses have two all the same.
	Narrow bool
	// Barriers are those that the program has to make ready.
	Barriers Barriers
	// StackTop is where the stack of a kernel begins, in bytes; it grows down.
	StackTop uint32
	// Steps bounds how many instructions are executed; 0 means a million.
	Steps int

	// Bank returns a byte of a constant bank.
	Bank func(bank uint8, off int64) Byte
	// Callee returns what the convention says of a function.
	Callee func(name string) (Contract, error)
	// Text executes an instruction that stands as its PTX text. The result is
	// the label where control goes on, "" for the next instruction.
	Text func(m *Machine, text string) (label string, err error)
	// Called is asked when a callee begins, while the registers are as the caller
	// left them; Returned when it has returned and everything that it must
	// preserve has been checked.
	Called, Returned func(m *Machine, name string) error
}

// A Convention is the use of registers by calls.
type Convention struct {
	// RetAddr is the first register of the pair that holds the return address, RZ where the machine
	// has a stack of them.
	RetAddr sass.Reg
	// Preserved are the callee-saved registers, Scratch the caller-saved ones. SP and those
	// of the return address are in neither.
	Preserved, Scratch []sass.Reg
}

// ConventionOf is the convention of a file of registers.
func ConventionOf(f *abi.RegFile) Convention {
	return Convention{
		RetAddr:   f.RetAddr,
		Preserved: slices.DeleteFunc(slices.Collect(f.CalleeSaved.All()), func(r sass.Reg) bool { return r == f.SP }),
		Scratch:   slices.Collect(f.CallerSaved.All()),
	}
}

// A Contract has the places that caller and callee have agreed on.
type Contract struct {
	// Args are the registers that carry arguments and the address for a result,
	// Results those that carry the result. All other caller-saved registers are
	// clobbered.
	Args, Results abi.RegSet
	// Stack is the size of the stack area in bytes, from the stack pointer up.
	Stack int
	// Align is the alignment of the stack pointer at the call; 0 means 1.
	Align int
	// Sret is the register of the sret pointer: the address of memory for the
	// result, of SretSize bytes with the alignment SretAlign. It has no meaning
	// where SretSize is 0.
	Sret      sass.Reg
	SretSize  int
	SretAlign int
	// Convention is that of the call; nil for the one of the configuration.
	Convention *Convention
}

// A Fault says at which instruction the machine stopped and why.
type Fault struct {
	Func  string
	Item  int // index into the function's items
	Instr string
	Err   error
}

// Error returns the fault in one line.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s, item %d, %q: %v", f.Func, f.Item, f.Instr, f.Err)
}

// Unwrap returns the reason.
func (f *Fault) Unwrap() error { return f.Err }

// A register is a virtual register, or a word of a wider one.
type register struct {
	name string
	part sass.Part
}

// An activation is one execution of a function.
type activation struct {
	f        *function
	pc       int
	contract Contract

	virtual map[register]Word
	truths  map[string]Truth

	spKnown bool
	entry   uint32      // the stack pointer when it began
	sret    uint32      // where the result goes, if in memory
	back    uint32      // code address to return to
	depth   int         // of the hardware's stack when it began
	conv    *Convention // what its function does to registers
	saved   []Word      // the caller's callee-saved registers
	marks   []Word      // what they held when it began
}

// A Machine executes one program. It is not safe for concurrent use.
type Machine struct {
	conf  *Config
	funcs []*function
	names map[string]*function

	regs  [256]Word
	preds [7]Truth
	// uniform registers and barriers are not lost in calls: nothing but what makes
	// the barriers ready uses them.
	uniform  [256]Word
	barriers [16]Word
	local    []Byte // local memory from floor up; below, all is undefined
	floor    uint32
	stack    []uint32 // return addresses of the hardware
	calls    []*activation
	act      *activation // the last of calls
	serial   uint32
	steps    int
	done     bool
}

// New returns a machine for the program. The error says what in the program
// the machine does not know; it is the first such thing.
func New(p *sass.Program, conf *Config) (*Machine, error) {
	m := &Machine{conf: conf, names: make(map[string]*function, len(p.Funcs))}
	addr := uint32(codeStart)
	for _, f := range p.Funcs {
		fn, err := m.decode(f)
		if err != nil {
			return nil, err
		}
		fn.addr, fn.high = addr, codeHigh+uint32(len(m.funcs))
		addr += uint32(len(f.Items)) + 1
		m.funcs = append(m.funcs, fn)
		m.names[f.Name] = fn
	}
	m.floor = conf.StackTop
	return m, nil
}

// Run executes a kernel from its start until it exits. The error is a *[Fault]
// unless there is no such kernel.
func (m *Machine) Run(kernel string) error {
	f := m.names[kernel]
	if f == nil {
		return fmt.Errorf("sim: the program has no function %q", kernel)
	}
	m.regs = [256]Word{}
	m.preds = [7]Truth{}
	m.uniform, m.barriers = [256]Word{}, [16]Word{}
	m.uniform[m.conf.Barriers.Flag] = Number(0)
	m.undefine(0, m.conf.StackTop)
	m.stack, m.calls = m.stack[:0], m.calls[:0]
	m.serial, m.done = 0, false
	m.steps = cmp.Or(m.conf.Steps, 1_000_000)
	m.push(&activation{f: f, entry: m.conf.StackTop, conv: &m.conf.Convention})
	for !m.done {
		a, pc := m.act, m.act.pc
		if err := m.step(); err != nil {
			text := "the end"
			if pc < len(a.f.items) {
				text = a.f.items[pc].Instr.String()
			}
			return &Fault{Func: a.f.name, Item: pc, Instr: text, Err: err}
		}
	}
	return nil
}

func (m *Machine) push(a *activation) {
	a.virtual = make(map[register]Word)
	m.calls = append(m.calls, a)
	m.act = a
}

// step executes one item.
func (m *Machine) step() error {
	a := m.act
	if a.pc >= len(a.f.items) {
		return fmt.Errorf("control runs over the end of the function")
	}
	if m.steps--; m.steps < 0 {
		return fmt.Errorf("too many instructions; is there an endless loop?")
	}
	it := &a.f.items[a.pc]
	do := a.f.exec[a.pc]
	a.pc++
	if do == nil {
		return nil // a label or a comment
	}
	in := &it.Instr
	if in.Guard != "" {
		on, err := m.guard(in.Guard)
		if err != nil || !on {
			return err
		}
	}
	return do(m, in)
}

// guard returns the value of a guard such as "@!P0".
func (m *Machine) guard(text string) (bool, error) {
	name, neg := text[1:], false
	if name != "" && name[0] == '!' {
		name, neg = name[1:], true
	}
	t := m.Truth(name)
	if !t.Defined {
		return false, fmt.Errorf("the guard %s is undefined", text)
	}
	return t.Val != neg, nil
}

// Depth returns how many activations are under way, the kernel's included.
func (m *Machine) Depth() int { return len(m.calls) }

// Reg returns the word of a physical register.
func (m *Machine) Reg(r sass.Reg) Word {
	if r == sass.RZ {
		return Number(0)
	}
	return m.regs[r]
}

// SetReg sets a physical register for an instruction that stands as its PTX
// text, which has no business with the stack pointer. What is written to RZ is
// lost.
func (m *Machine) SetReg(r sass.Reg, w Word) {
	if r == m.conf.SP {
		panic("sim: the stack pointer is not set so")
	}
	if r != sass.RZ {
		m.regs[r] = w
	}
}

// Virtual returns a word of a virtual register of the current activation.
func (m *Machine) Virtual(name string, part sass.Part) Word {
	return m.act.virtual[register{name, part}]
}

// SetVirtual sets a word of a virtual register of the current activation.
func (m *Machine) SetVirtual(name string, part sass.Part, w Word) {
	m.act.virtual[register{name, part}] = w
}

// Truth returns a predicate, physical or of the current activation. PT is true.
func (m *Machine) Truth(name string) Truth {
	if name == "PT" {
		return Truth{true, true}
	}
	if i, ok := physical(name); ok {
		return m.preds[i]
	}
	return m.act.truths[name]
}

// SetTruth sets a predicate. What is written to PT is lost.
func (m *Machine) SetTruth(name string, t Truth) {
	if name == "PT" {
		return
	}
	if i, ok := physical(name); ok {
		m.preds[i] = t
		return
	}
	if m.act.truths == nil {
		m.act.truths = make(map[string]Truth)
	}
	m.act.truths[name] = t
}

// physical returns the number in P0 … P6.
func physical(name string) (int, bool) {
	if len(name) == 2 && name[0] == 'P' && name[1] >= '0' && name[1] <= '6' {
		return int(name[1] - '0'), true
	}
	return 0, false
}

// Around returns the surroundings that the convention of a target gives, without constants, functions and texts. The
// stack of a kernel begins at an address.
func Around(t *abi.Target, stackTop uint32) *Config {
	c := &Config{SP: t.Regs.SP, Convention: ConventionOf(&t.Regs), Last: t.Regs.Last, StackTop: stackTop}
	if cmp.Or(t.AssumedFrom, t.Name) == "sm_87" {
		c.Barriers = Barriers{Count: 16, Flag: 2, Held: 6}
	}
	return c
}

// ContractOf returns the assignment of a function as its contract.
func ContractOf(t *abi.Target, a *abi.Assignment) Contract {
	c := Contract{Args: a.ParamRegs(), Results: a.ResultRegs(), Stack: a.StackBytes, Align: t.Frame.FuncAlign}
	for _, p := range a.Params {
		if p.Loc.Kind == abi.OnStack {
			c.Align = max(c.Align, p.Align)
		}
	}
	for _, p := range a.Results {
		if p.Loc.Kind == abi.Indirect {
			c.Sret, c.SretSize, c.SretAlign = a.Sret.Reg, p.Size, p.Align
		}
	}
	return c
}
