package main

import (
	"os"
	"syscall"
)

// peakMemory returns the largest resident size of a process that has ended, in
// bytes.
func peakMemory(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(usage.Maxrss) * 1024
	}
	return 0
}
