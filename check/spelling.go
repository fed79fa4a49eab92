package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// twice complains about modifiers of which an access has one, or one of a kind.
func (b *body) twice(a *ptx.Access) bool {
	var seen [5]string
	for m := range strings.SplitSeq(a.Op[3:], ".") {
		kind := -1
		switch m {
		case "param", "param::entry", "param::func":
			kind = 0
		case "v2", "v4", "v8":
			kind = 1
		case "weak":
			kind = 2
		case "ca", "cg", "cs", "lu", "cv", "wb", "wt":
			kind = 3
		default:
			if ptx.TypeOf("."+m) != ptx.NoType {
				kind = 4
			}
		}
		if kind < 0 {
			continue
		}
		if seen[kind] != "" {
			b.errorf(IllegalModifier, a.Pos, "%s has .%s and .%s, of which there is one; drop the other", a.Op, seen[kind], m)
			return false
		}
		seen[kind] = m
	}
	return true
}

// oneOperand complains about operands behind the address of a load, and about a
// vector of which nothing is loaded.
func (b *body) oneOperand(a *ptx.Access) bool {
	if a.Store {
		return true
	}
	if rest := strings.TrimLeft(a.Args[strings.LastIndexByte(a.Args, ']')+1:], " \t"); strings.HasPrefix(rest, ",") {
		b.errorf(IllegalOperand, a.Pos, "%s has an operand behind the address, which loads of parameters do not take; drop it", a.Op)
		return false
	}
	for i := range a.Regs {
		if a.Regs[i].Kind != ptx.KindSink {
			return true
		}
	}
	if len(a.Regs) > 1 {
		b.refusef(IllegalOperand, a.Regs[0].Pos, "%s loads nothing into a register; name one, or drop the load", a.Op)
		return b.lowering
	}
	return true
}

// storedFunction takes note of a store of the address of a function, which the
// assembler takes though it is no register.
func (b *body) storedFunction(a *ptx.Access, o *ptx.Operand, g *global) bool {
	b.mention(b.g, g, o.Pos)
	b.add(b.unnamed(), IllegalOperand, o.Pos, sprintf("%s stores the address of function %s; the manual has registers and constants there: mov it into one first", a.Op, o.Text))
	return !b.lowering
}

// storedSum does the same for the sum of a name and an offset.
func (b *body) storedSum(a *ptx.Access, o *ptx.Operand) bool {
	name, _, _ := strings.Cut(o.Text, "+")
	name = strings.TrimSpace(string(ptx.AppendTokens(nil, name)))
	switch g := b.globals[name]; {
	case b.lookup(name) != nil:
	case g == nil:
		b.undeclared(name, o.Pos)
		return false
	case g.fn != nil:
		b.errorf(IllegalOperand, o.Pos, "%s adds to the address of function %s, which is code; mov it into a register", a.Op, name)
		return false
	}
	b.add(b.unnamed(), IllegalOperand, o.Pos, sprintf("%s stores a sum, %s; the manual has registers and constants there: make it with add", a.Op, o.Text))
	return !b.lowering
}
