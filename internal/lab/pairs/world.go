package main

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A world is a machine with the state of the instructions of PTX that lowering leaves as they are.
type world struct {
	m         *sim.Machine
	text      sim.Text
	program   *sass.Program
	contracts map[string]sim.Contract
	memory    map[uint64]sim.Byte       // global memory, from the end of local memory on
	widths    map[string]map[string]int // bytes of registers, by function
	stack     []string                  // functions that run
}

// newWorld lowers modules for a machine that has a value in its memory.
func newWorld(target *abi.Target, mods []*ptx.Module, value []byte) (*world, error) {
	w := &world{
		program: &sass.Program{Target: target.Name}, contracts: map[string]sim.Contract{},
		memory: map[uint64]sim.Byte{}, widths: map[string]map[string]int{}, stack: []string{"k"},
	}
	for _, m := range mods {
		if err := w.add(target, m); err != nil {
			return nil, err
		}
	}
	for i, b := range value {
		w.memory[valueAt+uint64(i)] = sim.Bytes(uint64(b), 1)[0]
	}
	var err error
	if w.m, err = sim.New(w.program, w.config(target)); err != nil {
		return nil, err
	}
	w.text = sim.Text{Registers: sim.Virtuals{Machine: w.m, WidthOf: w.width}, Load: w.load, Store: w.store}
	return w, nil
}

// add lowers a module and adds its functions. The contract of one is that of its definition, with the widest of the stacks
// that any module declares for it.
func (w *world) add(target *abi.Target, m *ptx.Module) error {
	for _, f := range resolve.Functions(m) {
		if f.Decl == nil || f.Decl.Entry {
			continue
		}
		a, list := f.Assign(target)
		if len(list) > 0 {
			return list
		}
		c := sim.ContractOf(target, &a)
		old, ok := w.contracts[f.Name]
		stack := max(c.Stack, old.Stack)
		if ok && !f.Decl.HasBody {
			c = old
		}
		c.Stack = stack
		w.contracts[f.Name] = c
	}
	for _, item := range m.Items {
		if f, ok := item.(*ptx.Func); ok && f.HasBody {
			w.widths[f.Name] = widthsOf(f)
		}
	}
	p, err := lower.Module(m, target, lower.Options{})
	if err != nil {
		return err
	}
	for _, f := range p.Funcs {
		if slices.Contains([]string{"k", "g", "f"}, f.Name) {
			w.program.Funcs = append(w.program.Funcs, f)
		}
	}
	return nil
}

// config is the machine of a target. Its kernel gets the addresses of the arriving and of the passed value.
func (w *world) config(target *abi.Target) *sim.Config {
	conf := sim.Around(target, stackTop)
	k := &target.Kernel
	banked := map[abi.ConstAddr][]sim.Byte{
		k.SP:                                  sim.Bytes(stackTop, 4),
		{Bank: k.ParamBank, Off: k.ParamBase}: slices.Concat(sim.Bytes(arrivedAt, 8), sim.Bytes(valueAt, 8)),
	}
	conf.Bank = func(bank uint8, off int64) sim.Byte {
		for at, bytes := range banked {
			if i := int(off) - at.Off; bank == at.Bank && i >= 0 && i < len(bytes) {
				return bytes[i]
			}
		}
		return sim.Byte{}
	}
	conf.Callee = func(name string) (sim.Contract, error) {
		c, ok := w.contracts[name]
		if !ok {
			return c, sim.Unknown("call " + name)
		}
		return c, nil
	}
	conf.Called = func(_ *sim.Machine, name string) error { w.stack = append(w.stack, name); return nil }
	conf.Returned = func(*sim.Machine, string) error { w.stack = w.stack[:len(w.stack)-1]; return nil }
	conf.Text = func(_ *sim.Machine, text string) (string, error) { return w.text.Run(text) }
	return conf
}

// widthsOf are the sizes of the registers that a function declares.
func widthsOf(f *ptx.Func) map[string]int {
	all := map[string]int{}
	for _, s := range f.Body {
		d, ok := s.(*ptx.Decl)
		if !ok || d.Space != ptx.RegSpace {
			continue
		}
		for _, v := range d.Vars {
			all[v.Name] = d.Type.Size()
			for i := range v.Count {
				all[fmt.Sprintf("%s%d", v.Name, i)] = d.Type.Size()
			}
		}
	}
	return all
}

func (w *world) width(reg string) int { return w.widths[w.stack[len(w.stack)-1]][reg] }

func (w *world) store(_, base string, off int64, bytes []sim.Byte) error {
	at, err := w.text.Address(base, off)
	if err != nil {
		return err
	}
	if at < stackTop {
		return w.m.StoreAny(uint32(at), bytes)
	}
	for k, b := range bytes {
		w.memory[at+uint64(k)] = b
	}
	return nil
}

func (w *world) load(_, base string, off int64, size int) ([]sim.Byte, error) {
	at, err := w.text.Address(base, off)
	if err != nil {
		return nil, err
	}
	if at < stackTop {
		return w.m.LoadAny(uint32(at), size)
	}
	bytes := make([]sim.Byte, size)
	for k := range bytes {
		b, ok := w.memory[at+uint64(k)]
		if !ok {
			return nil, fmt.Errorf("nothing is at address %#x: it is taken of a value", at)
		}
		bytes[k] = b
	}
	return bytes, nil
}
