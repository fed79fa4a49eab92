package sel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// prologue emits the frame's set-up.
func (fn *Selector) prologue() {
	fr, t, sp := &fn.Frame, &fn.T.Frame, lir.Phys(fn.T.Regs.SP)
	if fn.F.Entry && (fr.Size > 0 || len(fn.Sites) > 0 || fr.Based) {
		k := fn.T.Kernel.SP
		fn.emit("", fn.T.Spelling.LoadSP, lir.Say("stack pointer"), lir.Of(sp), lir.Plain(sass.C(k.Bank, int64(k.Off))))
	}
	keeps := fr.Realigned && !fn.F.Entry
	if keeps {
		fn.move("", lir.Phys(t.OldSP), sp, lir.Say("stack pointer at entry"))
	}
	if fr.Size > 0 {
		size := strconv.AppendInt(append(fn.line[:0], "frame of 0x"...), int64(fr.Size), 16)
		fn.line = append(size, " bytes"...)
		fn.addReg("", lir.Of(sp), lir.Of(sp), int64(-fr.Size), lir.Does(sass.MakesFrame, fn.bytes(fn.line), fr.Size))
	}
	if fr.Realigned {
		fn.alignSP("", fr.Align, lir.Does(sass.AlignsFrame, "", 0))
	}
	for i, r := range fn.Saved {
		m := inLocal(lir.Phys(fn.T.Regs.SP), int64(fr.Saved+4*i), 4, 0)
		fn.storeWord("", fn.T.Spelling.StoreLocal.B32, &m, lir.Phys(r), lir.Does(sass.Saves, "saved", 0))
	}
	if keeps && !fr.SpilledSP && !fr.Leaf {
		fn.move("", fn.KeptSP(), lir.Phys(t.OldSP), lir.Say("stack pointer at entry"))
	}
	if fr.Based {
		fn.move("", lir.Phys(t.Base), sp, lir.Say("frame"))
	}
	if fr.SpilledSP {
		fn.move("", fn.KeptSP(), lir.Phys(t.OldSP), lir.Say("stack pointer at entry"))
	}
}

// epilogue emits the way back, under the guard of a return.
func (fn *Selector) epilogue(guard string) {
	fr, t, sp := &fn.Frame, &fn.T.Frame, lir.Phys(fn.T.Regs.SP)
	if fr.Based {
		fn.move(guard, sp, lir.Phys(t.Base), lir.Say("frame"))
	}
	if fr.Realigned && !fr.Leaf {
		fn.move(guard, lir.Phys(t.OldSP), fn.KeptSP(), lir.Note{})
	}
	for i, r := range fn.Saved {
		m := inLocal(lir.Phys(fn.T.Regs.SP), int64(fr.Saved+4*i), 4, 0)
		fn.loadWord(guard, fn.T.Spelling.LoadLocal.B32, lir.Phys(r), &m, lir.Does(sass.Restores, "restored", 0))
	}
	switch {
	case fr.Realigned:
		fn.move(guard, sp, lir.Phys(t.OldSP), lir.Does(sass.LeavesFrame, "stack pointer at entry", fr.Size))
	case fr.Size > 0:
		fn.addReg(guard, lir.Of(sp), lir.Of(sp), int64(fr.Size), lir.Does(sass.LeavesFrame, "", fr.Size))
	}
}

// addReg emits dst = src + n.
func (fn *Selector) addReg(guard string, dst, src lir.Arg, n int64, note lir.Note) {
	if n == 0 {
		fn.move(guard, dst.Reg, src.Reg, note)
		return
	}
	var args [6]lir.Arg
	fn.emit(guard, fn.T.Spelling.AdjustSP, note, fn.addArgs(args[:0], dst, src, lir.I(n))...)
}

// addArgs appends the operands of an addition as the target spells it.
func (fn *Selector) addArgs(args []lir.Arg, dst, a, b lir.Arg) []lir.Arg {
	args = append(args, dst)
	if fn.T.Spelling.AddPT {
		args = append(args, lir.P("PT"), lir.P("PT"))
	}
	args = append(args, a, b)
	if fn.T.Spelling.AdjustSPZero {
		args = append(args, lir.Of(lir.Zero))
	}
	return args
}

// alignSP emits the rounding of the stack pointer down to align.
func (fn *Selector) alignSP(guard string, align int, note lir.Note) {
	s, sp := &fn.T.Spelling, lir.R(fn.T.Regs.SP)
	args := []lir.Arg{sp, sp, lir.I(int64(uint32(-align)))}
	if s.AlignSPTable != 0 {
		args = append(args, lir.Of(lir.Zero), lir.I(int64(s.AlignSPTable)), lir.P("PT").Negated())
	}
	fn.emit(guard, s.AlignSP, note, args...)
}

// localComments lists what the frame holds under a name.
func (fn *Selector) localComments() {
	for _, v := range fn.Vars {
		if v.Place == place.InFrame && v.Sym.Spec.Space == ptx.LocalSpace {
			b := lir.Bytes(fn.nameOf(v), 0, v.Size).Append(append(fn.line[:0], ".local "...))
			fn.line = append(append(b, " at "...), sass.M(fn.Base(), int64(v.Frame)).String()...)
			fn.commentLine()
		}
	}
	for _, h := range fn.Spill.List {
		m := fn.inSlot(h.Off)
		b := lir.Bytes(h.Name, 0, 4*h.Words).Append(append(fn.line[:0], "slot   "...))
		fn.line = append(append(b, " at "...), sass.M(m.base.Num(), m.off).String()...)
		fn.commentLine()
	}
}
