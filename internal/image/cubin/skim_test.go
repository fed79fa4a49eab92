package cubin_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestNames reads every cubin in two ways: its functions, and their names alone. What they have in common is the same.
func TestNames(t *testing.T) {
	paths := must.Glob(t, filepath.Join("testdata", "cubins", "*.cubin"))
	for _, path := range paths {
		data := read(t, path)
		whole, err := cubin.Open(data)
		require.NoError(t, err, path)
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
}
