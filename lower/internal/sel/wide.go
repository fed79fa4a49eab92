package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// follows reports whether b is the register after a: the next physical one, or
// the next word of one virtual register. RZ follows itself.
func follows(a, b lir.Reg) bool {
	switch {
	case a.Kind() != b.Kind():
		return false
	case a.Kind() == sass.Register:
		return a.Num() == sass.RZ && b.Num() == sass.RZ || a.Num() != sass.RZ && b.Num() == a.Num()+1 && b.Num() != sass.RZ
	case a.Kind() == sass.Virtual:
		return a.Name() == b.Name() && b.Part() == a.Part()+1 && a.Part() != sass.Whole && (a.Part() == sass.Lo || a.Part() >= sass.W0)
	}
	return false
}

// group returns n registers that follow each other, beginning with first, as
// one operand; false if they cannot be one.
func group(first lir.Reg, n int) (lir.Reg, bool) {
	switch {
	case first.Kind() == sass.Register:
		return first, first.Num() == sass.RZ || int(first.Num())%n == 0
	case first.Part() == sass.Lo && n == 2, first.Part() == sass.W0 && n == 4:
		return first.WithPart(sass.Whole), true
	case first.Part() >= sass.W0:
		return first, int(first.Part()-sass.W0)%n == 0
	}
	return first, false
}

// widen joins loads of words that lie side by side in memory and go to
// registers that do, as far as the target has such loads and what is known of
// the address allows them. The notes have to be of one value.
func (fn *Selector) widen(list []load) []load {
	if !fn.Runs(lir.LoadPairing) {
		return list
	}
	first := 1
	for first < len(list) && !(list[first-1].whole && list[first].whole) {
		first++
	}
	if first >= len(list) {
		return list
	}
	out := list[:first-1]
	for i := first - 1; i < len(list); {
		n := fn.wider(list[i:])
		out = append(out, list[i])
		i += n
	}
	return out
}

// wider makes the first of a list of loads one that takes the place of n.
func (fn *Selector) wider(list []load) (n int) {
	for n = lir.Widest; n > 1; n /= 2 {
		if fn.sideBySide(list, n) && fn.join(list[:n]) {
			return n
		}
	}
	return 1
}

// join makes the first of some loads side by side in memory one for all of them,
// and reports whether that can be.
func (fn *Selector) join(list []load) bool {
	l := &list[0]
	dst, ok := group(l.dst, len(list))
	if !ok {
		return false
	}
	for i := 1; i < len(list); i++ {
		if !follows(list[i-1].dst, list[i].dst) {
			return false
		}
	}
	l.dst, l.op, l.n = dst, fn.wideLoad(&l.mem, len(list)), uint8(len(list))
	l.s.End = list[len(list)-1].s.End
	return true
}

// wideLoad returns the opcode that loads 2 or 4 words at m; "" if there is
// none.
func (fn *Selector) wideLoad(m *memory, n int) string {
	if n == 4 {
		return fn.loads(m).B128
	}
	return fn.loads(m).B64
}

// A cell is one store: the first bytes of a word that go to byte off of a place
// in memory. dst is not used.
type cell struct {
	load
	off, size int
	cost      extraCost
}

// An extraCost is what extra has found out about a cell.
type extraCost uint8

const (
	notAsked extraCost = iota
	free
	costs
)

// storeCells emits the stores of cells of one value at m, in order. Words side by side that
// are in registers side by side go together, and so do those some of which have
// to be made, where there are free registers for that.
func (fn *Selector) storeCells(m memory, list []cell, guard string, free spare) {
	for i := 0; i < len(list); {
		c := &list[i]
		n, src := fn.oneStore(m, list[i:], free)
		if n == 1 {
			if at, size := c.part(); size > 0 {
				c.narrow(at, size)
			}
			src = fn.inScratch(&c.load, guard)
		} else if src.Kind() == sass.None {
			src = fn.putTogether(list[i:i+n], guard, free)
		}
		s := c.s
		s.End = list[i+n-1].s.End
		op := fn.storeOp(c.size)
		switch n {
		case 2:
			op = fn.T.Spelling.StoreLocal.B64
		case 4:
			op = fn.T.Spelling.StoreLocal.B128
		}
		at := m.at(c.off)
		fn.storeWord(guard, op, &at, src, s)
		i += n
	}
}

// A spare is where words are put together for a store: virtual registers, or the
// first of four physical ones that nothing is in. Its zero value is none.
type spare struct {
	virtual bool
	first   sass.Reg // 0 for none: R0 to R3 have the stack pointer among them
}

