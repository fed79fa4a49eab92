package main

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// Sizes of the heap, in bytes.
const (
	firstGoal = 4 << 20  // at which Go's collector first runs
	lateGoal  = 32 << 20 // at which it does here
)

const usualPercent = 100 // as documented of GOGC

// collectLate lets the heap grow to lateGoal before garbage is first collected, and
// then as it would have: most modules need less, and a process that ends has no
// use for memory. It is for programs that end, and for a percentage that nothing
// has chosen.
func collectLate() {
	collectAt.Store(usualPercent)
	debug.SetGCPercent(usualPercent * lateGoal / firstGoal)
	first := new([16]byte) // not tiny, so that it dies alone
	runtime.AddCleanup(first, func(at *atomic.Int32) { debug.SetGCPercent(int(at.Load())) }, &collectAt)
}

// collectAt is the percentage after the first collection; 0 where collectLate was not called.
var collectAt atomic.Int32

// largeText is from what size on a text is most of what is in memory, in bytes.
const largeText = 8 << 20

// collectOften lets less garbage lie beside a large text, so that a module takes no more than three times
// its text.
func collectOften() {
	const percent = 40
	if collectAt.CompareAndSwap(usualPercent, percent) {
		debug.SetGCPercent(percent)
	}
}
