package place

import (
	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/ptx"
)

// planBody is the first walk over the statements. Each statement of it costs some
// hundred instructions of the processor, so that one walk does for all. Plain
// instructions, which are half of the statements, cost a fifth of that.
func (pl *Placer) planBody() {
	body := pl.F.Body
	pl.busy = arena.Resized(pl.busy, len(body)+1)
	pl.Kinds = arena.Resized(pl.Kinds, len(body))
	kinds, before := pl.Kinds[:len(body)], pl.busy[:len(body)]
	busy := int32(0)
	falls := true
	declared := len(pl.F.Params) + len(pl.F.Results) // symbols of the text before
	for i := 0; i < len(body); i++ {
		s := body[i]
		if _, ok := s.(*ptx.Instr); ok && !pl.percent && pl.AllVirtual {
			if n := pl.plainFrom(i); n > 0 {
				busy += int32(n)
				falls = true
				i += n - 1
				continue
			}
		}
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
			if kind != PlainInstr || !s.OnlyPercent() || pl.percent { // few have something to look for
				kind = pl.planInstr(s, kind)
			}
			kinds[i] = kind | guardKind(s)
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
			pl.taking(s)
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

// plainFrom returns how many plain instructions stand from statement i on in which there is
// nothing to look for. Nobody asks what is busy there, nor for their operands.
func (pl *Placer) plainFrom(i int) int {
	body, kinds := pl.F.Body[i:], pl.Kinds[i:]
	for n, s := range body {
		in, ok := s.(*ptx.Instr)
		if !ok || !in.OnlyPercent() {
			return n
		}
		switch kind := in.Kind(); {
		case kind >= ptx.OpMove || kind == ptx.OpOther && !mayMoveStack(in.Op):
		default:
			return n
		}
		kinds[n] = PlainInstr | guardKind(in)
	}
	return len(body)
}
