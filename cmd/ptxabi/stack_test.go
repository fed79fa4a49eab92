package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

const (
	tree     = "../../examples/recursion/"
	listings = "../../internal/tool/stack/testdata/code/"
)

// TestStackPicture holds the picture of docs/stack.md against what stack draws.
func TestStackPicture(t *testing.T) {
	const file = "../../docs/images/stack.svg"
	r := ptxabi(nil, "stack", "-format", "svg", tree+"main.cubin", tree+"walk.cubin")
	require.Equal(t, 0, r.status, r.stderr)
	have, err := os.ReadFile(file)
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(r.stdout), 0o666))
		return
	}
	require.NoError(t, err)
	assert.Equal(t, string(have), r.stdout, "PTXABI_UPDATE=1 rewrites it")
}
