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
	v := fn.variable(a.Addr.Base)
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

// A lifetime is where a body mentions a register first and last.
type lifetime struct{ first, last int32 }

// dies reports whether a register seems to be needed no longer behind the
// statement at hand: what mentions it stands in the straight stretch of code
// that ends there. It decides what is cheap, not what is right.
func (fn *fn) dies(r sass.Operand) bool {
	if fn.h != nil || r.Kind != sass.Virtual {
		return false
	}
	if fn.lives == nil {
		fn.findLives()
	}
	name := r.Name
	life, ok := fn.lives[name]
	if !ok {
		if n := len(name) - 2; n > 0 && name[n] == '.' { // an element of a vector
			life, ok = fn.lives[name[:n]]
		}
	}
	return ok && int(life.last) <= fn.at && life.first > fn.lastLabel(fn.at)
}

// lastLabel is the index of the last label before a statement, -1 if there is
// none.
func (fn *fn) lastLabel(at int) int32 {
	i, _ := slices.BinarySearch(fn.labelAt, int32(at))
	if i == 0 {
		return -1
	}
	return fn.labelAt[i-1]
}

// findLives finds the lifetimes of all registers.
func (fn *fn) findLives() {
	fn.lives = make(map[string]lifetime)
	for i, s := range fn.f.Body {
		if _, ok := s.(*ptx.Label); ok {
			fn.labelAt = append(fn.labelAt, int32(i))
		}
		eachName(s, func(name string) {
			life, ok := fn.lives[name]
			if !ok {
				life.first = int32(i)
			}
			life.last = int32(i)
			fn.lives[name] = life
		})
	}
}

// eachName calls visit with the names that a statement mentions, as often as it
// does; some of them may be none of registers.
func eachName(s ptx.Stmt, visit func(string)) {
	guard := func(g *ptx.Guard) {
		if g != nil {
			visit(g.Name)
		}
	}
	operands := func(ops []ptx.Operand) {
		for i := range ops {
			if name := ops[i].Name(); name != "" {
				visit(name)
			}
		}
	}
	switch s := s.(type) {
	case *ptx.Access:
		guard(s.Guard)
		operands(s.Regs)
		visit(s.Addr.Base)
	case *ptx.Call:
		guard(s.Guard)
		visit(s.Callee.Name())
		operands(s.Params)
		operands(s.Results)
	case *ptx.Instr:
		guard(s.Guard)
		names := identifiers{text: s.Args}
		for name := names.next(); name != ""; name = names.next() {
			visit(name)
		}
	}
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
