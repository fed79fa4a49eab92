package web

import (
	"fmt"
	"slices"
	"strings"

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
	size    int
	at      int  // the item that makes it; -1 for none
	aligned bool // by another instruction, to more than it may rely on
}

// frameOf is the frame of a function, as its prologue makes it.
func frameOf(items []sass.Item) made {
	out := made{at: -1}
	for i := range items {
		in := &items[i].Instr
		if items[i].Kind != sass.Code || in.Text != "" {
			continue
		}
		if n, ok := moves(in); ok && out.at < 0 && strings.HasPrefix(in.Note, "frame of ") {
			out.size, out.at = max(n, -n), i
		} else if out.at >= 0 && writesSP(in) && !ok {
			out.aligned = true
		}
	}
	return out
}

// writesSP reports whether an instruction has the stack pointer as its destination.
func writesSP(in *sass.Instr) bool {
	return len(in.Args) > 1 && in.Args[0].Kind == sass.Register && in.Args[0].Reg == sass.SP && !strings.HasPrefix(in.Op, "ST")
}

// moves reports by how much an instruction moves the stack pointer.
func moves(in *sass.Instr) (int, bool) {
	if !writesSP(in) || !strings.Contains(in.Op, "ADD") {
		return 0, false
	}
	for _, arg := range in.Args {
		if arg.Kind == sass.Imm {
			return int(arg.Off), true
		}
	}
	return 0, false
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

// saves reports whether an instruction saves or restores a register in the frame,
// and where, in bytes from the stack pointer.
func saves(in *sass.Instr) (reg sass.Operand, at, width int, ok bool) {
	if in.Note != "saved" && in.Note != "restored" || len(in.Args) < 2 {
		return reg, 0, 0, false
	}
	var mem sass.Operand
	mem, reg = in.Args[0], in.Args[1]
	if in.Note == "restored" {
		mem, reg = reg, mem
	}
	if mem.Kind != sass.Mem || reg.Kind != sass.Register || mem.Reg != sass.SP {
		return reg, 0, 0, false
	}
	width = 4
	switch {
	case strings.HasSuffix(in.Op, ".64"):
		width = 8
	case strings.HasSuffix(in.Op, ".128"):
		width = 16
	}
	return reg, int(mem.Off), width, true
}

// saved are the regions of a function's frame that hold registers.
func saved(who string, items []sass.Item, base int) []Region {
	var out []Region
	for i := range items {
		in := &items[i].Instr
		if items[i].Kind != sass.Code || in.Text != "" || in.Note != "saved" {
			continue
		}
		if reg, at, width, ok := saves(in); ok {
			out = append(out, Region{Who: who, Kind: "saved", Name: reg.String(), From: base + at, To: base + at + width})
		}
	}
	return out
}

// memory has the regions of both frames, those of the callee first.
func (w *walk) memory(caller, callee []sass.Item) {
	c := &w.call
	c.Memory = []Region{}
	if f := frameOf(callee); f.at >= 0 {
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
func (w *walk) frameStep(s *Step, in *sass.Instr, f made) bool {
	if n, ok := moves(in); ok && f.at >= 0 && max(n, -n) == f.size {
		s.Kind, s.Other = "frame", in.Args[0].String()
		s.Text = fmt.Sprintf("%s makes its frame of %d bytes: %s moves down", w.callee.Name, f.size, s.Other)
		if w.sp = -f.size; !strings.HasPrefix(in.Note, "frame of ") {
			w.sp = 0
			s.Text = fmt.Sprintf("%s leaves its frame: %s is what it was at the call", w.callee.Name, s.Other)
		}
		return true
	}
	reg, at, width, ok := saves(in)
	if !ok {
		return false
	}
	for b := 0; b < width; b += 4 {
		s.Cells = append(s.Cells, fmt.Sprintf("F%d", at-f.size+b))
	}
	s.Other, s.Name = reg.String(), reg.String()
	s.End = width
	if s.Kind = "save"; in.Note == "restored" {
		s.Kind = "restore"
		s.Text = fmt.Sprintf("%s: restored from [R1+%#x]", reg, at)
		return true
	}
	s.Text = fmt.Sprintf("%s: saved at [R1+%#x]", reg, at)
	return true
}
