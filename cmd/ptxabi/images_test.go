package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImages lists and extracts the images of kept fatbins, compressed and not: assign says the same of a cubin in a
// file of its own, and the extracted files of all forms are the same.
func TestImages(t *testing.T) {
	schema := readSchema(t, "images")
	for _, name := range []string{"plain-12.4", "lz4-12.4", "zstd-13.5"} {
		file := cubinData + "/fatbins/" + name + ".fatbin"
		folder := filepath.Join(t.TempDir(), "made")
		r := ptxabi(nil, "images", "-format", "json", "-extract", folder, file)
		require.Equal(t, 0, r.status, r.stderr)
		schema.check(t, r.stdout)
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		var names []string
		for _, f := range files {
			names = append(names, f.Name())
			one := ptxabi(nil, "assign", filepath.Join(folder, f.Name()))
			assert.Equal(t, 0, one.status, one.stderr)
			assert.Contains(t, one.stdout, "5010 bytes of parameters from ")
		}
		assert.Equal(t, []string{name + ".fatbin.1.sm_90a.ptx", name + ".fatbin.2.sm_80.cubin", name + ".fatbin.3.sm_90.cubin"}, names)
		r = ptxabi(nil, "images", file)
		require.Equal(t, 0, r.status, r.stderr)
		assert.Contains(t, r.stdout, "\n3 images, 3 kernels\n  cubin: 1 for sm_80, 1 for sm_90\n  ptx: 1 for sm_90a\n")
		r = ptxabi(nil, "images", "-target", "sm_90", file)
		assert.Contains(t, r.stdout, "\n1 image, 1 kernel\n")
	}
	wide := wideCubin(t)
	many := make([]entry, 0, listedImages+1)
	for range listedImages {
		many = append(many, wide)
	}
	many = append(many, entry{kind: 8, arch: 80, flags: 1, data: "BC"})
	file := writeSource(t, "x.fatbin", fatbin(many...))
	r := ptxabi(nil, "images", file)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "and 1 more image: -all shows them\n\n41 images, 40 kernels\n  cubin: 40 for sm_80\n  nvvm: 1 for sm_80\n")
	r = ptxabi(nil, "images", "-all", file)
	assert.Contains(t, r.stdout, "41  nvvm")
	packed := ptxEntry("x")
	packed.packed, packed.flags = 3, 1<<13
	r = ptxabi(nil, "images", writeSource(t, "x.fatbin", fatbin(packed, wide)))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "LZ4: ")
	assert.Contains(t, r.stdout, "2 images, 1 kernel")
	r = ptxabi(nil, "images", "-extract", t.TempDir(), file, strings.Replace(file, "x.fatbin", "other/x.fatbin", 1))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "two files are called x.fatbin")
	r = ptxabi(nil, "images", "../../examples/drift/step.ptx")
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "step.ptx: offset 0x0: neither a cubin nor a fatbin nor an ELF or PE file")
}
