package place

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// planBody is the first walk over the statements.
func (pl *planner) planBody() {
	body := pl.plan.F.Body
	falls := true
	declared := len(pl.plan.F.Params) + len(pl.plan.F.Results) // symbols of the text before
	for i, s := range body {
		pl.at, pl.At = i, position(s, pl.At)
		switch s := s.(type) {
		case *ptx.Access:
			falls = true
			pl.planAccess(s)
		case *ptx.Instr:
			falls = pl.planInstr(pl.plan.In.Op(i).Name) || s.Guard != nil
		case *ptx.Label:
			pl.ebb++
			declared++
			falls = true
		case *ptx.Call:
			site := pl.planCall(s)
			falls = s.Guard != nil || !site.Endless
		case *ptx.Decl:
			pl.planDecl(s, declared)
			declared += len(s.Vars)
		case *ptx.Prototype, *ptx.TargetList:
			declared++
		}
		if !pl.plan.AllVirtual {
			pl.noteHomes(s)
			_, label := s.(*ptx.Label)
			pl.defs.dead = !label && (pl.defs.dead || !falls)
		}
		if _, ok := s.(*ptx.Call); ok {
			pl.calls++
		}
	}
	pl.plan.Falls = falls
}

// position returns the position of a statement that lowering does more with than to copy it.
func position(s ptx.Stmt, before diag.Pos) diag.Pos {
	switch s := s.(type) {
	case *ptx.Instr:
		return s.Pos
	case *ptx.Access:
		return s.Pos
	case *ptx.Call:
		return s.Pos
	}
	return before
}
