package sel

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// emit appends an instruction.
func (fn *Selector) emit(guard, op string, note lir.Note, args ...lir.Arg) {
	fn.Code.AddArgs(op, guard, fn.Pos, note, args...)
}

// move emits a copy of a register.
func (fn *Selector) move(guard string, dst, src lir.Reg, n lir.Note) {
	in := fn.Code.Add(lir.Copy, guard, fn.Pos)
	in.Dst, in.A, in.Note = dst, src, n
}

// loadWord emits a load.
func (fn *Selector) loadWord(guard, op string, dst lir.Reg, m *memory, n lir.Note) {
	in := fn.Code.Add(lir.Load, guard, fn.Pos)
	in.Name, in.Dst, in.Kind, in.Bank, in.B, in.Off, in.Note = op, dst, m.kind, m.bank, m.base, m.off, n
	in.First, in.N = m.align, m.phase
}

// storeWord emits a store.
func (fn *Selector) storeWord(guard, op string, m *memory, src lir.Reg, n lir.Note) {
	in := fn.Code.Add(lir.Store, guard, fn.Pos)
	in.Name, in.A, in.Kind, in.Bank, in.B, in.Off, in.Note = op, src, m.kind, m.bank, m.base, m.off, n
	in.First, in.N = m.align, m.phase
}

// selectBytes emits a selection of bytes of two registers.
func (fn *Selector) selectBytes(guard string, dst, first lir.Reg, sel uint32, other lir.Reg, n lir.Note) {
	in := fn.Code.Add(lir.Perm, guard, fn.Pos)
	in.Name, in.Dst, in.A, in.B, in.Off, in.Note = fn.T.Spelling.SelectBytes, dst, first, other, int64(sel), n
}

// loadImm emits a load of a constant.
func (fn *Selector) loadImm(guard string, dst lir.Reg, v uint32, n lir.Note) {
	in := fn.Code.Add(lir.Const, guard, fn.Pos)
	in.Name, in.Dst, in.Off, in.Note = fn.T.Spelling.LoadImm, dst, int64(v), n
}

// loadReturn emits the two loads of a return address, which is that of a label.
func (fn *Selector) loadReturn(to sass.Reg, label int32) {
	in := fn.Code.Add(lir.RetAddr, "", fn.Pos)
	in.Name, in.Dst, in.First, in.Note = fn.T.Spelling.RetMove, lir.Phys(to), label, lir.Say("return address")
}

// callName emits a call of a function by its name.
func (fn *Selector) callName(op, name, note string) {
	at := len(fn.Code.Buf)
	fn.Code.Buf = append(fn.Code.Buf, name...)
	in := fn.Code.AddText(lir.Call, at, fn.Pos)
	in.Name, in.Note = op, lir.Say(note)
}

// comment emits a comment.
func (fn *Selector) comment(text string) {
	at := len(fn.Code.Buf)
	fn.Code.Buf = append(fn.Code.Buf, text...)
	fn.Code.AddText(lir.Comment, at, fn.Pos)
}

// commentLine makes a comment of fn.line.
func (fn *Selector) commentLine() *lir.Inst {
	at := len(fn.Code.Buf)
	fn.Code.Buf = append(fn.Code.Buf, fn.line...)
	return fn.Code.AddText(lir.Comment, at, fn.Pos)
}

// passThrough emits an instruction of the body, with the names that its registers have
// here.
func (fn *Selector) passThrough(in *ptx.Instr) {
	if fn.same(in) {
		fn.Code.AddPass(fn.At, 1, in.Pos)
		return
	}
	at := len(fn.Code.Buf)
	fn.Code.Buf = append(fn.Code.Buf, fn.rewrite(in)...)
	fn.Code.AddText(lir.Changed, at, in.Pos)
	fn.Code.Agree(fn.homesIn(in))
}

// passes reports whether plain instructions stay as they are, without a look at anything
// else, and what else their kinds may say.
func (fn *Selector) passes() (ok bool, ignored place.Kind) {
	return fn.Names.LabelIn == nil && !fn.Names.Any, place.Named
}

// stretch emits statement i, which passes speaks of, and those like it after it, and returns
// the index of the statement after them.
func (fn *Selector) stretch(i int, ignored place.Kind) int {
	end := i + 1
	for end < len(fn.F.Body) && fn.Kinds[end]&^ignored == place.PlainInstr {
		end++
	}
	fn.Code.AddPass(i, end-i, fn.Pos)
	return end
}
