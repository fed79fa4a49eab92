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
	b = append(appendHex(b, sel), ", "...)
	fn.printed = appendEnd(fn.appendReg(b, other), line, s)
}

// loadImm emits a load of a constant.
func (fn *fn) loadImm(guard string, dst wordReg, v uint32, s span) {
	if !fn.prints() {
		fn.emit(guard, fn.t.Spelling.LoadImm, fn.note(s), fn.op(dst), sass.I(int64(v)))
		return
	}
	line := len(fn.printed)
	b := sass.AppendOp(fn.printed, guard, fn.t.Spelling.LoadImm)
	b = append(fn.appendReg(b, dst), ", "...)
	fn.printed = appendEnd(appendHex(b, v), line, s)
}

// loadReturn emits the two loads of a return address, which is that of a label.
func (fn *fn) loadReturn(to sass.Reg, label string) {
	op := fn.t.Spelling.RetMove
	if !fn.prints() {
		fn.emit("", op, "return address", sass.R(to), sass.LoRel(fn.f.Name, label))
		fn.emit("", op, "", sass.R(to+1), sass.HiRel(fn.f.Name, label))
		return
	}
	b := fn.printed
	line := len(b)
	b = append(sass.AppendReg(sass.AppendOp(b, "", op), to), ", 32@lo(("...)
	b = append(append(append(append(b, fn.f.Name...), " + "...), label...), "@srel))"...)
	b = appendEnd(b, line, saying("return address"))
	b = append(sass.AppendReg(sass.AppendOp(b, "", op), to+1), ", 32@hi(("...)
	b = append(append(append(append(b, fn.f.Name...), " + "...), label...), "@srel)) ;\n"...)
	fn.printed = b
}

// callName emits a call of a function by its name.
func (fn *fn) callName(op, name, note string) {
	if !fn.prints() {
		fn.emit("", op, note, sass.Sym(name))
		return
	}
	line := len(fn.printed)
	b := append(append(sass.AppendOp(fn.printed, "", op), "`("...), name...)
	fn.printed = appendEnd(append(b, ')'), line, saying(note))
}

// label emits a label.
func (fn *fn) label(name string) {
	if fn.textOnly {
		fn.printed = append(append(fn.printed, name...), ":\n"...)
		return
	}
	fn.put(&sass.Item{Kind: sass.Label, Text: name})
}

func (fn *fn) appendReg(dst []byte, r wordReg) []byte {
	if r.kind() == sass.Register {
		if r.reg() < 10 {
			return append(dst, 'R', '0'+byte(r.reg()))
		}
		return sass.AppendReg(dst, r.reg())
	}
	dst = append(dst, fn.in.Name(r.name())...)
	switch r.part() {
	case sass.Whole:
		return dst
	case sass.Lo:
		return append(dst, ".lo"...)
	case sass.Hi:
		return append(dst, ".hi"...)
	}
	return sass.AppendVirtual(dst, "", r.part())
}

func (fn *fn) appendPlace(dst []byte, m *memory) []byte {
	if m.kind == sass.Mem && m.base.kind() == sass.Register {
		return sass.AppendMem(dst, m.base.reg(), m.off)
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
	dst = append(sass.AppendNote(dst, line), s.name...)
	switch first, end := s.first, s.end; {
	case 0 <= first && first < 10 && 0 <= end && end < 10: // as half of all are
		return append(dst, '[', byte('0'+first), ':', byte('0'+end), ']', '\n')
	case end == said:
		return append(dst, '\n')
	}
	return append(s.appendBytes(dst), '\n')
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
	return s.appendBytes(dst)
}

func (s span) appendBytes(dst []byte) []byte {
	dst = append(appendSmall(append(dst, '['), s.first), ':')
	return append(appendSmall(dst, s.end), ']')
}

// appendHex appends a number as package sass prints it. Those of selections have four
// digits: they take a quarter of the time of AppendUint.
func appendHex(dst []byte, v uint32) []byte {
	dst = append(dst, '0', 'x')
	if v>>12 == 0 || v>>16 != 0 {
		return strconv.AppendUint(dst, uint64(v), 16)
	}
	const digits = "0123456789abcdef"
	return append(dst, digits[v>>12], digits[v>>8&0xf], digits[v>>4&0xf], digits[v&0xf])
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
