package lir

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Items returns the code as items.
func (c *Code) Items() []sass.Item {
	items := make([]sass.Item, 0, len(c.List))
	c.operands = make([]sass.Operand, 0, 3*len(c.List)+len(c.Args)) // for all of them
	contracts, lists := c.Contracts, c.Lists
	for i := range c.List {
		if op := c.List[i].Op; op == Begin || op == Gone {
			continue
		}
		items = c.appendItems(items, &c.List[i])
		if len(lists) > 0 && lists[0].Inst == i {
			items[len(items)-1].List = lists[0].BranchList
			lists = lists[1:]
		}
		for len(contracts) > 0 && contracts[0].Inst == i {
			items[len(items)-1].Instr.Contract = contracts[0].Contract
			contracts = contracts[1:]
		}
	}
	c.operands = nil
	return items
}

// AppendText appends the code as text to dst.
func (c *Code) AppendText(dst []byte) []byte {
	for i := range c.List {
		c.operands = c.operands[:0]
		c.items = c.appendItems(c.items[:0], &c.List[i])
		for k := range c.items {
			dst = sass.AppendItem(dst, &c.items[k])
		}
	}
	return dst
}

// appendItems appends the items that an instruction is to a list.
func (c *Code) appendItems(items []sass.Item, in *Inst) []sass.Item {
	switch in.Op {
	case Label:
		name := in.Name
		if name == "" {
			name = labelName(in.First)
		}
		return append(items, sass.Item{Kind: sass.Label, Text: name})
	case Comment:
		return append(items, sass.Item{Kind: sass.Comment, Text: c.string(c.Text(in)), Step: in.Note.step()})
	case Changed:
		return append(items, sass.Item{Instr: sass.Instr{Text: c.string(c.Text(in)), Pos: in.Pos}})
	case Begin, Gone:
		return items
	case Pass:
		for _, s := range c.Func.Body[in.First : in.First+in.N] {
			s := s.(*ptx.Instr)
			c.line = ptx.AppendStmt(c.line[:0], s)
			items = append(items, sass.Item{Instr: sass.Instr{Text: c.string(bytes.TrimSuffix(c.line, []byte(";"))), Pos: s.Pos}})
		}
		return items
	case RetAddr:
		to := labelName(in.First)
		lo, hi := c.item(in), c.item(in)
		lo.Instr.Args = c.list(sass.R(in.Dst.Num()), sass.LoRel(c.Func.Name, to))
		hi.Instr.Args = c.list(sass.R(in.Dst.Num()+1), sass.HiRel(c.Func.Name, to))
		hi.Instr.Note, hi.Step = "", sass.Step{}
		return append(items, lo, hi)
	}
	return append(items, c.item(in))
}

// item returns an instruction as an item.
func (c *Code) item(in *Inst) sass.Item {
	c.line = in.Note.Append(c.line[:0])
	note := c.string(c.line)
	it := sass.Item{Instr: sass.Instr{Guard: c.GuardOf(in), Op: in.Name, Note: note, Pos: in.Pos}, Step: in.Note.step()}
	out := &it.Instr
	switch in.Op {
	case Copy:
		out.Op, out.Args = "MOV", c.list(c.operand(in.Dst), c.operand(in.A))
	case Load:
		out.Args = c.list(c.operand(in.Dst), c.memory(in))
	case Store:
		out.Args = c.list(c.memory(in), c.operand(in.A))
	case Perm:
		out.Args = c.list(c.operand(in.Dst), c.operand(in.A), sass.I(in.Off), c.operand(in.B))
	case Const:
		out.Args = c.list(c.operand(in.Dst), sass.I(in.Off))
	case Call:
		out.Args = c.list(sass.Sym(c.string(c.Text(in))))
	case Instr:
		first := len(c.operands)
		for i := range c.Operands(in) {
			c.operands = append(c.operands, c.arg(&c.Args[int(in.First)+i]))
		}
		out.Args = c.operands[first:len(c.operands):len(c.operands)]
	}
	return it
}

// string returns a text as a string, after those before in the same memory.
func (c *Code) string(text []byte) string {
	if c.texts.Cap()-c.texts.Len() < len(text) {
		c.texts = strings.Builder{}
		c.texts.Grow(max(len(text), textsSize))
	}
	at := c.texts.Len()
	c.texts.Write(text)
	return c.texts.String()[at:]
}

// textsSize is how many bytes of texts lie side by side.
const textsSize = 1 << 12

// labelName is the name of a label that has but a number.
func labelName(n int32) string { return ".L_x_" + strconv.Itoa(int(n)) }

// list keeps operands of an item.
func (c *Code) list(args ...sass.Operand) []sass.Operand {
	first := len(c.operands)
	c.operands = append(c.operands, args...)
	return c.operands[first:len(c.operands):len(c.operands)]
}

// arg returns an argument as an operand.
func (c *Code) arg(a *Arg) sass.Operand {
	o := a.Rest
	if a.Label > 0 {
		o.Name = labelName(a.Label - 1)
	}
	switch a.Reg.Kind() {
	case sass.Register:
		o.Kind, o.Reg = sass.Register, a.Reg.Num()
	case sass.Virtual:
		o.Kind, o.Name, o.Part = sass.Virtual, c.name(a.Reg), a.Reg.Part()
	}
	return o
}

// operand returns a register as an operand.
func (c *Code) operand(r Reg) sass.Operand {
	o := sass.Operand{Kind: r.Kind(), Reg: r.Num(), Part: r.Part()}
	if r.Kind() == sass.Virtual {
		o.Name = c.name(r)
	}
	return o
}

// name returns the name of a virtual register.
func (c *Code) name(r Reg) string { return c.Names.Name(r.Name()) }

// memory returns the memory of a load or a store as an operand.
func (c *Code) memory(in *Inst) sass.Operand {
	o := sass.Operand{Kind: in.Kind, Bank: in.Bank, Reg: in.B.Num(), Part: in.B.Part(), Off: in.Off}
	if in.B.Kind() == sass.Virtual {
		o.Name = c.name(in.B)
	}
	return o
}
