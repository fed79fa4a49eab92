// Package frame makes the code of the calling convention from assignments alone: the frame of
// a function, its prologue and epilogue, and the sequence of a call, as items of package sass
// in the spelling of a target. It is for backends that select and allocate themselves; package
// lower makes listings from PTX.
//
//	fr, err := frame.New(frame.Func{Target: t, Name: "f", Assignment: own, Calls: []frame.Callee{{Assignment: g}}, Writes: written})
//	items := fr.Prologue()
//	call, err := fr.Call(0, frame.To{Name: "g"}, args)
//	items = append(items, call...)
//	end, err := fr.Return(result)
//	items = append(items, end...)
//
// The frame is that of docs/abi.md, section Frames, from the body's stack pointer up:
// arguments on the stack, local memory, memory for large results, saved registers. The
// package is for functions whose stack pointer stays where the prologue puts it, but [Add] and [Align]
// are for functions with an alloca.
package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/sass"
)

// A Func is a function for which a frame is made.
type Func struct {
	Target     *abi.Target
	Name       string
	Assignment abi.Assignment // of the function or kernel itself
	Preserve   abi.Preserve   // its .abi_preserve
	Calls      []Callee       // of all calls in its body
	Locals     []Local
	// Writes has the registers that the body writes. The prologue saves those of them that
	// are callee-saved.
	Writes abi.RegSet
}

// A Callee is the function that a call calls.
type Callee struct {
	Assignment abi.Assignment
	Preserve   abi.Preserve
}

// A Local is local memory: its size in bytes, and its alignment, a power of two or 0. The alignment in the frame is at
// least 4.
type Local struct{ Size, Align int }

// A Save is a register and the offset of its word from the body's stack pointer.
type Save struct {
	Reg sass.Reg
	Off int
}

// A Frame is a function's part of the stack. Offsets count from the stack pointer of the body.
type Frame struct {
	Size int // bytes that the stack pointer moves by; 0 without a frame
	// Align is the largest alignment in the frame, EntryAlign that of the stack
	// pointer at the entry, both in bytes. If Align is larger, the prologue aligns the
	// stack pointer, and KeptSP of the target's frame keeps that of the entry.
	Align, EntryAlign int
	Locals            []int // the offsets of Func.Locals
	// Results has, for each call, the offset of the memory in which the callee stores its
	// result, -1 for a call without such a result.
	Results []int
	Saved   []Save // in ascending order

	f      Func
	of     stack.Frame // the frame as it is emitted
	regs   abi.RegFile
	labels int32
}

// New lays out the frame of a function. It is an error if there is no target; if the function or a callee has a value
// without a place, as one of several results; if a callee is a kernel; if a local has a negative size, an alignment
// that is no power of two, or more than Passing.MaxLocal of the target; if the frame is larger than that; or if the
// body writes the register that keeps the stack pointer of an aligned frame.
func New(f Func) (*Frame, error) {
	t := f.Target
	if t == nil || *t == (abi.Target{}) {
		return nil, fmt.Errorf("%s: no target", f.Name)
	}
	if outside(&f.Assignment) {
		return nil, fmt.Errorf("%s: a value has no place", f.Name)
	}
	fr := &Frame{EntryAlign: stack.EntryAlign(t, &f.Assignment), f: f, regs: t.RegsWith(f.Preserve)}
	begin := stack.NewEmitter(t, f.Name)
	begin.Begin()
	fr.labels = begin.Labels // the prologue has those
	fr.of = stack.Frame{Align: 4, Entry: f.Assignment.Kind == abi.Entry, Calls: len(f.Calls) > 0}
	lost := abi.RegSet{}
	for i, c := range f.Calls {
		switch {
		case c.Assignment.Kind == abi.Entry:
			return nil, fmt.Errorf("%s, call %d: a kernel cannot be called", f.Name, i+1)
		case outside(&c.Assignment):
			return nil, fmt.Errorf("%s, call %d: a value has no place", f.Name, i+1)
		}
		fr.of.End = max(fr.of.End, c.Assignment.StackBytes)
		if c.Assignment.StackBytes > 0 {
			fr.of.Align = max(fr.of.Align, c.Assignment.StackAlign(t))
		}
		regs := t.RegsWith(c.Preserve)
		lost = lost.Union(fr.regs.CalleeSaved.Minus(regs.CalleeSaved)).Union(stack.RetAddr(&regs)).Union(stack.RetAddr(&fr.regs))
	}
	for i, l := range f.Locals {
		if l.Size < 0 || l.Align < 0 || l.Align&(l.Align-1) != 0 || max(l.Size, l.Align) > t.Passing.MaxLocal {
			return nil, fmt.Errorf("%s: local %d has size %d and alignment %d", f.Name, i, l.Size, l.Align)
		}
		fr.Locals = append(fr.Locals, fr.of.Put(l.Size, max(l.Align, 4)))
	}
	for _, c := range f.Calls {
		at := -1
		if c.Assignment.Sret.Kind == abi.InReg {
			r := c.Assignment.Results[0]
			at = fr.of.Put(r.Size, max(r.Align, 4))
		}
		fr.Results = append(fr.Results, at)
	}
	saved := abi.RegSet{}
	if !fr.of.Entry {
		saved = f.Writes.Union(lost).Intersect(fr.regs.CalleeSaved.Union(stack.RetAddr(&fr.regs))).Minus(abi.Regs(t.Regs.SP))
	}
	if fr.of.Realigned = fr.of.Align > fr.EntryAlign; fr.of.Realigned && !fr.of.Entry {
		fr.of.Kept, saved = lir.Phys(t.Frame.KeptSP), saved.Union(abi.Regs(t.Frame.KeptSP))
	}
	fr.of.Close(t, saved)
	fr.Size, fr.Align = fr.of.Size, fr.of.Align
	for i, r := range fr.of.Regs {
		fr.Saved = append(fr.Saved, Save{r, fr.of.Saved + 4*i})
	}
	if fr.Size > t.Passing.MaxLocal {
		return nil, fmt.Errorf("%s: a frame of %d bytes, beyond the %d that offsets in local memory reach", f.Name, fr.Size, t.Passing.MaxLocal)
	}
	if fr.of.Realigned && f.Writes.Has(t.Frame.KeptSP) {
		return nil, fmt.Errorf("%s: the body writes %s, which keeps the stack pointer of a function that aligns its frame", f.Name, sass.Register(t.Frame.KeptSP))
	}
	return fr, nil
}

