package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// widest is the most words that one access takes.
const widest = 4

// follows reports whether b is the register behind a: the next physical one, or
// the next word of one virtual register. RZ follows itself.
func follows(a, b sass.Operand) bool {
	switch {
	case a.Kind != b.Kind || a.Neg || b.Neg:
		return false
	case a.Kind == sass.Register:
		return a.Reg == sass.RZ && b.Reg == sass.RZ || a.Reg != sass.RZ && b.Reg == a.Reg+1 && b.Reg != sass.RZ
	case a.Kind == sass.Virtual:
		return a.Name == b.Name && b.Part == a.Part+1 && a.Part != sass.Whole && (a.Part == sass.Lo || a.Part >= sass.W0)
	}
	return false
}

// group returns n registers that follow each other, beginning with first, as
// one operand; false if they cannot be one.
func group(first sass.Operand, n int) (sass.Operand, bool) {
	switch {
	case first.Kind == sass.Register:
		return first, first.Reg == sass.RZ || int(first.Reg)%n == 0
	case first.Part == sass.Lo && n == 2, first.Part == sass.W0 && n == 4:
		return first.Word(sass.Whole), true
	case first.Part >= sass.W0:
		return first, int(first.Part-sass.W0)%n == 0
	}
	return first, false
}

// widen joins loads of words that lie side by side in memory and go to
// registers that do, as far as the target has such loads and what is known of
// the address allows them. The notes have to be of one value.
func (fn *fn) widen(list []load) []load {
	out := list[:0]
	for i := 0; i < len(list); {
		n := widest
		for n > 1 && !fn.joined(list[i:], n) {
			n /= 2
		}
		l := list[i]
		if n > 1 {
			l.dst, _ = group(l.dst, n)
			l.op, l.n = fn.wideLoad(l.mem, n), n
			l.s.end = list[i+n-1].s.end
		}
		out = append(out, l)
		i += n
	}
	return out
}

// joined reports whether the first n loads of a list can be one.
func (fn *fn) joined(list []load, n int) bool {
	if len(list) < n || !list[0].mem.aligned(4*n) || fn.wideLoad(list[0].mem, n) == "" {
		return false
	}
	if _, ok := group(list[0].dst, n); !ok {
		return false
	}
	for i := range n {
		l := &list[i]
		if l.mem.op.Kind == sass.None || len(l.signs) > 0 {
			return false
		}
		if i > 0 && (!follows(list[i-1].dst, l.dst) || l.mem.op != list[i-1].mem.at(4).op || !l.s.behind(list[i-1].s)) {
			return false
		}
	}
	return true
}

// behind reports whether s are the bytes of a value that follow those of t.
func (s span) behind(t span) bool { return s.name == t.name && s.first == t.end }

// wideLoad returns the opcode that loads 2 or 4 words at m; "" if there is
// none.
func (fn *fn) wideLoad(m memory, n int) string {
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
}

// storeCells emits the stores of cells at m, in order. Words side by side that
// are in registers side by side go together, and so do those some of which have
// to be made, where free is the first of four registers that may be used for
// that; it is RZ where there are none.
func (fn *fn) storeCells(m memory, list []cell, guard string, free sass.Reg) {
	for i := 0; i < len(list); {
		c := &list[i]
		n, src := fn.oneStore(m, list[i:], free)
		if n == 1 {
			src = fn.inScratch(&c.load, guard)
		} else if src == sass.R(free) {
			var words [widest]load
			for k := range n {
				words[k] = list[i+k].load
				words[k].dst, words[k].s, words[k].text = sass.R(free+sass.Reg(k)), span{}, ""
			}
			fn.parallel(words[:n], guard)
		}
		s := c.s
		s.end = list[i+n-1].s.end
		op := fn.storeOp(c.size)
		switch n {
		case 2:
			op = fn.t.Spelling.StoreLocal.B64
		case 4:
			op = fn.t.Spelling.StoreLocal.B128
		}
		fn.emit(guard, op, s.String(), m.at(c.off).op, src)
		i += n
	}
}

// oneStore returns how many of the first cells one store takes, and from which
// registers if they are several: free if they are to be made there.
func (fn *fn) oneStore(m memory, list []cell, free sass.Reg) (n int, src sass.Operand) {
	sp := &fn.t.Spelling.StoreLocal
	for n = widest; n > 1; n /= 2 {
		if len(list) < n || n == 4 && sp.B128 == "" || sp.B64 == "" || !m.at(list[0].off).aligned(4*n) {
			continue
		}
		first, side := list[0].inPlace()
		last, copies, whole := first, 0, true
		for i := 0; i < n && whole; i++ {
			next, ok := list[i].inPlace()
			side = side && ok && (i == 0 || follows(last, next))
			if ok {
				copies++
			}
			whole = list[i].size == 4 && (i == 0 || list[i].off == list[i-1].off+4 && list[i].s.behind(list[i-1].s))
			last = next
		}
		if !whole {
			continue
		}
		if side {
			if src, side = group(first, n); side {
				return n, src
			}
		}
		// With half of the words to be copied, instructions are fewest in sum.
		if 2*copies <= n && free != sass.RZ {
			return n, sass.R(free)
		}
	}
	return 1, src
}

// freeQuad returns the first of four registers that nothing is in at a call
// before its arguments are moved, RZ if there are none.
func (fn *fn) freeQuad() sass.Reg {
	free := fn.t.Regs.Scratch.Minus(Reserved(fn.t))
	if fn.h != nil {
		free = free.Minus(fn.h.used)
	}
	for r := range free.All() {
		if r%widest == 0 && abi.RegRange(r, r+widest-1).Minus(free) == (abi.RegSet{}) {
			return r
		}
	}
	return sass.RZ
}

// inPlace returns the register that holds a cell of a whole word.
func (c *cell) inPlace() (sass.Operand, bool) {
	if c.size != 4 || c.op != "" {
		return sass.Operand{}, false
	}
	if v, ok := c.w.value(); ok && c.w.defined() && v == 0 {
		return sass.R(sass.RZ), true
	}
	return c.w.plain()
}

// inScratch returns a register that holds what l loads, the scratch register if
// no other does.
func (fn *fn) inScratch(l *load, guard string) sass.Operand {
	if l.op == "" {
		return fn.inRegister(&l.w, guard)
	}
	one := *l
	one.dst, one.s, one.text = fn.scratch(), span{}, ""
	fn.make(&one, guard)
	return one.dst
}
