package abi

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/reg"
)

// Frame is how functions make their frames.
type Frame struct {
	KernelAlign int // bytes; alignment of the stack pointer when a kernel starts
	// FuncAlign is the alignment of the stack pointer that a function may rely
	// on at its entry, in bytes, if none of its parameters on the stack has a
	// larger one.
	FuncAlign int
	Round     int // bytes; a frame's size is a multiple of this, or of its largest alignment
	// OldSP has the stack pointer of the entry in a function that aligns its frame to more than
	// FuncAlign, before the alignment and before the return; the callee-saved register
	// KeptSP keeps it in between. If the function uses Base, for alloca, KeptSPAlloca or
	// a free callee-saved register above it replaces KeptSP.
	OldSP, KeptSP, KeptSPAlloca Reg
	// Base is the callee-saved register that addresses the frame if alloca moves the
	// stack pointer.
	Base    Reg
	Scratch Reg // a caller-saved register that carries no parameter
	// Alloca reports that the assembler accepts alloca for this target; otherwise Base and
	// KeptSPAlloca are those of other targets.
	Alloca bool
}

// frameKepler is the Frame of targets without alloca, frameMaxwell that of all others.
var frameKepler = Frame{KernelAlign: 16, FuncAlign: 8, Round: 8, OldSP: 3, KeptSP: 2, KeptSPAlloca: 16, Base: 2, Scratch: 0}

var frameMaxwell = func() Frame {
	f := frameKepler
	f.Alloca = true
	return f
}()

// frameFacts are the rows of Facts about frames.
var frameFacts = []factRow{
	{name: "stack alignment at a kernel's start", value: func(t *Target) string { return bytes(t.Frame.KernelAlign) }},
	{name: "stack alignment at a function's entry", value: func(t *Target) string {
		return fmt.Sprintf("%d bytes, or that of its most aligned stack parameter", t.Frame.FuncAlign)
	}},
	{name: "frame size", value: func(t *Target) string {
		return fmt.Sprintf("multiple of %d bytes, or of the frame's largest alignment", t.Frame.Round)
	}},
	{name: "old stack pointer of a realigned frame", value: func(t *Target) string {
		f := &t.Frame
		return fmt.Sprintf("%s, kept in %s, or in a free one from %s up where that is the frame's", regName(f.OldSP), regName(f.KeptSP), regName(f.KeptSPAlloca))
	}},
	{name: "register of the frame where alloca is used", source: allocaSource, value: func(t *Target) string { return regName(t.Frame.Base) }},
	{name: "caller-saved register that carries no parameter", value: func(t *Target) string { return regName(t.Frame.Scratch) }},
	{name: "alignment of the stack pointer", value: func(t *Target) string {
		s := spelling(t)
		if s.AlignSP == "" {
			return ""
		}
		text := fmt.Sprintf("%s %s, %s, n", s.AlignSP, regName(t.Regs.SP), regName(t.Regs.SP))
		if s.AlignSPTable != 0 {
			text += fmt.Sprintf(", %s, 0x%x, !PT", regName(reg.RZ), s.AlignSPTable)
		}
		return text
	}},
	{name: "addition of registers", source: addSource(false), value: func(t *Target) string { return spelling(t).Add }},
	{name: "immediate load", value: func(t *Target) string { return spelling(t).LoadImm }},
}

// allocaSource is the source of facts that only functions with alloca show.
func allocaSource(t *Target) (Grade, string) {
	if t.Frame.Alloca {
		return Measured, ""
	}
	return Assumed, "as on sm_52; the assembler refuses alloca here"
}

// factRows are all rows of Facts.
var factRows = slices.Concat(callFacts, frameFacts, multiFacts)
