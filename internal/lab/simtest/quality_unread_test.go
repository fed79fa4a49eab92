package simtest

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// dropUnread removes from a body the loads of parameters into registers that
// nothing else mentions. ptxas leaves them out; lowering, which does not analyse
// what a register is for, does not.
func dropUnread(f *ptx.Func) {
	count := make(map[string]int)
	mention := func(ops []ptx.Operand) {
		for i := range ops {
			count[ops[i].Name()]++
		}
	}
	for i := range f.Params {
		count[f.Params[i].Name]++
	}
	for i := range f.Results {
		count[f.Results[i].Name]++
	}
	for _, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Access:
			mention(s.Regs)
			count[s.Addr.Base]++
		case *ptx.Call:
			mention(s.Params)
			mention(s.Results)
			count[s.Callee.Name()]++
		case *ptx.Instr:
			for _, name := range strings.FieldsFunc(s.Args, func(r rune) bool { return strings.ContainsRune(" \t\n,;{}[]()+-!", r) }) {
				name, _, _ = strings.Cut(name, ".")
				count[name]++
			}
		}
	}
	f.Body = slices.DeleteFunc(f.Body, func(s ptx.Stmt) bool {
		a, ok := s.(*ptx.Access)
		if !ok || a.Store || a.Whole {
			return false
		}
		read := false
		for i := range a.Regs {
			if count[a.Regs[i].Name()] > 1 {
				read = true
			} else if len(a.Regs) > 1 {
				a.Regs[i] = ptx.Operand{Kind: ptx.KindSink, Text: "_", Pos: a.Regs[i].Pos}
			}
		}
		return !read
	})
}
