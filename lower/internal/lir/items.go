package lir

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// items is memory for items.
type items struct {
	operands []sass.Operand
	made     strings.Builder // strings
	line     []byte          // one of them, before it is there
}

// Items returns the code as items.
func (c *Code) Items() []sass.Item {
	n := len(c.List)
	for i := range c.List {
		if in := &c.List[i]; in.Op == Pass {
			n += int(in.N) - 1
		} else if in.Op == RetAddr {
			n++
		}
	}
	items := make([]sass.Item, 0, n)
	c.operands = make([]sass.Operand, 0, 3*len(c.List)+len(c.Args)) // for all of them
	contracts, lists := c.Contracts, c.Lists
	for i := range c.List {
		in := &c.List[i]
		switch in.Op {
		case Label:
			items = append(items, sass.Item{Kind: sass.Label, Text: c.string(c.appendLabelName(c.line[:0], in))})
		case Comment:
			items = append(items, sass.Item{Kind: sass.Comment, Text: c.string(c.Text(in)), Step: in.Note.step()})
		case Begin, Gone:
			continue
		case Changed:
			items = append(items, sass.Item{Instr: sass.Instr{Text: c.string(c.Text(in)), Pos: in.Pos}})
		case Pass:
			for _, s := range c.Func.Body[in.First : in.First+in.N] {
				s := s.(*ptx.Instr)
				items = append(items, sass.Item{Instr: sass.Instr{Text: c.statement(s), Pos: s.Pos}})
			}
		case RetAddr:
			to := c.string(appendLabel(c.line[:0], int(in.First)))
			lo, hi := c.item(in), c.item(in)
			lo.Instr.Args = c.list(sass.R(in.Dst.Num()), sass.LoRel(c.Func.Name, to))
			hi.Instr.Args = c.list(sass.R(in.Dst.Num()+1), sass.HiRel(c.Func.Name, to))
			hi.Instr.Note, hi.Step = "", sass.Step{}
			items = append(items, lo, hi)
		default:
			items = append(items, c.item(in))
		}
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

// item returns an instruction as an item.
func (c *Code) item(in *Inst) sass.Item {
	it := sass.Item{Instr: sass.Instr{Guard: c.GuardOf(in), Op: in.Name, Note: c.note(in.Note), Pos: in.Pos}, Step: in.Note.step()}
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

// string makes a string of bytes that will change. Strings of many items share an
// allocation.
func (c *Code) string(b []byte) string {
	const size = 8 << 10
	if c.made.Cap()-c.made.Len() < len(b) {
		c.made = strings.Builder{}
		c.made.Grow(max(len(b), size))
	}
	at := c.made.Len()
	c.made.Write(b)
	return c.made.String()[at:]
}

// statement returns a statement without its semicolon.
func (c *Code) statement(s *ptx.Instr) string {
	c.line = appendStmt(c.line[:0], s)
	return c.string(c.line)
}

// note returns a note as a string.
func (c *Code) note(n Note) string {
	if n.End == Text || n.Name == "" {
		return n.Name
	}
	c.line = n.Append(c.line[:0])
	return c.string(c.line)
}

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
		o.Name = c.string(appendLabel(c.line[:0], int(a.Label-1)))
	}
	switch a.Reg.Kind() {
	case sass.Register:
		o.Reg = a.Reg.Num()
	case sass.Virtual:
		o.Name, o.Part = c.name(a.Reg), a.Reg.Part()
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

// String returns a note as a text.
func (n Note) String() string {
	if n.End == Text || n.Name == "" {
		return n.Name
	}
	return string(n.Append(nil))
}