// outside reports whether a value of a function has no place, though it is not empty.
func outside(a *abi.Assignment) bool {
	return slices.ContainsFunc(slices.Concat(a.Params, a.Results), func(p abi.Placement) bool {
		return p.Loc.Kind == abi.Nowhere && p.Size > 0
	})
}

// made reports whether [New] has returned fr. A nil or zero frame has no code.
func (fr *Frame) made() bool { return fr != nil && fr.f.Target != nil }

// Incoming returns the address of byte off of the stack area with the function's own parameters.
func (fr *Frame) Incoming(off int) sass.Operand {
	if !fr.made() {
		return sass.Operand{}
	}
	if fr.of.Realigned {
		return sass.Mem(fr.f.Target.Frame.KeptSP, int64(off))
	}
	return sass.Mem(fr.f.Target.Regs.SP, int64(fr.Size+off))
}

// Load returns the instruction that loads the word at byte off of a local. A backend whose register lives in a local puts
// it before an instruction that reads the register, and a [Frame.Store] after one that writes it. It panics if there is
// no local with that index.
func (fr *Frame) Load(dst sass.Reg, local, off int) sass.Item {
	if !fr.made() {
		return sass.Item{}
	}
	return code(spelling(fr.f.Target).LoadLocal.B32, "", sass.Register(dst), fr.slot(local, off))
}

// Store is the inverse of [Frame.Load].
func (fr *Frame) Store(local, off int, src sass.Reg) sass.Item {
	if !fr.made() {
		return sass.Item{}
	}
	return code(spelling(fr.f.Target).StoreLocal.B32, "", fr.slot(local, off), sass.Register(src))
}

func (fr *Frame) slot(local, off int) sass.Operand {
	return sass.Mem(fr.f.Target.Regs.SP, int64(fr.Locals[local]+off))
}

// Prologue returns the first instructions of the function, which make the frame and save registers.
func (fr *Frame) Prologue() []sass.Item {
	if !fr.made() {
		return nil
	}
	return items(fr.f.Target, fr.f.Name, func(e *stack.Emitter) {
		e.Begin()
		fr.of.Prologue(e)
	})
}

