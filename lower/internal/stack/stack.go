// Package stack makes the instructions of frames, in the spelling of a target: for package isel, and for the public
// package frame.
package stack

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// An Emitter appends instructions to a code.
type Emitter struct {
	*lir.Code
	T *abi.Target
	// The position and the guard of the instructions that are appended next.
	Pos   diag.Pos
	Guard string
}

// NewEmitter returns an emitter of the code of a function that has no body. Its labels have the function's name, since a
// backend has labels of its own.
func NewEmitter(t *abi.Target, name string) *Emitter {
	return &Emitter{Code: &lir.Code{Func: &ptx.Func{Name: name}, Spelling: &machine.Of(t.SM).Spelling, LabelStem: ".L_" + name + "_"}, T: t}
}

// Emit appends an instruction with an opcode and operands.
func (e *Emitter) Emit(op string, note lir.Note, args ...lir.Arg) *lir.Inst {
	return e.AddArgs(op, e.Guard, e.Pos, note, args...)
}

// Move appends d = a.
func (e *Emitter) Move(d, a lir.Reg, note lir.Note) {
	in := e.Add(lir.Copy, e.Guard, e.Pos)
	in.Dst, in.A, in.Note = d, a, note
}

// Sum appends d = a + n.
func (e *Emitter) Sum(d, a lir.Reg, n int64, note lir.Note) {
	if n == 0 {
		e.Move(d, a, note)
		return
	}
	e.Emit(e.Spelling.AdjustSP, note, e.SumArgs(d, a, lir.I(n))...)
}

// SumArgs returns the operands of the addition d = a + b in the spelling of the target.
func (e *Emitter) SumArgs(d, a lir.Reg, b lir.Arg) []lir.Arg {
	args := append(make([]lir.Arg, 0, 6), lir.Def(d))
	if e.Spelling.AddPT {
		args = append(args, lir.P("PT"), lir.P("PT"))
	}
	args = append(args, lir.Of(a), b)
	if e.Spelling.AdjustSPZero {
		args = append(args, lir.RZ)
	}
	return args
}

// Align appends the instruction that rounds the stack pointer down to a multiple of align, a power of two.
func (e *Emitter) Align(align int, note lir.Note) {
	sp, r := e.Spelling, lir.Phys(e.T.Regs.SP)
	args := []lir.Arg{lir.Def(r), lir.Of(r), lir.I(int64(uint32(-align)))}
	if sp.AlignSPTable != 0 {
		args = append(args, lir.RZ, lir.I(int64(sp.AlignSPTable)), lir.P("PT").Negated())
	}
	e.Emit(sp.AlignSP, note, args...)
}

// A Target is the callee of a call.
type Target struct {
	Name    string
	Regs    *abi.RegFile // the registers that the call preserves and changes
	Self    bool         // it is the function itself
	Through lir.Arg      // if Indirect: the register that has the address
	// Indirect says that the call is through a register.
	Indirect bool
}

// Call appends the return address, a call, and the label to which the callee returns. It returns the call.
func (e *Emitter) Call(to Target, note lir.Note) *lir.Inst {
	sp := e.Spelling
	back := int32(-1)
	if to.Regs.HasRetAddr() || to.Indirect && sp.PreRet != "" {
		back = e.NewLabel()
	}
	if to.Regs.HasRetAddr() {
		in := e.Add(lir.RetAddr, "", e.Pos)
		in.Dst, in.First, in.Note = lir.Phys(to.Regs.RetAddr), back, lir.Say("return address")
	}
	op, args := sp.Call, []lir.Arg{lir.Plain(sass.Symbol(to.Name))}
	switch {
	case to.Indirect:
		if sp.PreRet != "" {
			e.Emit(sp.PreRet, lir.Say("return address"), lir.To(back))
		}
		if op, args = sp.CallIndirect, []lir.Arg{to.Through}; sp.IndirectTable != "" {
			args = append(args, lir.Plain(sass.Symbol(sp.IndirectTable)))
		}
	case to.Self:
		op = sp.CallSelf
	}
	at := len(e.List)
	e.Emit(op, note, args...)
	if back >= 0 {
		e.AddLabel(back).N = lir.OnlyReturns
	}
	return &e.List[at]
}

// Return appends the return of a function.
func (e *Emitter) Return(regs *abi.RegFile) *lir.Inst {
	if !regs.HasRetAddr() {
		return e.Emit(e.Spelling.Ret, lir.Note{})
	}
	return e.Emit(e.Spelling.Ret, lir.Note{}, lir.Of(lir.Phys(regs.RetAddr)), lir.I(0))
}

// Begin appends the instructions of [EntryCode]. They may use a predicate, since none has a value yet.
func (e *Emitter) Begin() {
	list := EntryCode(e.T)
	if list == nil {
		return
	}
	after, note := e.NewLabel(), lir.Say("barriers made ready, if they are not")
	for i := range list {
		in := &list[i]
		args := make([]lir.Arg, len(in.Args))
		for k, o := range in.Args {
			if args[k] = lir.Plain(o); o == sass.Symbol(entryEnd) {
				args[k] = lir.To(after)
			}
		}
		e.Guard = in.Guard
		e.Emit(in.Op, note, args...).Jumps = in.Op == "BRA"
		note = lir.Note{}
	}
	e.Guard = ""
	e.AddLabel(after)
}

