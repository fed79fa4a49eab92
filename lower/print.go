package lower

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// emit appends an instruction.
func (fn *fn) emit(guard, op string, note lir.Note, args ...lir.Arg) {
	fn.code.AddArgs(op, guard, fn.pos, note, args...)
}

// move emits a copy of a register.
func (fn *fn) move(guard string, dst, src lir.Reg, n lir.Note) {
	in := fn.code.Add(lir.Copy, guard, fn.pos)
	in.Dst, in.A, in.Note = dst, src, n
}

// loadWord emits a load.
func (fn *fn) loadWord(guard, op string, dst lir.Reg, m *memory, n lir.Note) {
	in := fn.code.Add(lir.Load, guard, fn.pos)
	in.Name, in.Dst, in.Kind, in.Bank, in.B, in.Off, in.Note = op, dst, m.kind, m.bank, m.base, m.off, n
}

// storeWord emits a store.
func (fn *fn) storeWord(guard, op string, m *memory, src lir.Reg, n lir.Note) {
	in := fn.code.Add(lir.Store, guard, fn.pos)
	in.Name, in.A, in.Kind, in.Bank, in.B, in.Off, in.Note = op, src, m.kind, m.bank, m.base, m.off, n
}

// selectBytes emits a selection of bytes of two registers.
func (fn *fn) selectBytes(guard string, dst, first lir.Reg, sel uint32, other lir.Reg, n lir.Note) {
	in := fn.code.Add(lir.Perm, guard, fn.pos)
	in.Name, in.Dst, in.A, in.B, in.Off, in.Note = fn.t.Spelling.SelectBytes, dst, first, other, int64(sel), n
}

// loadImm emits a load of a constant.
func (fn *fn) loadImm(guard string, dst lir.Reg, v uint32, n lir.Note) {
	in := fn.code.Add(lir.Const, guard, fn.pos)
	in.Name, in.Dst, in.Off, in.Note = fn.t.Spelling.LoadImm, dst, int64(v), n
}

// loadReturn emits the two loads of a return address, which is that of a label.
func (fn *fn) loadReturn(to sass.Reg, label int32) {
	in := fn.code.Add(lir.RetAddr, "", fn.pos)
	in.Name, in.Dst, in.First, in.Note = fn.t.Spelling.RetMove, lir.Phys(to), label, lir.Say("return address")
}

// callName emits a call of a function by its name.
func (fn *fn) callName(op, name, note string) {
	at := len(fn.code.Buf)
	fn.code.Buf = append(fn.code.Buf, name...)
	in := fn.code.AddText(lir.Call, at, fn.pos)
	in.Name, in.Note = op, lir.Say(note)
}

// comment emits a comment.
func (fn *fn) comment(text string) {
	at := len(fn.code.Buf)
	fn.code.Buf = append(fn.code.Buf, text...)
	fn.code.AddText(lir.Comment, at, fn.pos)
}

// commentLine makes a comment of fn.line.
func (fn *fn) commentLine() {
	at := len(fn.code.Buf)
	fn.code.Buf = append(fn.code.Buf, fn.line...)
	fn.code.AddText(lir.Comment, at, fn.pos)
}

// passThrough emits an instruction of the body, with the names that its registers have
// here.
func (fn *fn) passThrough(in *ptx.Instr) {
	if fn.allVirtual && fn.same(in) {
		fn.code.AddPass(fn.at, 1, in.Pos)
		return
	}
	at := len(fn.code.Buf)
	fn.code.Buf = append(fn.code.Buf, fn.rewrite(in)...)
	fn.code.AddText(lir.Changed, at, in.Pos)
	fn.code.Agree(fn.homesIn(in))
}

// passes reports whether plain instructions stay as they are, without a look at anything
// else, and what else their kinds may say.
func (fn *fn) passes() (ok bool, ignored instrKind) {
	n := &fn.names
	if n.mask&fn.bareNames == 0 {
		ignored = named
	}
	return fn.allVirtual && n.labelIn == nil && !n.percent, ignored
}

// guardKind returns what the guard of an instruction adds to its kind.
func guardKind(in *ptx.Instr) instrKind {
	if in.Guard == nil || in.Guard.Name[0] == '%' {
		return 0
	}
	return bareGuard
}

// stretch emits statement i, which passes speaks of, and those like it after it, and returns
// the index of the statement after them.
func (fn *fn) stretch(i int, ignored instrKind) int {
	end := i + 1
	for end < len(fn.f.Body) && fn.kinds[end]&^ignored == plainInstr {
		end++
	}
	fn.code.AddPass(i, end-i, fn.pos)
	return end
}
