package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// nearby is how many instructions before a copy coalesce looks at.
const nearby = 512

// Coalesce is the pass that makes words in the register that they are copied to: a physical one,
// or a part of one that another pass has made. A word
// is one that only the copy and its own definitions read, all of them in the stretch before the
// copy.
func (o *Optimizer) Coalesce(old *lir.Code) *lir.Code {
	o.r.reset(old)
	reads, c := &o.r, old.Copy()
	for i := range c.List {
		in := &c.List[i]
		if in.Op != lir.Copy || in.Guard != "" || in.Dst.Kind() != sass.KindRegister && (!own(c, in.Dst) || in.Dst.Part() == sass.Whole) || in.A.Kind() != sass.KindVirtual {
			continue
		}
		n := reads.of(in.A)
		if n < 1 {
			continue
		}
		first := firstOf(c, i, n-1)
		if first < 0 {
			continue
		}
		last := first // the last definition says what the word is
		for k := first; k < i; k++ {
			if r, n := c.List[k].Dest(); n > 0 && r == in.A {
				last = k
			}
			replace(&c.List[k], in.A, in.Dst)
		}
		c.List[last].Note, c.List[last].Pos = in.Note, in.Pos
		*in = lir.Inst{Op: lir.Begin}
	}
	c.List = withoutBegins(c.List)
	return c
}

// replace puts a register in the place of another one.
func replace(in *lir.Inst, old, by lir.Reg) {
	for _, r := range [...]*lir.Reg{&in.Dst, &in.A, &in.B} {
		if *r == old {
			*r = by
		}
	}
}

// firstOf returns where the definition of a word begins that copy i copies, if its destination is
// not used from there on, and all n other reads of the word are in between; else -1.
func firstOf(c *lir.Code, i, n int) int {
	d, w := c.List[i].Dst, c.List[i].A
	for k := i - 1; k >= max(0, i-nearby); k-- {
		in := &c.List[k]
		switch {
		case joins(in) || in.Jumps || in.Leaves:
			return -1
		case in.Op == lir.Begin:
			continue
		}
		// Any use of d in between, as a source or a destination, would see the word too early
		// or destroy it. Text of the source does not name physical registers.
		uses := false
		for r := range in.Sources {
			switch *r {
			case d:
				return -1
			case w:
				if uses = true; !inserts(in, w) {
					n--
				}
			}
		}
		to, words := in.Dest()
		if to.Kind() == sass.KindRegister && to <= d && d < to+lir.Reg(words) {
			return -1
		}
		if to != w && to.Kind() == sass.KindVirtual && to.Name() == w.Name() && (words > 1 || to.Part() == sass.Whole || w.Part() == sass.Whole) {
			return -1 // it writes w with other words
		}
		if to == w {
			switch {
			case in.Guard != "" || words > 1 || !uses && n > 0:
				return -1
			case !uses:
				return k
			}
		}
	}
	return -1
}
