package verify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

const (
	// mostThreads is how many threads a block has at most. A directive that asks
	// for more is ignored, with a warning.
	mostThreads   = 1024
	mostRegisters = 255 // of .maxnreg, above which it is ignored
)

// registers is how many registers a kernel may have by its directives, and
// which of them says so; 0 where none does.
//
// Measured with kernels that ask for 300, on sm_35 … sm_90 with ptxas 11.8 and
// 12.4, on sm_100 and sm_120 with 13.5: .maxnreg below the smallest budget of
// the target is raised to it, above 255 it is ignored; .minnctapersm counts only
// beside .maxntid or .reqntid; of all limits the lowest holds.
func registers(f *ptx.Func, t *abi.Target) (limit int, from string) {
	lower := func(n int, by string) {
		if n > 0 && (limit == 0 || n < limit) {
			limit, from = n, by
		}
	}
	if n := number(f, ".maxnreg"); n > 0 && n <= mostRegisters {
		lower(max(n, t.Regs.MinBudget), ".maxnreg")
	}
	th := threadsOf(f)
	if th == nil {
		return limit, from
	}
	for i, list := range [][]int{th.Max, th.Req} {
		if list == nil || slices.Min(list) <= 0 || slices.Max(list) > mostThreads || volume(list) > mostThreads {
			continue
		}
		lower(t.BlockLimit(volume(list)), []string{".maxntid", ".reqntid"}[i])
		lower(t.ResidentLimit(volume(list), number(f, ".minnctapersm")), ".minnctapersm")
	}
	return limit, from
}

// number is the argument of a directive, 0 where there is none to be read.
func number(f *ptx.Func, name string) int {
	d := f.Directive(name)
	if d == nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(d.Args))
	if err != nil {
		return 0
	}
	return n
}
