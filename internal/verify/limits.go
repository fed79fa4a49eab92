package verify

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// Limits that every architecture has at least. Directives that ask for more
// than an architecture has are ignored there, with a warning, so that a limit
// follows from smaller numbers alone: of threads on a multiprocessor sm_75 has
// 1,024, others 1,536 or 2,048; of blocks sm_35, sm_75 and sm_86 have 16.
const (
	surelyThreads = 1024
	surelyBlocks  = 16
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
	for _, name := range []string{".maxntid", ".reqntid"} {
		d := f.Directive(name)
		if d == nil {
			continue
		}
		n := threads(d.Args)
		if n == 0 || n > surelyThreads {
			continue
		}
		lower(BlockLimit(t, n), name)
		if m := number(f, ".minnctapersm"); m > 0 && m <= surelyBlocks && m*n <= surelyThreads {
			lower(residentLimit(t, n, m), ".minnctapersm")
		}
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

// residentLimit is how many registers a kernel has at most of which so many
// blocks are on a multiprocessor at a time: its registers shared out to all their
// warps, rounded up to four, rounded down to a multiple of 8.
//
// The number for a multiprocessor is the CUDA C++ Programming Guide's. The
// rounding was measured as for [registers]: 72 with 7 blocks of 100 threads and
// with 5 of 160, 80 with 3 of 256, 128 with 16 of 32, 64 with 16 of 33.
func residentLimit(t *abi.Target, threads, blocks int) int {
	const warp = 32
	all := 1 << 16
	if t.SM == 37 {
		all = 1 << 17
	}
	warps := roundUp((threads+warp-1)/warp*blocks, 4)
	limit := all / (warps * warp) &^ 7
	if limit > int(t.Regs.Last) {
		return 0
	}
	return limit
}
