package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

const (
	tree     = "../../examples/recursion/"
	listings = "../../internal/tool/stack/testdata/code/"
)

// TestStackPicture holds the picture of docs/stack.md against what stack draws.
func TestStackPicture(t *testing.T) {
	r := ptxabi(nil, "stack", "-format", "svg", tree+"main.cubin", tree+"walk.cubin")
	require.Equal(t, 0, r.status, r.stderr)
	golden.Hold(t, "../../docs/images/stack.svg", r.stdout)
}
