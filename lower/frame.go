package lower

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
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
//	spills →│ registers in slots       │  where Slots has them
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
	spills    int // offset of the spill area
	realigned bool
	leaf      bool       // realigned, and nothing is called: the register that the stack pointer is copied to keeps it
	lost      abi.RegSet // registers that calls change and that the caller wants back, the return address among them
	keptToo   sass.Reg   // keeps the stack pointer of the entry where realigned and based
	spilledSP bool       // a slot keeps it
	based     bool       // alloca moves the stack pointer; a register addresses the frame
}

// layFrame gives everything in the frame its offset.
func (pl *placer) layFrame() {
	fr := frame{align: 4, based: pl.alloca}
	for i := range pl.sites {
		s := &pl.sites[i]
		if !s.ok {
			continue
		}
		fr.lost = fr.lost.Union(pl.lostBy(s))
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
	locals := pl.memory.locals[:0]
	for _, v := range pl.vars {
		if v.place == inFrame {
			locals = append(locals, v)
		}
	}
	pl.memory.locals = locals
	slices.SortStableFunc(locals, func(a, b *pvar) int { return b.align - a.align })
	for _, v := range locals {
		if v.size >= 8 && v.sym.Spec.Space == ptx.ParamSpace {
			off = alignUp(off, 8) // for accesses of two words
		}
		v.frame = place(v.size, max(v.align, 4))
	}
	for i := range pl.sites {
		s := &pl.sites[i]
		if !s.ok || s.asn.Sret.Kind != abi.InReg {
			continue
		}
		if s.resultVar != nil {
			s.buffer = s.resultVar.frame
		} else {
			s.buffer = place(s.asn.Results[0].Size, max(s.asn.Results[0].Align, 4))
		}
	}
	pl.frame = fr
	pl.frame.realigned = fr.align > pl.entryAlign
	pl.frame.leaf = pl.frame.realigned && !fr.based && len(pl.sites) == 0 && pl.allVirtual
	if pl.frame.realigned && fr.based && !pl.f.Entry {
		pl.keepOldSP()
	}
	if pl.spill.size > 0 {
		pl.frame.spills = place(pl.spill.size, 8)
		pl.frame.align = fr.align
		pl.pickTemps()
	}
	fr.saved = alignUp(off, 4)
	pl.frame.saved = fr.saved
	pl.findSaved()
	size := fr.saved + 4*len(pl.saved)
	if size > 0 || fr.based {
		pl.frame.size = alignUp(size, max(fr.align, pl.t.Frame.Round))
	}
}

// findEntryAlign returns what the stack pointer is aligned to when the function starts.
func (pl *placer) findEntryAlign() int {
	if pl.f.Entry {
		return pl.t.Frame.KernelAlign
	}
	align := pl.t.Frame.FuncAlign
	for _, p := range pl.asn.Params {
		if p.Loc.Kind == abi.OnStack {
			align = max(align, p.Align)
		}
	}
	return align
}

func alignUp(n, align int) int { return (n + align - 1) &^ (align - 1) }

// findSaved finds the registers that the function saves, in ascending order:
// those that the frame itself uses, those that are homes, and the return
// address. Kernels save none, and functions that never return only the last.
func (pl *placer) findSaved() {
	pl.saved = pl.saved[:0]
	if pl.f.Entry {
		return
	}
	fr, t := &pl.frame, &pl.t.Frame
	if endless(pl.f) {
		pl.saved = slices.AppendSeq(pl.saved, fr.lost.Intersect(retAddr(pl.conv)).All())
		return
	}
	set := fr.lost
	if (fr.realigned || fr.based) && !fr.leaf {
		set = set.Union(abi.Regs(t.KeptSP))
	}
	if fr.realigned && fr.based && !fr.spilledSP {
		set = set.Union(abi.Regs(fr.keptToo).Intersect(pl.wanted()))
	}
	if !pl.allVirtual { // else nothing is used
		set = set.Union(pl.used.Union(pl.spill.temps).Intersect(pl.wanted()))
	}
	if set != (abi.RegSet{}) {
		pl.saved = slices.AppendSeq(pl.saved, set.All())
	}
}

// wanted are the registers that the caller wants back, and the return address. It is asked
// for where something may be among them: putting it together took half of findSaved.
func (pl *plan) wanted() abi.RegSet { return pl.conv.CalleeSaved.Union(retAddr(pl.conv)) }

// keptSP is what keeps the stack pointer of the entry in a realigned frame.
func (pl *plan) keptSP() lir.Reg {
	switch {
	case pl.frame.spilledSP:
		return pl.virtual(entryName, sass.Whole)
	case pl.frame.based:
		return lir.Phys(pl.frame.keptToo)
	case pl.frame.leaf:
		return lir.Phys(pl.t.Frame.OldSP)
	}
	return lir.Phys(pl.t.Frame.KeptSP)
}

// cycleTemp is a register that nothing is in where copies of registers go round.
func (pl *plan) cycleTemp() sass.Reg {
	if pl.frame.leaf {
		return pl.t.Frame.Scratch
	}
	return pl.t.Frame.OldSP
}

// spare returns the scratch registers that are nobody's home and carry no parameter.
func (pl *plan) spare() abi.RegSet {
	p := &pl.t.Passing
	params := abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1)
	free := pl.conv.CallerSaved.Minus(params).Minus(abi.Regs(pl.t.Frame.Scratch)).Minus(pl.beyond()).Minus(pl.spill.temps)
	return free.Minus(pl.used)
}

