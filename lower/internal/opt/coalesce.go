package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// nearby is how many instructions Coalesce looks at before a copy, and Gather after an access.
const nearby = 512

// Coalesce is the pass that computes a word w in the register d that a copy d = w puts it in. The destination is a
// physical register, or a part of a register that another pass has made.
//
// In the straight stretch from the first definition of w to the copy, nothing else uses d, and after the copy nothing
// reads w (firstOf finds that out). So the two registers are never needed at the same time, and d can stand for w in
// the whole stretch. The copy then has nothing to do.
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
		last := first // the note of the copy goes to the last definition, which completes the word
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

// firstOf returns the index of the first definition of the word that copy i copies, if nothing uses the destination of
// the copy from there on, and all n other reads of the word stand in between; else -1.
//
// It looks backward, and counts n down. A word may have several definitions: one that reads the word itself puts bytes
// into it, so that the search goes on to one that does not. If some of the n reads have not been found by then, they
// stand after the copy, or before the definition, and the register of the word is still needed.
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
		// An instruction that reads d would see the word too early; one that writes d would destroy it. The text of a
		// statement names neither physical registers, where all registers are virtual, nor those that passes make.
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
