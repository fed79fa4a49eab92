// Package opt makes the code of a function shorter. Each pass is one file and makes other code of the
// code that it is given; code is right without any of them.
//
//	forward.go   words are read where they come from, or put together anew from their bytes
//	unread.go    results that nothing reads are not made
//	gather.go    words side by side in memory are loaded and stored through one register
//	coalesce.go  words are made in the register that they are copied to
//	pair.go      words side by side in registers and in memory are loaded and stored together
package opt

import (
	"slices"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// An Optimizer has memory for passes, which it uses again.
type Optimizer struct {
	f         follower
	g         gatherer
	r, before readers
}

// whole is the register that text has for a register or a part of one: the vector for an
// element. It is r itself where no text mentions it.
func whole(c *lir.Code, r lir.Reg) lir.Reg {
	if r.Kind() != sass.Virtual {
		return r
	}
	if n := c.Names.Owner(r.Name()); n >= 0 {
		return lir.Virt(n, sass.Whole)
	}
	return r.WithPart(sass.Whole)
}

// own reports whether a register is a word of a variable or of selection, which no text
// mentions.
func own(c *lir.Code, r lir.Reg) bool { return r.Kind() == sass.Virtual && c.Names.Owner(r.Name()) < 0 }

// joins reports whether control may come to an instruction from elsewhere.
func joins(in *lir.Inst) bool {
	return in.Op == lir.Label && (in.Name != "" || in.N != lir.OnlyReturns)
}

// calls reports whether an instruction is a call.
func calls(c *lir.Code, in *lir.Inst) bool {
	return in.Op == lir.Call || in.Op == lir.Instr && in.NoDst && in.Name == c.Spelling.CallIndirect
}

// written appends the registers that an instruction writes to dst, a whole one for all of its
// words.
func written(c *lir.Code, in *lir.Inst, dst []lir.Reg) []lir.Reg {
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

// zeroed returns a slice of n zeros, in memory that there is.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
