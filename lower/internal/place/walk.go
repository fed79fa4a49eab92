package place

import (
	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/ptx"
)

// planBody is the first walk over the statements.
func (pl *Placer) planBody() {
	body := pl.F.Body
	pl.busy = arena.Resized(pl.busy, len(body)+1)
	pl.Kinds = arena.Resized(pl.Kinds, len(body))
	kinds, before := pl.Kinds[:len(body)], pl.busy[:len(body)]
	busy := int32(0)
	falls := true
	declared := len(pl.F.Params) + len(pl.F.Results) // symbols of the text before
	for i, s := range body {
		pl.At = i
		before[i], kinds[i] = busy, noInstr
		switch s := s.(type) {
		case *ptx.Access:
			falls = true
			if !s.Store {
				busy++
			}
			pl.planAccess(s)
		case *ptx.Instr:
			busy++
			kind := kindOf(s.Op)
			falls = s.Guard != nil || !kind.Ends()
			kinds[i] = pl.planInstr(s, kind) | guardKind(s)
		case *ptx.Label:
			pl.ebb++
			falls = true
		case *ptx.Call:
			busy++
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
	pl.busy[len(body)] = busy
	pl.Falls = falls
}
