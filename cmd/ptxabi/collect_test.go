package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestCollectLate holds that the heap is collected late once, and then as usual.
func TestCollectLate(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	collectLate()
	assert.Equal(t, 800, debug.SetGCPercent(800))
	runtime.GC()
	assert.Eventually(t, func() bool {
		percent := debug.SetGCPercent(100)
		if percent != 100 {
			debug.SetGCPercent(percent)
		}
		return percent == 100
	}, 10*time.Second, time.Millisecond)
}
