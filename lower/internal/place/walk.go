package place

import (
	"github.com/ptxabi/ptxabi/ptx"
)

// planBody is the first walk over the statements.
func (pl *planner) planBody() {
	body := pl.plan.F.Body
	falls := true
	declared := len(pl.plan.F.Params) + len(pl.plan.F.Results) // symbols of the text before
	for i, s := range body {
		pl.at = i
		switch s := s.(type) {
		case *ptx.Access:
			pl.At, falls = s.Pos, true
			pl.planAccess(s)
		case *ptx.Instr:
			pl.At = s.Pos
			falls = pl.planInstr(pl.plan.In.Op(i).Name) || s.Guard != nil
		case *ptx.Label:
			pl.ebb++
			declared++
			falls = true
		case *ptx.Call:
			pl.At = s.Pos
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
