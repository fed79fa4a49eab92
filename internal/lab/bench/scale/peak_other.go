//go:build !linux

package main

import "os"

// peakMemory is not known: systems count it in different units, if at all.
func peakMemory(*os.ProcessState) int64 { return 0 }
