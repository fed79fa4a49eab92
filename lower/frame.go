package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A frame, from the body's stack pointer up:
//
//	        ┌──────────────────────────┐  entry R1 → incoming parameters
//	        │ padding to align         │
//	        ├──────────────────────────┤
//	saved → │ R2, R16 … R20 R21 … used │  4 bytes each
//	        ├──────────────────────────┤
//	        │ locals: .local variables,│  in order of declaration,
//	        │ copies of formals whose  │  each at its alignment
//	        │ address is taken, memory │
//	        │ for large results        │
//	        ├──────────────────────────┤
//	    0 → │ outgoing parameters      │  the largest area of all calls
//	        └──────────────────────────┘  body R1
//
// docs/abi.md, section on frames, has the measurements.
type frame struct {
	size      int // bytes that the stack pointer moves by; 0 if there is no frame
	align     int // the largest alignment of anything in the frame
	outgoing  int // bytes of the outgoing area
	saved     int // offset of the first saved register
	realigned bool
	keepsRA   bool // the return address is saved
	based     bool // alloca moves the stack pointer; a register addresses the frame
}

// layFrame gives everything in the frame its offset.
func (fn *fn) layFrame() {
	fr := frame{align: 4, based: fn.alloca}
	calls := false
	for i := range fn.sites {
		s := &fn.sites[i]
		if !s.ok {
			continue
		}
		calls = true
		fr.outgoing = max(fr.outgoing, s.asn.StackBytes)
		for _, p := range s.asn.Params {
			if p.Loc.Kind == abi.OnStack {
				fr.align = max(fr.align, p.Align)
			}
		}
	}
	off := fr.outgoing
	place := func(size, align int) int {
		off = alignUp(off, align)
		at := off
		off += size
		fr.align = max(fr.align, align)
		return at
	}
	// The most aligned first, which leaves no holes between powers of two.
	var locals []*pvar
	for _, v := range fn.vars {
		if v.place == inFrame {
			locals = append(locals, v)
		}
	}
	slices.SortStableFunc(locals, func(a, b *pvar) int { return b.align - a.align })
	for _, v := range locals {
		if v.size >= 8 && v.sym.Spec.Space == ptx.ParamSpace {
			off = alignUp(off, 8) // for accesses of two words
		}
		v.frame = place(v.size, max(v.align, 4))
	}
	for i := range fn.sites {
		s := &fn.sites[i]
		if !s.ok || s.asn.Hidden.Kind != abi.InReg {
			continue
		}
		if s.resultVar != nil {
			s.buffer = s.resultVar.frame
		} else {
			s.buffer = place(s.asn.Results[0].Size, max(s.asn.Results[0].Align, 4))
		}
	}
	fr.saved = alignUp(off, 4)
	fn.frame = fr
	fn.frame.realigned = fr.align > fn.entryAlign()
	if !fn.f.Entry {
		fn.frame.keepsRA = calls && fn.t.Regs.HasRetAddr()
	}
	size := fr.saved + 4*len(fn.savedRegs())
	if size > 0 || fr.based {
		fn.frame.size = alignUp(size, max(fr.align, fn.t.Frame.Round))
	}
}

// entryAlign is what the stack pointer is aligned to when the function starts.
func (fn *fn) entryAlign() int {
	if fn.alignAtEntry == 0 {
		fn.alignAtEntry = fn.findEntryAlign()
	}
	return fn.alignAtEntry
}

func (fn *fn) findEntryAlign() int {
	if fn.f.Entry {
		return fn.t.Frame.KernelAlign
	}
	align := fn.t.Frame.FuncAlign
	for _, p := range fn.asn.Params {
		if p.Loc.Kind == abi.OnStack {
			align = max(align, p.Align)
		}
	}
	return align
}

func alignUp(n, align int) int { return (n + align - 1) &^ (align - 1) }

// savedRegs returns the registers that the function saves, in ascending order:
// those that the frame itself uses, those that are homes, and the return
// address. Kernels save none, and functions that never return only the last.
func (fn *fn) savedRegs() []sass.Reg {
	if fn.f.Entry {
		return nil
	}
	var list []sass.Reg
	fr, t := &fn.frame, &fn.t.Frame
	keeps := !endless(fn.f)
	if keeps && (fr.realigned || fr.based) {
		list = append(list, t.KeptSP)
	}
	if keeps && fr.realigned && fr.based {
		list = append(list, t.KeptSPToo)
	}
	if fr.keepsRA {
		list = append(list, fn.t.Regs.RetAddr, fn.t.Regs.RetAddr+1)
	}
	if keeps && fn.h != nil {
		list = slices.AppendSeq(list, fn.h.used.Intersect(fn.t.Regs.Preserved).All())
		slices.Sort(list)
	}
	return list
}

