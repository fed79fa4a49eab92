package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// A cell is one store: the first bytes of a word that go to byte off of a place
// in memory. dst is not used.
type cell struct {
	load
	off, size int
}

// storeCells emits the stores of cells of one value of so many bytes at m, in order. If
// they are words, bytes of them without a value may become anything. free is where package
// tune may put words together.
func (fn *Selector) storeCells(m memory, list []cell, size int, words bool, guard string, free spare) {
	first, pairs, begins := len(fn.Code.List), false, len(list) > 0 && list[0].off == 0
	for i := range list {
		c := &list[i]
		if i > 0 && c.size == 4 && list[i-1].size == 4 && c.off == list[i-1].off+4 {
			before := m.at(list[i-1].off)
			pairs = pairs || before.aligned(8)
		}
	}
	for i := range list {
		c := &list[i]
		if at, size := c.part(); size > 0 {
			c.narrow(at, size)
		}
		src := fn.inScratch(&c.load, guard)
		at := m.at(c.off)
		fn.storeWord(guard, fn.storeOp(c.size), &at, src, c.s)
	}
	if pairs {
		r := fn.Code.AddRun(lir.Stores, first)
		r.Virtual, r.Spare, r.Words, r.Begins, r.Size = free.virtual, free.first, words, begins, int32(size)
		r.Stmt, r.Label = int32(fn.At), fn.lastLabel()
	}
}

// A spare is where words are put together for a store: virtual registers, or the
// first of four physical ones that nothing is in. Its zero value is none.
type spare struct {
	virtual bool
	first   sass.Reg // 0 for none: R0 to R3 have the stack pointer among them
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

// part returns which bytes of a whole word have a value, if that is a part of it
// after its first byte that can be stored as it is: the lowest bytes of a
// register. The size is 0 for all others.
func (c *cell) part() (at, size int) {
	if c.size != 4 || c.op != "" || c.w.n != 1 {
		return 0, 0
	}
	for i, f := range c.w.from {
		switch {
		case f.kind() == undefined:
		case f.kind() != taken:
			return 0, 0
		case size == 0 && f.val() == 0 && i > 0:
			at, size = i, 1
		case at+size == i && size > 0 && int(f.val()) == size:
			size++
		default:
			return 0, 0
		}
	}
	if at == 0 || size == 2 && at != 2 || size > 2 {
		return 0, 0
	}
	return at, size
}

// narrow leaves size bytes from byte at on of a cell.
func (c *cell) narrow(at, size int) {
	src := c.w.srcs[0]
	c.w = word{}
	c.w.whole(size, src)
	c.off, c.size = c.off+at, size
	if c.s.Name != "" {
		c.s.First += int32(at)
		c.s.End = c.s.First + int32(size)
	}
}
