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
	if fn.h != nil || !ok || a.Store || a.Guard != nil || a.Type.Size() < 4 {
		return false
	}
	v := fn.variableOf(fn.scope.At(fn.id(len(a.Regs))), a.Addr.Base)
	return v != nil && (v.place == inFrame || v.place == incoming)
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
		if list[i].dst.Kind != sass.Virtual || !list[i].pos.IsValid() {
			return load{}, false
		}
	}
	one := list[0]
	name := one.s.name + "." + strconv.Itoa(one.s.first) + fn.names.suffix + "x" + strconv.Itoa(n)
	one.dst, one.op, one.n = sass.V(name, sass.Whole), fn.wideLoad(one.mem, n), n
	one.s.end = list[n-1].s.end
	one.parts = slices.Clone(list[:n])
	return one, true
}

// sideBySide reports whether the first n loads of a list are of words that
// follow each other in memory, and can be one as far as memory is concerned.
func (fn *fn) sideBySide(list []load, n int) bool {
	if len(list) < n || !list[0].mem.aligned(4*n) || fn.wideLoad(list[0].mem, n) == "" {
		return false
	}
	for i := range n {
		l := &list[i]
		if l.mem.op.Kind == sass.None || len(l.signs) > 0 || l.parts != nil {
			return false
		}
		if i > 0 && (l.mem.op != list[i-1].mem.at(4).op || !l.s.behind(list[i-1].s)) {
			return false
		}
	}
	return true
}

// unpack copies the words of a register that was loaded for several.
func (fn *fn) unpack(l *load, guard string) {
	first := sass.Lo
	if len(l.parts) > 2 {
		first = sass.W0
	}
	for i := range l.parts {
		fn.emit(guard, "MOV", fn.noteOf(&l.parts[i]), l.parts[i].dst, l.dst.Word(first+sass.Part(i)))
	}
}

// dies reports whether a register seems to be needed no longer behind the
// statement at hand: what mentions it stands in the straight stretch of code
// that ends there. It decides what is cheap, not what is right.
func (fn *fn) dies(r sass.Operand) bool {
	if fn.h != nil || r.Kind != sass.Virtual {
		return false
	}
	u := fn.usage(r.Name)
	if u == nil {
		if n := len(r.Name) - 2; n > 0 && r.Name[n] == '.' { // an element of a vector
			u = fn.usage(r.Name[:n])
		}
	}
	return u != nil && int(u.last) <= fn.at+1 && u.first-1 > fn.lastLabel()
}

// usage returns what is known of a name, nil if no statement mentions it.
func (fn *fn) usage(name string) *usage {
	n := fn.scope.Numbered(name)
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
	seen := make(map[sass.Operand]bool, len(list))
	for i := range list {
		l := &list[i]
		at, first := l.mem.op, list[0].mem.op
		at.Off, first.Off = 0, 0
		if at.Kind != sass.Mem || at != first || !l.pos.IsValid() || l.dst.Kind != sass.Virtual || len(l.signs) > 0 || seen[l.dst] {
			return
		}
		seen[l.dst] = true
	}
	slices.SortStableFunc(list, func(a, b load) int { return cmp.Compare(a.mem.op.Off, b.mem.op.Off) })
}
