package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/parmove"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A load is one register that gets its word: for a call, for a return, or out
// of where a parameter is.
type load struct {
	dst   wordReg
	w     word
	op    string  // if set, "op dst, mem" makes the word, or "op dst, more.src…", not w
	mem   memory  // its kind is None where op is not set, or loads nothing
	whole bool    // op loads whole words of mem
	n     uint8   // how many words, into as many registers from dst on; 0 is 1
	mask  uint8   // which bytes of mem have a value; 0 where s tells
	s     span    // what the word is
	pos   ptx.Pos // of the load, if it waits; no position otherwise
	more  *loadMore
}

// A loadMore is what few loads have: the others are two thirds of the size without
// it.
type loadMore struct {
	src  []sass.Operand // none of them a register that a load writes
	text string         // a note in place of load.s
	// signs are registers that are filled with the sign of what dst has got.
	signs []wordReg
}

// needMore gives l a loadMore of its own.
func (l *load) needMore() {
	if l.more == nil {
		l.more = new(loadMore)
	}
}

// noText takes the note away from a copy of a load.
func (l *load) noText() {
	if l.more != nil {
		more := *l.more
		more.text = ""
		l.more = &more
	}
}

func (l *load) signs() []wordReg {
	if l.more == nil {
		return nil
	}
	return l.more.signs
}

// handsOver returns the contract of a call or return that needs what loads make,
// which have not been widened.
func (fn *fn) handsOver(list []load) *sass.Contract {
	if fn.textOnly {
		return nil
	}
	c := &sass.Contract{Needs: make([]sass.Reg, len(list)), Bytes: make([]uint8, len(list))}
	for i := range list {
		c.Needs[i], c.Bytes[i] = list[i].dst.reg, list[i].bytes()
	}
	return c
}

// bytes returns which bytes of the word have a value, bit 0 for the lowest.
func (l *load) bytes() uint8 {
	mask := uint8(0xf)
	switch {
	case l.op == "":
		for i, f := range l.w.from {
			if f.kind == undefined {
				mask &^= 1 << i
			}
		}
	case l.mask != 0:
		mask = l.mask
	case l.whole: // a whole word of memory, of which the value may be the first part
		mask &= 1<<(l.s.end-l.s.first) - 1
	}
	return mask
}

// inRegisters returns the registers that hold a value; none if it is elsewhere.
func inRegisters(p abi.Placement) []sass.Reg {
	if p.Loc.Kind != abi.InReg {
		return nil
	}
	regs := make([]sass.Reg, (p.Size+3)/4)
	for k := range regs {
		regs[k] = p.Loc.Reg + sass.Reg(k)
	}
	return regs
}

// fromMemory makes l a load of size bytes at m: 1, 2 or 4.
func (fn *fn) fromMemory(l *load, m memory, size int, signed bool) {
	l.op, l.mem, l.whole = fn.loadOp(&m, size, signed), m, size == 4
}

// reads reports whether making l reads a physical register.
func (l *load) reads(r wordReg) bool {
	for i := range l.w.n {
		if l.w.srcs[i] == r {
			return true
		}
	}
	return false
}

// writes reports whether l writes a physical register.
func (l *load) writes(r wordReg) bool {
	if l.dst == r || l.n > 1 && r.kind == sass.Register && l.dst.reg <= r.reg && int(r.reg) < int(l.dst.reg)+int(l.n) {
		return true
	}
	return l.more != nil && slices.Contains(l.more.signs, r)
}

// readsAny reports whether making l reads a register that another one writes.
func (l *load) readsAny(writer *load) bool {
	for i := range l.w.n {
		if writer.writes(l.w.srcs[i]) {
			return true
		}
	}
	return false
}

// wait appends a load to those that wait for flush, to be filled in. What is
// written twice counts once: the later load stands behind the earlier one.
func (fn *fn) wait() *load {
	fn.group = append(fn.group, load{})
	l := &fn.group[len(fn.group)-1]
	if fn.gathers {
		l.pos = fn.pos
	}
	return l
}