// base is the register that addresses the frame.
func (pl *plan) base() sass.Reg {
	if pl.frame.based {
		return pl.t.Frame.Base
	}
	return pl.t.Regs.SP
}

// prologue emits the frame's set-up.
func (fn *fn) prologue() {
	fr, t, sp := &fn.frame, &fn.t.Frame, lir.Phys(fn.t.Regs.SP)
	if fn.f.Entry && (fr.size > 0 || len(fn.sites) > 0 || fr.based) {
		k := fn.t.Kernel.SP
		fn.emit("", fn.t.Spelling.LoadSP, lir.Say("stack pointer"), lir.Of(sp), lir.Plain(sass.C(k.Bank, int64(k.Off))))
	}
	keeps := fr.realigned && !fn.f.Entry
	if keeps {
		fn.move("", lir.Phys(t.OldSP), sp, lir.Say("stack pointer at entry"))
	}
	if fr.size > 0 {
		size := strconv.AppendInt(append(fn.line[:0], "frame of 0x"...), int64(fr.size), 16)
		fn.line = append(size, " bytes"...)
		fn.addReg("", lir.Of(sp), lir.Of(sp), int64(-fr.size), fn.bytes(fn.line))
	}
	if fr.realigned {
		fn.alignSP("", fr.align)
	}
	for i, r := range fn.saved {
		m := inLocal(lir.Phys(fn.t.Regs.SP), int64(fr.saved+4*i), 4, 0)
		fn.storeWord("", fn.t.Spelling.StoreLocal.B32, &m, lir.Phys(r), lir.Say("saved"))
	}
	if keeps && !fr.spilledSP && !fr.leaf {
		fn.move("", fn.keptSP(), lir.Phys(t.OldSP), lir.Say("stack pointer at entry"))
	}
	if fr.based {
		fn.move("", lir.Phys(t.Base), sp, lir.Say("frame"))
	}
	if fr.spilledSP {
		fn.move("", fn.keptSP(), lir.Phys(t.OldSP), lir.Say("stack pointer at entry"))
	}
}

// epilogue emits the way back, under the guard of a return.
func (fn *fn) epilogue(guard string) {
	fr, t, sp := &fn.frame, &fn.t.Frame, lir.Phys(fn.t.Regs.SP)
	if fr.based {
		fn.move(guard, sp, lir.Phys(t.Base), lir.Say("frame"))
	}
	if fr.realigned && !fr.leaf {
		fn.move(guard, lir.Phys(t.OldSP), fn.keptSP(), lir.Note{})
	}
	for i, r := range fn.saved {
		m := inLocal(lir.Phys(fn.t.Regs.SP), int64(fr.saved+4*i), 4, 0)
		fn.loadWord(guard, fn.t.Spelling.LoadLocal.B32, lir.Phys(r), &m, lir.Say("restored"))
	}
	switch {
	case fr.realigned:
		fn.move(guard, sp, lir.Phys(t.OldSP), lir.Say("stack pointer at entry"))
	case fr.size > 0:
		fn.addReg(guard, lir.Of(sp), lir.Of(sp), int64(fr.size), "")
	}
}

// addReg emits dst = src + n.
func (fn *fn) addReg(guard string, dst, src lir.Arg, n int64, note string) {
	if n == 0 {
		fn.move(guard, dst.Reg, src.Reg, lir.Say(note))
		return
	}
	var args [6]lir.Arg
	fn.emit(guard, fn.t.Spelling.AdjustSP, lir.Say(note), fn.addArgs(args[:0], dst, src, lir.I(n))...)
}

// addArgs appends the operands of an addition as the target spells it.
func (fn *fn) addArgs(args []lir.Arg, dst, a, b lir.Arg) []lir.Arg {
	args = append(args, dst)
	if fn.t.Spelling.AddPT {
		args = append(args, lir.P("PT"), lir.P("PT"))
	}
	args = append(args, a, b)
	if fn.t.Spelling.AdjustSPZero {
		args = append(args, lir.Of(lir.Zero))
	}
	return args
}

// alignSP emits the rounding of the stack pointer down to align.
func (fn *fn) alignSP(guard string, align int) {
	s, sp := &fn.t.Spelling, lir.R(fn.t.Regs.SP)
	args := []lir.Arg{sp, sp, lir.I(int64(uint32(-align)))}
	if s.AlignSPTable != 0 {
		args = append(args, lir.Of(lir.Zero), lir.I(int64(s.AlignSPTable)), lir.P("PT").Negated())
	}
	fn.emit(guard, s.AlignSP, lir.Note{}, args...)
}

// incomingAt is where byte off of the incoming stack area is: at a register plus
// an offset.
func (pl *plan) incomingAt(off int) (base lir.Reg, at int64) {
	if pl.frame.realigned {
		return pl.keptSP(), int64(off)
	}
	return lir.Phys(pl.base()), int64(pl.frame.size + off)
}

// localComments lists what the frame holds under a name.
func (fn *fn) localComments() {
	for _, v := range fn.vars {
		if v.place == inFrame && v.sym.Spec.Space == ptx.LocalSpace {
			b := lir.Bytes(fn.nameOf(v), 0, v.size).Append(append(fn.line[:0], ".local "...))
			fn.line = sass.AppendMem(append(b, " at "...), fn.base(), int64(v.frame))
			fn.commentLine()
		}
	}
	for _, h := range fn.spill.list {
		m := fn.inSlot(h.off)
		b := lir.Bytes(h.Name, 0, 4*h.Words).Append(append(fn.line[:0], "slot   "...))
		fn.line = sass.AppendMem(append(b, " at "...), m.base.Num(), m.off)
		fn.commentLine()
	}
}
