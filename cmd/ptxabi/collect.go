package main

import (
	"runtime"
	"runtime/debug"
)

// Sizes of the heap, in bytes.
const (
	firstGoal = 4 << 20  // at which Go's collector first runs
	lateGoal  = 32 << 20 // at which it does here
)

// collectLate lets the heap grow to lateGoal before garbage is first collected, and
// then as it would have: most modules need less, and a process that ends has no
// use for memory. It is for programs that end, and for a percentage that nobody
// has chosen.
func collectLate() {
	const usual = 100 // percent, as documented of GOGC
	debug.SetGCPercent(usual * lateGoal / firstGoal)
	first := new([16]byte) // not tiny, so that it dies alone
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
