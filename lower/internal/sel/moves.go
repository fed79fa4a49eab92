package sel

import (
	"slices"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// wait appends a load to those that wait for flush, to be filled in. What is
// written twice counts once: the later load stands after the earlier one.
func (fn *Selector) wait() *load {
	fn.group = append(fn.group, load{})
	l := &fn.group[len(fn.group)-1]
	if fn.gathers {
		l.pos = fn.Pos
	}
	return l
}

// takenTo ends what wait began with where the load goes and what it is.
func (fn *Selector) takenTo(dst lir.Reg, s lir.Note) {
	l := &fn.group[len(fn.group)-1]
	l.dst, l.s = dst, s
	fn.taken()
}

// taken ends what wait began.
func (fn *Selector) taken() {
	if fn.AllVirtual {
		return
	}
	last := len(fn.group) - 1
	l := fn.group[last]
	list := fn.group[:0]
	for _, old := range fn.group[:last] {
		if l.writes(old.dst) || fn.overlap(&l, &old) {
			continue
		}
		if old.more != nil {
			old.more.signs = slices.DeleteFunc(old.more.signs, l.writes)
		}
		list = append(list, old)
	}
	fn.group = append(list, l)
}

// flush emits the loads that wait.
func (fn *Selector) flush(guard string) {
	if len(fn.group) > 0 {
		list := fn.group
		fn.group = nil
		if fn.AllVirtual {
			fn.inTurn(list, guard)
		} else {
			fn.parallel(list, guard)
		}
		fn.group = list[:0]
	}
}

// inTurn emits loads one after the other: to virtual registers, none of which a load reads.
func (fn *Selector) inTurn(list []load, guard string) {
	first, apart := len(fn.Code.List), true
	for i := range list {
		fn.make(&list[i], guard)
		apart = apart && list[i].pos.IsValid()
	}
	if loadsWords(list, false) {
		fn.Code.AddRun(lir.InTurn, first).Apart = apart
	}
}

// loadsWords reports whether two of some loads are of whole words of memory, one after the other
// where they are not to be put in another order.
func loadsWords(list []load, inOrder bool) bool {
	n := 0
	for i := range list {
		if !list[i].whole {
			if inOrder {
				n = 0
			}
			continue
		}
		if n++; n > 1 {
			return true
		}
	}
	return false
}

// parallel emits loads that happen at once: no register is written before all
// that read it have. Those that may be in each other's way are a group of the code.
func (fn *Selector) parallel(list []load, guard string) {
	first := len(fn.Code.List)
	if readPhysical(list) {
		fn.atOnce(list, guard)
	} else {
		for i := range list {
			fn.make(&list[i], guard)
		}
	}
	if fn.Spill.At != nil || loadsWords(list, true) {
		fn.Code.AddRun(lir.AtOnce, first)
	}
}

// atOnce emits loads as a group.
func (fn *Selector) atOnce(list []load, guard string) {
	fn.Code.BeginGroup(fn.Pos)
	for i := range list {
		l := &list[i]
		src, isCopy := l.plain()
		fn.Code.AddMember(isCopy)
		if isCopy && src == l.dst { // others may read it
			fn.move(guard, l.dst, src, l.note())
		} else {
			fn.make(l, guard)
		}
	}
	fn.Code.EndGroup()
}

// readPhysical reports whether making some of the loads reads a physical register.
// All that are written to several at once are physical, and so are those with signs
// if dst is: else no load is in the way of another.
func readPhysical(list []load) bool {
	for i := range list {
		if list[i].w.readsPhysical() {
			return true
		}
	}
	return false
}

// plain returns the physical register that l copies to another, if it does.
func (l *load) plain() (lir.Reg, bool) {
	if l.op != "" || l.dst.Kind() != sass.Register {
		return 0, false
	}
	src, ok := l.w.plain()
	return src, ok && src.Kind() == sass.Register
}

func (l *load) note() lir.Note {
	if l.more != nil && l.more.note.Name != "" {
		return l.more.note
	}
	return l.s
}

// make emits one load.
func (fn *Selector) make(l *load, guard string) {
	pos := fn.Pos
	if l.pos.IsValid() {
		fn.Pos = l.pos
	}
	switch {
	case l.op == "":
		fn.assemble(l.dst, &l.w, guard, l.note())
	case l.mem.kind != sass.None:
		fn.loadWord(guard, l.op, l.dst, &l.mem, l.note())
	default:
		if l.op == "MOV" {
			fn.move(guard, l.dst, l.more.src[0].Reg, l.note())
			break
		}
		var args [8]lir.Arg
		fn.emit(guard, l.op, l.note(), append(append(args[:0], lir.Of(l.dst)), l.more.src...)...)
	}
	for _, r := range l.signs() {
		var w word
		for b := range 4 {
			w.sign(b, l.dst, 3)
		}
		fn.assemble(r, &w, guard, lir.Note{})
	}
	fn.Pos = pos
}

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

// lastLabel is the index of the last label before the statement at hand, -1 if
// there is none.
func (fn *Selector) lastLabel() int32 {
	if n := len(fn.blocks.labelAt); n > 0 {
		return fn.blocks.labelAt[n-1]
	}
	return -1
}
