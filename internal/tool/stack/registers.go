package stack

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
)

// Registers are how many registers the threads of a kernel have, and what follows from
// it for launches.
type Registers struct {
	Own   int    `json:"own"`   // of the kernel itself; -1: not recorded
	Most  int    `json:"most"`  // over all that it reaches: with how many it is launched; -1: not recorded
	Where string `json:"where"` // the function with the most
	// Limit is how many .maxnreg, the extents of blocks or -maxrregcount leave it;
	// 0: no limit is recorded.
	Limit int `json:"limit"`
	// MaxThreads is how many threads a block has at most: by what the registers
	// allow, in steps of 32, and by what the kernel was compiled for.
	MaxThreads int `json:"maxThreads"`
	// Block is the number of threads that was asked about; 0: none.
	Block int `json:"block,omitempty"`
	// Launches says whether blocks of that many threads can be launched, and Why what
	// limits them.
	Launches bool   `json:"launches"`
	Why      string `json:"why,omitempty"`
	// Resident is how many such blocks fit on a multiprocessor by registers, threads
	// and number; shared memory limits them further. 0: not known, or no block was
	// asked about.
	Resident int `json:"resident,omitempty"`
}

// mostThreads is how many threads a block has at most.
const mostThreads = 1024

// registers are those of a kernel.
func (g *graph) registers(k int, reached []int, t *abi.Target, block int) Registers {
	f := g.funcs[k]
	r := Registers{Own: f.Regs, Most: f.Regs, Where: f.Name, Limit: f.Limit, Block: block, Launches: true}
	for _, i := range reached {
		if one := g.funcs[i]; one.Regs > r.Most {
			r.Most, r.Where = one.Regs, one.Name
		}
	}
	if t == nil || r.Most < 0 {
		if r.Most >= 0 && block > 0 {
			r.Why = "the target has not been measured; -assume takes over the facts of another"
		}
		return r
	}
	compiled := 0
	if f.Threads != nil {
		compiled = 1
		for _, n := range f.Threads {
			compiled *= max(n, 1)
		}
	}
	r.MaxThreads = mostFor(t, r.Most)
	if compiled > 0 {
		r.MaxThreads = min(r.MaxThreads, compiled)
	}
	if r.Limit > 0 && r.Most > r.Limit {
		r.Launches, r.Why = false, fmt.Sprintf("%s needs %d registers, and the kernel leaves each thread %d: the linker refuses it", r.Where, r.Most, r.Limit)
	}
	if block == 0 {
		return r
	}
	switch limit := machine.Of(t.SM).Multi.BlockLimit(block, t.Regs.Last); {
	case !r.Launches:
		return r
	case block > mostThreads:
		r.Launches, r.Why = false, fmt.Sprintf("a block has %d threads at most", mostThreads)
	case compiled > 0 && block > compiled:
		r.Launches, r.Why = false, fmt.Sprintf("it was compiled for blocks of %d threads", compiled)
	case limit > 0 && r.Most > limit:
		r.Launches, r.Why = false, fmt.Sprintf("%s needs %d registers, and blocks of %d threads leave each thread %d", r.Where, r.Most, block, limit)
	}
	if r.Launches {
		r.Resident, r.Why = resident(t, block, r.Most)
	}
	return r
}

// mostFor is how many threads a block may have whose threads have so many registers.
func mostFor(t *abi.Target, regs int) int {
	for threads := mostThreads; threads > 0; threads -= 32 {
		if limit := machine.Of(t.SM).Multi.BlockLimit(threads, t.Regs.Last); limit == 0 || regs <= limit {
			return threads
		}
	}
	return 0
}

// resident is how many blocks fit on a multiprocessor, and what limits them.
func resident(t *abi.Target, block, regs int) (int, string) {
	m := &machine.Of(t.SM).Multi
	if m.Threads == 0 || block <= 0 {
		return 0, ""
	}
	for n := min(m.Blocks, m.Threads/block); n > 0; n-- {
		if limit := m.ResidentLimit(block, n, t.Regs.Last); limit != 0 && regs > limit {
			continue
		}
		switch {
		case n == m.Blocks:
			return n, "the number of blocks limits it"
		case n == m.Threads/block:
			return n, "the number of threads limits it"
		}
		return n, "the registers limit it"
	}
	return 0, ""
}
