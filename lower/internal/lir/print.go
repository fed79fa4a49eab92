package lir

import (
	"bytes"
	"strconv"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// AppendText appends the code as text to dst.
func (c *Code) AppendText(dst []byte) []byte {
	names, list := c.Names, c.List
	for i := range list {
		in := &list[i]
		switch in.Op {
		case Copy:
			line := len(dst)
			dst = append(appendReg(c.appendOp(dst, in, "MOV"), names, in.Dst), ", "...)
			dst = appendEnd(appendReg(dst, names, in.A), line, in.Note)
		case Load:
			line := len(dst)
			dst = append(appendReg(c.appendOp(dst, in, in.Name), names, in.Dst), ", "...)
			dst = appendEnd(c.appendMem(dst, names, in), line, in.Note)
		case Store:
			line := len(dst)
			dst = append(c.appendMem(c.appendOp(dst, in, in.Name), names, in), ", "...)
			dst = appendEnd(appendReg(dst, names, in.A), line, in.Note)
		case Perm:
			line := len(dst)
			dst = append(appendReg(c.appendOp(dst, in, in.Name), names, in.Dst), ", "...)
			dst = append(appendReg(dst, names, in.A), ", "...)
			dst = append(appendHex(dst, uint32(in.Off)), ", "...)
			dst = appendEnd(appendReg(dst, names, in.B), line, in.Note)
		case Const:
			line := len(dst)
			dst = append(appendReg(c.appendOp(dst, in, in.Name), names, in.Dst), ", "...)
			dst = appendEnd(appendHex(dst, uint32(in.Off)), line, in.Note)
		case RetAddr:
			line := len(dst)
			dst = append(appendReg(c.appendOp(dst, in, in.Name), names, in.Dst), ", 32@lo(("...)
			dst = append(appendLabel(append(append(dst, c.Func.Name...), " + "...), int(in.First)), "@srel))"...)
			dst = appendEnd(dst, line, in.Note)
			dst = append(appendReg(c.appendOp(dst, in, in.Name), names, Phys(in.Dst.Num()+1)), ", 32@hi(("...)
			dst = append(appendLabel(append(append(dst, c.Func.Name...), " + "...), int(in.First)), "@srel)) ;\n"...)
		case Call:
			line := len(dst)
			dst = append(append(c.appendOp(dst, in, in.Name), "`("...), c.Text(in)...)
			dst = appendEnd(append(dst, ')'), line, in.Note)
		case Label:
			dst = append(c.appendLabelName(dst, in), ":\n"...)
		case Comment:
			dst = append(dst, "\t// "...)
			at := len(dst)
			dst = append(dst, c.Text(in)...)
			oneLine(dst[at:])
			dst = append(dst, '\n')
		case Changed:
			dst = append(dst, '\t')
			at := len(dst)
			dst = append(dst, c.Text(in)...)
			oneLine(dst[at:])
			dst = append(dst, " ;\n"...)
		case Pass:
			dst = c.appendPass(dst, in)
		case Instr:
			dst = c.appendInstr(dst, in)
		}
	}
	return dst
}

// appendInstr appends an instruction with arguments.
func (c *Code) appendInstr(dst []byte, in *Inst) []byte {
	line := len(dst)
	var list [8]sass.Operand
	args := list[:0]
	for i := range c.Operands(in) {
		args = append(args, c.arg(&c.Args[int(in.First)+i]))
	}
	it := sass.Instr{Guard: c.GuardOf(in), Op: in.Name, Args: args}
	dst = it.AppendText(append(dst, '\t'))
	if in.Note.Name == "" {
		return append(dst, '\n')
	}
	return append(in.Note.Append(sass.AppendNote(dst[:len(dst)-len(" ;")], line)), '\n')
}

// appendOp begins an instruction.
func (c *Code) appendOp(dst []byte, in *Inst, op string) []byte {
	dst = append(dst, '\t')
	if in.Guard != 0 {
		dst = append(append(dst, c.Guards[in.Guard-1]...), ' ')
	}
	return append(append(dst, op...), ' ')
}

// appendPass appends statements as they are, each in one line.
func (c *Code) appendPass(dst []byte, pass *Inst) []byte {
	for _, s := range c.Func.Body[pass.First : pass.First+pass.N] {
		in := s.(*ptx.Instr)
		dst = append(dst, '\t')
		if c.AsRead && in.Args != "" {
			if in.Guard != nil {
				dst = append(appendGuard(dst, in.Guard), ' ')
			}
			dst = append(append(dst, in.Op...), ' ')
			dst = append(append(dst, in.ArgsLine()...), ' ', ';', '\n')
			continue
		}
		at := len(dst)
		dst = appendStmt(dst, in)
		oneLine(dst[at:])
		dst = append(dst, " ;\n"...)
	}
	return dst
}

// appendStmt appends a statement without its semicolon.
func appendStmt(dst []byte, in *ptx.Instr) []byte {
	dst = ptx.AppendStmt(dst, in)
	return dst[:len(dst)-1]
}

// appendGuard appends a guard as PTX writes it.
func appendGuard(dst []byte, g *ptx.Guard) []byte {
	dst = append(dst, '@')
	if g.Neg {
		dst = append(dst, '!')
	}
	return append(dst, g.Name...)
}

// oneLine makes blanks of line ends.
func oneLine(text []byte) {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 { // as mostly
		return
	}
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
}

func appendReg(dst []byte, names Names, r Reg) []byte {
	if r.Kind() == sass.Register {
		if r.Num() < 10 {
			return append(dst, 'R', '0'+byte(r.Num()))
		}
		return sass.AppendReg(dst, r.Num())
	}
	dst = append(dst, names.Name(r.Name())...)
	switch r.Part() {
	case sass.Whole:
		return dst
	case sass.Lo:
		return append(dst, ".lo"...)
	case sass.Hi:
		return append(dst, ".hi"...)
	}
	return sass.AppendVirtual(dst, "", r.Part())
}

// appendMem appends the memory of a load or a store.
func (c *Code) appendMem(dst []byte, names Names, in *Inst) []byte {
	if in.Kind == sass.Mem && in.B.Kind() == sass.Register {
		return sass.AppendMem(dst, in.B.Num(), in.Off)
	}
	o := c.memory(in)
	return o.AppendText(dst)
}

func appendLabel(dst []byte, n int) []byte {
	return strconv.AppendInt(append(dst, ".L_x_"...), int64(n), 10)
}

func (c *Code) appendLabelName(dst []byte, in *Inst) []byte {
	if in.Name != "" {
		return append(dst, in.Name...)
	}
	return appendLabel(dst, int(in.First))
}

// appendEnd ends an instruction whose line begins at dst[line], and gives it a
// note.
func appendEnd(dst []byte, line int, n Note) []byte {
	if n.Name == "" {
		return append(dst, " ;\n"...)
	}
	dst = append(sass.AppendNote(dst, line), n.Name...)
	if n.End != Text {
		dst = appendSpan(dst, n.First, n.End)
	}
	return append(dst, '\n')
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
