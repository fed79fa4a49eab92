package lir

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A printer makes the items of a code. All forms of printed code are printed from items.
type printer struct {
	*Code
	items    []sass.Item
	operands []sass.Operand // of all items, one list after the other
	line     []byte
	texts    strings.Builder // of all items, one after the other
}

// Items returns the code as items.
func (c *Code) Items() []sass.Item {
	p := printer{Code: c, items: make([]sass.Item, 0, len(c.List)), operands: make([]sass.Operand, 0, 3*len(c.List)+len(c.Args))}
	for i := range c.List {
		p.add(&c.List[i])
	}
	return p.items
}

// AppendText appends the code as text to dst.
func (c *Code) AppendText(dst []byte) []byte {
	p := &printer{}
	if c.Memory != nil {
		p = &c.Memory.printer
	}
	p.Code = c
	for i := range c.List {
		for k := range p.only(&c.List[i]) {
			dst = p.items[k].AppendText(dst)
		}
	}
	return dst
}

// ops has the words for ops in dumps.
var ops = [...]string{
	Copy: "copy", Load: "load", Store: "store", Perm: "perm", Const: "const", RetAddr: "retaddr", Instr: "instr",
	Label: "label", Comment: "comment", Pass: "pass", Changed: "changed", Begin: "begin", Group: "at once", Member: "member", Apart: "apart",
}

// AppendDump appends the code as text for people: an instruction a line, with its number,
// the line of the source, what it does, and how it is printed.
func (c *Code) AppendDump(dst []byte) []byte {
	p := printer{Code: c}
	for i := range c.List {
		in := &c.List[i]
		line, text := "", ""
		if in.Pos.Line > 0 {
			line = strconv.Itoa(int(in.Pos.Line))
		}
		if in.Op == Begin {
			text = p.operand(in.Dst).String()
		}
		for k := range p.only(in) {
			text += string(p.items[k].AppendText(nil))
		}
		for n, one := range strings.Split(strings.TrimSpace(text), "\n") {
			row := fmt.Sprintf("%5d %5s  %-8s %s", i, line, ops[in.Op], strings.TrimSpace(one))
			if n > 0 {
				row = fmt.Sprintf("%22s%s", "", strings.TrimSpace(one))
			}
			dst = append(append(dst, strings.TrimRight(row, " ")...), '\n')
		}
	}
	return dst
}

// only returns the items of one instruction, until the next call.
func (p *printer) only(in *Inst) []sass.Item {
	p.items, p.operands = p.items[:0], p.operands[:0]
	p.add(in)
	return p.items
}

// add appends the items of an instruction.
func (p *printer) add(in *Inst) {
	switch in.Op {
	case Label:
		it := p.item()
		if it.Kind, it.Text = sass.Label, in.Name; in.Name == "" {
			it.Text = p.labelName(in.First)
		}
	case Comment:
		it := p.item()
		it.Kind, it.Text, it.Step, it.List = sass.Comment, in.Name, in.Note.step(), in.Targets
	case Changed:
		it := &p.item().Instr
		it.Text, it.Pos, it.Contract = in.Name, in.Pos, in.Contract
	case Begin, Group, Member, Apart:
	case Pass:
		for _, s := range p.Func.Body[in.First : in.First+in.N] {
			s := s.(*ptx.Instr)
			p.line = ptx.AppendStmt(p.line[:0], s)
			it := &p.item().Instr
			it.Text, it.Pos = p.string(bytes.TrimSuffix(p.line, []byte(";"))), s.Pos
		}
	case RetAddr:
		to := p.labelName(in.First)
		hi := *in
		hi.Note = Note{}
		p.instr(in, p.Spelling.RetMove, sass.Register(in.Dst.Num()), sass.Operand{Kind: sass.KindLo32, Name: p.Func.Name, Label: to})
		p.instr(&hi, p.Spelling.RetMove, sass.Register(in.Dst.Num()+1), sass.Operand{Kind: sass.KindHi32, Name: p.Func.Name, Label: to})
	case Copy:
		p.instr(in, "MOV", p.operand(in.Dst), p.operand(in.A))
	case Load:
		p.instr(in, p.Opcode(in, int(in.Size), in.Signed), p.operand(in.Dst), p.memory(in))
	case Store:
		p.instr(in, p.Opcode(in, int(in.Size), false), p.memory(in), p.operand(in.A))
	case Perm:
		p.instr(in, p.Spelling.SelectBytes, p.operand(in.Dst), p.operand(in.A), sass.Imm(in.Off), p.operand(in.B))
	case Const:
		p.instr(in, p.Spelling.LoadImm, p.operand(in.Dst), sass.Imm(in.Off))
	case Instr:
		it, first := p.instr(in, in.Name), len(p.operands)
		for i := range p.Args[in.First : in.First+in.N] {
			p.operands = append(p.operands, p.arg(in, &p.Args[int(in.First)+i]))
		}
		it.Args = p.operands[first:len(p.operands):len(p.operands)]
	}
}

