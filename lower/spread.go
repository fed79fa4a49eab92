package lower

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Where registers keep their names, nothing is known of which of them will lie
// side by side, and an access of several words goes through copies. They are
// taken to cost nothing where one of the two registers is not used otherwise:
// an allocator gives both the same home. With homes that are known, only
// registers that are side by side are loaded together.

// collects reports whether a statement is a load that waits for those behind it,
// with which it may be one: from local memory, not guarded, of whole words.
func (fn *fn) collects(s ptx.Stmt) bool {
	a, ok := s.(*ptx.Access)
	if fn.h != nil || !ok || a.Store || a.Guard != nil {
		return false
	}
	v := fn.variableOf(fn.scope.At(fn.id(len(a.Regs))), a.Addr.Base)
	return v != nil && collectable(a, v)
}

// collectable is collects for an access whose variable is known.
func collectable(a *ptx.Access, v *pvar) bool {
	return (v.place == inFrame || v.place == incoming) && !a.Store && a.Guard == nil && a.Type.Size() >= 4
}

// silent reports whether a statement is lowered to nothing.
func silent(s ptx.Stmt) bool {
	switch s.(type) {
	case *ptx.Decl, *ptx.Prototype, *ptx.Open, *ptx.Close:
		return true
	}
	return false
}

// spread makes the first n loads of a list one that goes through a register of
// its own, if they are words side by side in memory.
func (fn *fn) spread(list []load, n int) (load, bool) {
	if fn.h != nil || !fn.sideBySide(list, n) {
		return load{}, false
	}
	for i := range n {
		if list[i].dst.kind != sass.Virtual || !list[i].pos.IsValid() {
			return load{}, false
		}
	}
	one := list[0]
	name := one.s.name + "." + strconv.Itoa(int(one.s.first)) + fn.names.suffix + "x" + strconv.Itoa(n)
	one.dst, one.op, one.n = fn.virtual(name, sass.Whole), fn.wideLoad(&one.mem, n), uint8(n)
	one.s.end = list[n-1].s.end
	one.more = &loadMore{parts: slices.Clone(list[:n])}
	return one, true
}

// sideBySide reports whether the first n loads of a list are of words that
// follow each other in memory, and can be one as far as memory is concerned.
func (fn *fn) sideBySide(list []load, n int) bool {
	if len(list) < n || !list[0].mem.aligned(4*n) || fn.wideLoad(&list[0].mem, n) == "" {
		return false
	}
	for i := range n {
		l := &list[i]
		if !l.whole || l.more != nil && (len(l.more.signs) > 0 || l.more.parts != nil) {
			return false
		}
		if i > 0 && (!l.mem.behind(&list[i-1].mem) || !l.s.behind(list[i-1].s)) {
			return false
		}
	}
	return true
}

// unpack copies the words of a register that was loaded for several.
func (fn *fn) unpack(l *load, guard string) {
	first := sass.Lo
	parts := l.more.parts
	if len(parts) > 2 {
		first = sass.W0
	}
	for i := range parts {
		from := l.dst
		from.part = first + sass.Part(i)
		fn.move(guard, parts[i].dst, from, parts[i].note())
	}
}

// dies reports whether a register seems to be needed no longer behind the
// statement at hand: what mentions it stands in the straight stretch of code
// that ends there. It decides what is cheap, not what is right.
func (fn *fn) dies(r wordReg) bool {
	if fn.h != nil || r.kind != sass.Virtual {
		return false
	}
	u := fn.usage(r.name)
	if u == nil {
		name := fn.scope.Name(r.name)
		if n := len(name) - 2; n > 0 && name[n] == '.' { // an element of a vector
			u = fn.usage(fn.scope.Numbered(name[:n]))
		}
	}
	return u != nil && int(u.last) <= fn.at+1 && u.first-1 > fn.lastLabel()
}

// usage returns what is known of a name by its number, nil if no statement
// mentions it.
func (fn *fn) usage(n int32) *usage {
	if n < 0 || int(n) >= len(fn.mentions.uses) || fn.mentions.uses[n].first == 0 {
		return nil
	}
	return &fn.mentions.uses[n]
}

// lastLabel is the index of the last label before the statement at hand, -1 if
// there is none.
func (fn *fn) lastLabel() int32 {
	if n := len(fn.labelAt); n > 0 {
		return fn.labelAt[n-1]
	}
	return -1
}

// inOrder puts loads from one place in memory, each into a register of its own,
// in the order of their addresses. Compilers load records from the end.
func (fn *fn) inOrder(list []load) {
	if fn.h != nil || len(list) < 2 {
		return
	}
	first, sorted := &list[0].mem, true
	for i := range list {
		l := &list[i]
		if !l.whole || l.mem.kind != sass.Mem || l.mem.base != first.base || !l.pos.IsValid() || l.dst.kind != sass.Virtual || len(l.signs()) > 0 {
			return
		}
		sorted = sorted && (i == 0 || list[i-1].mem.off <= l.mem.off)
	}
	if sorted || fn.writtenTwice(list) {
		return
	}
	slices.SortStableFunc(list, func(a, b load) int { return cmp.Compare(a.mem.off, b.mem.off) })
}

// writtenTwice reports whether two loads write one register.
func (fn *fn) writtenTwice(list []load) bool {
	fn.dsts = fn.dsts[:0]
	for i := range list {
		fn.dsts = append(fn.dsts, list[i].dst)
	}
	slices.SortFunc(fn.dsts, func(a, b wordReg) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.part, b.part)) })
	return len(slices.Compact(fn.dsts)) < len(list)
}
