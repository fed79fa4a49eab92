package lir

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// ops are the words for ops.
var ops = [...]string{
	Copy: "copy", Load: "load", Store: "store", Perm: "perm", Const: "const", RetAddr: "retaddr", Instr: "instr", Call: "call",
	Label: "label", Comment: "comment", Pass: "pass", Changed: "changed", Begin: "begin", Gone: "gone",
}

// AppendDump appends the code as text for people: an instruction a line, with its number,
// the line of the source, what it does, and its note. The instructions of a group are indented below
// "at once".
func (c *Code) AppendDump(dst []byte) []byte {
	groups := c.Groups
	end := 0
	for i := range c.List {
		in := &c.List[i]
		what := ""
		for ; len(groups) > 0 && (groups[0].N == 0 || c.Members[groups[0].First].First <= i); groups = groups[1:] {
			if groups[0].N > 0 && groups[0].End > i {
				what, end = "at once", groups[0].End
			}
		}
		if what != "" {
			dst = append(append(append(dst, "             "...), what...), '\n')
		}
		indent := ""
		if i < end {
			indent = "  "
		}
		text := c.describe(in)
		if in.Guard != 0 {
			text = c.GuardOf(in) + " " + text
		}
		line := ""
		if in.Pos.Line > 0 {
			line = fmt.Sprint(in.Pos.Line)
		}
		row := fmt.Sprintf("%5d %5s  %s%-8s %s", i, line, indent, ops[in.Op], text)
		if n := string(in.Note.Append(nil)); n != "" && in.Op != Comment {
			row += fmt.Sprintf("%*s; %s", max(1, 64-len(row)), "", n)
		}
		dst = append(append(dst, strings.TrimRight(row, " ")...), '\n')
	}
	return dst
}

// describe says what an instruction does.
func (c *Code) describe(in *Inst) string {
	reg := func(r Reg) string { return c.operand(r).String() }
	switch in.Op {
	case Copy:
		return reg(in.Dst) + " = " + reg(in.A)
	case Load:
		return fmt.Sprintf("%s = %s (%s)", reg(in.Dst), c.memory(in), in.Name)
	case Store:
		return fmt.Sprintf("%s = %s (%s)", c.memory(in), reg(in.A), in.Name)
	case Perm:
		return fmt.Sprintf("%s = bytes 0x%x of %s, %s", reg(in.Dst), in.Off, reg(in.A), reg(in.B))
	case Const:
		return fmt.Sprintf("%s = 0x%x", reg(in.Dst), uint32(in.Off))
	case RetAddr:
		return fmt.Sprintf("%s:%s = address of label %d", reg(in.Dst), sass.R(in.Dst.Num()+1), in.First)
	case Call:
		return fmt.Sprintf("%s (%s)", c.Text(in), in.Name)
	case Label:
		if in.Name != "" {
			return in.Name
		}
		return fmt.Sprint(in.First)
	case Begin:
		return reg(in.Dst)
	case Comment, Changed:
		return strings.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, string(c.Text(in)))
	case Pass:
		stmt := strings.Join(strings.Fields(string(ptx.AppendStmt(nil, c.Func.Body[in.First]))), " ")
		if in.N > 1 {
			return fmt.Sprintf("statements %d to %d: %s …", in.First, in.First+in.N-1, stmt)
		}
		return fmt.Sprintf("statement %d: %s", in.First, stmt)
	}
	args := make([]string, 0, in.N)
	for i := range c.Operands(in) {
		a := &c.Args[int(in.First)+i]
		if a.Label > 0 {
			args = append(args, fmt.Sprintf("label %d", a.Label-1))
			continue
		}
		args = append(args, c.arg(a).String())
	}
	return in.Name + " " + strings.Join(args, ", ")
}
