package place

import (
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// defs records where registers with homes or slots are mentioned, to report those that a call destroys.
type defs struct {
	last map[*Home]mention // the last mention so far
	dead bool              // control does not reach the statement at hand: no label follows one that control does not leave
}

// A mention is a place where a register is mentioned.
type mention struct {
	ebb   int32 // number of the straight stretch of code
	calls int32 // how many calls stand before it
}

// noteHomes records the registers with homes or slots that the statement at hand mentions.
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

// mentioned records that the statement at hand mentions a register; read says that it certainly reads it. It reports a
// register that is read after a call which changes its home, if the mention before stands before that call in the same
// straight stretch of code. Then no label is in between at which another value could come in, and no mention that could
// write the register again, so that the value is lost for certain.
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
