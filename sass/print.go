package sass

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// noteColumn is where the notes of a function's instructions begin, in bytes
// after the tab that indents them. It is fixed, so that changing one
// instruction changes one line of text.
const noteColumn = 48

// padding is a line of noteColumn blanks.
const padding = "                                                "

// AppendText appends the text of the program to dst: a first line that names
// the target, then every function, with an empty line before each.
func (p *Program) AppendText(dst []byte) []byte {
	p = zero.Or(p)
	dst = append(append(dst, "// pseudo-SASS for "...), p.Target...)
	dst = append(dst, ": calling convention only, not assemblable\n"...)
	for _, f := range p.Funcs {
		dst = append(dst, '\n')
		dst = f.AppendText(dst)
	}
	return dst
}

// WriteTo writes the text that AppendText appends. The error is w's.
func (p *Program) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(p.AppendText(nil))
	return int64(n), err
}

// String is the text that AppendText appends.
func (p *Program) String() string { return string(p.AppendText(nil)) }

// AppendText appends the text of the function to dst: the section line, the
// function's own label, and a line for every item.
func (f *Func) AppendText(dst []byte) []byte {
	f = zero.Or(f)
	dst = append(dst, "//--------------------- .text."...)
	dst = append(dst, f.Name...)
	dst = append(dst, " --------------------------\n"...)
	dst = append(dst, f.Name...)
	dst = append(dst, ":\n"...)
	for i := range f.Items {
		dst = f.Items[i].AppendText(dst)
	}
	return dst
}

// String is the text that AppendText appends.
func (f *Func) String() string { return string(f.AppendText(nil)) }

// String is the line of the item, without its indentation and its line end.
func (it Item) String() string { return strings.TrimSpace(string(it.AppendText(nil))) }

// AppendText appends the line of the item to dst, with its line end.
func (it *Item) AppendText(dst []byte) []byte {
	it = zero.Or(it)
	switch it.Kind {
	case Code:
		dst = append(dst, '\t')
		start := len(dst)
		if it.Instr.HasAddr {
			dst = appendAddress(dst, it.Instr.Addr)
		}
		dst = it.Instr.AppendText(dst)
		if it.Instr.Note != "" {
			dst = append(dst, ' ')
			if n := len(dst) - start; n < noteColumn {
				dst = append(dst, padding[n:noteColumn]...)
			}
			dst = append(dst, "// "...)
			dst = appendLine(dst, it.Instr.Note)
		}
	case Label:
		dst = append(dst, it.Text...)
		dst = append(dst, ':')
	case Comment:
		dst = append(dst, "\t//"...)
		if !strings.HasPrefix(it.Text, "##") {
			dst = append(dst, ' ')
		}
		dst = appendLine(dst, it.Text)
	default:
		panic("sass: item of unknown kind " + strconv.Itoa(int(it.Kind)))
	}
	return append(dst, '\n')
}

// appendAddress appends an instruction's address as a disassembler writes it.
func appendAddress(dst []byte, addr int64) []byte {
	return fmt.Appendf(dst, "/*%04x*/ ", addr)
}

// AppendText appends the instruction and its semicolon to dst, without
// indentation, address and note: "@P0 MOV R4, c[0x0][0x160] ;". The second of a
// pair ends in a brace instead.
func (in *Instr) AppendText(dst []byte) []byte {
	in = zero.Or(in)
	if in.Pair == First {
		dst = append(dst, "{ "...)
	}
	if in.Guard != "" {
		dst = append(dst, in.Guard...)
		dst = append(dst, ' ')
	}
	if in.Text != "" {
		dst = appendLine(dst, in.Text)
		return in.appendEnd(dst)
	}
	dst = append(dst, in.Op...)
	sep := ","
	if isTransfer(in.Op) {
		sep = ""
	}
	for i := range in.Args {
		if i > 0 {
			dst = append(dst, sep...)
		}
		dst = append(dst, ' ')
		dst = in.Args[i].AppendText(dst)
	}
	if in.Remark != "" {
		dst = append(dst, ` (*"`...)
		dst = appendLine(dst, in.Remark)
		dst = append(dst, `"*)`...)
	}
	return in.appendEnd(dst)
}

func (in *Instr) appendEnd(dst []byte) []byte {
	if in.Pair == Second {
		return append(dst, " }"...)
	}
	return append(dst, " ;"...)
}

// String is the text that AppendText appends.
func (in Instr) String() string { return string(in.AppendText(nil)) }

// isTransfer reports whether the operands of op are the parts of one address,
// as in "RET.ABS.NODEC R20 0x0", which no commas separate.
func isTransfer(op string) bool {
	op, _, _ = strings.Cut(op, ".")
	switch op {
	case "RET", "CALL", "JMX", "BRX":
		return true
	}
	return false
}

