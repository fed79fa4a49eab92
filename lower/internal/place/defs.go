package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// defs is what is known of the statements that may write registers with homes or slots.
type defs struct {
	writes     map[sass.Reg][]int32 // by register; -1 for the entry
	slotWrites map[int][]int32      // by the word's offset in the spill area
	stored     map[int][]*Home      // by statement: the homes that an st.param reads
	last       map[*Home]Ref        // the last statement that mentions it, so far
	// run tells of a load that happens at once with others where the first of them stands; -1
	// for the loads that a function begins with.
	run  []int32
	dead bool // control does not come to the statement: no label stands after what ends
}

// noteHomes finds out, for one statement of the first walk, which registers it
// mentions and what of them it can write.
func (pl *Placer) noteHomes(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Access:
		pl.Pos = s.Pos
		pl.noteGuardHome(s.Guard)
		for i := range s.Regs {
			h := pl.mentioned(s.Regs[i].Name(), s.Store, !s.Store)
			if s.Store && h != nil {
				pl.defs.stored[pl.At] = append(pl.defs.stored[pl.At], h)
			}
		}
		pl.mentioned(s.Addr.Base, true, false)
		pl.Joins[pl.At] = pl.joinsOthers(s)
	case *ptx.Call:
		pl.Pos = s.Pos
		pl.noteGuardHome(s.Guard)
		pl.mentioned(s.Callee.Name(), true, false)
		for i := range s.Params {
			pl.mentioned(s.Params[i].Name(), true, false)
		}
		pl.Calls++ // results are written after the call
		for i := range s.Results {
			pl.mentioned(s.Results[i].Name(), false, true)
		}
		pl.Calls--
	case *ptx.Instr:
		pl.Pos = s.Pos
		if isReturn(s) && len(pl.F.Results) == 1 {
			pl.mentioned(pl.F.Results[0].Name, true, false)
		}
		mentions, _ := pl.In.Mentions(pl.At)
		for _, m := range mentions {
			pl.mentioned(m.Name, m.Read, m.Written)
		}
		pl.onlyMoves(s)
	}
}

func (pl *Placer) noteGuardHome(g *ptx.Guard) {
	if g != nil {
		pl.mentioned(g.Name, true, false)
	}
}

// mentioned takes note of a register that is read for sure, or written perhaps,
// or both. It returns its home, nil if it has none.
func (pl *Placer) mentioned(name string, read, written bool) *Home {
	if name == "" {
		return nil
	}
	h := pl.allocate(name, pl.In.Lookup(pl.At, name))
	if h == nil {
		return nil
	}
	here := pl.here()
	last, seen := pl.defs.last[h]
	if read && h.In == InHome && seen && !pl.defs.dead && last.ebb == here.ebb && last.Call < here.Call && pl.lostIn(h, pl.Sites[last.Call:here.Call]) {
		pl.BadHome(pl.Pos, "%s is read after a call that does not preserve %s, where it lives", name, h.Text(0))
	}
	pl.defs.last[h] = here
	if written {
		pl.defs.write(h, pl.At)
	}
	return h
}

// write takes note that a statement may write a register.
func (d *defs) write(h *Home, at int) {
	for k := range h.Words {
		if h.In == InSlot {
			d.slotWrites[h.Off+4*k] = append(d.slotWrites[h.Off+4*k], int32(at))
		} else {
			d.writes[h.Reg+sass.Reg(k)] = append(d.writes[h.Reg+sass.Reg(k)], int32(at))
		}
	}
}

// joinsOthers reports whether a load may happen at once with those around it: nothing
// guards it, and it needs no registers beside those that it writes.
func (pl *Placer) joinsOthers(a *ptx.Access) bool {
	v := pl.Variable(a.Addr.Base)
	if a.Store || a.Guard != nil || v == nil || v.Sym.Spec.Space != ptx.ParamSpace {
		return false
	}
	at := int(pl.Offset(a, v.Sym)) + v.Loc.Off
	return at%max(1, min(a.Type.Size(), 4)) == 0
}

// Transparent reports whether a statement does not end a run of loads.
func (pl *Plan) Transparent(i int) bool {
	switch pl.F.Body[i].(type) {
	case *ptx.Decl, *ptx.Prototype, *ptx.TargetList, *ptx.Directive, *ptx.Open, *ptx.Close:
		return true
	}
	return pl.Joins[i]
}

// findRuns finds the runs of loads that happen at once.
func (pl *Placer) findRuns() {
	run := make([]int32, len(pl.F.Body))
	start := int32(-1)
	open := true
	for i := range pl.F.Body {
		switch {
		case !pl.Transparent(i):
			open = false
			run[i] = int32(i)
		case pl.Joins[i]:
			if !open {
				start, open = int32(i), true
			}
			run[i] = start
		}
	}
	pl.defs.run = run
}

// changedBetween reports whether a statement after from and before to can write
// what lives where h does.
func (d *defs) changedBetween(h *Home, from, to int) bool {
	if h.In == InHome {
		return d.writtenBetween(h.Reg, h.Words, from, to)
	}
	for k := range h.Words {
		if anyBetween(d.slotWrites[h.Off+4*k], from, to) {
			return true
		}
	}
	return false
}

// writtenBetween reports whether a statement after from and before to can
// write one of n registers.
func (d *defs) writtenBetween(first sass.Reg, n, from, to int) bool {
	for k := range n {
		if anyBetween(d.writes[first+sass.Reg(k)], from, to) {
			return true
		}
	}
	return false
}

// anyBetween reports whether one of a list of statements, in order, stands after from and
// before to.
func anyBetween(list []int32, from, to int) bool {
	i, _ := slices.BinarySearch(list, int32(from+1))
	return i < len(list) && int(list[i]) < to
}
