package place

import (
	"github.com/ptxabi/ptxabi/ptx"
)

// planBody walks over the statements of the body, in order: it finds the variables and what touches them, the calls, the
// registers with homes, and whether control may reach the end.
func (pl *planner) planBody() {
	body := pl.plan.F.Body
	falls := true
	for i, s := range body {
		pl.at = i
		pl.declare()
		switch s := s.(type) {
		case *ptx.Access:
			pl.At, falls = s.Pos, true
			pl.planAccess(s)
		case *ptx.Instr:
			pl.At = s.Pos
			falls = pl.planInstr(pl.plan.In.Op(i).Name) || s.Guard != nil
		case *ptx.Label:
			pl.ebb++
			falls = true
		case *ptx.Call:
			pl.At = s.Pos
			site := pl.planCall(s)
			falls = s.Guard != nil || !site.Endless
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
