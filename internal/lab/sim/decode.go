package sim

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/sass"
)

// codeStart is the code address of the first function; each item takes one
// address. An address has a high word, which is another one for each function:
// codeHigh for the first.
const (
	codeStart = 0x1000
	codeHigh  = 0x7f00
)

// A function is one function ready to run: an executor for each item, nil for
// those that are no instructions.
type function struct {
	name   string
	items  []sass.Item
	exec   []executor
	labels map[string]int
	addr   uint32 // code address of item 0
	high   uint32 // high word of the function's addresses
}

type executor func(*Machine, *sass.Instr) error

func (m *Machine) decode(f *sass.Func) (*function, error) {
	fn := &function{name: f.Name, items: f.Items, exec: make([]executor, len(f.Items)), labels: make(map[string]int)}
	for i := range f.Items {
		it := &f.Items[i]
		switch {
		case it.Kind == sass.Label:
			if _, twice := fn.labels[it.Text]; twice {
				return nil, fmt.Errorf("sim: %s: label %s stands twice", f.Name, it.Text)
			}
			fn.labels[it.Text] = i
		case it.Kind != sass.Code:
		case it.Instr.Text != "":
			fn.exec[i] = text
		default:
			op, ok := semantics[it.Instr.Op]
			if !ok {
				return nil, fmt.Errorf("sim: %s: unknown instruction %s", f.Name, it.Instr.String())
			}
			for _, o := range it.Instr.Args {
				if o.Abs || o.Not || o.Suffix != "" {
					return nil, fmt.Errorf("sim: %s: %s is not an operand of pseudo-SASS: %s", f.Name, o.String(), it.Instr.String())
				}
				if o.Kind == sass.KindRegister && o.Reg > m.conf.Last && o.Reg != sass.RZ {
					return nil, fmt.Errorf("sim: %s: there is no register %s: %s", f.Name, o.String(), it.Instr.String())
				}
			}
			if !op.takes(it.Instr.Args) {
				return nil, fmt.Errorf("sim: %s: %w: %s", f.Name, errOperands, it.Instr.String())
			}
			fn.exec[i] = op.do
		}
	}
	return fn, nil
}

// text executes an instruction that passed through.
func text(m *Machine, in *sass.Instr) error {
	if m.conf.Text == nil {
		return fmt.Errorf("no meaning is known for it")
	}
	label, err := m.conf.Text(m, in.Text)
	if err != nil || label == "" {
		return err
	}
	return m.jump(label)
}

// jump goes on at a label of the current function.
func (m *Machine) jump(label string) error {
	to, ok := m.act.f.labels[label]
	if !ok {
		return fmt.Errorf("no label %s", label)
	}
	m.act.pc = to
	return nil
}

// at returns the code address of an item. Labels and comments in front of an
// instruction are where it is.
func (f *function) at(item int) uint32 {
	for item < len(f.items) && f.exec[item] == nil {
		item++
	}
	return f.addr + uint32(item)
}

// FuncAddr returns the two words of a pointer to a function; false if there is no
// such function.
func (m *Machine) FuncAddr(name string) (lo, hi Word, ok bool) {
	f := m.names[name]
	if f == nil {
		return Word{}, Word{}, false
	}
	from := Origin{Kind: Address}
	return number(f.addr, from), number(m.pointerHigh(f), from), true
}

// codeWord returns the word of a 32@lo or 32@hi operand.
func (m *Machine) codeWord(o *sass.Operand) (Word, error) {
	f := m.names[o.Name]
	if f == nil {
		return Word{}, fmt.Errorf("no function %s", o.Name)
	}
	addr := f.addr
	if o.Label != "" {
		to, ok := f.labels[o.Label]
		if !ok {
			return Word{}, fmt.Errorf("no label %s in %s", o.Label, o.Name)
		}
		addr = f.at(to)
	}
	if o.Kind == sass.KindHi32 {
		addr = f.high
	}
	return number(addr, Origin{Kind: Address}), nil
}

// functionAt returns the function that begins at a code address.
func (m *Machine) functionAt(addr uint32) (*function, error) {
	i := slices.IndexFunc(m.funcs, func(f *function) bool { return f.addr == addr })
	if i < 0 {
		return nil, fmt.Errorf("no function begins at the address %#x", addr)
	}
	return m.funcs[i], nil
}
