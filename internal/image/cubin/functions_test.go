package cubin_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestFunctions reads every cubin in two ways: what is known of its functions, and their names alone. What they have in common is the same.
func TestFunctions(t *testing.T) {
	paths := must.Glob(t, filepath.Join("testdata", "cubins", "*.cubin"))
	for _, path := range paths {
		data := read(t, path)
		whole, err := cubin.Open(data)
		require.NoError(t, err, path)
		list, err := cubin.Functions(data)
		require.NoError(t, err)
		if assert.Len(t, list, len(whole.Functions), path) {
			for i, fn := range list {
				want := &whole.Functions[i]
				assert.Equal(t, []any{want.Name, want.Kernel, want.Binding}, []any{fn.Name, fn.Kernel, fn.Binding}, path)
			}
		}
		images, err := cubin.Images(data)
		require.NoError(t, err)
		assert.Equal(t, whole.Arch, images[0].Arch, path)
		assert.Equal(t, whole.AddressSize, images[0].AddressSize, path)
	}
}
