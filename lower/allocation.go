package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/sass"
)

// noteHomes finds out, for one statement of the first walk, which registers it
// mentions and what of them it can write.
func (pl *placer) noteHomes(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Access:
		pl.pos = s.Pos
		pl.noteGuardHome(s.Guard)
		for i := range s.Regs {
			h := pl.mentioned(s.Regs[i].Name(), s.Store, !s.Store)
			if s.Store && h != nil {
				pl.h.stored[pl.at] = append(pl.h.stored[pl.at], h)
			}
		}
		pl.mentioned(s.Addr.Base, true, false)
		pl.h.member[pl.at] = pl.joins(s)
	case *ptx.Call:
		pl.pos = s.Pos
		pl.noteGuardHome(s.Guard)
		pl.mentioned(s.Callee.Name(), true, false)
		for i := range s.Params {
			pl.mentioned(s.Params[i].Name(), true, false)
		}
		pl.calls++ // results are written after the call
		for i := range s.Results {
			pl.mentioned(s.Results[i].Name(), false, true)
		}
		pl.calls--
	case *ptx.Instr:
		pl.pos = s.Pos
		pl.noteGuardHome(s.Guard)
		if isReturn(s) && len(pl.f.Results) == 1 {
			pl.mentioned(pl.f.Results[0].Name, true, false)
		}
		list, _ := dataflow.Operands(s.Op, dataflow.Args(s))
		for k := range list {
			for _, n := range list[k].Names() {
				pl.mentioned(n.Text, list[k].Read, list[k].Written)
			}
		}
		pl.onlyMoves(s)
	}
}

func (pl *placer) noteGuardHome(g *ptx.Guard) {
	if g != nil {
		pl.mentioned(g.Name, true, false)
	}
}

// mentioned takes note of a register that is read for sure, or written perhaps,
// or both. It returns its home, nil if it has none.
func (pl *placer) mentioned(name string, read, written bool) *home {
	if name == "" {
		return nil
	}
	h := pl.homeOrSlot(name, pl.in.Lookup(pl.at, name))
	if h == nil {
		return nil
	}
	here := pl.here()
	if read && !h.spilled && h.seen && !pl.h.dead && h.last.ebb == here.ebb && h.last.call < here.call && pl.lostIn(h, pl.sites[h.last.call:here.call]) {
		pl.badHome(pl.pos, "%s is read after a call that does not preserve %s, where it lives", name, h.text(0))
	}
	h.last, h.seen = here, true
	if written {
		pl.h.write(h, pl.at)
	}
	return h
}

func (t *allocation) write(h *home, at int) {
	for k := range h.Words {
		if h.spilled {
			if t.slotWrites == nil {
				t.slotWrites = make(map[int][]int32)
			}
			t.slotWrites[h.off+4*k] = append(t.slotWrites[h.off+4*k], int32(at))
		}
	}
	if h.spilled {
		return
	}
	for k := range h.Words {
		list := &t.writes[int(h.reg)+k]
		*list = append(*list, int32(at))
	}
}

// joins reports whether a load may happen at once with those around it: nothing
// guards it, and it needs no registers beside those that it writes.
func (pl *placer) joins(a *ptx.Access) bool {
	v := pl.variable(a.Addr.Base)
	if a.Store || a.Guard != nil || v == nil || v.sym.Spec.Space != ptx.ParamSpace {
		return false
	}
	at := int(pl.offset(a, v.sym)) + v.loc.Off
	return at%max(1, min(a.Type.Size(), 4)) == 0
}

// transparent reports whether a statement does not end a run of loads.
func (pl *cursor) transparent(s ptx.Stmt) bool {
	switch s.(type) {
	case *ptx.Decl, *ptx.Prototype, *ptx.TargetList, *ptx.Directive, *ptx.Open, *ptx.Close:
		return true
	}
	return pl.h.member[pl.at]
}

// finishHomes ends the first walk: the runs of loads, and the register that keeps
// the address of a large result.
func (pl *placer) finishHomes() {
	h := pl.h
	h.run = make([]int32, len(pl.f.Body))
	start := int32(-1)
	open := true
	for i, s := range pl.f.Body {
		pl.at = i
		switch {
		case !pl.transparent(s):
			open = false
			h.run[i] = int32(i)
		case h.member[i]:
			if !open {
				start, open = int32(i), true
			}
			h.run[i] = start
		}
	}
	if pl.asn.Sret.Kind != abi.InReg || pl.result == nil || !pl.result.touched() {
		return
	}
	free := pl.keptByCalls().Intersect(pl.conv.CalleeSaved).Minus(h.used).Minus(Reserved(pl.t))
	for r := range free.All() {
		h.hidden = r
		h.used = h.used.Union(abi.Regs(r))
		return
	}
	pl.newSlot(hiddenName)
}

// touched reports whether anything uses v.
func (v *pvar) touched() bool { return v.stores.n+v.loads.n+v.addressed.n > 0 }

// hiddenName is the register that keeps the address of a large result in a slot.
const hiddenName = "result@"

// changedBetween reports whether a statement after from and before to can write
// what lives where h does.
func (t *allocation) changedBetween(h *home, from, to int) bool {
	if !h.spilled {
		return t.writtenBetween(h.reg, h.Words, from, to)
	}
	for k := range h.Words {
		list := t.slotWrites[h.off+4*k]
		i, _ := slices.BinarySearch(list, int32(from+1))
		if i < len(list) && int(list[i]) < to {
			return true
		}
	}
	return false
}

// writtenBetween reports whether a statement after from and before to can
// write one of n registers.
func (h *allocation) writtenBetween(first sass.Reg, n, from, to int) bool {
	for k := range n {
		list := h.writes[int(first)+k]
		i, _ := slices.BinarySearch(list, int32(from+1))
		if i < len(list) && int(list[i]) < to {
			return true
		}
	}
	return false
}
