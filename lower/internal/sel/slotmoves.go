package sel

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Loads that happen at once and have to do with slots access the frame by several
// words at a time. Where some of them read slots and others write some they are
// left as they are: slots may overlap.

// throughFrame makes what it can of a list of loads: those that only copy a
// register to a slot are emitted, and what only copies a slot becomes a load from
// memory, which widen joins with others. It returns the loads that are left.
func (fn *Selector) throughFrame(list []load, guard string) []load {
	reads, writes := false, false
	for i := range list {
		l := &list[i]
		writes = writes || fn.InSpills(l.dst)
		for k := range l.w.n {
			reads = reads || fn.InSpills(l.w.srcs[k])
		}
	}
	switch {
	case reads && !writes:
		for i := range list {
			fn.fromSlot(&list[i])
		}
	case writes && !reads:
		return fn.toSlots(list, guard)
	}
	return list
}

// slotWord returns where in the spill area a word of a slot is.
func (fn *Selector) slotWord(r lir.Reg) int {
	off, _ := fn.Spill.At.Offset(r)
	return off
}

// fromSlot makes a copy of a slot's word a load from memory.
func (fn *Selector) fromSlot(l *load) {
	src, ok := l.w.plain()
	if l.op != "" || !ok || l.dst.Kind() != sass.Register || !fn.InSpills(src) {
		return
	}
	l.mask = l.bytes()
	fn.fromMemory(l, fn.inSlot(fn.slotWord(src)), 4, false)
	l.w = word{}
}

// toSlots stores registers to slots, before anything is written that others of the
// list write.
func (fn *Selector) toSlots(list []load, guard string) []load {
	area, kept := fn.Area(), list[:0]
	for i := 0; i < len(list); {
		src, ok := fn.stored(&list[i])
		if !ok {
			kept = append(kept, list[i])
			i++
			continue
		}
		n, s := 1, list[i].s
		off := fn.slotWord(list[i].dst)
		for n < lir.Widest && i+n < len(list) && fn.followsInSlot(list[i:], n) {
			n++
		}
		n = area.Width(src.Num(), off, n)
		s.End = list[i+n-1].s.End
		area.Store(&fn.Code, guard, fn.Pos, s, src.Num(), off, n)
		i += n
	}
	return kept
}

// stored returns the register that a load copies to a slot.
func (fn *Selector) stored(l *load) (lir.Reg, bool) {
	src, ok := l.plainWord()
	return src, ok && src.Num() != sass.RZ && fn.InSpills(l.dst)
}

// plainWord returns the physical register that l copies, if it does nothing else.
func (l *load) plainWord() (lir.Reg, bool) {
	if l.op != "" || l.more != nil {
		return 0, false
	}
	src, ok := l.w.plain()
	return src, ok && src.Kind() == sass.Register
}

// followsInSlot reports whether load n of a list copies the register after that of
// load n-1 to the word of a slot after it, of one value.
func (fn *Selector) followsInSlot(list []load, n int) bool {
	before, l := &list[n-1], &list[n]
	from, _ := fn.stored(before)
	src, ok := fn.stored(l)
	return ok && follows(from, src) && fn.slotWord(l.dst) == fn.slotWord(before.dst)+4 && l.s.Follows(before.s)
}
