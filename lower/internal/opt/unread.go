package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// An unread is the pass that removes instructions whose results nothing reads any more: no
// instruction at all, or none before the word is written again in the same stretch. A register
// of the source that nothing has ever read stays: it shows where a parameter is.
type unread struct {
	count    []int32 // by name: how often the register is read
	before   []int32 // and how often it was before words were forwarded
	again    []int32 // by name: the stretch in which it is written before it is read
	texts    bool    // count has what text mentions
	mentions []isel.Mention
	sources  []*lir.Reg
}

// reads returns how often registers are read, by name. Of one of the source all names in text
// count.
func (u *unread) reads(c *isel.Code) []int32 {
	u.count = zeroed(u.count, c.Registers())
	for i := range c.List {
		u.add(c, &c.List[i], 1)
	}
	return u.count
}

// add counts the registers that an instruction reads, but for a word that it only puts bytes into.
func (u *unread) add(c *isel.Code, in *lir.Inst, by int32) {
	u.sources = c.Sources(in, u.sources[:0])
	for _, r := range u.sources {
		if r.Kind() == sass.Virtual && !(in.Op == lir.Perm && *r == in.Dst && own(c, *r)) {
			u.count[whole(c, *r).Name()] += by
		}
	}
}

func (u *unread) run(c *isel.Code, plan *place.Plan) {
	u.before, u.count = u.count, u.before
	u.reads(c)
	u.texts = false
	u.again = zeroed(u.again, len(u.count))
	stretch := int32(1)
	temps := [...]lir.Reg{lir.Phys(plan.T.Frame.Scratch), lir.Phys(plan.T.Frame.OldSP)}
	live := [...]bool{plan.AllVirtual, plan.AllVirtual} // the temporary registers, which are for one move each
	for i := len(c.List) - 1; i >= 0; i-- {
		in := &c.List[i]
		switch {
		case joins(in) || jumps(c, in):
			stretch++ // the word may be read elsewhere before it is written again
			continue
		case in.Op == lir.Begin:
			u.again[in.Dst.Name()] = stretch
			continue
		}
		if d, n := c.Dest(in); n > 0 && d.Kind() == sass.Virtual {
			name := whole(c, d).Name()
			mine := own(c, d) && d.Part() == sass.Whole
			if own(c, d) && u.count[name] == 0 || mine && u.again[name] == stretch || u.count[name] == 0 && u.before[name] > 0 && u.onlyForwarded(c, name) {
				u.add(c, in, -1)
				in.Op = lir.Gone
				continue
			}
			// Text may read a register of the source at any place, so that only words of
			// variables have lifetimes here.
			if mine && in.Guard == 0 {
				u.again[name] = stretch
			} else if mine {
				u.again[name] = 0
			}
		}
		for k, r := range temps {
			if d, n := c.Dest(in); n == 1 && d == r && in.Guard == 0 && !plan.AllVirtual {
				if !live[k] {
					u.add(c, in, -1)
					in.Op = lir.Gone
				}
				live[k] = false
			}
		}
		u.sources = c.Sources(in, u.sources[:0])
		for _, r := range u.sources {
			live[0], live[1] = live[0] || *r == temps[0], live[1] || *r == temps[1]
			if r.Kind() == sass.Virtual {
				u.again[whole(c, *r).Name()] = 0
			}
		}
	}
}

// onlyForwarded reports whether text does not mention a register of the source, which no other
// instruction reads.
func (u *unread) onlyForwarded(c *isel.Code, name int32) bool {
	if !u.texts {
		u.texts = true
		for i := range c.List {
			first, n := statements(&c.List[i])
			for k := range n {
				u.mentions = c.Text().Append(u.mentions[:0], first+k)
				for _, m := range u.mentions {
					if m.Reg.Kind() == sass.Virtual {
						u.count[m.Reg.Name()]++
					}
				}
			}
		}
	}
	return u.count[name] == 0
}
