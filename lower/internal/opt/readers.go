package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// readers count how often registers are read by instructions, and say which of them text
// mentions.
type readers struct {
	c        *isel.Code
	count    []int32 // by register
	text     []bool  // by name; not filled in before it is needed
	texts    bool
	mentions []isel.Mention
	sources  []*lir.Reg
}

// reset counts the reads of a code.
func (u *readers) reset(c *isel.Code) {
	u.c, u.texts = c, false
	u.count = zeroed(u.count, physical+parts*c.Registers())
	for i := range c.List {
		u.sources = c.Sources(&c.List[i], u.sources[:0])
		for _, r := range u.sources {
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
	n := int(u.count[index(r)])
	w := whole(u.c, r)
	switch {
	case r != w && u.count[index(w)] > 0, r.Part() != sass.Whole && u.count[index(r.WithPart(sass.Whole))] > 0:
		return -1
	case own(u.c, r):
		return n
	}
	if !u.texts {
		u.texts = true
		u.text = zeroed(u.text, u.c.Registers())
		for i := range u.c.List {
			first, n := statements(&u.c.List[i])
			for k := range n {
				u.mentions = u.c.Text().Append(u.mentions[:0], first+k)
				for _, m := range u.mentions {
					if m.Reg.Kind() == sass.Virtual {
						u.text[m.Reg.Name()] = true
					}
				}
			}
		}
	}
	if u.text[w.Name()] {
		return -1
	}
	return n
}
