package lower

import (
	"github.com/ptxabi/ptxabi/internal/parmove"
	"github.com/ptxabi/ptxabi/sass"
)

// A load is one word that goes to its place for a call or a return.
type load struct {
	dst  sass.Operand // a register, or a stack word
	w    word
	note string
}

// parallel emits loads that happen at once: no register is written before all
// that read it have. Copies between registers are ordered by parmove.
func (fn *fn) parallel(list []load, guard string) {
	moves := make([]parmove.Move, 0, len(list))
	byDst := make(map[int]*load, len(list))
	for i := range list {
		l := &list[i]
		src, ok := l.w.plain()
		if !ok || src.Kind != sass.Register {
			continue
		}
		byDst[int(l.dst.Reg)] = l
		moves = append(moves, parmove.Move{Dst: int(l.dst.Reg), Src: int(src.Reg)})
	}
	if len(moves) > 0 {
		for _, m := range parmove.Sequence(nil, moves, int(fn.t.Frame.Scratch)) {
			text := ""
			if l := byDst[m.Dst]; l != nil {
				text = l.note
			}
			fn.emit(guard, "MOV", text, sass.R(sass.Reg(m.Dst)), sass.R(sass.Reg(m.Src)))
		}
	}
	for i := range list {
		l := &list[i]
		if src, ok := l.w.plain(); ok && src.Kind == sass.Register {
			continue
		}
		fn.assemble(l.dst, &l.w, guard, l.note)
	}
}