func (s spare) none() bool { return !s.virtual && s.first == 0 }

// putTogether makes the words of cells side by side and returns them as one operand.
func (fn *Selector) putTogether(list []cell, guard string, free spare) lir.Reg {
	n := len(list)
	all := lir.Phys(free.first)
	if free.virtual {
		all = fn.asOne(list[0].s, n)
	}
	words := fn.four[:n]
	for k := range words {
		words[k] = list[k].load
		if words[k].dst = lir.Phys(free.first + sass.Reg(k)); free.virtual {
			words[k].dst = wordOfOne(all, k, n)
		}
		words[k].s = lir.Note{}
		words[k].noText()
	}
	fn.parallel(words, guard)
	return all
}

// oneStore returns how many of the first cells one store takes, and from which
// registers if they are several: none if they have to be put together first.
//
// Cells that are needed later on would have to be copied to be side by side.
// That is done where it makes stores and copies fewer in sum, and for pairs that
// are better off together all the same.
func (fn *Selector) oneStore(m memory, list []cell, free spare) (n int, src lir.Reg) {
	sp := &fn.T.Spelling.StoreLocal
	at := m.at(list[0].off)
	if !fn.Runs(lir.StorePairing) {
		return 1, 0
	}
	for n = lir.Widest; n > 1; n /= 2 {
		if len(list) < n || n == 4 && sp.B128 == "" || sp.B64 == "" || !at.aligned(4*n) || !sideInMemory(list[:n]) {
			continue
		}
		if src, ok := sideInRegisters(list[:n]); ok {
			return n, src
		}
		// What is paired without asking what is needed later on goes first: that takes longest.
		if !free.none() && (n == 2 && fn.paired(list) || 1+fn.extra(list[:n]) < fn.narrower(list[:n])) {
			return n, 0
		}
	}
	return 1, 0
}

// sideInMemory reports whether cells of one value are whole words that follow each other.
func sideInMemory(list []cell) bool {
	for i := range list {
		if list[i].size != 4 || i > 0 && list[i].off != list[i-1].off+4 {
			return false
		}
	}
	return true
}

// sideInRegisters returns the registers that hold cells of whole words, if those
// are one operand of a store.
func sideInRegisters(list []cell) (lir.Reg, bool) {
	first, ok := list[0].inPlace()
	for i, last := 1, first; i < len(list) && ok; i++ {
		var next lir.Reg
		next, ok = list[i].inPlace()
		ok = ok && follows(last, next)
		last = next
	}
	if !ok {
		return first, false
	}
	return group(first, len(list))
}

// freeQuad returns the first of four registers that nothing is in at a call
// before its arguments are moved, none if there are none.
func (fn *Selector) freeQuad() spare {
	busy := fn.Used
	if int(fn.Calls) < len(fn.Direct) {
		busy = busy.Union(fn.Direct[fn.Calls])
	}
	if !fn.quad.known || fn.quad.busy != busy {
		fn.quad = quad{true, busy, fn.quadBeside(busy)}
	}
	return spare{first: fn.quad.first}
}

// A quad is the last answer of freeQuad in a function: what is busy is mostly the
// same at all calls.
type quad struct {
	known bool
	busy  abi.RegSet
	first sass.Reg
}

func (fn *Selector) quadBeside(busy abi.RegSet) sass.Reg {
	free := fn.Conv.CallerSaved.Minus(place.Reserved(fn.T)).Minus(busy).Minus(fn.Spill.Temps)
	if fn.Frame.Realigned {
		free = free.Minus(abi.Regs(fn.KeptSP().Num()))
	}
	for r := range free.All() {
		if r%lir.Widest == 0 && abi.RegRange(r, r+lir.Widest-1).Minus(free) == (abi.RegSet{}) {
			return r
		}
	}
	return 0
}

// inPlace returns the register that holds a cell of a whole word.
func (c *cell) inPlace() (lir.Reg, bool) {
	if c.size != 4 || c.op != "" {
		return 0, false
	}
	if c.w.n > 0 {
		return c.w.plain()
	}
	v, ok := c.w.value()
	return lir.Phys(sass.RZ), ok && v == 0 && c.w.defined()
}

// inScratch returns a register that holds what l loads, the scratch register if
// no other does.
func (fn *Selector) inScratch(l *load, guard string) lir.Reg {
	if l.op == "" {
		return fn.inRegister(&l.w, guard)
	}
	one := *l
	one.dst, one.s = fn.scratch(), lir.Note{}
	one.noText()
	fn.make(&one, guard)
	return one.dst
}
