package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// readers counts how often the instructions of a code read each register.
type readers struct {
	c     *lir.Code
	count []int32 // by register
}

// reset counts the reads of a code.
func (u *readers) reset(c *lir.Code) {
	*u = readers{c: c, count: zeroed(u.count, c.Names.Regs())}
	for i := range c.List {
		u.add(&c.List[i], 1)
	}
}

// add adds a number, 1 or -1, to the count of each register that an instruction reads.
func (u *readers) add(in *lir.Inst, by int32) {
	for r := range in.Sources {
		if !inserts(in, *r) {
			u.count[*r] += by
		}
	}
}

// inserts reports whether an instruction reads a register only to put bytes into it.
func inserts(in *lir.Inst, r lir.Reg) bool { return in.Op == lir.Perm && r == in.Dst }

// of returns how often a register is read. It returns -1 if there may be reads that were not counted: the text of a
// statement names the register, or an instruction reads all words of it. For a whole register, the reads of its words count.
func (u *readers) of(r lir.Reg) int {
	n, all := 0, r.WithPart(sass.Whole)
	for part, k := range u.count[all : all+lir.Parts] {
		switch {
		case r.Part() == sass.Whole || r.Part() == sass.Part(part):
			n += int(k)
		case part == int(sass.Whole) && k > 0:
			return -1
		}
	}
	w := u.c.Names.Owner(r.Name()) // the name in text: that of the vector for an element
	if w >= 0 && (int(w) < len(u.c.InText) && u.c.InText[w] || w != r.Name() && u.count[lir.Virt(w, sass.Whole)] > 0) {
		return -1
	}
	return n
}