// A Frame is a function's part of the stack.
type Frame struct {
	Size      int        // bytes that the stack pointer moves by; 0 if there is no frame
	Align     int        // the largest alignment of anything in the frame, in bytes
	End       int        // the end of the frame so far; at first that of the arguments on the stack
	Saved     int        // offset of the first saved register
	Regs      []sass.Reg // the registers that are saved, side by side, in ascending order
	Entry     bool       // of a kernel: it sets its stack pointer itself, and restores nothing
	Calls     bool       // the function calls others
	Realigned bool       // the stack pointer is aligned to more than at the entry
	Based     bool       // alloca moves the stack pointer; a register of its own addresses the frame
	Kept      lir.Reg    // if Realigned: keeps the stack pointer of the entry; a physical register, or one in a slot
}

// Put returns the offset of more memory in the frame, above all that has an offset so far.
func (f *Frame) Put(size, align int) int {
	at := round.Up(f.End, align)
	f.End, f.Align = at+size, max(f.Align, align)
	return at
}

// Close gives the saved registers their offsets, and sets the size of the frame.
func (f *Frame) Close(t *abi.Target, saved abi.RegSet) {
	f.Regs = slices.Collect(saved.All())
	f.Saved = round.Up(f.End, 4)
	f.End = f.Saved + 4*len(f.Regs)
	if f.End > 0 || f.Based {
		f.Size = round.Up(f.End, max(f.Align, t.Frame.Round))
	}
}

// EntryAlign returns the alignment of the stack pointer when a function or a kernel starts, in bytes.
func EntryAlign(t *abi.Target, a *abi.Assignment) int {
	if a.Kind == abi.Entry {
		return t.Frame.KernelAlign
	}
	return a.StackAlign(t)
}

// RetAddr returns the registers of the return address.
func RetAddr(regs *abi.RegFile) abi.RegSet {
	if !regs.HasRetAddr() {
		return abi.RegSet{}
	}
	return abi.RegRange(regs.RetAddr, regs.RetAddr+1)
}

// Prologue appends the set-up of a frame.
func (f *Frame) Prologue(e *Emitter) {
	sp, old := lir.Phys(e.T.Regs.SP), lir.Phys(e.T.Frame.OldSP)
	if f.Entry && (f.Size > 0 || f.Calls || f.Based) {
		k := e.T.Kernel.SP
		e.Emit(e.Spelling.LoadSP, lir.Say("stack pointer"), lir.Def(sp), lir.Plain(sass.Const(k.Bank, int64(k.Off))))
	}
	keeps, note := f.Realigned && !f.Entry, lir.Say("stack pointer at entry")
	if keeps {
		e.Move(old, sp, note)
	}
	if f.Size > 0 {
		e.Sum(sp, sp, int64(-f.Size), lir.Does(sass.MakesFrame, "frame of 0x"+strconv.FormatInt(int64(f.Size), 16)+" bytes", f.Size))
	}
	if f.Realigned {
		e.Align(f.Align, lir.Does(sass.AlignsFrame, "", 0))
	}
	for i, r := range f.Regs {
		f.saved(e.Add(lir.Store, e.Guard, e.Pos), sp, i, lir.Does(sass.Saves, "saved", 0)).A = lir.Phys(r)
	}
	slot := f.Kept.Kind() == sass.KindVirtual // Base must be set before it can be stored
	if keeps && !slot && f.Kept != old {
		e.Move(f.Kept, old, note)
	}
	if f.Based {
		e.Move(lir.Phys(e.T.Frame.Base), sp, lir.Say("frame"))
	}
	if keeps && slot {
		e.Move(f.Kept, old, note)
	}
}

// Epilogue appends the instructions that restore registers and give the frame back.
func (f *Frame) Epilogue(e *Emitter) {
	sp, old := lir.Phys(e.T.Regs.SP), lir.Phys(e.T.Frame.OldSP)
	if f.Based {
		e.Move(sp, lir.Phys(e.T.Frame.Base), lir.Say("frame"))
	}
	// Kept is read before the saved registers are restored, since it is one of them.
	if f.Realigned && f.Kept != old {
		e.Move(old, f.Kept, lir.Note{})
	}
	for i, r := range f.Regs {
		f.saved(e.Add(lir.Load, e.Guard, e.Pos), sp, i, lir.Does(sass.Restores, "restored", 0)).Dst = lir.Phys(r)
	}
	switch {
	case f.Realigned:
		e.Move(sp, old, lir.Does(sass.LeavesFrame, "stack pointer at entry", f.Size))
	case f.Size > 0:
		e.Sum(sp, sp, int64(f.Size), lir.Does(sass.LeavesFrame, "", f.Size))
	}
}

// saved fills in an access to the word of saved register i.
func (f *Frame) saved(in *lir.Inst, sp lir.Reg, i int, note lir.Note) *lir.Inst {
	in.Size, in.B, in.Off, in.First, in.Note = 4, sp, int64(f.Saved+4*i), 4, note
	return in
}
