// Package opt makes the code of a function shorter. Each pass takes code and returns new code that does the same; code is
// right without any pass.
//
//	forward.go   words are read where they come from, or put together anew from their bytes
//	reload.go    a part of that pass: words that lie in memory as they are, are loaded
//	unread.go    a part of that pass: instructions are removed whose results nothing reads
//	gather.go    words side by side in memory are loaded and stored through one register
//	coalesce.go  words are made in the register that they are copied to
//	pair.go      words side by side in registers and in memory are loaded and stored together
package opt

import (
	"slices"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// An Optimizer runs passes, and reuses its memory for the next function.
type Optimizer struct {
	f         follower
	g         gatherer
	r, before readers
}

// own reports whether a register is a word of a variable, or one that selection or a pass has made. No text names it.
func own(c *lir.Code, r lir.Reg) bool {
	return r.Kind() == sass.KindVirtual && c.Names.Owner(r.Name()) < 0
}

// joins reports whether control may come to an instruction by a jump. A label that only a call returns to is none: the
// code before it has run.
func joins(in *lir.Inst) bool {
	return in.Op == lir.Label && (in.Name != "" || in.N != lir.OnlyReturns)
}

// calls reports whether an instruction is a call.
func calls(c *lir.Code, in *lir.Inst) bool {
	return in.Leaves && in.Name != c.Spelling.Ret
}

// zeroed returns a slice of n zeros, in the memory of s if it is large enough.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
