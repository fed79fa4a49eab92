package place

import (
	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/ptx"
)

// planBody is the first walk over the statements.
func (pl *Placer) planBody() {
	body := pl.F.Body
	pl.Kinds = arena.Resized(pl.Kinds, len(body))
	kinds := pl.Kinds[:len(body)]
	falls := true
	declared := len(pl.F.Params) + len(pl.F.Results) // symbols of the text before
	for i, s := range body {
		pl.At = i
		kinds[i] = noInstr
		switch s := s.(type) {
		case *ptx.Access:
			falls = true
			pl.planAccess(s)
		case *ptx.Instr:
			kind := kindOf(s.Op)
			falls = s.Guard != nil || !kind.Ends()
			kinds[i] = pl.planInstr(s, kind)
		case *ptx.Label:
			pl.ebb++
			falls = true
		case *ptx.Call:
			site := pl.planCall(s)
			falls = s.Guard != nil || !pl.NoReturn(s, site)
		case *ptx.Decl:
			pl.planDecl(s, declared)
			declared += len(s.Vars)
		case *ptx.Prototype, *ptx.TargetList:
			declared++
		}
		if !pl.AllVirtual {
			pl.noteHomes(s)
			_, label := s.(*ptx.Label)
			pl.defs.dead = !label && (pl.defs.dead || !falls)
		}
		if _, ok := s.(*ptx.Call); ok {
			pl.Calls++
		}
	}
	pl.Falls = falls
}
