package lir

import (
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Items returns the code as items. Labels without a name are counted from label on.
func (c *Code) Items(label int) []sass.Item {
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
	contracts := c.Contracts
	for i := range c.List {
		in := &c.List[i]
		switch in.Op {
		case Label:
			items = append(items, sass.Item{Kind: sass.Label, Text: string(c.appendLabelName(nil, in, label))})
		case Comment:
			items = append(items, sass.Item{Kind: sass.Comment, Text: string(c.Text(in))})
		case Changed:
			items = append(items, sass.Item{Instr: sass.Instr{Text: string(c.Text(in)), Pos: in.Pos}})
		case Pass:
			for _, s := range c.Func.Body[in.First : in.First+in.N] {
				s := s.(*ptx.Instr)
				items = append(items, sass.Item{Instr: sass.Instr{Text: string(appendStmt(nil, s)), Pos: s.Pos}})
			}
		case RetAddr:
			to := string(appendLabel(nil, label+int(in.First)))
			lo, hi := c.item(in, label), c.item(in, label)
			lo.Instr.Args = c.list(sass.R(in.Dst.Num()), sass.LoRel(c.Func.Name, to))
			hi.Instr.Args = c.list(sass.R(in.Dst.Num()+1), sass.HiRel(c.Func.Name, to))
			hi.Instr.Note = ""
			items = append(items, lo, hi)
		default:
			items = append(items, c.item(in, label))
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
func (c *Code) item(in *Inst, label int) sass.Item {
	it := sass.Item{Instr: sass.Instr{Guard: c.GuardOf(in), Op: in.Name, Note: in.Note.String(), Pos: in.Pos}}
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
		out.Args = c.list(sass.Sym(string(c.Text(in))))
	case Instr:
		first := len(c.operands)
		for i := range c.Operands(in) {
			c.operands = append(c.operands, c.arg(&c.Args[int(in.First)+i], label))
		}
		out.Args = c.operands[first:len(c.operands):len(c.operands)]
	}
	return it
}

// list keeps operands of an item.
func (c *Code) list(args ...sass.Operand) []sass.Operand {
	first := len(c.operands)
	c.operands = append(c.operands, args...)
	return c.operands[first:len(c.operands):len(c.operands)]
}

// arg returns an argument as an operand.
func (c *Code) arg(a *Arg, label int) sass.Operand {
	o := a.Rest
	if a.Label > 0 {
		o.Name = string(appendLabel(nil, label+int(a.Label-1)))
	}
	switch a.Reg.Kind() {
	case sass.Register:
		o.Reg = a.Reg.Num()
	case sass.Virtual:
		o.Name, o.Part = c.Names.Name(a.Reg.Name()), a.Reg.Part()
	}
	return o
}

// operand returns a register as an operand.
func (c *Code) operand(r Reg) sass.Operand {
	o := sass.Operand{Kind: r.Kind(), Reg: r.Num(), Part: r.Part()}
	if r.Kind() == sass.Virtual {
		o.Name = c.Names.Name(r.Name())
	}
	return o
}

// memory returns the memory of a load or a store as an operand.
func (c *Code) memory(in *Inst) sass.Operand {
	o := sass.Operand{Kind: in.Kind, Bank: in.Bank, Reg: in.B.Num(), Part: in.B.Part(), Off: in.Off}
	if in.B.Kind() == sass.Virtual {
		o.Name = c.Names.Name(in.B.Name())
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
