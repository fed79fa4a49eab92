package machine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/core/machine"
)

// TestBlockLimit has what ptxas gave a kernel that asks for more.
func TestBlockLimit(t *testing.T) {
	for sm, want := range map[int][]int{
		35: {64, 96, 96, 0, 0}, 53: {32, 48, 48, 128, 0}, 62: {32, 48, 48, 128, 0}, 80: {64, 96, 96, 0, 0}, 121: {64, 96, 96, 0, 0},
	} {
		m := &machine.Of(sm).Multi
		for i, threads := range []int{1024, 640, 513, 256, 96} {
			assert.Equal(t, want[i], m.BlockLimit(threads, 252), "sm_%d, %d threads", sm, threads)
		}
		assert.Zero(t, m.BlockLimit(0, 252))
	}
}

func TestResidentLimit(t *testing.T) {
	for _, c := range []struct {
		sm              int
		threads, blocks int
		want            int
	}{
		{80, 100, 7, 72},
		{80, 160, 5, 72},
		{80, 256, 3, 80},
		{80, 32, 16, 128},
		{80, 33, 16, 64},
		{80, 32, 4, 0}, // 512, more than there are
		{80, 512, 4, 32},
		{80, 512, 5, 0},
		{80, 32, 32, 64},
		{80, 32, 33, 0},
		{86, 32, 17, 0},
		{89, 32, 24, 80},
		{37, 512, 3, 80},
		{75, 512, 3, 0},
		{80, 0, 3, 0},
		{80, 32, -1, 0},
		{80, 1 << 62, 4, 0},
	} {
		m := &machine.Of(c.sm).Multi
		assert.Equal(t, c.want, m.ResidentLimit(c.threads, c.blocks, 252), "sm_%d, %d × %d", c.sm, c.blocks, c.threads)
	}
	assert.Zero(t, new(machine.Multiprocessor).ResidentLimit(32, 1, 252))
}

// TestOf has the machines of numbers that are not in the table.
func TestOf(t *testing.T) {
	for sm, want := range map[int]int{20: 35, 30: 35, 99: 90, 130: 121, 999: 121} {
		assert.Same(t, machine.Of(want), machine.Of(sm), sm)
	}
	assert.Zero(t, *machine.Of(0))
	assert.Zero(t, *machine.Of(-1))
}
