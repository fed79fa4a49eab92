package sel

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Where registers keep their names, nothing is known of which of them will lie
// side by side, and an access of several words goes through copies. They are
// taken to cost nothing where one of the two registers is not used otherwise:
// an allocator gives both the same home. With homes that are known, only
// registers that are side by side are loaded together.

// collects reports whether a statement is a load that waits for those after it,
// with which it may be one: from local memory, not guarded, of whole words.
func (fn *Selector) collects(s ptx.Stmt) bool {
	a, ok := s.(*ptx.Access)
	if !fn.AllVirtual || !ok || a.Store || a.Guard != nil {
		return false
	}
	v := fn.VariableOf(fn.In.Sym(fn.BaseRef()), a.Addr.Base)
	return v != nil && collectable(a, v)
}

// collectable is collects for an access whose variable is known.
func collectable(a *ptx.Access, v *place.Var) bool {
	return (v.Place == place.InFrame || v.Place == place.Incoming) && !a.Store && a.Guard == nil && a.Type.Size() >= 4
}

// silent reports whether a statement is lowered to nothing.
func silent(s ptx.Stmt) bool {
	switch s.(type) {
	case *ptx.Decl, *ptx.Prototype, *ptx.Open, *ptx.Close:
		return true
	}
	return false
}

// inTurn emits loads one after the other, as few as can be: to virtual registers,
// none of which a load reads.
func (fn *Selector) inTurn(list []load, guard string) {
	for len(list) > 0 {
		n := lir.Widest
		if !fn.Runs(lir.LoadPairing) {
			n = 1
		}
		for n > 1 && !(fn.sideBySide(list, n) && (fn.join(list[:n]) || fn.spreads(list[:n]))) {
			n /= 2
		}
		if n > 1 && list[0].n == 0 {
			fn.spread(list[:n], guard)
		} else {
			fn.make(&list[0], guard)
		}
		list = list[n:]
	}
}

// spreads reports whether loads side by side in memory can be one that goes
// through a register of its own.
func (fn *Selector) spreads(list []load) bool {
	for i := range list {
		if list[i].dst.Kind() != sass.Virtual || !list[i].pos.IsValid() {
			return false
		}
	}
	return true
}

// spread emits loads as one that goes through a register of its own.
func (fn *Selector) spread(list []load, guard string) {
	defer func(pos diag.Pos) { fn.Pos = pos }(fn.Pos)
	l, n := &list[0], len(list)
	fn.Pos = l.pos
	all := fn.asOne(l.s, n)
	s := l.s
	s.End = list[n-1].s.End
	fn.loadWord(guard, fn.wideLoad(&l.mem, n), all, &l.mem, s)
	for i := range list {
		fn.move(guard, list[i].dst, wordOfOne(all, i, n), list[i].note())
	}
}

// asOne returns a virtual register of n words, 2 or 4, for those from s on.
func (fn *Selector) asOne(s lir.Note, n int) lir.Reg {
	b := append(append(fn.line[:0], s.Name...), '.')
	b = append(append(strconv.AppendInt(b, int64(s.First), 10), fn.Names.Suffix...), 'x')
	fn.line = strconv.AppendInt(b, int64(n), 10)
	return fn.Virtual(fn.bytes(fn.line), sass.Whole)
}

// wordOfOne is word i of a register of n words that asOne returned.
func wordOfOne(all lir.Reg, i, n int) lir.Reg {
	if n > 2 {
		return all.WithPart(sass.W0 + sass.Part(i))
	}
	return all.WithPart(sass.Lo + sass.Part(i))
}

// sideBySide reports whether the first n loads of a list are of words that
// follow each other in memory, and can be one as far as memory is concerned.
func (fn *Selector) sideBySide(list []load, n int) bool {
	if len(list) < n || !list[0].whole || !list[1].whole || !list[0].mem.aligned(4*n) || fn.wideLoad(&list[0].mem, n) == "" {
		return false
	}
	for i := range n {
		l := &list[i]
		if !l.whole || len(l.signs()) > 0 {
			return false
		}
		if i > 0 && (!l.mem.after(&list[i-1].mem) || !l.s.Follows(list[i-1].s)) {
			return false
		}
	}
	return true
}

// dies reports whether a register seems to be needed no longer after the
// statement at hand: what mentions it stands in the straight stretch of code
// that ends there. It decides what is cheap, not what is right.
func (fn *Selector) dies(r lir.Reg) bool {
	if !fn.AllVirtual || r.Kind() != sass.Virtual {
		return false
	}
	if u := fn.Uses.Usage(r.Name()); u != nil && !fn.endsHere(u) {
		return false // whatever instructions mention
	}
	fn.Uses.CountInstrs()
	u := fn.Uses.Usage(r.Name())
	if u == nil {
		name := fn.In.Name(r.Name())
		if n := len(name) - 2; n > 0 && name[n] == '.' { // an element of a vector
			u = fn.Uses.Usage(fn.In.Numbered(name[:n]))
		}
	}
	return u != nil && fn.endsHere(u)
}

// endsHere reports whether a name is mentioned, as far as that is known, in the straight
// stretch of code alone that ends with the statement at hand.
func (fn *Selector) endsHere(u *place.Usage) bool {
	return int(u.Last) <= fn.At+1 && u.First-1 > fn.lastLabel()
}

// lastLabel is the index of the last label before the statement at hand, -1 if
// there is none.
func (fn *Selector) lastLabel() int32 {
	if n := len(fn.blocks.labelAt); n > 0 {
		return fn.blocks.labelAt[n-1]
	}
	return -1
}

// inOrder puts loads from one place in memory, each into a register of its own,
// in the order of their addresses. Compilers load records from the end.
func (fn *Selector) inOrder(list []load) {
	if !fn.AllVirtual || len(list) < 2 || !fn.Runs(lir.LoadPairing) {
		return
	}
	first, sorted, falling := &list[0].mem, true, true
	for i := range list {
		l := &list[i]
		if !l.whole || l.mem.kind != sass.Mem || l.mem.base != first.base || !l.pos.IsValid() || l.dst.Kind() != sass.Virtual || len(l.signs()) > 0 {
			return
		}
		if i > 0 {
			before := list[i-1].mem.off
			sorted, falling = sorted && before <= l.mem.off, falling && before > l.mem.off
		}
	}
	if sorted || fn.writtenTwice(list) {
		return
	}
	if falling { // as mostly: a sort would move each load past each other one
		slices.Reverse(list)
		return
	}
	slices.SortStableFunc(list, func(a, b load) int { return cmp.Compare(a.mem.off, b.mem.off) })
}

// writtenTwice reports whether two loads write one register.
func (fn *Selector) writtenTwice(list []load) bool {
	fn.dsts = fn.dsts[:0]
	for i := range list {
		fn.dsts = append(fn.dsts, list[i].dst)
	}
	slices.Sort(fn.dsts)
	return len(slices.Compact(fn.dsts)) < len(list)
}
