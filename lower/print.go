package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/sass"
)

// Copies of registers, loads, stores and selections of bytes are nearly all that
// is emitted. Where only text is wanted they are printed right away, from what
// lower has in hand: as items, with notes as strings, they take three times as
// long.

// prints reports whether what is emitted may be printed right away.
func (fn *fn) prints() bool { return fn.textOnly && fn.spill.at == nil }

// move emits a copy of a register.
func (fn *fn) move(guard string, dst, src wordReg, s span) {
	if !fn.prints() {
		fn.emit(guard, "MOV", fn.note(s), fn.op(dst), fn.op(src))
		return
	}
	line := len(fn.printed)
	b := sass.AppendOp(fn.printed, guard, "MOV")
	b = append(fn.appendReg(b, dst), ", "...)
	fn.printed = appendEnd(fn.appendReg(b, src), line, s)
}

// loadWord emits a load.
func (fn *fn) loadWord(guard, op string, dst wordReg, m *memory, s span) {
	if !fn.prints() {
		fn.emit(guard, op, fn.note(s), fn.op(dst), fn.place(m))
		return
	}
	line := len(fn.printed)
	b := sass.AppendOp(fn.printed, guard, op)
	b = append(fn.appendReg(b, dst), ", "...)
	fn.printed = appendEnd(fn.appendPlace(b, m), line, s)
}

// storeWord emits a store.
func (fn *fn) storeWord(guard, op string, m *memory, src wordReg, s span) {
	if !fn.prints() {
		fn.emit(guard, op, fn.note(s), fn.place(m), fn.op(src))
		return
	}
	line := len(fn.printed)
	b := sass.AppendOp(fn.printed, guard, op)
	b = append(fn.appendPlace(b, m), ", "...)
	fn.printed = appendEnd(fn.appendReg(b, src), line, s)
}

// selectBytes emits a selection of bytes of two registers.
func (fn *fn) selectBytes(guard string, dst, first wordReg, sel uint32, other wordReg, s span) {
	op := fn.t.Spelling.SelectBytes
	if !fn.prints() {
		fn.emit(guard, op, fn.note(s), fn.op(dst), fn.op(first), sass.I(int64(sel)), fn.op(other))
		return
	}
	line := len(fn.printed)
	b := sass.AppendOp(fn.printed, guard, op)
	b = append(fn.appendReg(b, dst), ", "...)
	b = append(fn.appendReg(b, first), ", "...)
	imm := sass.I(int64(sel))
	b = append(imm.AppendText(b), ", "...)
	fn.printed = appendEnd(fn.appendReg(b, other), line, s)
}

func (fn *fn) appendReg(dst []byte, r wordReg) []byte {
	if r.kind == sass.Register {
		return sass.AppendReg(dst, r.reg)
	}
	return sass.AppendVirtual(dst, fn.scope.Name(r.name), r.part)
}

func (fn *fn) appendPlace(dst []byte, m *memory) []byte {
	if m.kind == sass.Mem && m.base.kind == sass.Register {
		return sass.AppendMem(dst, m.base.reg, m.off)
	}
	o := fn.place(m)
	return o.AppendText(dst)
}

// appendEnd ends an instruction whose line begins at dst[line], and gives it a
// note.
func appendEnd(dst []byte, line int, s span) []byte {
	if s.name == "" {
		return append(dst, " ;\n"...)
	}
	return append(s.append(sass.AppendNote(dst, line)), '\n')
}

// A span names bytes of a value for a note, or is a note of another kind. Its
// zero value is none.
type span struct {
	name       string
	first, end int32 // end is said for a text without bytes
}

const said = -1

func bytesOf(name string, first, end int) span { return span{name, int32(first), int32(end)} }

// saying is a note that names no bytes.
func saying(text string) span { return span{name: text, end: said} }

// append appends a note: "x[0:4]".
func (s span) append(dst []byte) []byte {
	dst = append(dst, s.name...)
	if s.end == said {
		return dst
	}
	dst = append(appendSmall(append(dst, '['), s.first), ':')
	return append(appendSmall(dst, s.end), ']')
}

// appendSmall appends a number that is mostly small, in a third of the time of
// AppendInt.
func appendSmall(dst []byte, n int32) []byte {
	switch {
	case 0 <= n && n < 10:
		return append(dst, byte('0'+n))
	case 10 <= n && n < 100:
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	}
	return strconv.AppendInt(dst, int64(n), 10)
}
