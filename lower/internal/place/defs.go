package place

import "github.com/ptxabi/ptxabi/ptx"

// defs is what is known of the statements that mention registers with homes or slots.
type defs struct {
	last map[*Home]Ref // the last statement that mentions it, so far
	dead bool          // control does not come to the statement: no label stands after what ends
}

// noteHomes finds out, for one statement of the walk, which registers it mentions.
func (pl *Placer) noteHomes(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Access:
		pl.Pos = s.Pos
		pl.noteGuardHome(s.Guard)
		for i := range s.Regs {
			pl.mentioned(s.Regs[i].Name(), s.Store)
		}
		pl.mentioned(s.Addr.Base, true)
		pl.Joins[pl.At] = pl.joinsOthers(s)
	case *ptx.Call:
		pl.Pos = s.Pos
		pl.noteGuardHome(s.Guard)
		pl.mentioned(s.Callee.Name(), true)
		for i := range s.Params {
			pl.mentioned(s.Params[i].Name(), true)
		}
		pl.Calls++ // results are written after the call
		for i := range s.Results {
			pl.mentioned(s.Results[i].Name(), false)
		}
		pl.Calls--
	case *ptx.Instr:
		pl.Pos = s.Pos
		if isReturn(s) && len(pl.F.Results) == 1 {
			pl.mentioned(pl.F.Results[0].Name, true)
		}
		mentions, _ := pl.In.Mentions(pl.At)
		for _, m := range mentions {
			pl.mentioned(m.Name, m.Read)
		}
		pl.onlyMoves(s)
	}
}

func (pl *Placer) noteGuardHome(g *ptx.Guard) {
	if g != nil {
		pl.mentioned(g.Name, true)
	}
}

// mentioned takes note of a register that is mentioned, and perhaps read for sure.
func (pl *Placer) mentioned(name string, read bool) {
	if name == "" {
		return
	}
	h := pl.allocate(name, pl.In.Lookup(pl.At, name))
	if h == nil {
		return
	}
	here := pl.here()
	last, seen := pl.defs.last[h]
	if read && h.In == InHome && seen && !pl.defs.dead && last.ebb == here.ebb && last.Call < here.Call && pl.lostIn(h, pl.Sites[last.Call:here.Call]) {
		pl.BadHome(pl.Pos, "%s is read after a call that does not preserve %s, where it lives", name, h.Text(0))
	}
	pl.defs.last[h] = here
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

// Transparent reports whether a statement does not end loads that happen at once.
func (pl *Plan) Transparent(i int) bool {
	switch pl.F.Body[i].(type) {
	case *ptx.Decl, *ptx.Prototype, *ptx.TargetList, *ptx.Directive, *ptx.Open, *ptx.Close:
		return true
	}
	return pl.Joins[i]
}
