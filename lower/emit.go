package lower

import (
	"bytes"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// put appends an item. Where only text is wanted it is printed at once: to keep
// it until the end of the function takes a tenth of the time of lowering.
func (fn *fn) put(it *sass.Item) {
	if fn.textOnly {
		fn.printed = sass.AppendItem(fn.printed, it)
		return
	}
	fn.out = append(fn.out, *it)
}

// agree gives the last instruction a contract.
func (fn *fn) agree(c *sass.Contract) {
	if !fn.textOnly {
		fn.out[len(fn.out)-1].Instr.Contract = c
	}
}

// emit appends an instruction.
func (fn *fn) emit(guard, op, note string, args ...sass.Operand) {
	if fn.spill.at != nil && fn.throughSlots(guard, op, note, args) {
		return
	}
	if fn.textOnly { // with an item of its own: that the other one is kept would have args allocated
		it := sass.Item{Instr: sass.Instr{Guard: guard, Op: op, Args: args, Note: note}}
		fn.printed = sass.AppendItem(fn.printed, &it)
		return
	}
	n := len(fn.args)
	fn.args = append(fn.args, args...)
	fn.out = append(fn.out, sass.Item{Instr: sass.Instr{
		Guard: guard, Op: op, Args: fn.args[n:len(fn.args):len(fn.args)], Note: note, Pos: sass.Pos(fn.pos),
	}})
}

func (fn *fn) comment(text string) {
	fn.put(&sass.Item{Kind: sass.Comment, Text: text})
}

// passThrough emits an instruction as its text.
func (fn *fn) passThrough(in *ptx.Instr) {
	if !fn.textOnly {
		text := fn.bytes(fn.names.rewrite(fn, in))
		fn.put(&sass.Item{Instr: sass.Instr{Text: text, Pos: sass.Pos(in.Pos), Contract: fn.homesIn(in)}})
		return
	}
	if fn.outline != nil && !fn.returns && oneLiner(in) && fn.names.untouched(fn, in) {
		fn.printed = appendInstr(fn.printed, in)
		return
	}
	dst := append(fn.printed, '\t')
	start := len(dst)
	if fn.names.same(fn, in) {
		dst = ptx.AppendStmt(dst, in)
		dst = dst[:len(dst)-1]
	} else {
		dst = append(dst, fn.names.rewrite(fn, in)...)
	}
	if text := dst[start:]; in.Ragged || fn.returns && bytes.IndexByte(text, '\r') >= 0 {
		oneLine(text)
	}
	fn.printed = append(dst, " ;\n"...)
}

// printsAsRead reports whether plain instructions are printed as they were read, which
// then is done without a look at anything else, and what else their kinds may say.
func (fn *fn) printsAsRead() (ok bool, ignored instrKind) {
	n := &fn.names
	if n.mask&fn.bareNames == 0 {
		ignored = named
	}
	return fn.textOnly && fn.outline != nil && !fn.returns && fn.h == nil && fn.spill.at == nil && n.labelIn == nil && !n.percent, ignored
}

// oneLiner reports whether an instruction that was read has operands and no line ends,
// as nearly all have.
func oneLiner(in *ptx.Instr) bool { return !in.Ragged && in.Args != "" }

// readAsPlain reports whether an instruction that has to be looked at no closer is in
// one line and names nothing before it but a register.
func readAsPlain(in *ptx.Instr) bool {
	return oneLiner(in) && (in.Guard == nil || in.Guard.Name[0] == '%')
}

// run prints statement i, which printsAsRead speaks of, and those like it behind it,
// and returns the index of the statement behind them.
func (fn *fn) run(i int, ignored instrKind) int {
	dst := fn.printed
	kinds := fn.kinds[i:]
	for k, s := range fn.f.Body[i:] {
		in, ok := s.(*ptx.Instr)
		if !ok || kinds[k]&^ignored != plainInstr || !readAsPlain(in) {
			fn.printed = dst
			return i + k
		}
		dst = append(dst, '\t')
		if in.Guard != nil {
			dst = append(appendGuard(dst, in.Guard), ' ')
		}
		dst = append(append(dst, in.Op...), ' ')
		dst = append(append(dst, in.Args...), ' ', ';', '\n')
	}
	fn.printed = dst
	return len(fn.f.Body)
}

// appendInstr appends an instruction that is as oneLiner says, in one line.
func appendInstr(dst []byte, in *ptx.Instr) []byte {
	dst = append(dst, '\t')
	if in.Guard != nil {
		dst = append(appendGuard(dst, in.Guard), ' ')
	}
	dst = append(append(dst, in.Op...), ' ')
	return append(append(dst, in.Args...), ' ', ';', '\n')
}

// appendGuard appends a guard as PTX writes it.
func appendGuard(dst []byte, g *ptx.Guard) []byte {
	dst = append(dst, '@')
	if g.Neg {
		dst = append(dst, '!')
	}
	return append(dst, g.Name...)
}

// oneLine makes blanks of line ends, as the printer of package sass does.
func oneLine(text []byte) {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
}
