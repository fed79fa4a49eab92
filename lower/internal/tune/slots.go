package tune

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// What happens at once and has to do with slots accesses the frame by several words at a time.
// Where some of it reads slots and some writes slots it is left as it is: slots may overlap.

// slots reports whether members read and write words of slots, if those are to be paired.
func (t *Tuner) slots(list []lir.Inst, members []span) (reads, writes bool) {
	if t.area.At == nil || !t.plan.Runs(lir.SlotPairing) {
		return false, false
	}
	for _, m := range members {
		for i := m.first; i < m.end; i++ {
			writes = writes || t.area.Has(t.written(&list[i]))
			t.sources = t.Sources(&list[i], t.sources[:0])
			for _, r := range t.sources {
				reads = reads || t.area.Has(*r) && !t.writesAny(list[m.first:i], *r)
			}
		}
	}
	return reads, writes
}

// fromSlots makes copies of words of slots to physical registers loads, which can be joined.
func (t *Tuner) fromSlots(list []lir.Inst, members []span) {
	if reads, writes := t.slots(list, members); !reads || writes {
		return
	}
	p := t.plan
	for _, m := range members {
		if m.first == m.end {
			continue
		}
		in := &list[m.first]
		if in.Op != lir.Copy || in.Dst.Kind() != sass.Register || !t.area.Has(in.A) {
			continue
		}
		off, _ := t.area.At.Offset(in.A)
		in.Op, in.Name, in.Kind, in.Bank, in.B = lir.Load, p.T.Spelling.LoadLocal.B32, sass.Mem, 0, t.area.Frame
		in.Off = int64(t.area.Off + off)
		in.First, in.N = int32(t.area.Align), int32(in.Off)
	}
}

// storesToSlots reports whether toSlots has something to store.
func (t *Tuner) storesToSlots(list []lir.Inst, members []span) bool {
	if reads, writes := t.slots(list, members); reads || !writes {
		return false
	}
	for _, m := range members {
		if t.isStored(list, m) {
			return true
		}
	}
	return false
}

// isStored reports whether a member does nothing but copy a physical register to a slot.
func (t *Tuner) isStored(list []lir.Inst, m span) bool {
	if m.end != m.first+1 {
		return false
	}
	in := &list[m.first]
	return in.Op == lir.Copy && in.A.Kind() == sass.Register && in.A != lir.Zero && t.area.Has(in.Dst)
}

// toSlots emits copies of physical registers to slots as stores, before anything is written that
// other members write. It returns the other members.
func (t *Tuner) toSlots(list []lir.Inst, members []span, pos diag.Pos) []span {
	if !t.storesToSlots(list, members) {
		return members
	}
	left := members[:0]
	for i := 0; i < len(members); {
		if !t.isStored(list, members[i]) {
			left = append(left, members[i])
			i++
			continue
		}
		in := list[members[i].first]
		off, _ := t.area.At.Offset(in.Dst)
		n := 1
		for n < lir.Widest && i+n < len(members) && t.followsInSlot(list, members[i+n-1], members[i+n]) {
			n++
		}
		n = t.area.Width(in.A.Num(), off, n)
		note := in.Note
		note.End = list[members[i+n-1].first].Note.End
		t.area.Store(t.Code, t.GuardOf(&in), pos, note, in.A.Num(), off, n)
		i += n
	}
	return left
}

// followsInSlot reports whether a member copies the register after that of another to the word
// of a slot after its, of one value.
func (t *Tuner) followsInSlot(list []lir.Inst, before, m span) bool {
	if !t.isStored(list, m) {
		return false
	}
	a, b := &list[before.first], &list[m.first]
	x, _ := t.area.At.Offset(a.Dst)
	y, _ := t.area.At.Offset(b.Dst)
	return b.A.Follows(a.A) && y == x+4 && b.Note.Follows(a.Note)
}
