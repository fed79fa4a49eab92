//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// processor returns the time of the processor that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are constants
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory returns the largest resident size of a process that has ended, in
// bytes; 0 where the system counts it in other units.
func peakMemory(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" {
		return int64(usage.Maxrss) * 1024
	}
	return 0
}
