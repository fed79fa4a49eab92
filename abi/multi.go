package abi

import (
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Multiprocessor is the resources that the blocks on one multiprocessor share. The assembler
// divides them if a kernel asks, by .minnctapersm, for a number of blocks.
type Multiprocessor struct {
	Registers int // general registers
	PerBlock  int // of these, how many all threads of a block have together
	Threads   int // the most threads
	Blocks    int // the most blocks
}

// Threads count in warps, and those of all blocks on a multiprocessor in fours
// of them; a thread's registers are a multiple of unit.
const (
	warpThreads   = 32
	warpsTogether = 4
	registerUnit  = 8
)

// BlockLimit returns the largest number of general registers of a thread in blocks of the
// given number of threads: PerBlock divided among the threads, whose warps are rounded up
// to a multiple of four, rounded down to a multiple of 8. It returns 0 if there is no
// such limit below Regs.Last, and for a number of threads that is not positive or exceeds
// PerBlock.
func (t *Target) BlockLimit(threads int) int {
	t = zero.Or(t)
	m := &t.Multi
	if threads <= 0 || threads > m.PerBlock {
		return 0
	}
	limit := m.PerBlock / round.Up(threads, warpsTogether*warpThreads) / registerUnit * registerUnit
	if limit > int(t.Regs.Last) {
		return 0
	}
	return limit
}

// ResidentLimit returns the largest number of general registers of a thread if the given
// number of blocks of the given number of threads are on a multiprocessor: its registers
// divided among the warps, rounded down to a multiple of 8. It returns 0 if there is no
// such limit below Regs.Last, for numbers that are not positive, and for more threads or
// blocks than a multiprocessor has, which the assembler ignores with a warning.
func (t *Target) ResidentLimit(threads, blocks int) int {
	t = zero.Or(t)
	m := &t.Multi
	if threads <= 0 || blocks <= 0 || threads > m.Threads || blocks > m.Blocks || threads*blocks > m.Threads {
		return 0
	}
	warps := round.Up((threads+warpThreads-1)/warpThreads*blocks, warpsTogether)
	limit := m.Registers / (warps * warpThreads) / registerUnit * registerUnit
	if limit > int(t.Regs.Last) {
		return 0
	}
	return limit
}

// multiFacts are the rows of Facts about multiprocessors.
var multiFacts = []factRow{
	{name: "registers of a multiprocessor", value: func(t *Target) string { return strconv.Itoa(t.Multi.Registers) }},
	{name: "most threads on a multiprocessor", value: func(t *Target) string { return strconv.Itoa(t.Multi.Threads) }},
	{name: "most blocks on a multiprocessor", value: func(t *Target) string { return strconv.Itoa(t.Multi.Blocks) }},
}

// The kinds of multiprocessors.
var (
	multiKepler  = Multiprocessor{Registers: 64 << 10, PerBlock: 64 << 10, Threads: 2048, Blocks: 16}
	multiTesla   = Multiprocessor{Registers: 128 << 10, PerBlock: 64 << 10, Threads: 2048, Blocks: 16} // of sm_37
	multiMaxwell = Multiprocessor{Registers: 64 << 10, PerBlock: 64 << 10, Threads: 2048, Blocks: 32}
	multiTegra   = Multiprocessor{Registers: 64 << 10, PerBlock: 32 << 10, Threads: 2048, Blocks: 32} // of sm_53 and sm_62
	multiTuring  = Multiprocessor{Registers: 64 << 10, PerBlock: 64 << 10, Threads: 1024, Blocks: 16} // of sm_107 too
	multiAmpere  = Multiprocessor{Registers: 64 << 10, PerBlock: 64 << 10, Threads: 1536, Blocks: 16} // of sm_86 to sm_88
	multiAda     = Multiprocessor{Registers: 64 << 10, PerBlock: 64 << 10, Threads: 1536, Blocks: 24}
)
