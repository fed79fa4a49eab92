// Package opt makes the code of a function shorter. Each pass is one file and changes the code;
// code is right without any of them.
//
//	forward.go   words are read where they come from, or put together anew from their bytes
//	unread.go    results that nothing reads are not made
//	gather.go    words side by side in memory are loaded and stored through one register
//	coalesce.go  words are made in the register that they are copied to
//	pair.go      words side by side in registers and in memory are loaded and stored together
package opt

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// Passes are the passes that run.
type Passes struct{ Forward, Gather, Coalesce, Pair bool }

// All are all passes.
var All = Passes{true, true, true, true}

// An Optimizer has memory for passes, which it uses again.
type Optimizer struct {
	f follower
	u unread
	r readers
}

// Before runs the passes over the code of a function whose groups are still to be put in an
// order. It leaves instructions that are gone in their places.
func (o *Optimizer) Before(c *isel.Code, plan *place.Plan, p Passes) {
	if p.Forward {
		o.u.reads(c)
		o.f.run(c, plan)
		o.u.run(c, plan)
	}
	for _, g := range c.Groups {
		for k := range g.N {
			m, end := &c.Members[g.First+k], g.End
			if k+1 < g.N {
				end = c.Members[g.First+k+1].First
			}
			in := &c.List[m.First]
			m.Copy = end == m.First+1 && in.Op == lir.Copy && in.Dst.Kind() == sass.Register && in.A.Kind() == sass.Register
		}
	}
}

// After runs the passes over code without groups.
func (o *Optimizer) After(c *isel.Code, plan *place.Plan, p Passes) {
	if p.Gather && plan.AllVirtual {
		o.r.reset(c)
		gather(c, plan.T, &o.r)
	}
	if p.Coalesce && plan.AllVirtual {
		o.r.reset(c)
		coalesce(c, &o.r)
	}
	if p.Pair {
		pair(c, plan.T)
	}
}

// Last runs the passes over code without registers in slots, and leaves out what is gone.
func (o *Optimizer) Last(c *isel.Code, plan *place.Plan, p Passes) {
	if p.Pair && plan.Spill.At != nil {
		pair(c, plan.T) // the loads and stores of slots
	}
	compact(c)
}

// compact leaves out the instructions that are gone, and what prints nothing.
func compact(c *isel.Code) {
	r := c.Rewrite()
	for i := range r.Old {
		if in := &r.Old[i]; in.Op != lir.Gone && in.Op != lir.Begin {
			c.List = append(c.List, *in)
			r.Became(i)
		}
	}
	r.End()
}

// physical is how many physical registers there are.
const physical = 256

// parts is how many parts the name of a virtual register has at most.
const parts = 8

// index is a number for a register, a word of one, or a virtual one of several words.
func index(r lir.Reg) int {
	if r.Kind() == sass.Register {
		return int(r.Num())
	}
	return physical + parts*int(r.Name()) + int(r.Part())
}

// whole is the register that text has for a register or a part of one: the vector for an
// element. It is r itself where no text mentions it.
func whole(c *isel.Code, r lir.Reg) lir.Reg {
	if r.Kind() != sass.Virtual {
		return r
	}
	if n := c.Owner(r.Name()); n >= 0 {
		return lir.Virt(n, sass.Whole)
	}
	return r.WithPart(sass.Whole)
}

// own reports whether a register is a word of a variable or of selection, which no text
// mentions.
func own(c *isel.Code, r lir.Reg) bool { return r.Kind() == sass.Virtual && c.Owner(r.Name()) < 0 }

// joins reports whether control may come to an instruction from elsewhere.
func joins(in *lir.Inst) bool {
	return in.Op == lir.Label && (in.Name != "" || in.N != lir.OnlyReturns)
}

// calls reports whether an instruction is a call.
func calls(c *isel.Code, in *lir.Inst, indirect string) bool {
	return in.Op == lir.Call || in.Op == lir.Instr && in.NoDst && in.Name == indirect
}

// statements returns the first of the statements whose text an instruction is, and how many
// there are.
func statements(in *lir.Inst) (first, n int) {
	switch in.Op {
	case lir.Pass:
		return int(in.First), int(in.N)
	case lir.Changed:
		return int(in.Off), 1
	}
	return 0, 0
}

// jumps reports whether an instruction may go to a label.
func jumps(c *isel.Code, in *lir.Inst) bool {
	first, n := statements(in)
	for i := range n {
		if c.Text().Jumps(first + i) {
			return true
		}
	}
	return in.Op == lir.Instr && in.Name == "BRA"
}

// written appends the registers that an instruction writes to dst, a whole one for all of its
// words.
func written(c *isel.Code, in *lir.Inst, dst []lir.Reg) []lir.Reg {
	r, n := c.Dest(in)
	switch {
	case n == 0:
	case r.Kind() == sass.Register:
		for k := range n {
			dst = append(dst, lir.Phys(r.Num()+sass.Reg(k)))
		}
	case r.Part() >= sass.W0:
		for k := range n {
			dst = append(dst, r.WithPart(r.Part()+sass.Part(k)))
		}
	default:
		dst = append(dst, r)
	}
	return dst
}

// accessed returns how many bytes of a register an access loads or stores.
func accessed(in *lir.Inst) int {
	switch {
	case strings.HasSuffix(in.Name, "8") && !strings.HasSuffix(in.Name, "128"):
		return 1
	case strings.HasSuffix(in.Name, "16"):
		return 2
	}
	return 4
}

// zeroed returns a slice of n zeros, in memory that there is.
func zeroed[T any](s []T, n int) []T {
	s = arena.Resized(s, n)
	clear(s)
	return s
}
