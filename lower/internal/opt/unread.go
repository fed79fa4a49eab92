package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// reads returns how often registers are read by instructions, by the names that text has for them.
func reads(c *lir.Code) []int32 {
	count := make([]int32, c.Names.Count())
	for i := range c.List {
		addReads(c, &c.List[i], count, 1)
	}
	return count
}

// addReads counts the registers that an instruction reads, but for a word that it only puts bytes into.
func addReads(c *lir.Code, in *lir.Inst, count []int32, by int32) {
	var list [8]*lir.Reg
	for _, r := range c.Sources(in, list[:0]) {
		if r.Kind() == sass.Virtual && !(in.Op == lir.Perm && *r == in.Dst && own(c, *r)) {
			count[whole(c, *r).Name()] += by
		}
	}
}

// unread is the pass that removes instructions whose results nothing reads any more: no
// instruction at all, or none before the word is written again in the same stretch. A register
// of the source that nothing read before words were forwarded stays: it shows where a parameter is.
func unread(c *lir.Code, plan *place.Plan, before []int32) *lir.Code {
	count := reads(c)
	var inText []bool                  // by name; not filled in before it is needed
	again := make([]int32, len(count)) // by name: the stretch in which it is written before it is read
	stretch := int32(1)
	temps := [...]lir.Reg{lir.Phys(plan.T.Frame.Scratch), lir.Phys(plan.T.Frame.OldSP)}
	live := [...]bool{plan.AllVirtual, plan.AllVirtual} // the temporary registers, which are for one move each
	gone := make([]bool, len(c.List))
	for i := len(c.List) - 1; i >= 0; i-- {
		in := &c.List[i]
		switch {
		case joins(in) || in.Jumps:
			stretch++ // the word may be read elsewhere before it is written again
			continue
		case in.Op == lir.Begin:
			again[in.Dst.Name()], gone[i] = stretch, true // no pass after this one looks for it
			continue
		}
		d, n := c.Dest(in)
		if n > 0 && d.Kind() == sass.Virtual {
			name := whole(c, d).Name()
			mine := own(c, d) && d.Part() == sass.Whole
			gone[i] = own(c, d) && count[name] == 0 || mine && again[name] == stretch
			if !gone[i] && count[name] == 0 && int(name) < len(before) && before[name] > 0 {
				if inText == nil {
					inText = mentioned(c)
				}
				gone[i] = !inText[name]
			}
			// Text may read a register of the source at any place, so that only words of
			// variables have lifetimes here.
			if mine && !gone[i] {
				if again[name] = stretch; in.Guard != 0 {
					again[name] = 0
				}
			}
		}
		for k, r := range temps {
			if n == 1 && d == r && in.Guard == 0 && !plan.AllVirtual {
				gone[i], live[k] = !live[k], false
			}
		}
		if gone[i] {
			addReads(c, in, count, -1)
			continue
		}
		var list [8]*lir.Reg
		for _, r := range c.Sources(in, list[:0]) {
			live[0], live[1] = live[0] || *r == temps[0], live[1] || *r == temps[1]
			if r.Kind() == sass.Virtual {
				again[whole(c, *r).Name()] = 0
			}
		}
	}
	to := c.Next(0)
	to.List = without(append(to.List, c.List...), gone)
	return to
}

// without removes instructions from a list.
func without(list []lir.Inst, gone []bool) []lir.Inst {
	n := 0
	for i := range list {
		if !gone[i] {
			list[n] = list[i]
			n++
		}
	}
	return list[:n]
}

// mentioned returns which registers text mentions, by their names.
func mentioned(c *lir.Code) []bool {
	in := make([]bool, c.Names.Count())
	for i := range c.List {
		for m := range c.Mentions(&c.List[i]) {
			if m.Reg.Kind() == sass.Virtual {
				in[m.Reg.Name()] = true
			}
		}
	}
	return in
}
