package arena

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestApart holds that values that are taken do not overlap, whatever is asked for.
func TestApart(t *testing.T) {
	var a Arena[int]
	for round := range 3 {
		var all [][]int
		for i := range 2000 {
			list := a.Take(i % (Most + 1))
			if i%5 == 0 {
				list = append(list, *a.One())
			}
			for k := range list {
				list[k] = i
			}
			all = append(all, list)
		}
		for i, list := range all {
			for _, x := range list {
				assert.Equal(t, i, x, "round %d", round)
			}
			assert.Equal(t, len(list), cap(list[:len(list):len(list)]))
		}
		a.Reset()
	}
}

func TestAppend(t *testing.T) {
	var a Arena[int]
	var x, y []int
	for i := range 1000 { // beyond Most they leave the arena
		x, y = a.Append(x, i), a.Append(y, -i)
	}
	for i := range 1000 {
		assert.Equal(t, i, x[i])
		assert.Equal(t, -i, y[i])
	}
}

// TestReuse holds that what has been taken once costs nothing the second time.
func TestReuse(t *testing.T) {
	var a Arena[[2]int]
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for range 1000 {
			a.One()
			a.Take(5)
		}
		a.Reset()
	}))
}