// item appends an item, to be filled in.
func (p *printer) item() *sass.Item {
	p.items = append(p.items, sass.Item{})
	return &p.items[len(p.items)-1]
}

// instr appends an instruction with an opcode and operands.
func (p *printer) instr(in *Inst, op string, args ...sass.Operand) *sass.Instr {
	first := len(p.operands)
	p.operands = append(p.operands, args...)
	p.line = in.Note.Append(p.line[:0])
	it := p.item()
	it.Step = in.Note.step()
	it.Instr.Guard, it.Instr.Op, it.Instr.Args, it.Instr.Note = in.Guard, op, p.operands[first:len(p.operands):len(p.operands)], p.string(p.line)
	it.Instr.Pos, it.Instr.Contract = in.Pos, in.Contract
	return &it.Instr
}

// string returns a text as a string. Many strings share the memory of one builder: a builder only appends, so that those
// returned before keep their bytes.
func (p *printer) string(text []byte) string {
	if p.texts.Cap()-p.texts.Len() < len(text) {
		p.texts = strings.Builder{}
		p.texts.Grow(max(len(text), textsSize))
	}
	at := p.texts.Len()
	p.texts.Write(text)
	return p.texts.String()[at:]
}

// textsSize is how many bytes of texts lie side by side.
const textsSize = 1 << 12

// labelName returns the name of the label with a number.
func (c *Code) labelName(n int32) string { return cmp.Or(c.LabelStem, ".L_x_") + strconv.Itoa(int(n)) }

// arg returns an argument of an instruction as an operand.
func (p *printer) arg(in *Inst, arg *Arg) sass.Operand {
	o := arg.Rest
	switch {
	case arg.Label > 0:
		o.Name = p.labelName(arg.Label - 1)
	case arg.field > 0:
		r := p.operand([...]Reg{inDst: in.Dst, inA: in.A, inB: in.B}[arg.field])
		o.Kind, o.Reg, o.Name, o.Part = r.Kind, r.Reg, r.Name, r.Part
	}
	return o
}

// operand returns a register as an operand.
func (p *printer) operand(r Reg) sass.Operand {
	o := sass.Operand{Kind: r.Kind()}
	switch o.Kind {
	case sass.KindRegister:
		o.Reg = r.Num()
	case sass.KindVirtual:
		text, number := p.Names.parts(r.Name())
		if o.Name, o.Part = text, r.Part(); number >= 0 {
			p.line = p.Names.Append(p.line[:0], r.Name())
			o.Name = p.string(p.line)
		}
	}
	return o
}

// memory returns the memory of a load or a store as an operand.
func (p *printer) memory(in *Inst) sass.Operand {
	o := p.operand(in.B)
	switch o.Off = in.Off; {
	case in.Bank == 0:
		o.Kind = sass.KindMem
	case o.Kind == sass.KindRegister:
		o.Kind, o.Bank = sass.KindConstReg, in.Bank-1
	default:
		o.Kind, o.Bank = sass.KindConst, in.Bank-1
	}
	return o
}
