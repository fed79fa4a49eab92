package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCoreCounts(t *testing.T) {
	assert.Equal(t, []int{1}, coreCounts(1))
	assert.Equal(t, []int{1, 2}, coreCounts(2))
	assert.Equal(t, []int{1, 2, 4, 6}, coreCounts(6))
	assert.Equal(t, []int{1, 2, 4, 8}, coreCounts(8))
}

func TestOnCores(t *testing.T) {
	one, err := onCores(1, "go", "env", "GOVERSION")
	require.NoError(t, err)
	two, err := onCores(2, "go", "env", "GOVERSION")
	require.NoError(t, err)
	assert.Equal(t, one.sum, two.sum)
	assert.Positive(t, one.wall)
	other, err := onCores(1, "go", "env", "GOOS")
	require.NoError(t, err)
	assert.NotEqual(t, one.sum, other.sum)
	_, err = onCores(1, "go", "no-such-command")
	assert.ErrorContains(t, err, "no-such-command")
}
