package tune

import (
	"cmp"
	"slices"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// inTurn is the pass over loads that happen one after the other.
func (t *Tuner) inTurn(r *lir.Run) {
	if !t.plan.Runs(lir.LoadPairing) {
		return
	}
	list := t.old(r)
	members := t.divide(list, t.members[:0])
	t.members = members
	if r.Apart && len(members) == len(list) {
		t.inOrder(list)
	}
	replaced := false
	for i := 0; i < len(members); {
		n, dst := t.wide(list, members[i:], r.Apart)
		first, end := members[i].first, members[i+n-1].end
		if n > 1 && !replaced {
			replaced = true
			t.replace(r)
			t.List = append(t.List, list[:first]...)
		}
		switch {
		case !replaced:
		case n == 1:
			t.List = append(t.List, list[first:end]...)
		case dst == 0:
			t.spread(list[first:end])
		default:
			t.join(list[first], dst, &list[end-1], n)
		}
		i += n
	}
}

// isLoad reports whether a member is a load of a word, and nothing else.
func (t *Tuner) isLoad(list []lir.Inst, m span) bool {
	if m.end != m.first+1 {
		return false
	}
	in := &list[m.first]
	return in.Op == lir.Load && in.Name == t.loads(in).B32
}

// sideBySide reports whether the first n members of a list are loads of words that follow
// each other in memory, and can be one as far as memory is concerned. The notes have to be
// of one value.
func (t *Tuner) sideBySide(list []lir.Inst, members []span, n int) bool {
	if len(members) < n {
		return false
	}
	if !t.isLoad(list, members[0]) {
		return false
	}
	first := &list[members[0].first]
	if !first.Aligned(4*n) || t.wideLoad(first, n) == "" {
		return false
	}
	for i := 1; i < n; i++ {
		m := members[i]
		if !t.isLoad(list, m) {
			return false
		}
		in, before := &list[m.first], &list[members[i-1].first]
		if in.Off != before.Off+4 || in.Kind != before.Kind || in.Bank != before.Bank || in.B != before.B || !in.Note.Follows(before.Note) {
			return false
		}
	}
	return true
}

// wideLoad returns the opcode of a load of 2 or 4 words from the memory of a load; "" if there
// is none.
func (t *Tuner) wideLoad(in *lir.Inst, n int) string {
	if n == 4 {
		return t.loads(in).B128
	}
	return t.loads(in).B64
}

// wide returns how many of the first members one load takes, and the register that it loads: none
// if that has to be another one than theirs, which may be if they are apart.
func (t *Tuner) wide(list []lir.Inst, members []span, apart bool) (n int, dst lir.Reg) {
	for n = lir.Widest; n > 1; n /= 2 {
		if !t.sideBySide(list, members, n) {
			continue
		}
		first := list[members[0].first].Dst
		dst, ok := first.Group(n)
		virtual := first.Kind() == sass.Virtual
		for i := 1; i < n; i++ {
			to := list[members[i].first].Dst
			ok = ok && to.Follows(list[members[i-1].first].Dst)
			virtual = virtual && to.Kind() == sass.Virtual
		}
		switch {
		case ok:
			return n, dst
		case apart && virtual:
			return n, 0
		}
	}
	return 1, 0
}

// joined is wide for what happens at once, if loads are to be paired.
func (t *Tuner) joined(list []lir.Inst, members []span) (n int, dst lir.Reg) {
	if !t.plan.Runs(lir.LoadPairing) {
		return 1, 0
	}
	return t.wide(list, members, false)
}

// joinsAny reports whether some members are to be joined.
func (t *Tuner) joinsAny(list []lir.Inst, members []span) bool {
	for i := range members {
		if n, _ := t.joined(list, members[i:]); n > 1 {
			return true
		}
	}
	return false
}

// join emits a load of n words in place of those from first to last.
func (t *Tuner) join(first lir.Inst, dst lir.Reg, last *lir.Inst, n int) {
	first.Name, first.Dst = t.wideLoad(&first, n), dst
	first.Note.End = last.Note.End
	t.List = append(t.List, first)
}

// spread emits loads as one that goes through a register of its own.
func (t *Tuner) spread(list []lir.Inst) {
	n := len(list)
	all := t.plan.AsOne(list[0].Note, n)
	t.join(list[0], all, &list[n-1], n)
	for i := range list {
		t.List = append(t.List, lir.Inst{Op: lir.Copy, Guard: list[0].Guard, Pos: list[0].Pos, Dst: list[i].Dst, A: all.Word(i, n), Note: list[i].Note})
	}
}

// inOrder puts loads from one place in memory, each into a register of its own,
// in the order of their addresses. Compilers load records from the end.
func (t *Tuner) inOrder(list []lir.Inst) {
	sorted, falling := true, true
	for i := range list {
		in := &list[i]
		if !t.isLoad(list, span{first: i, end: i + 1}) || in.Kind != sass.Mem || in.B != list[0].B || in.Dst.Kind() != sass.Virtual {
			return
		}
		if i > 0 {
			before := list[i-1].Off
			sorted, falling = sorted && before <= in.Off, falling && before > in.Off
		}
	}
	if sorted || t.writtenTwice(list) {
		return
	}
	if falling { // as mostly: a sort would move each load past each other one
		slices.Reverse(list)
		return
	}
	slices.SortStableFunc(list, func(a, b lir.Inst) int { return cmp.Compare(a.Off, b.Off) })
}

// writtenTwice reports whether two loads write one register.
func (t *Tuner) writtenTwice(list []lir.Inst) bool {
	t.dsts = t.dsts[:0]
	for i := range list {
		t.dsts = append(t.dsts, list[i].Dst)
	}
	slices.Sort(t.dsts)
	return len(slices.Compact(t.dsts)) < len(list)
}
