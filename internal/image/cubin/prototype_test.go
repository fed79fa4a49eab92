package cubin_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// TestPrototypes reads those of every cubin of module.ptx: of functions that it calls in
// other files and of those that others may call. Linking leaves those of whatever nothing
// calls out.
func TestPrototypes(t *testing.T) {
	count := 0
	for _, path := range files(t, "cubins/*.cubin") {
		name := strings.TrimSuffix(filepath.Base(path), ".cubin")
		want := map[string]string{"ext": "#ib16", "big": "#vb512"}
		switch {
		case strings.HasPrefix(name, "linked-"):
			delete(want, "big")
		case !strings.HasPrefix(name, "sm_") && !strings.HasPrefix(name, "debug-"):
			continue
		}
		count++
		got := make(map[string]string)
		for _, p := range open(t, path).Prototypes {
			got[p.Name] = p.Text
		}
		assert.Equal(t, want, got, name)
	}
	assert.Greater(t, count, 30)
}

// TestPrototypeValues has what ptxas 12.4 and 13.5 record of functions of
// those types.
func TestPrototypeValues(t *testing.T) {
	for _, tt := range []struct {
		text, results, params string
		sizes                 []int
	}{
		{"#v", "", "", nil},
		{"#iilfd", "i", "i l f d", []int{4, 8, 4, 8}},              // (.b32) (.b32, .u64, .f32, .f64)
		{"#b12b7hb", "b12", "b7 h b", []int{7, 2, 1}},              // (.b8[12]) (.b8[7], .b16, .b8)
		{"#iifxlih", "i", "i f x l i h", []int{4, 4, 16, 8, 4, 2}}, // (.reg .b32) (.b32, .f32, .v4 .b32, .v2 .f32, .f16x2, .f16)
		{"#i3i4f2h5d2b0", "i3", "i4 f2 h5 d2 b0", []int{16, 8, 10, 16, 0}},
		{"#vxx2ldb0", "", "x x2 l d b0", []int{16, 32, 8, 8, 0}}, // (.b128, .b128[2], .b64, .f64, .b8[])
	} {
		results, params, ok := cubin.Prototype{Text: tt.text}.Values()
		require.True(t, ok, tt.text)
		text := func(list []cubin.ProtoValue) string {
			var all []string
			for _, v := range list {
				all = append(all, v.String())
			}
			return strings.Join(all, " ")
		}
		var sizes []int
		for _, v := range params {
			sizes = append(sizes, v.Size())
		}
		assert.Equal(t, tt.results, text(results), tt.text)
		assert.Equal(t, tt.params, text(params), tt.text)
		assert.Equal(t, tt.sizes, sizes, tt.text)
	}
	for _, text := range []string{"", "i", "#", "#q", "#v3", "#iv", "#b99999999999999999999", "#b-1", "#b2000000000"} {
		_, _, ok := cubin.Prototype{Text: text}.Values()
		assert.False(t, ok, text)
	}
}
