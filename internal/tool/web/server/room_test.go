package server

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRoom has questions come and go, and others that never arrive: there is never
// more in the room than it holds, and at the end all of it is free.
func TestRoom(t *testing.T) {
	const size, many = 1000, 20
	r := newRoom(size)
	var held, ended, admitted atomic.Int64
	visit := func(bytes int, slow bool) bool {
		stop := make(chan struct{})
		g := r.enter(bytes, func() { close(stop) })
		if g == nil {
			return false
		}
		assert.LessOrEqual(t, held.Add(int64(bytes)), int64(size))
		if slow {
			<-stop
		}
		assert.False(t, !r.arrived(g) && slow)
		held.Add(-int64(bytes))
		r.leave(g)
		return true
	}
	var quick sync.WaitGroup
	for seed := range uint64(many) {
		go func() {
			for !visit(size/4, true) {
				runtime.Gosched()
			}
			ended.Add(1)
		}()
		quick.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 0))
			for range 500 {
				if visit(1+rnd.IntN(size), false) {
					admitted.Add(1)
				}
			}
		})
	}
	quick.Wait()
	assert.Positive(t, admitted.Load())
	for ended.Load() < many { // until those who never arrive have been sent away
		visit(size, false)
		runtime.Gosched()
	}
	assert.Equal(t, size, r.left)
	assert.Zero(t, r.leaving)
	assert.Empty(t, r.arriving)
}
