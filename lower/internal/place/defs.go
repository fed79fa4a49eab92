package place

import (
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// defs is what is known of the statements that mention registers with homes or slots.
type defs struct {
	last map[*Home]mention // the last statement that mentions it, so far
	dead bool              // control does not come to the statement: no label stands after what ends
}

// A mention is where a register is mentioned.
type mention struct {
	ebb   int32 // number of the straight stretch of code
	calls int32 // how many calls stand before it
}

// noteHomes finds out, for one statement of the walk, which registers it mentions.
func (pl *planner) noteHomes(s ptx.Stmt) {
	in, instr := s.(*ptx.Instr)
	if f := pl.plan.F; instr && pl.plan.In.Op(pl.at).Name == "ret" && len(f.Results) == 1 {
		pl.mentioned(pl.plan.Means(pl.at, f.Results[0].Name), true)
	}
	_, call := s.(*ptx.Call)
	for _, m := range pl.plan.In.Mentions(pl.at) {
		after := call && m.Written // results are written after the call
		if after {
			pl.calls++
		}
		pl.mentioned(m.Ref, m.Read)
		if after {
			pl.calls--
		}
	}
	if instr {
		pl.onlyMoves(in)
	}
}

// mentioned takes note of a register that is mentioned, and perhaps read for sure.
func (pl *planner) mentioned(r body.Ref, read bool) {
	h := pl.allocate(r)
	if h == nil {
		return
	}
	here := mention{pl.ebb, pl.calls}
	last, seen := pl.defs.last[h]
	if read && h.In == InHome && seen && !pl.defs.dead && last.ebb == here.ebb && last.calls < here.calls && pl.plan.lostIn(h, pl.plan.Sites[last.calls:here.calls]) {
		pl.BadHome(pl.At, "%s is read after a call that does not preserve %s, where it lives", h.Name, h.Text(0))
	}
	pl.defs.last[h] = here
}
