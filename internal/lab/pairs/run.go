package main

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// Where things are in the machine's memory.
const (
	valueAt   = 0x100000 // what is passed
	arrivedAt = 0x200000 // where it has to arrive
	stackTop  = 1 << 16
)

//go:embed kernel.ptx
var kernel string

// calling is a kernel that calls a caller with the addresses that it is given.
func calling(caller string) string { return strings.ReplaceAll(kernel, "CALLER", caller) }

// A verdict is what comes of a type between two producers.
type verdict struct {
	// Refused is what the linker refuses modules with; Silent what it takes though the
	// declarations differ; Unrun why nothing was executed.
	Refused, Silent, Unrun string
	Looser                 bool   // the declarations differ, and so that no value moves here
	Linked                 bool   // a real linker was asked
	Linker                 string // what it does otherwise; "" if nothing
	Wrong                  []int  // bytes that do not arrive
	Fault                  string // what stopped the execution
	OnDevice               bool   // a device ran it
	Device                 string // what became of it there; "" if the same

	texts []string // the two modules, as assemblers take them
}

// String is one line; "arrives" where nothing is wrong.
func (v verdict) String() string {
	var parts []string
	if v.Refused != "" {
		parts = append(parts, "declarations: "+v.Refused)
	}
	if v.Silent != "" {
		parts = append(parts, "declarations: "+v.Silent)
	}
	if v.Linker != "" {
		parts = append(parts, v.Linker)
	}
	switch {
	case v.Unrun != "":
		parts = append(parts, "not executed: "+v.Unrun)
	case v.Refused == "":
		parts = append(parts, v.outcome())
	}
	if v.Device != "" {
		parts = append(parts, v.Device)
	}
	return strings.Join(parts, "; ")
}

// outcome is what became of the value.
func (v verdict) outcome() string {
	switch {
	case v.Fault != "":
		return "does not arrive: " + v.Fault
	case len(v.Wrong) > 0:
		return "does not arrive: bytes " + ranges(v.Wrong)
	}
	return "arrives"
}

// kind is the word under which it is counted.
func (v verdict) kind() string {
	switch {
	case v.Unrun != "":
		return "not executed"
	case v.Refused != "":
		return "refused"
	case !v.ok():
		return "wrong"
	case v.Silent != "":
		return "differ"
	}
	return "arrive"
}

// ok reports whether what is passed arrives, or nothing is known to be wrong.
func (v verdict) ok() bool {
	return v.Refused == "" && v.Fault == "" && len(v.Wrong) == 0 && v.Device == ""
}

func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		if end == i {
			parts = append(parts, fmt.Sprint(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[end]))
		}
		i = end + 1
	}
	return strings.Join(parts, ", ")
}

// try executes function caller of one module, which calls function callee of the other, in the simulator and on a
// device, if there is one. The value is what the machine has in memory; bytes that mask leaves out are not compared.
func try(target *abi.Target, callerText, calleeText, caller, callee string, value, mask []byte, nvlink *linker) (verdict, error) {
	v, err := simulate(target, callerText, calleeText, caller, callee, value, mask, nvlink)
	if err == nil && v.Refused == "" && nvlink != nil && nvlink.device != nil {
		err = nvlink.onDevice(&v, caller, value, mask)
	}
	return v, err
}

