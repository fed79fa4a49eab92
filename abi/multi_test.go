package abi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

func TestResidentLimit(t *testing.T) {
	for _, c := range []struct {
		target          string
		threads, blocks int
		want            int
	}{
		{"sm_80", 100, 7, 72},
		{"sm_80", 160, 5, 72},
		{"sm_80", 256, 3, 80},
		{"sm_80", 32, 16, 128},
		{"sm_80", 33, 16, 64},
		{"sm_80", 32, 4, 0}, // 512, more than there are
		{"sm_80", 512, 4, 32},
		{"sm_80", 512, 5, 0},
		{"sm_80", 32, 32, 64},
		{"sm_80", 32, 33, 0},
		{"sm_86", 32, 17, 0},
		{"sm_89", 32, 24, 80},
		{"sm_37", 512, 3, 80},
		{"sm_75", 512, 3, 0},
		{"sm_80", 0, 3, 0},
		{"sm_80", 32, -1, 0},
		{"sm_80", 1 << 62, 4, 0},
	} {
		target := must.Target(t, c.target)
		assert.Equal(t, c.want, target.ResidentLimit(c.threads, c.blocks), "%s, %d × %d", c.target, c.blocks, c.threads)
	}
	assert.Zero(t, new(abi.Target).ResidentLimit(32, 1))
}