// takenTo ends what wait began with where the load goes and what it is.
func (fn *fn) takenTo(dst wordReg, s span) {
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
			if l := &list[i]; l.copies() && l.w.srcs[0] != l.dst { // half of the time of make
				fn.move(guard, l.dst, l.w.srcs[0], l.s)
			} else {
				fn.make(l, guard)
			}
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
		moves = append(moves, parmove.Move{Dst: int(l.dst.reg), Src: int(src.reg)})
	}
	if len(moves) > 0 {
		fn.moves = moves
		fn.order = parmove.Sequence(fn.order[:0], moves, int(fn.cycleTemp()))
		for _, m := range fn.order {
			dst, note := physical(sass.Reg(m.Dst)), span{}
			for i := range list {
				if list[i].dst == dst {
					note = list[i].note()
				}
			}
			fn.move(guard, dst, physical(sass.Reg(m.Src)), note)
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

// copies reports whether l is a copy of one register, as nearly all are, and no more.
func (l *load) copies() bool {
	return l.w.n == 1 && l.w.from == inPlace && l.op == "" && l.more == nil && !l.pos.IsValid()
}

// plain returns the physical register that l copies to another, if it does.
func (l *load) plain() (wordReg, bool) {
	if l.op != "" || l.dst.kind != sass.Register {
		return wordReg{}, false
	}
	src, ok := l.w.plain()
	return src, ok && src.kind == sass.Register
}

// inTheWay reports whether l, no copy, reads what another one writes.
func (l *load) inTheWay(list []load) bool {
	for i := range list {
		if o := &list[i]; o != l && o.dst.kind == sass.Register && l.readsAny(o) {
			return true
		}
	}
	return false
}

func (l *load) note() span {
	if l.more != nil && l.more.text != "" {
		return saying(l.more.text)
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
		var args [8]sass.Operand
		fn.emit(guard, l.op, fn.note(l.note()), append(append(args[:0], fn.op(l.dst)), l.more.src...)...)
	}
	for _, r := range l.signs() {
		var w word
		for b := range 4 {
			w.sign(b, l.dst, 3)
		}
		fn.assemble(r, &w, guard, span{})
	}
	fn.pos = pos
}

// tangled emits loads some of which read several registers that others write.
// Each is made when no other one still reads what it writes. Where none can be
// made, all that are left wait for one another, along at least one cycle: a
// register of it is copied, unless a copy has been made on the way, and those
// that are still to read it read the copy.
func (fn *fn) tangled(list []load, guard string) {
	copies := make(map[wordReg]wordReg)
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
			fn.setAside(list, done, at, physical(l.dst.reg+sass.Reg(k)), copies, guard)
		}
		for _, old := range l.signs() {
			fn.setAside(list, done, at, old, copies, guard)
		}
	}
}

// setAside makes all loads but one read a copy of a register.
func (fn *fn) setAside(list []load, done []bool, but int, old wordReg, copies map[wordReg]wordReg, guard string) {
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
			to = physical(fn.t.Frame.OldSP)
		}
		fn.move(guard, to, old, span{})
	}
	for i := range list {
		if i != but && !done[i] {
			list[i].w.replace(old, to)
		}
	}
}

// spare returns a scratch register that is nobody's home and that no load has a
// use for.
func (fn *fn) spare(list []load, done []bool) (wordReg, bool) {
	p := &fn.t.Passing
	params := abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1)
	free := fn.conv.Scratch.Minus(params).Minus(abi.Regs(fn.t.Frame.Scratch)).Minus(fn.beyond()).Minus(fn.spill.temps)
	if fn.h != nil {
		free = free.Minus(fn.h.used)
	}
	for r := range free.All() {
		op, ok := physical(r), true
		for i := range list {
			ok = ok && (done[i] || !list[i].reads(op)) && !list[i].writes(op)
		}
		if ok {
			return op, true
		}
	}
	return wordReg{}, false
}