func simulate(target *abi.Target, callerText, calleeText, caller, callee string, value, mask []byte, nvlink *linker) (verdict, error) {
	var v verdict
	var mods []*ptx.Module
	for i, text := range []string{callerText, calleeText, calling(caller)} {
		m, err := ptx.ParseString([]string{"caller.ptx", "callee.ptx", "kernel.ptx"}[i], text)
		if err != nil {
			return v, err
		}
		declareFirst(m)
		mods = append(mods, m)
	}
	for _, m := range mods[:2] {
		v.texts = append(v.texts, string(m.AppendText(nil)))
	}
	for _, d := range check.Link(mods[:2]) {
		switch {
		case d.Code == check.SilentMismatch:
			v.Silent = d.Msg
		case d.Severity == diag.Error && v.Refused == "":
			v.Refused = d.Msg
		case d.Severity == diag.Warning:
			v.Looser = true
		}
	}
	if nvlink != nil {
		_, refused, unlinked, err := nvlink.link(v.texts)
		if err != nil {
			return v, err
		}
		v.Linked = unlinked == ""
		switch {
		case unlinked != "":
		case refused != "" && v.Refused == "":
			v.Linker = "the linker refuses it: " + refused
		case refused == "" && v.Refused != "":
			v.Linker = "the linker takes it"
		}
	}
	if v.Refused != "" {
		return v, nil
	}
	prog := &sass.Program{Target: target.Name}
	contracts := map[string]sim.Contract{}
	widths := map[string]map[string]int{}
	for _, m := range mods {
		for _, f := range resolve.Functions(m) {
			if f.Decl == nil || f.Decl.Entry {
				continue
			}
			c, err := contract(target, f)
			if err != nil {
				v.Unrun = err.Error()
				return v, nil
			}
			old, ok := contracts[f.Name]
			if f.Decl.HasBody || !ok {
				c.Stack = max(c.Stack, old.Stack)
				contracts[f.Name] = c
			} else {
				old.Stack = max(c.Stack, old.Stack)
				contracts[f.Name] = old
			}
		}
		for _, item := range m.Items {
			if f, ok := item.(*ptx.Func); ok && f.HasBody {
				widths[f.Name] = widthsOf(f)
			}
		}
		p, err := lower.Module(m, target, lower.Options{})
		if err != nil {
			v.Unrun = err.Error()
			return v, nil
		}
		for _, f := range p.Funcs {
			if slices.Contains([]string{"k", caller, callee}, f.Name) {
				prog.Funcs = append(prog.Funcs, f)
			}
		}
	}
	w := &world{memory: map[uint64]sim.Byte{}, widths: widths, stack: []string{"k"}}
	for i, b := range value {
		w.memory[valueAt+uint64(i)] = sim.Bytes(uint64(b), 1)[0]
	}
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
		c, ok := contracts[name]
		if !ok {
			return c, sim.Unknown("call " + name)
		}
		return c, nil
	}
	conf.Called = func(_ *sim.Machine, name string) error { w.stack = append(w.stack, name); return nil }
	conf.Returned = func(*sim.Machine, string) error { w.stack = w.stack[:len(w.stack)-1]; return nil }
	conf.Text = func(_ *sim.Machine, text string) (string, error) { return w.text.Run(text) }
	m, err := sim.New(prog, conf)
	if err != nil {
		v.Unrun = err.Error()
		return v, nil
	}
	w.text = sim.Text{Registers: sim.Virtuals{Machine: m, WidthOf: w.width}, Load: w.load, Store: w.store}
	w.m = m
	if err := m.Run("k"); err != nil {
		if unknown := sim.Unknown(""); errors.As(err, &unknown) {
			v.Unrun = unknown.Error()
			return v, nil
		}
		if text := err.Error(); strings.Contains(text, "no function ") {
			v.Unrun = text // a constructor that is elsewhere
			return v, nil
		}
		v.Fault = err.Error()
		return v, nil
	}
	for i, want := range value {
		got := w.memory[arrivedAt+uint64(i)]
		if mask[i] != 0 && (got.From.Kind == sim.Undefined || got.Val&mask[i] != want&mask[i]) {
			v.Wrong = append(v.Wrong, i)
		}
	}
	return v, nil
}

// declareFirst moves declarations of functions before what calls them: GCC's compiler writes them
// after, and its assembler sorts them.
func declareFirst(m *ptx.Module) {
	slices.SortStableFunc(m.Items, func(a, b ptx.Item) int { return rank(a) - rank(b) })
}

func rank(item ptx.Item) int {
	switch item := item.(type) {
	case *ptx.Directive:
		if item.Name == ".version" || item.Name == ".target" || item.Name == ".address_size" {
			return 0
		}
	case *ptx.Func:
		if !item.HasBody {
			return 1
		}
	}
	return 2
}

// contract is what a declaration says in the words of the machine.
func contract(target *abi.Target, f *resolve.Function) (sim.Contract, error) {
	a, list := f.Assign(target)
	if len(list) > 0 {
		return sim.Contract{}, list
	}
	return sim.ContractOf(target, &a), nil
}
