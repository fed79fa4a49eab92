package web

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/sass"
)

// A Region is bytes of local memory during a call, in the frame of one of its
// functions.
type Region struct {
	Who string `json:"who"` // "caller" or "callee"
	// Kind is "arguments", "result", "saved", or "rest": variables, registers that are
	// spilled, and padding.
	Kind string `json:"kind"`
	Name string `json:"name"` // of the result, or of what is saved; "" of others
	// From and To are in bytes from the stack pointer at the call: those of the
	// callee's frame are below 0.
	From int `json:"from"`
	To   int `json:"to"`
}

// A made is the frame that a function makes.
type made struct {
	size    int  // 0 for none
	aligned bool // by another instruction, to more than it may rely on
}

// frameOf is the frame of a function, as its prologue makes it.
func frameOf(items []sass.Item) (f made) {
	for i := range items {
		switch s := items[i].Step; s.Kind {
		case sass.MakesFrame:
			f.size = s.Size
		case sass.AlignsFrame:
			f.aligned = true
		}
	}
	return f
}

// regions are what lies in a frame, from its lower end up, which is base from the
// stack pointer at the call. Between those that are given stands the rest.
func regions(who string, base, size int, known []Region) []Region {
	slices.SortFunc(known, func(a, b Region) int { return a.From - b.From })
	out := []Region{}
	at := base
	for _, r := range known {
		if r.From < at || r.To > base+size {
			continue // which is not of this frame
		}
		if r.From > at {
			out = append(out, Region{Who: who, Kind: "rest", From: at, To: r.From})
		}
		out = append(out, r)
		at = r.To
	}
	if at < base+size {
		out = append(out, Region{Who: who, Kind: "rest", From: at, To: base + size})
	}
	return out
}

// saves returns the register that an item saves or restores in the frame, and where, in bytes
// from the stack pointer.
func saves(it *sass.Item) (reg sass.Operand, at, width int) {
	args := it.Instr.Args
	mem, reg := args[0], args[1]
	if it.Step.Kind == sass.Restores {
		mem, reg = reg, mem
	}
	width, _ = sass.AccessSize(it.Instr.Op)
	return reg, int(mem.Off), width
}

// saved are the regions of a function's frame that hold registers.
func saved(who string, items []sass.Item, base int) []Region {
	var out []Region
	for i := range items {
		if items[i].Step.Kind == sass.Saves {
			reg, at, width := saves(&items[i])
			out = append(out, Region{Who: who, Kind: "saved", Name: reg.String(), From: base + at, To: base + at + width})
		}
	}
	return out
}

// memory has the regions of both frames, those of the callee first.
func (w *walk) memory(caller, callee []sass.Item) {
	c := &w.call
	c.Memory = []Region{}
	if f := frameOf(callee); f.size > 0 {
		c.CalleeAligned = f.aligned
		c.Memory = append(c.Memory, regions("callee", -f.size, f.size, saved("callee", callee, -f.size))...)
	}
	known := saved("caller", caller, 0)
	if c.Stack > 0 {
		known = append(known, Region{Who: "caller", Kind: "arguments", From: 0, To: c.Stack})
	}
	if w.result >= 0 {
		known = append(known, Region{Who: "caller", Kind: "result", Name: w.callee.Results[0].Name, From: w.result, To: w.result + w.callee.Places.Results[0].Size})
	}
	c.Memory = append(c.Memory, regions("caller", 0, max(0, c.Frame), known)...)
}

// frameStep is the step of an instruction that makes or leaves the callee's frame,
// or saves or restores a register in it.
func (w *walk) frameStep(s *Step, it *sass.Item, f made) bool {
	switch it.Step.Kind {
	case sass.MakesFrame, sass.LeavesFrame:
		s.Kind, s.Other = "frame", it.Instr.Args[0].String()
		if it.Step.Kind == sass.LeavesFrame {
			w.sp = 0
			s.Text = fmt.Sprintf("%s leaves its frame: %s is what it was at the call", w.callee.Name, s.Other)
			return true
		}
		w.sp = -f.size
		s.Text = fmt.Sprintf("%s makes its frame of %d bytes: %s moves down", w.callee.Name, f.size, s.Other)
		return true
	case sass.Saves, sass.Restores:
	default:
		return false
	}
	reg, at, width := saves(it)
	for b := 0; b < width; b += 4 {
		s.Cells = append(s.Cells, fmt.Sprintf("F%d", at-f.size+b))
	}
	s.Other, s.Name = reg.String(), reg.String()
	s.End = width
	if s.Kind = "save"; it.Step.Kind == sass.Restores {
		s.Kind = "restore"
		s.Text = fmt.Sprintf("%s: restored from [R1+%#x]", reg, at)
		return true
	}
	s.Text = fmt.Sprintf("%s: saved at [R1+%#x]", reg, at)
	return true
}
