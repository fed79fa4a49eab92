package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// repository is the folder with go.mod.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	return dir
}

// copyTree copies a folder of text files.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
}

// read returns the files of a tree by their paths.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return out
}

// TestExamples generates the examples again, in a copy, which changes nothing. In the gate
// go generate does so, and the examples are run: the copy is a module with ptxparam as a
// tool and a replace line.
func TestExamples(t *testing.T) {
	root := repository(t)
	dir := t.TempDir()
	copyTree(t, filepath.Join(root, "examples"), dir)
	before := read(t, dir)
	mod := strings.Replace(before["go.mod"], "=> ../", "=> "+filepath.ToSlash(root), 1)
	require.NotEqual(t, before["go.mod"], mod)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666))
	for name := range before {
		if strings.HasSuffix(name, ".go") && strings.HasPrefix(before[name], "// Code generated") {
			require.NoError(t, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	env := []string{"GOFLAGS=-mod=readonly"}
	if effort.Long() {
		tool(t, dir, env, "go", "generate", "./...")
	} else {
		_, stderr, status := invoke(dir, "./...")
		require.Zero(t, status, stderr)
	}
	after := read(t, dir)
	after["go.mod"] = before["go.mod"]
	for name := range before {
		assert.Equal(t, before[name], after[name], "%s is not what go generate makes of the examples", name)
	}
	assert.Len(t, after, len(before))
	m := must.Parse(t, "saxpy.ptx", []byte(before["pack/saxpy.ptx"]))
	assert.Empty(t, check.Module(m, check.Options{}))
	if !effort.Long() {
		return
	}
	tool(t, dir, env, "go", "vet", "./...")
	tool(t, dir, env, "go", "test", "./...")
	assert.Contains(t, tool(t, dir, env, "go", "run", "./pack"), "40 bytes\n00000000  01 00 00 00 00 00 00 00  00 00 00 7f 00 00 00 00")
	assert.Contains(t, tool(t, dir, env, "go", "run", "./header"), "particle at 0, dt at 48, out at 56, n at 64; 68 bytes")

	assert.Equal(t, "0400000002000000 and what lies there\n0400000002000000000000000000e03f\n", tool(t, dir, env, "go", "run", "./corrupt"))

	text := []byte(tool(t, dir, env, "go", "run", "./emitter"))
	m = must.Parse(t, "emitter.ptx", text)
	assert.Empty(t, check.Module(m, check.Options{Compile: true}))
}
