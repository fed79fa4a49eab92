package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// unread removes instructions whose results nothing reads: no instruction of the function, or none before the word is
// written again in the same stretch. A register of the source that nothing read before words were forwarded stays: it
// shows where a parameter is.
//
// It goes from the last instruction to the first, so that all instructions after the one at hand have been seen, and
// the reads of a removed instruction no longer count for those before. A stretch ends at a label and at a jump: the code
// at the other end may read the word.
func unread(c *lir.Code, plan *place.Plan, before, reads *readers) {
	again := make([]int32, c.Names.Count()) // by name: the stretch in which the next use of the register is a write
	stretch := int32(1)
	temps := [...]lir.Reg{lir.Phys(plan.T.Frame.Scratch), lir.Phys(plan.T.Frame.OldSP)}
	live := [...]bool{plan.AllVirtual, plan.AllVirtual} // of temps: read before they are written, as far as seen
	for i := len(c.List) - 1; i >= 0; i-- {
		in := &c.List[i]
		switch {
		case joins(in) || in.Jumps:
			stretch++ // the code that control goes to, or comes from, may read the word first
			continue
		case in.Op == lir.Begin:
			again[in.Dst.Name()] = stretch // a write before this has no reader after it
			continue
		}
		gone := false
		d, n := in.Dest()
		if n > 0 && d.Kind() == sass.KindVirtual {
			mine, all := own(c, d), d.WithPart(sass.Whole)
			gone = mine && reads.of(d) == 0 || reads.of(all) == 0 && before.of(all) > 0
			// Text may read a register of the source at any place, so that only words of
			// variables have lifetimes here.
			if name := d.Name(); mine && d.Part() == sass.Whole {
				gone = gone || again[name] == stretch
				if again[name] = stretch; in.Guard != "" { // it may not be written here
					again[name] = 0
				}
			}
		}
		for k, r := range temps {
			if n == 1 && d == r && in.Guard == "" && !plan.AllVirtual {
				gone, live[k] = !live[k], false
			}
		}
		if gone {
			reads.add(in, -1)
			*in = lir.Inst{Op: lir.Begin}
			continue
		}
		for r := range in.Sources {
			live[0], live[1] = live[0] || *r == temps[0], live[1] || *r == temps[1]
			if r.Kind() == sass.KindVirtual {
				again[r.Name()] = 0
			}
		}
	}
	c.List = withoutBegins(c.List)
}

// withoutBegins removes the Begins from a list: the places where words have no value yet, and the instructions that a
// pass has replaced by a Begin.
func withoutBegins(list []lir.Inst) []lir.Inst {
	n := 0
	for i := range list {
		if list[i].Op != lir.Begin {
			list[n] = list[i]
			n++
		}
	}
	return list[:n]
}
