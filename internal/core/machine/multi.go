package machine

import (
	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/internal/core/round"
)

// A Multiprocessor has the resources that the blocks on one multiprocessor share. The assembler
// divides them by the number of blocks that .minnctapersm gives a kernel.
type Multiprocessor struct {
	Registers int // general registers
	PerBlock  int // of these, how many all threads of a block have together
	Threads   int // the most threads
	Blocks    int // the most blocks
}

// The assembler rounds threads up to warps, and the warps of a block or of all blocks on a multiprocessor
// up to a multiple of warpsTogether. It rounds the registers of a thread down to a multiple of registerUnit.
const (
	warpThreads   = 32
	warpsTogether = 4
	registerUnit  = 8
)

// BlockLimit returns the largest number of general registers of a thread in blocks of the
// given number of threads: PerBlock divided among the threads, whose warps are rounded up
// to a multiple of four, rounded down to a multiple of 8. It returns 0 if there is no
// such limit below the last usable register, and for a number of threads that is not
// positive or exceeds PerBlock.
func (m *Multiprocessor) BlockLimit(threads int, last reg.Reg) int {
	if threads <= 0 || threads > m.PerBlock {
		return 0
	}
	limit := m.PerBlock / round.Up(threads, warpsTogether*warpThreads) / registerUnit * registerUnit
	if limit > int(last) {
		return 0
	}
	return limit
}

// ResidentLimit returns the largest number of general registers of a thread if the given
// number of blocks of the given number of threads are on a multiprocessor: its registers
// divided among the warps, rounded down to a multiple of 8. It returns 0 if there is no
// such limit below the last usable register, for numbers that are not positive, and for more threads or
// blocks than a multiprocessor has, which the assembler ignores with a warning.
func (m *Multiprocessor) ResidentLimit(threads, blocks int, last reg.Reg) int {
	if threads <= 0 || blocks <= 0 || threads > m.Threads || blocks > m.Blocks || threads*blocks > m.Threads {
		return 0
	}
	warps := round.Up((threads+warpThreads-1)/warpThreads*blocks, warpsTogether)
	limit := m.Registers / (warps * warpThreads) / registerUnit * registerUnit
	if limit > int(last) {
		return 0
	}
	return limit
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