// Return returns the end of the function: the moves of its result, a word from each given register, the epilogue, and
// the return; or the exit of a kernel. The body stores a result that is in memory itself, and result is then nil. It is
// an error if the number of words is another one, or if a word is in the target's Frame.Scratch.
func (fr *Frame) Return(result []sass.Reg) ([]sass.Item, error) {
	if !fr.made() {
		return nil, errors.New("no frame")
	}
	t, a := fr.f.Target, &fr.f.Assignment
	if a.Kind == abi.Entry {
		if len(result) > 0 {
			return nil, fmt.Errorf("%s: a kernel has no result", fr.f.Name)
		}
		return []sass.Item{code(spelling(t).Exit, "")}, nil
	}
	m := fr.newMoves()
	if len(a.Results) == 1 && a.Results[0].Loc.Kind == abi.InReg {
		if err := m.value(a.Results[0], result); err != nil {
			return nil, fmt.Errorf("%s: the result: %w", fr.f.Name, err)
		}
	} else if len(result) > 0 {
		return nil, fmt.Errorf("%s: the result is not in registers", fr.f.Name)
	}
	m.end()
	fr.of.Epilogue(m.Emitter)
	m.Emitter.Return(&fr.regs)
	return m.items(), nil
}

// A To is the destination of a call: the name of a function, or "" and the register Reg with the address of one. From
// sm_70 on the address is in two registers, Reg and the next.
type To struct {
	Name string
	Reg  sass.Reg
}

// Call returns the sequence of call i of the function, counted from 0. The words of argument k are in the
// registers args[k], RZ for a word that is 0; the caller has extended small integers, as
// docs/abi.md, Values and sizes, says. Words on the stack are stored first, then those in
// registers are moved at once; the target's Frame.Scratch may be overwritten. If the body has stored
// an argument on the stack itself, at Loc.Off from the stack pointer, args[k] is
// nil. After the call, the result is in its registers or at Results[i] of the frame. It is an error if there is no such
// call, if the number of arguments or words is another one, if a word is in Frame.Scratch, or if To.Reg is not even or the
// call overwrites the address there.
func (fr *Frame) Call(i int, to To, args [][]sass.Reg) ([]sass.Item, error) {
	if !fr.made() {
		return nil, errors.New("no frame")
	}
	if i < 0 || i >= len(fr.f.Calls) {
		return nil, fmt.Errorf("%s, call %d: there are %d", fr.f.Name, i+1, len(fr.f.Calls))
	}
	t := fr.f.Target
	c := &fr.f.Calls[i]
	a := &c.Assignment
	fail := func(format string, v ...any) ([]sass.Item, error) {
		return nil, fmt.Errorf("%s, call %d: %w", fr.f.Name, i+1, fmt.Errorf(format, v...))
	}
	if len(args) != len(a.Params) {
		return fail("%s for %s", prose.Count(len(args), "argument"), prose.Count(len(a.Params), "parameter"))
	}
	var list []sass.Item
	m := fr.newMoves()
	for k, p := range a.Params {
		switch p.Loc.Kind {
		case abi.InReg:
			if err := m.value(p, args[k]); err != nil {
				return fail("argument %d: %w", k, err)
			}
		case abi.OnStack:
			if args[k] != nil && len(args[k]) != (p.Size+3)/4 {
				return fail("argument %d: %s for %d bytes", k, prose.Count(len(args[k]), "word"), p.Size)
			}
			for w, r := range args[k] {
				list = append(list, code(spelling(t).StoreLocal.B32, "", sass.Mem(t.Regs.SP, int64(p.Loc.Off+4*w)), sass.Register(r)))
			}
		}
	}
	regs := t.RegsWith(c.Preserve)
	if to.Name == "" {
		words := abi.RegRange(to.Reg, to.Reg+sass.Reg(spelling(t).IndirectWords)-1)
		taken := m.written.Union(stack.RetAddr(&regs))
		if a.Sret.Kind == abi.InReg {
			taken = taken.Union(abi.Regs(a.Sret.Reg))
		}
		if int(to.Reg)%max(spelling(t).IndirectWords, 1) != 0 || words.Intersect(taken.Union(abi.Regs(t.Frame.Scratch))) != (abi.RegSet{}) {
			return fail("the address is in %s, which is odd or which the call needs", words)
		}
	}
	m.end()
	if a.Sret.Kind == abi.InReg {
		m.Sum(lir.Phys(a.Sret.Reg), lir.Phys(t.Regs.SP), int64(fr.Results[i]), lir.Does(sass.PassesSret, "address of the result", 0))
	}
	m.Emitter.Call(stack.Target{Name: to.Name, Regs: &regs, Self: to.Name == fr.f.Name, Through: lir.Of(lir.Phys(to.Reg)), Indirect: to.Name == ""}, lir.Note{})
	fr.labels = m.Labels
	return append(list, m.items()...), nil
}

// Func returns the function with the given items, one list after the other.
func (fr *Frame) Func(items ...[]sass.Item) *sass.Func {
	fr = zero.Or(fr)
	return &sass.Func{Name: fr.f.Name, Kernel: fr.f.Assignment.Kind == abi.Entry, Items: slices.Concat(items...)}
}
