package core_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/core/inorder"
)

// TestInOrder holds that results come in the order of the values, from as many workers as were asked for, and that nothing
// is called when the loop over them was left.
func TestInOrder(t *testing.T) {
	const n = 1000
	values := make([]int, n)
	for i := range values {
		values[i] = i
	}
	for _, workers := range []int{-1, 0, 1, 2, 7} {
		for _, wanted := range []int{0, 1, 50, n} {
			var made, called atomic.Int32
			var got []int
			for r := range inorder.Map(workers, slices.Values(values[:wanted]), func() func(int, *int) {
				made.Add(1)
				return func(v int, r *int) {
					called.Add(1)
					for range v % 7 {
						runtime.Gosched()
					}
					*r = v + 1
				}
			}) {
				got = append(got, *r-1)
			}
			assert.Equal(t, values[:wanted], append(values[:0:0], got...))
			assert.EqualValues(t, max(workers, 1), made.Load())
			assert.EqualValues(t, wanted, called.Load())
		}
		var called atomic.Int32
		for r := range inorder.Map(workers, slices.Values(values), func() func(int, *int) { return func(v int, r *int) { called.Add(1); *r = v } }) {
			if *r == 10 {
				break
			}
		}
		after := called.Load()
		assert.LessOrEqual(t, int(after), 10+1+5*max(workers, 1), "results wait to be yielded")
		runtime.Gosched()
		assert.Equal(t, after, called.Load(), "a goroutine runs")
	}
}
