//go:build !unix

package main

import (
	"os"
	"time"
)

var begin = time.Now()

// processor returns the time by the clock, where the system does not say more.
func processor() time.Duration { return time.Since(begin) }

// peakMemory is not known.
func peakMemory(*os.ProcessState) int64 { return 0 }
