package cubin_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestBrief reads every cubin in three ways: as a whole, its functions alone, and their names alone.
// What they have in common is the same.
func TestBrief(t *testing.T) {
	paths := must.Glob(t, filepath.Join("testdata", "cubins", "*.cubin"))
	calls := 0
	for _, path := range paths {
		data := read(t, path)
		whole, err := cubin.Open(data)
		require.NoError(t, err, path)
		brief, err := cubin.OpenFunctions(data)
		require.NoError(t, err, path)
		assert.Equal(t, whole.Functions, brief.Functions, path)
		assert.Equal(t, whole.Prototypes, brief.Prototypes, path)
		assert.Equal(t, whole.Arch, brief.Arch, path)
		assert.Equal(t, whole.Toolkit, brief.Toolkit, path)
		assert.Nil(t, brief.Attrs, path)
		assert.Nil(t, brief.Frames, path)
		for _, r := range brief.Relocs {
			assert.True(t, slices.Contains(whole.Relocs, r), "%s: %v", path, r)
		}
		calls += len(brief.Relocs)
		var names []string
		require.NoError(t, cubin.Names(data, func(n cubin.Named) {
			i := len(names)
			names = append(names, string(n.Name))
			assert.Equal(t, whole.Functions[i].Kernel, n.Kernel, path)
		}))
		var want []string
		for _, fn := range whole.Functions {
			want = append(want, fn.Name)
		}
		assert.Equal(t, want, names, path)
		images, err := cubin.Images(data)
		require.NoError(t, err)
		assert.Equal(t, whole.Arch, images[0].Arch, path)
		assert.Equal(t, whole.AddressSize, images[0].AddressSize, path)
	}
	assert.NotZero(t, calls)
}