// appendLine appends s with its line ends turned into spaces, so that it stays in one line.
func appendLine(dst []byte, s string) []byte {
	start := len(dst)
	dst = append(dst, s...)
	for i := start; i < len(dst); i++ {
		if dst[i] == '\n' || dst[i] == '\r' {
			dst[i] = ' '
		}
	}
	return dst
}

// AppendText appends the operand's text to dst. The zero Operand has none.
func (o *Operand) AppendText(dst []byte) []byte {
	o = zero.Or(o)
	switch {
	case o.Neg && o.Kind == KindPred:
		dst = append(dst, '!')
	case o.Neg:
		dst = append(dst, '-')
	}
	if o.Not {
		dst = append(dst, '~')
	}
	if o.Abs {
		dst = append(dst, '|')
	}
	dst = o.appendPlain(dst)
	if o.Abs {
		dst = append(dst, '|')
	}
	if o.Suffix != "" && o.Kind != KindAddress {
		dst = append(dst, '.')
		dst = append(dst, o.Suffix...)
	}
	if o.Reuse {
		dst = append(dst, ".reuse"...)
	}
	return dst
}

// appendPlain appends an operand without its signs and suffixes.
func (o *Operand) appendPlain(dst []byte) []byte {
	switch o.Kind {
	case KindNone:
		return dst
	case KindRegister:
		return appendReg(dst, o.Reg)
	case KindUniform:
		dst = append(dst, 'U')
		return appendReg(dst, o.Reg)
	case KindVirtual:
		return appendVirtual(dst, o.Name, o.Part)
	case KindConst, KindConstReg, KindConstUni:
		dst = append(dst, "c["...)
		dst = appendHex(dst, int64(o.Bank))
		dst = append(dst, ']')
		return o.appendAddr(dst)
	case KindMem:
		return o.appendAddr(dst)
	case KindAddress:
		dst = append(dst, o.Label...)
		return o.appendAddr(dst)
	case KindImm:
		return appendHex(dst, o.Off)
	case KindSymbol:
		dst = append(dst, "`("...)
		dst = append(dst, o.Name...)
		return append(dst, ')')
	case KindLo32:
		dst = append(dst, "32@lo("...)
		return o.appendRel(dst)
	case KindHi32:
		dst = append(dst, "32@hi("...)
		return o.appendRel(dst)
	case KindPred, KindFloat, KindOther:
		return append(dst, o.Name...)
	default:
		panic("sass: operand of unknown kind " + strconv.Itoa(int(o.Kind)))
	}
}

// String is the text that AppendText appends.
func (o Operand) String() string { return string(o.AppendText(nil)) }

// appendAddr appends the bracketed part of a constant or of memory. An offset of
// zero is left out after a register.
func (o *Operand) appendAddr(dst []byte) []byte {
	dst = append(dst, '[')
	start := len(dst)
	switch {
	case o.Name != "":
		dst = appendVirtual(dst, o.Name, o.Part)
	case (o.Kind == KindMem || o.Kind == KindConstReg || o.Kind == KindAddress) && o.Reg != RZ:
		dst = appendReg(dst, o.Reg)
		if o.Kind == KindAddress && o.Suffix != "" {
			dst = append(dst, '.')
			dst = append(dst, o.Suffix...)
		}
	}
	if o.Kind == KindAddress && o.HasUni || o.Kind == KindConstUni && o.Uni != RZ {
		if len(dst) > start {
			dst = append(dst, '+')
		}
		dst = append(dst, 'U')
		dst = appendReg(dst, o.Uni)
	}
	if len(dst) > start {
		if o.Off == 0 {
			return append(dst, ']')
		}
		dst = append(dst, '+')
	}
	dst = appendHex(dst, o.Off)
	return append(dst, ']')
}

// appendRel appends the text inside of 32@lo( and 32@hi(, and the parenthesis.
func (o *Operand) appendRel(dst []byte) []byte {
	if o.Label == "" {
		dst = append(dst, o.Name...)
		return append(dst, ')')
	}
	dst = append(dst, '(')
	dst = append(dst, o.Name...)
	dst = append(dst, " + "...)
	dst = append(dst, o.Label...)
	return append(dst, "@srel))"...)
}

func appendReg(dst []byte, r Reg) []byte {
	if r == RZ {
		return append(dst, "RZ"...)
	}
	dst = append(dst, 'R')
	return strconv.AppendUint(dst, uint64(r), 10)
}

var partSuffix = [...]string{Whole: "", Lo: ".lo", Hi: ".hi", W0: ".0", W1: ".1", W2: ".2", W3: ".3"}

func appendVirtual(dst []byte, name string, part Part) []byte {
	dst = append(dst, name...)
	if part == Whole {
		return dst
	}
	return append(dst, partSuffix[part]...)
}

func appendHex(dst []byte, v int64) []byte {
	u := uint64(v)
	if v < 0 {
		dst = append(dst, '-')
		u = -u
	}
	dst = append(dst, '0', 'x')
	return strconv.AppendUint(dst, u, 16)
}
