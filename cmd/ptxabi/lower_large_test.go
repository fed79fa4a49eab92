package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestLowerLarge holds that a text that waits in a file comes out as a whole, on standard
// output and with -o, where something is wrong not at all, and that no file stays.
func TestLowerLarge(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	good, bad, out := filepath.Join(dir, "good.ptx"), filepath.Join(dir, "bad.ptx"), filepath.Join(dir, "out")
	src := bench.Functions(1, effort.Of(900, 2500))
	require.NoError(t, os.WriteFile(good, src, 0o600))
	require.NoError(t, os.WriteFile(bad, append(src, "\n.func (.reg .b32 x, .reg .b32 y) last()\n{\n\tret;\n}\n"...), 0o600))
	require.NoError(t, os.WriteFile(out, []byte("old"), 0o640))
	empty := func() {
		t.Helper()
		list, err := os.ReadDir(temp)
		require.NoError(t, err)
		assert.Empty(t, list)
		list, err = os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, list, 3)
	}

	r := ptxabi(nil, "lower", good)
	require.Equal(t, 0, r.status, r.stderr)
	require.Greater(t, len(r.stdout), 2<<20)
	want := r.stdout
	empty()

	r = ptxabi(nil, "lower", "-o", out, bad)
	assert.Equal(t, 1, r.status)
	r = ptxabi(nil, "lower", bad)
	assert.Equal(t, 1, r.status)
	assert.Empty(t, r.stdout)
	empty()
	text := must.Read(t, out)
	assert.Equal(t, "old", string(text))

	r = ptxabi(nil, "lower", "-o", out, good)
	require.Equal(t, 0, r.status, r.stderr)
	text = must.Read(t, out)
	assert.True(t, want == string(text))
	info, err := os.Stat(out)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	empty()

	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	r = ptxabi(nil, "lower", good)
	require.Equal(t, 0, r.status, r.stderr)
	assert.True(t, want == r.stdout)
}
