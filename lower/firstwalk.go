package lower

import "github.com/ptxabi/ptxabi/ptx"

// planBody is the first walk over the statements. Each statement of it costs some
// hundred instructions of the processor, so that one walk does for all. Plain
// instructions, which are half of the statements, cost a fifth of that.
func (fn *fn) planBody() {
	body := fn.f.Body
	fn.busy = resized(fn.busy, len(body)+1)
	fn.kinds = resized(fn.kinds, len(body))
	busy := int32(0)
	falls := true
	declared := len(fn.f.Params) + len(fn.f.Results) // symbols of the text before
	for i := 0; i < len(body); i++ {
		s := body[i]
		if _, ok := s.(*ptx.Instr); ok && !fn.percent && fn.h == nil {
			if n := fn.plainFrom(i); n > 0 {
				busy += int32(n)
				falls = true
				i += n - 1
				continue
			}
		}
		fn.at = i
		fn.busy[i] = busy
		switch s := s.(type) {
		case *ptx.Access:
			falls = true
			if !s.Store {
				busy++
			}
			fn.planAccess(s)
		case *ptx.Instr:
			busy++
			kind := kindOf(s.Op)
			falls = s.Guard != nil || !kind.ends()
			if s.Kind() == ptx.OpMove {
				fn.movs = append(fn.movs, int32(i))
			}
			if kind != plainInstr || !s.OnlyPercent() || fn.percent { // few have something to look for
				kind = fn.planInstr(s, kind)
			}
			fn.kinds[i] = kind
		case *ptx.Label:
			fn.seg++
			falls = true
		case *ptx.Call:
			busy++
			site := fn.planCall(s)
			falls = s.Guard != nil || !fn.noReturn(s, site)
		case *ptx.Decl:
			fn.planDecl(s, declared)
			declared += len(s.Vars)
		case *ptx.Prototype, *ptx.TargetList:
			declared++
			fn.taking(s)
		}
		if fn.h != nil {
			fn.house(s)
		}
		if _, ok := s.(*ptx.Call); ok {
			fn.calls++
		}
	}
	fn.busy[len(body)] = busy
	fn.falls = falls
}

// plainFrom returns how many plain instructions stand from statement i on in which there is
// nothing to look for. Nobody asks what is busy there, nor for their operands.
func (fn *fn) plainFrom(i int) int {
	body, kinds := fn.f.Body[i:], fn.kinds[i:]
	for n, s := range body {
		in, ok := s.(*ptx.Instr)
		if !ok || !in.OnlyPercent() {
			return n
		}
		switch kind := in.Kind(); {
		case kind == ptx.OpMove:
			fn.movs = append(fn.movs, int32(i+n))
		case kind > ptx.OpMove || kind == ptx.OpOther && !mayMoveStack(in.Op):
		default:
			return n
		}
		kinds[n] = plainInstr
	}
	return len(body)
}
