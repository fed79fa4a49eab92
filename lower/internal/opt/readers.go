package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// readers say how often registers are read by instructions, and which of them text mentions.
type readers struct {
	c     *lir.Code
	count []int32 // by register
	text  []bool  // by name; not filled in before it is needed
}

// reset counts the reads of a code.
func (u *readers) reset(c *lir.Code) {
	*u = readers{c: c, count: zeroed(u.count, physical+parts*c.Names.Count())}
	var list [8]*lir.Reg
	for i := range c.List {
		for _, r := range c.Sources(&c.List[i], list[:0]) {
			u.count[index(*r)]++
		}
	}
}

// of returns how often a word is read, -1 if more than instructions that name it may read it: text,
// or what reads all words of its register.
func (u *readers) of(r lir.Reg) int {
	if r.Kind() != sass.Virtual {
		return -1
	}
	w := whole(u.c, r)
	switch {
	case r != w && u.count[index(w)] > 0, r.Part() != sass.Whole && u.count[index(r.WithPart(sass.Whole))] > 0:
		return -1
	case !own(u.c, r):
		if u.text == nil {
			u.text = mentioned(u.c)
		}
		if u.text[w.Name()] {
			return -1
		}
	}
	return int(u.count[index(r)])
}
