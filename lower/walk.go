package lower

import (
	"github.com/ptxabi/ptxabi/ptx"
)

// planBody is the first walk over the statements. Each statement of it costs some
// hundred instructions of the processor, so that one walk does for all. Plain
// instructions, which are half of the statements, cost a fifth of that.
func (pl *placer) planBody() {
	body := pl.f.Body
	pl.busy = resized(pl.busy, len(body)+1)
	pl.kinds = resized(pl.kinds, len(body))
	busy := int32(0)
	falls := true
	declared := len(pl.f.Params) + len(pl.f.Results) // symbols of the text before
	for i := 0; i < len(body); i++ {
		s := body[i]
		if _, ok := s.(*ptx.Instr); ok && !pl.percent && pl.allVirtual {
			if n := pl.plainFrom(i); n > 0 {
				busy += int32(n)
				falls = true
				i += n - 1
				continue
			}
		}
		pl.at = i
		pl.busy[i], pl.kinds[i] = busy, noInstr
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
			falls = s.Guard != nil || !kind.ends()
			if s.Kind() == ptx.OpMove {
				pl.movs = append(pl.movs, int32(i))
			}
			if kind != plainInstr || !s.OnlyPercent() || pl.percent { // few have something to look for
				kind = pl.planInstr(s, kind)
			}
			pl.kinds[i] = kind | guardKind(s)
		case *ptx.Label:
			pl.ebb++
			falls = true
		case *ptx.Call:
			busy++
			site := pl.planCall(s)
			falls = s.Guard != nil || !pl.noReturn(s, site)
		case *ptx.Decl:
			pl.planDecl(s, declared)
			declared += len(s.Vars)
		case *ptx.Prototype, *ptx.TargetList:
			declared++
			pl.taking(s)
		}
		if !pl.allVirtual {
			pl.noteHomes(s)
			_, label := s.(*ptx.Label)
			pl.defs.dead = !label && (pl.defs.dead || !falls)
		}
		if _, ok := s.(*ptx.Call); ok {
			pl.calls++
		}
	}
	pl.busy[len(body)] = busy
	pl.falls = falls
}

// plainFrom returns how many plain instructions stand from statement i on in which there is
// nothing to look for. Nobody asks what is busy there, nor for their operands.
func (pl *placer) plainFrom(i int) int {
	body, kinds := pl.f.Body[i:], pl.kinds[i:]
	for n, s := range body {
		in, ok := s.(*ptx.Instr)
		if !ok || !in.OnlyPercent() {
			return n
		}
		switch kind := in.Kind(); {
		case kind == ptx.OpMove:
			pl.movs = append(pl.movs, int32(i+n))
		case kind > ptx.OpMove || kind == ptx.OpOther && !mayMoveStack(in.Op):
		default:
			return n
		}
		kinds[n] = plainInstr | guardKind(in)
	}
	return len(body)
}
