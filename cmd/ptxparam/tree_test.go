package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTreeCodes draws the codes of lines with the examples that "ptxabi explain" has for them.
func TestTreeCodes(t *testing.T) {
	for code, line := range map[string]string{
		"StaleFile":       "//go:generate ptxparam -type=Params",
		"BadGenerateLine": "//go:generate ptxparam -typ=Params",
		"NotRead":         `//go:generate sh -c "ptxparam -type=Params"`,
	} {
		root := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/tree\n\ngo 1.21\n"), 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(root, "x.go"), []byte("package p\n\n"+line+"\n\ntype Params struct{ X int32 }\n"), 0o666))
		_, stderr, _ := invoke(root, "-check", "./...")
		require.Contains(t, stderr, "["+code+"]", line)
	}
}

// BenchmarkTree runs a hundred lines as one tree, and each by itself, which is what go generate does
// but for starting processes.
func BenchmarkTree(b *testing.B) {
	const packages = 100
	root := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/tree\n\ngo 1.21\n"), 0o666))
	for i := range packages {
		dir := filepath.Join(root, fmt.Sprintf("p%d", i))
		require.NoError(b, os.Mkdir(dir, 0o777))
		text := fmt.Sprintf("package p%d\n\n//go:generate ptxparam -type=A\n\ntype A struct{ X int32; Y float64 }\n", i)
		require.NoError(b, os.WriteFile(filepath.Join(dir, "x.go"), []byte(text), 0o666))
	}
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			_, stderr, status := invoke(root, "./...")
			require.Zero(b, status, stderr)
		}
	})
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			for i := range packages {
				_, stderr, status := invoke(filepath.Join(root, fmt.Sprintf("p%d", i)), "-type=A", "x.go")
				require.Zero(b, status, stderr)
			}
		}
	})
}
