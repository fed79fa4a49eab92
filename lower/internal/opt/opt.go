// Package opt makes the code of a function shorter. Each pass makes other code of the
// code that it is given; code is right without any of them.
//
//	forward.go   words are read where they come from, or put together anew from their bytes
//	reload.go    of that, words that lie in memory as they are
//	unread.go    of that, results that nothing reads are not made
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

// own reports whether a register is a word of a variable or of selection, which no text
// mentions.
func own(c *lir.Code, r lir.Reg) bool {
	return r.Kind() == sass.KindVirtual && c.Names.Owner(r.Name()) < 0
}

// joins reports whether control may come to an instruction from elsewhere.
func joins(in *lir.Inst) bool {
	return in.Op == lir.Label && (in.Name != "" || in.N != lir.OnlyReturns)
}

// calls reports whether an instruction is a call.
func calls(c *lir.Code, in *lir.Inst) bool {
	return in.Leaves && in.Name != c.Spelling.Ret
}

// zeroed returns a slice of n zeros, in memory that there is.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
