package check

import (
	"fmt"
	"iter"

	"github.com/ptxabi/ptxabi/ptx"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// clip shortens a name that is not at the place reported, so that long
// names make no message longer than what it is about.
func clip(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return name[:most] + "…"
}

// short is clip for constants.
func short(text string) string { return clip(string(ptx.AppendTokens(nil, text))) }

// mentioned yields the names that a statement mentions: those of its guard and its operands, and those
// that it declares, with those of their initialisers.
func mentioned(s ptx.Stmt) iter.Seq[string] {
	return func(yield func(string) bool) {
		operands := func(g *ptx.Guard, lists ...[]ptx.Operand) {
			if g != nil && !yield(g.Name) {
				return
			}
			for _, list := range lists {
				for o := range ptx.Names(list) {
					if !yield(o.Name()) {
						return
					}
				}
			}
		}
		switch s := s.(type) {
		case *ptx.Instr:
			operands(s.Guard, s.Ops())
		case *ptx.Call:
			operands(s.Guard, s.Results, []ptx.Operand{s.Callee}, s.Params, []ptx.Operand{s.Proto})
		case *ptx.Access:
			operands(s.Guard, s.Regs, []ptx.Operand{{Kind: ptx.KindName, Text: s.Addr.Base}})
		case *ptx.Decl:
			for i := range s.Vars {
				if !yield(s.Vars[i].Name) {
					return
				}
				for name := range ptx.TextNames(s.Vars[i].Init) {
					if !yield(name) {
						return
					}
				}
			}
		}
	}
}

// nameByte reports whether a byte may stand within a name.
func nameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
