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
	"github.com/ptxabi/ptxabi/ptx"
)

// Where things are in the machine's memory.
const (
	valueAt   = 0x100000 // what is passed
	arrivedAt = 0x200000 // where it has to arrive
	stackTop  = 1 << 16
)

// kernel is a kernel k that calls g with the addresses that are passed to k.
//
//go:embed kernel.ptx
var kernel string

// A verdict is the result of passing a type between two producers.
type verdict struct {
	// Refused is the error with which the linker refuses modules; Silent a difference of declarations
	// that it takes; Unrun why nothing was executed.
	Refused, Silent, Unrun string
	Looser                 bool   // the declarations differ, and so that no value moves here
	Linked                 bool   // a real linker has linked them, or refused to
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

// outcome is "arrives", or describes how the value does not.
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
	for i := 0; i < len(list); i++ {
		text := fmt.Sprint(list[i])
		first := i
		for i+1 < len(list) && list[i+1] == list[i]+1 {
			i++
		}
		if i > first {
			text += fmt.Sprintf("-%d", list[i])
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// A trial is two modules, of which function g of the first calls function f of the second, and a value that they pass.
type trial struct {
	target      *abi.Target
	texts       [2]string
	value, mask []byte  // the value in memory; bits that mask leaves out are not compared
	nvlink      *linker // nil without a toolkit
}

// verdict links the modules and executes them in the simulator, and on the device if there is one.
func (t *trial) verdict() (verdict, error) {
	v, err := t.simulate()
	if err == nil && v.Refused == "" && t.nvlink != nil && t.nvlink.device != nil {
		err = t.nvlink.onDevice(&v, t.value, t.mask)
	}
	return v, err
}

func (t *trial) simulate() (v verdict, err error) {
	var mods []*ptx.Module
	for i, text := range []string{t.texts[0], t.texts[1], kernel} {
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
	if err := v.link(mods[:2], t.nvlink); err != nil || v.Refused != "" {
		return v, err
	}
	w, err := newWorld(t.target, mods, t.value)
	if err != nil {
		v.Unrun = err.Error()
		return v, nil
	}
	unknown := sim.Unknown("")
	switch err := w.m.Run("k"); {
	case err == nil:
		for i, want := range t.value {
			got := w.memory[arrivedAt+uint64(i)]
			if t.mask[i] != 0 && (got.From.Kind == sim.Undefined || got.Val&t.mask[i] != want&t.mask[i]) {
				v.Wrong = append(v.Wrong, i)
			}
		}
	case errors.As(err, &unknown):
		v.Unrun = unknown.Error()
	case strings.Contains(err.Error(), "no function "): // a constructor of another module
		v.Unrun = err.Error()
	default:
		v.Fault = err.Error()
	}
	return v, nil
}

// link adds the differences between the declarations of two modules, and the answer of a real linker, if there is one, where
// it contradicts them.
func (v *verdict) link(mods []*ptx.Module, nvlink *linker) error {
	for _, d := range check.Link(mods) {
		switch {
		case d.Code == check.SilentMismatch:
			v.Silent = d.Msg
		case d.Severity == diag.Error && v.Refused == "":
			v.Refused = d.Msg
		case d.Severity == diag.Warning:
			v.Looser = true
		}
	}
	if nvlink == nil {
		return nil
	}
	_, refused, unlinked, err := nvlink.link(v.texts)
	if err != nil {
		return err
	}
	v.Linked = unlinked == ""
	switch {
	case unlinked != "":
	case refused != "" && v.Refused == "":
		v.Linker = "the linker refuses it: " + refused
	case refused == "" && v.Refused != "":
		v.Linker = "the linker takes it"
	}
	return nil
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
