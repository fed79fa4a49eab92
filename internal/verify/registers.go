package verify

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// registers is how many registers a kernel may have by its directives, and
// which of them says so; 0 where none does.
func registers(f *ptx.Func, t *abi.Target) (limit int, from string) {
	if d := f.Directive(".maxnreg"); d != nil {
		if n, err := strconv.Atoi(strings.TrimSpace(d.Args)); err == nil && n > 0 {
			limit, from = n, ".maxnreg"
		}
	}
	for _, name := range []string{".maxntid", ".reqntid"} {
		if d := f.Directive(name); d != nil {
			if n := BlockLimit(t, threads(d.Args)); n > 0 && (limit == 0 || n < limit) {
				limit, from = n, name
			}
		}
	}
	return limit, from
}

// threads is the number of threads in a block of up to three extents; 0 where
// they are not to be read.
func threads(args string) int {
	n := 1
	for extent := range strings.SplitSeq(args, ",") {
		e, err := strconv.Atoi(strings.TrimSpace(extent))
		if err != nil || e <= 0 || e > 1<<16 || n > 1<<16 {
			return 0
		}
		n *= e
	}
	return n
}

// BlockLimit is how many registers a kernel has at most whose blocks have that
// many threads: those that a block may have, shared out to its threads in fours
// of warps, rounded down to a multiple of 8. 0: no limit of this kind.
//
// The number for a block is the CUDA C++ Programming Guide's (Technical
// Specifications per Compute Capability). The rounding was measured: ptxas 11.8
// on sm_35 to sm_80, 12.9 on sm_101 and sm_103, 13.5 on sm_80 to sm_121 give a
// kernel that asks for 300 registers 64 with .maxntid 1024, 96 with 513 and 640,
// as many as the architecture has with 256 and less; half of it on sm_53 and
// sm_62.
func BlockLimit(t *abi.Target, threads int) int {
	const inFours = 4 * 32
	if threads <= 0 {
		return 0
	}
	perBlock := 1 << 16
	if t.SM == 53 || t.SM == 62 {
		perBlock = 1 << 15
	}
	limit := perBlock / ((threads + inFours - 1) / inFours * inFours) &^ 7
	if limit > int(t.Regs.Last) {
		return 0
	}
	return limit
}
