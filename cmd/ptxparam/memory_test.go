package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestMemory runs the generated test of a struct with large arrays, as this machine packs them, and
// as one does that keeps the highest byte of a number first.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs; not with -short")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module example.org/p\n\ngo 1.21\n")
	write("x.go", "package p\n\ntype Params struct {\n\tN uint8\n\tF [64]float32\n\tG [9][4]int64\n\tC [20]complex64\n\tIn struct{ H [70]uint16 }\n\tA [100]uint8\n}\n")
	_, stderr, status := invoke(dir, "-type=Params", "-test", "x.go")
	require.Zero(t, status, stderr)
	quiet(t, dir, nil, "go", "test", ".")

	const others = "params_param_memory_others.go"
	text := must.Read(t, filepath.Join(dir, others))
	constraint := ""
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "//go:build ") {
			constraint = line
		}
	}
	require.NotEmpty(t, constraint)
	write(others, strings.Replace(string(text), constraint, "", 1))
	require.NoError(t, os.Remove(filepath.Join(dir, "params_param_memory.go")))
	quiet(t, dir, nil, "go", "test", ".")

	// Both are gone with the arrays.
	write("x.go", "package p\n\ntype Params struct{ N uint8 }\n")
	_, stderr, status = invoke(dir, "-type=Params", "x.go")
	require.Zero(t, status, stderr)
	assert.NoFileExists(t, filepath.Join(dir, others))
}
