package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Threads is what a kernel's directives say of its blocks.
type Threads struct {
	Max, Req []int // three extents of .maxntid and .reqntid; nil: there is none

	bounds int // threads that __launch_bounds__ of CUDA allows; 0: the directives are those of PTX
}

// limit notes that the kernel may have so many registers at most, by what; 0 says nothing. The lowest limit holds.
func (k *SourceKernel) limit(n int, by string) {
	if n > 0 && (k.MaxRegs == 0 || n < k.MaxRegs) {
		k.MaxRegs, k.RegsFrom = n, by
	}
}

// Launch notes the numbers of a kernel's __launch_bounds__: threads of a block at most, and, if there are more,
// blocks of a multiprocessor at least. None says nothing.
func (k *SourceKernel) Launch(bounds []int64, t *abi.Target) {
	if len(bounds) == 0 || bounds[0] <= 0 || bounds[0] > mostThreads {
		return
	}
	const by = "__launch_bounds__"
	n, m := int(bounds[0]), &machine.Of(t.SM).Multi
	k.Threads = &Threads{bounds: n}
	k.limit(m.BlockLimit(n, t.Regs.Last), by)
	if len(bounds) > 1 && bounds[1] > 0 && bounds[1] <= mostThreads {
		k.limit(m.ResidentLimit(n, int(bounds[1]), t.Regs.Last), by)
	}
}

const (
	// mostThreads is how many threads a block has at most. A directive that asks
	// for more is ignored, with a warning.
	mostThreads   = 1024
	mostRegisters = 255 // of .maxnreg, above which it is ignored
)

// directives notes the extents of blocks and the limits of registers that a kernel's directives give.
//
// Measured with kernels that ask for 300, on sm_35 … sm_90 with ptxas 11.8 and
// 12.4, on sm_100 and sm_120 with 13.5: .maxnreg below the smallest budget of
// the target is raised to it, above 255 it is ignored; .minnctapersm counts only
// beside .maxntid or .reqntid; of all limits the lowest holds.
func (k *SourceKernel) directives(f *ptx.Func, t *abi.Target) {
	if n := number(f, ".maxnreg"); n > 0 && n <= mostRegisters {
		k.limit(max(n, t.Regs.MinBudget), ".maxnreg")
	}
	if k.Threads = threadsOf(f); k.Threads == nil {
		return
	}
	m := &machine.Of(t.SM).Multi
	for i, list := range [][]int{k.Threads.Max, k.Threads.Req} {
		if list == nil || slices.Min(list) <= 0 || slices.Max(list) > mostThreads || volume(list) > mostThreads {
			continue
		}
		k.limit(m.BlockLimit(volume(list), t.Regs.Last), []string{".maxntid", ".reqntid"}[i])
		k.limit(m.ResidentLimit(volume(list), number(f, ".minnctapersm"), t.Regs.Last), ".minnctapersm")
	}
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

// threadsOf are those of a kernel, nil where they are not to be read.
//
// Measured with ptxas 11.8, 12.4 and 13.5 on sm_52 … sm_120: a cubin has the
// extents as they stand, 1 for those that do not, also where they are more than
// an architecture has.
func threadsOf(f *ptx.Func) *Threads {
	out := &Threads{}
	for name, to := range map[string]*[]int{".maxntid": &out.Max, ".reqntid": &out.Req} {
		d := f.Directive(name)
		if d == nil {
			continue
		}
		*to = []int{1, 1, 1}
		list := strings.Split(d.Args, ",")
		for i, extent := range list {
			n, err := strconv.Atoi(strings.TrimSpace(extent))
			if err != nil || len(list) > 3 {
				return nil
			}
			(*to)[i] = n
		}
	}
	return out
}

// differ says in what the threads of a cubin are others.
func (t *Threads) differ(fn *cubin.Function, source string, add adder) {
	if t.bounds > 0 {
		switch have := fn.MaxThreads; {
		case have == nil && fn.ReqThreads == nil:
			add("threads", -1, t.bounds, 0, "compiled without .maxntid, %s has __launch_bounds__(%d)", source, t.bounds)
		case have != nil && volume(have) != t.bounds:
			add("threads", -1, t.bounds, volume(have), "compiled for .maxntid %s, %s has __launch_bounds__(%d)", extents(have), source, t.bounds)
		}
		return
	}
	for _, one := range []struct {
		directive string
		a, b      []int
	}{{".maxntid", t.Max, fn.MaxThreads}, {".reqntid", t.Req, fn.ReqThreads}} {
		switch a, b := extents(one.a), extents(one.b); {
		case a == b:
		case one.directive == ".maxntid" && t.Req != nil && b == "":
			// of both the second alone is recorded
		case b == "":
			add("threads", -1, volume(one.a), 0, "compiled without %s, which is %s in %s", one.directive, a, source)
		case a == "":
			add("threads", -1, 0, volume(one.b), "compiled for %s %s, of which %s says nothing", one.directive, b, source)
		default:
			add("threads", -1, volume(one.a), volume(one.b), "compiled for %s %s; %s has %s", one.directive, b, source, a)
		}
	}
}

func extents(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// volume is how many threads a block of those extents has.
func volume(list []int) int {
	n := 1
	for _, e := range list {
		n *= e
	}
	return n
}