// keptSP is the register that keeps the stack pointer of the entry in a
// realigned frame.
func (fn *fn) keptSP() sass.Reg {
	if fn.frame.based {
		return fn.t.Frame.KeptSPToo
	}
	return fn.t.Frame.KeptSP
}

// base is the register that addresses the frame.
func (fn *fn) base() sass.Reg {
	if fn.frame.based {
		return fn.t.Frame.Base
	}
	return fn.t.Regs.SP
}

// prologue emits the frame's set-up.
func (fn *fn) prologue() {
	fr, t, sp := &fn.frame, &fn.t.Frame, sass.R(fn.t.Regs.SP)
	if fn.f.Entry && (fr.size > 0 || len(fn.sites) > 0 || fr.based) {
		k := fn.t.Kernel.SP
		fn.emit("", fn.t.Spelling.LoadSP, "stack pointer", sp, sass.C(k.Bank, int64(k.Off)))
	}
	keeps := fr.realigned && !fn.f.Entry
	if keeps {
		fn.emit("", "MOV", "stack pointer at entry", sass.R(t.OldSP), sp)
	}
	if fr.size > 0 {
		fn.addReg("", sp, sp, int64(-fr.size), "frame of "+hex(fr.size)+" bytes")
	}
	if fr.realigned {
		fn.alignSP("", fr.align)
	}
	for i, r := range fn.savedRegs() {
		fn.emit("", fn.t.Spelling.StoreLocal.B32, "saved", sass.M(fn.t.Regs.SP, int64(fr.saved+4*i)), sass.R(r))
	}
	if keeps {
		fn.emit("", "MOV", "stack pointer at entry", sass.R(fn.keptSP()), sass.R(t.OldSP))
	}
	if fr.based {
		fn.emit("", "MOV", "frame", sass.R(t.Base), sp)
	}
}

// epilogue emits the way back, under the guard of a return.
func (fn *fn) epilogue(guard string) {
	fr, t, sp := &fn.frame, &fn.t.Frame, sass.R(fn.t.Regs.SP)
	if fr.based {
		fn.emit(guard, "MOV", "frame", sp, sass.R(t.Base))
	}
	if fr.realigned {
		fn.emit(guard, "MOV", "", sass.R(t.OldSP), sass.R(fn.keptSP()))
	}
	for i, r := range fn.savedRegs() {
		fn.emit(guard, fn.t.Spelling.LoadLocal.B32, "restored", sass.R(r), sass.M(fn.t.Regs.SP, int64(fr.saved+4*i)))
	}
	switch {
	case fr.realigned:
		fn.emit(guard, "MOV", "stack pointer at entry", sp, sass.R(t.OldSP))
	case fr.size > 0:
		fn.addReg(guard, sp, sp, int64(fr.size), "")
	}
}

// addReg emits dst = src + n.
func (fn *fn) addReg(guard string, dst, src sass.Operand, n int64, note string) {
	if n == 0 {
		fn.emit(guard, "MOV", note, dst, src)
		return
	}
	fn.emit(guard, fn.t.Spelling.AdjustSP, note, fn.addArgs(dst, src, sass.I(n))...)
}

// addArgs returns the operands of an addition as the target spells it.
func (fn *fn) addArgs(dst, a, b sass.Operand) []sass.Operand {
	args := []sass.Operand{dst}
	if fn.t.Spelling.AddPT {
		args = append(args, sass.P("PT"), sass.P("PT"))
	}
	args = append(args, a, b)
	if fn.t.Spelling.AdjustSPZero {
		args = append(args, sass.R(sass.RZ))
	}
	return args
}

// alignSP emits the rounding of the stack pointer down to align.
func (fn *fn) alignSP(guard string, align int) {
	s, sp := &fn.t.Spelling, sass.R(fn.t.Regs.SP)
	args := []sass.Operand{sp, sp, sass.I(int64(uint32(-align)))}
	if s.AlignSPTable != 0 {
		args = append(args, sass.R(sass.RZ), sass.I(int64(s.AlignSPTable)), sass.P("PT").Negated())
	}
	fn.emit(guard, s.AlignSP, "", args...)
}

// incomingAt is where byte off of the incoming stack area is: at a register plus
// an offset.
func (fn *fn) incomingAt(off int) (base sass.Reg, at int64) {
	if fn.frame.realigned {
		return fn.keptSP(), int64(off)
	}
	return fn.base(), int64(fn.frame.size + off)
}

// localComments lists what the frame holds under a name.
func (fn *fn) localComments() {
	for _, v := range fn.vars {
		if v.place == inFrame && v.sym.Spec.Space == ptx.LocalSpace {
			fn.comment(".local " + note(fn.nameOf(v), 0, v.size) + " at " + sass.M(fn.base(), int64(v.frame)).String())
		}
	}
}
