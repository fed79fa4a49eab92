package body

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// Values calls visit with each text of a statement in which a name stands for its value, such as the address
// of a function: initial values, operands and arguments. It leaves out the callee of a call and lists of targets.
func Values(s ptx.Stmt, visit func(text string, pos diag.Pos)) {
	switch s := s.(type) {
	case *ptx.Decl:
		for i := range s.Vars {
			visit(s.Vars[i].Init, s.Vars[i].Pos)
		}
	case *ptx.Call:
		for i := range s.Params {
			visit(s.Params[i].Text, s.Params[i].Pos)
		}
	case *ptx.Instr:
		visit(s.Args, s.Pos)
	case *ptx.Access:
		visit(s.Args, s.Pos)
	}
}
