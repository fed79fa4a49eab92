package dataflow

import "github.com/ptxabi/ptxabi/ptx"

// Rename returns a copy of a statement in which each name among the operands and in the
// guard is replaced by the result of to, which may be the same name. Elements of vectors,
// signs and everything else are kept. Statements other than instructions, accesses and
// calls are returned as they are; s is not changed.
func Rename(s ptx.Stmt, to func(name string) string) ptx.Stmt {
	switch s := s.(type) {
	case *ptx.Instr:
		c := *s
		renameInstr(&c, to)
		return &c
	case *ptx.Access:
		c := *s
		renameInstr(&c.Instr, to)
		c.Addr.Base = renamed(s.Addr.Base, to)
		c.Regs = renameOperands(s.Regs, to)
		return &c
	case *ptx.Call:
		c := *s
		renameInstr(&c.Instr, to)
		c.Callee = renameOperands([]ptx.Operand{s.Callee}, to)[0]
		c.Proto = renameOperands([]ptx.Operand{s.Proto}, to)[0]
		c.Results, c.Params = renameOperands(s.Results, to), renameOperands(s.Params, to)
		return &c
	}
	return s
}

// renamed returns text with its names replaced.
func renamed(text string, to func(string) string) string {
	return ptx.ReplaceNames(text, func(name, suffix string) string { return to(name) + suffix })
}

func renameInstr(in *ptx.Instr, to func(string) string) {
	if g := in.Guard; g != nil {
		c := *g
		c.Name = renamed(g.Name, to)
		in.Guard = &c
	}
	if in.Args = renamed(string(ptx.AppendTokens(nil, in.Args)), to); in.Operands != nil {
		in.Operands = ptx.ParseOperands(in.Args)
	}
}

func renameOperands(list []ptx.Operand, to func(string) string) []ptx.Operand {
	var all []ptx.Operand
	for _, o := range list {
		o.Text, o.Elems = renamed(o.Text, to), renameOperands(o.Elems, to)
		all = append(all, o)
	}
	return all
}
