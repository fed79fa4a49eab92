package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/parmove"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// wait appends a load to those that wait for flush, to be filled in. What is
// written twice counts once: the later load stands after the earlier one.
func (fn *fn) wait() *load {
	fn.group = append(fn.group, load{})
	l := &fn.group[len(fn.group)-1]
	if fn.gathers {
		l.pos = fn.pos
	}
	return l
}

// takenTo ends what wait began with where the load goes and what it is.
func (fn *fn) takenTo(dst lir.Reg, s lir.Note) {
	l := &fn.group[len(fn.group)-1]
	l.dst, l.s = dst, s
	fn.taken()
}

// taken ends what wait began.
func (fn *fn) taken() {
	if fn.h == nil {
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
func (fn *fn) flush(guard string) {
	if len(fn.group) > 0 {
		list := fn.group
		fn.group = nil
		if fn.h == nil {
			fn.inOrder(list)
			fn.inTurn(list, guard)
		} else {
			fn.parallel(list, guard)
		}
		fn.group = list[:0]
	}
}

// parallel emits loads that happen at once: no register is written before all
// that read it have. Where all that could be in each other's way are copies of
// registers, parmove orders them.
func (fn *fn) parallel(list []load, guard string) {
	if fn.spill.at != nil {
		list = fn.throughFrame(list, guard)
	}
	list = fn.widen(list)
	if !readPhysical(list) {
		for i := range list {
			fn.make(&list[i], guard)
		}
		return
	}
	moves := fn.moves[:0]
	for i := range list {
		l := &list[i]
		src, ok := l.plain()
		if !ok {
			if l.inTheWay(list) {
				fn.tangled(list, guard)
				return
			}
			continue
		}
		moves = append(moves, parmove.Move{Dst: int(l.dst.Num()), Src: int(src.Num())})
	}
	if len(moves) > 0 {
		fn.moves = moves
		fn.order = parmove.Sequence(fn.order[:0], moves, int(fn.cycleTemp()))
		for _, m := range fn.order {
			dst, note := lir.Phys(sass.Reg(m.Dst)), lir.Note{}
			for i := range list {
				if list[i].dst == dst {
					note = list[i].note()
				}
			}
			fn.move(guard, dst, lir.Phys(sass.Reg(m.Src)), note)
		}
	}
	for i := range list {
		if _, ok := list[i].plain(); !ok {
			fn.make(&list[i], guard)
		}
	}
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

// inTheWay reports whether l, no copy, reads what another one writes.
func (l *load) inTheWay(list []load) bool {
	for i := range list {
		if o := &list[i]; o != l && o.dst.Kind() == sass.Register && l.readsAny(o) {
			return true
		}
	}
	return false
}

func (l *load) note() lir.Note {
	if l.more != nil && l.more.text != "" {
		return lir.Say(l.more.text)
	}
	return l.s
}

// make emits one load.
func (fn *fn) make(l *load, guard string) {
	pos := fn.pos
	if l.pos.IsValid() {
		fn.pos = l.pos
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
	fn.pos = pos
}

// tangled emits loads some of which read several registers that others write.
// Each is made when no other one still reads what it writes. Where none can be
// made, all that are left wait for one another, along at least one cycle: a
// register of it is copied, unless a copy has been made on the way, and those
// that are still to read it read the copy.
func (fn *fn) tangled(list []load, guard string) {
	copies := make(map[lir.Reg]lir.Reg)
	done := make([]bool, len(list))
	reader := func(i int) int {
		for k := range list {
			if k != i && !done[k] && list[k].readsAny(&list[i]) {
				return k
			}
		}
		return -1
	}
	for left := len(list); left > 0; {
		progress := false
		for i := range list {
			if done[i] || reader(i) >= 0 {
				continue
			}
			if src, ok := list[i].plain(); ok && src != list[i].dst {
				copies[src] = list[i].dst
			}
			fn.make(&list[i], guard)
			done[i], progress = true, true
			left--
		}
		if progress {
			continue
		}
		at := 0
		for done[at] {
			at++
		}
		seen := make([]bool, len(list))
		for !seen[at] { // to a load that waits for itself in the end
			seen[at] = true
			at = reader(at)
		}
		l := &list[at]
		for k := range max(l.n, 1) {
			fn.setAside(list, done, at, lir.Phys(l.dst.Num()+sass.Reg(k)), copies, guard)
		}
		for _, old := range l.signs() {
			fn.setAside(list, done, at, old, copies, guard)
		}
	}
}

// setAside makes all loads but one read a copy of a register.
func (fn *fn) setAside(list []load, done []bool, but int, old lir.Reg, copies map[lir.Reg]lir.Reg, guard string) {
	to, ok := copies[old]
	wanted := false
	for i := range list {
		wanted = wanted || i != but && !done[i] && list[i].reads(old)
	}
	if !wanted {
		return
	}
	if !ok {
		if to, ok = fn.spare(list, done); !ok {
			fn.badHome(fn.pos, "no scratch register is left for a cycle of moves")
			to = lir.Phys(fn.t.Frame.OldSP)
		}
		fn.move(guard, to, old, lir.Note{})
	}
	for i := range list {
		if i != but && !done[i] {
			list[i].w.replace(old, to)
		}
	}
}

// spare returns a scratch register that is nobody's home and that no load has a
// use for.
func (fn *fn) spare(list []load, done []bool) (lir.Reg, bool) {
	p := &fn.t.Passing
	params := abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1)
	free := fn.conv.CallerSaved.Minus(params).Minus(abi.Regs(fn.t.Frame.Scratch)).Minus(fn.beyond()).Minus(fn.spill.temps)
	if fn.h != nil {
		free = free.Minus(fn.h.used)
	}
	for r := range free.All() {
		op, ok := lir.Phys(r), true
		for i := range list {
			ok = ok && (done[i] || !list[i].reads(op)) && !list[i].writes(op)
		}
		if ok {
			return op, true
		}
	}
	return 0, false
}
