package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/images"
)

type assignedImage struct {
	Image, Kind, Target string
	Functions           []images.Function
}

// assignedImages are the images of what assign prints as JSON, whether one or several.
func assignedImages(t *testing.T, text string) []assignedImage {
	t.Helper()
	var doc struct {
		assignedImage
		Images []assignedImage
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	if doc.Images == nil {
		return []assignedImage{doc.assignedImage}
	}
	return doc.Images
}

// TestAssignCubins holds that assign has of every kept cubin the kernels and parameters that it records,
// as text, as JSON and in lines, in the form of the schema.
func TestAssignCubins(t *testing.T) {
	schema, lines := readSchema(t, "assign"), readSchema(t, "jsonl")
	files, err := filepath.Glob(cubinData + "/cubins/*.cubin")
	require.NoError(t, err)
	require.Greater(t, len(files), 50)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		want, err := cubin.Open(data)
		require.NoError(t, err)
		r := ptxabi(nil, "assign", "-format", "json", file)
		require.Equal(t, 0, r.status, r.stderr)
		schema.check(t, r.stdout)
		all := assignedImages(t, r.stdout)
		require.Len(t, all, 1)
		assert.Equal(t, want.Arch, all[0].Target)
		got := make(map[string]images.Function)
		for _, f := range all[0].Functions {
			got[f.Name] = f
		}
		for _, fn := range want.Functions {
			if !fn.Kernel {
				continue
			}
			f := got[fn.Name]
			require.Len(t, f.Params, len(fn.Params), "%s %s", file, fn.Name)
			assert.Equal(t, max(fn.ParamSize, 0), f.Block.Size)
			for i, p := range fn.Params {
				v := f.Params[i]
				assert.Equal(t, p.Size, v.Size)
				if p.Offset < 0 {
					assert.Equal(t, "none", v.Location.Kind)
					continue
				}
				assert.Equal(t, p.Offset, *v.Offset)
				assert.Equal(t, fn.ParamBase+p.Offset, *v.Location.Offset)
			}
		}
		r = ptxabi(nil, "assign", "-format", "jsonl", file)
		require.Equal(t, 0, r.status, r.stderr)
		assert.Equal(t, 1, strings.Count(r.stdout, "\n"))
		lines.check(t, r.stdout)
		r = ptxabi(nil, "assign", file)
		assert.Equal(t, 0, r.status, r.stderr)
		assert.Contains(t, r.stdout, "target "+want.Arch+"\n")
	}
}

// TestAssignImages has files with several images, what is chosen of them, and what is known beside the records.
func TestAssignImages(t *testing.T) {
	schema, lines := readSchema(t, "assign"), readSchema(t, "jsonl")
	const fatbins = cubinData + "/fatbins/"
	for _, name := range []string{"lz4-11.8", "plain-12.4", "zstd-13.5"} {
		file := fatbins + name + ".fatbin"
		r := ptxabi(nil, "assign", "-format", "json", file)
		require.Equal(t, 0, r.status, r.stderr)
		schema.check(t, r.stdout)
		all := assignedImages(t, r.stdout)
		require.Len(t, all, 3)
		for _, m := range all {
			require.Len(t, m.Functions, 1)
			s := m.Functions[0].Params[0]
			assert.Equal(t, images.PTX, s.Source, "the module has its PTX beside the cubins")
			assert.Equal(t, "s", s.Name)
			assert.Equal(t, 16, s.Align)
		}
		r = ptxabi(nil, "assign", "-format", "jsonl", file, "../../examples/drift/step.ptx", "none.cubin")
		assert.Equal(t, 2, r.status)
		assert.Equal(t, 5, strings.Count(r.stdout, "\n"))
		for line := range strings.Lines(r.stdout) {
			lines.check(t, line)
		}
		r = ptxabi(nil, "assign", "-target", "sm_80", "-kernel", "wide", file)
		assert.Equal(t, 0, r.status, r.stderr)
		assert.Equal(t, 1, strings.Count(r.stdout, "\ntarget "), r.stdout)
		assert.Contains(t, r.stdout, "entry wide: 5010 bytes of parameters from c[0x0][0x1a80], names from PTX for sm_90a\n")
		assert.Contains(t, r.stdout, "  param  h     c[0x0][0x2e10]    5008     2      2  .param  .b16  ptx\n")
		r = ptxabi(nil, "assign", "-format", "svg", "-target", "sm_80", file)
		assert.Equal(t, 0, r.status, r.stderr)
		assert.Contains(t, r.stdout, "<svg ")
		assert.NotContains(t, r.stdout, "aligned to 0") // a cubin records no alignments
		for _, format := range []string{"text", "json", "jsonl"} {
			r = ptxabi(nil, "assign", "-why", "-format", format, file)
			assert.Equal(t, 2, r.status)
			assert.Contains(t, r.stdout+r.stderr, "records places without the alignments that rules use")
		}
	}
	out := filepath.Join(t.TempDir(), "out.json")
	r := ptxabi(nil, "assign", "-format", "json", "-o", out, fatbins+"plain-12.4.fatbin")
	require.Equal(t, 0, r.status, r.stderr)
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	schema.check(t, string(data))
	r = ptxabi(nil, "assign", "-kernel", "nope", "-o", out+"2", fatbins+"plain-12.4.fatbin")
	assert.Equal(t, 2, r.status)
	assert.NoFileExists(t, out+"2")
	wide := wideCubin(t)
	broken := wide
	broken.data = broken.data[:len(broken.data)/2]
	file := writeSource(t, "x.fatbin", fatbin(wide, broken, entry{kind: 8, arch: 80, flags: 1, data: "BC"}))
	for _, tt := range []struct {
		args   []string
		status int
		stdout string
		stderr string
	}{
		{[]string{file}, 2, "entry wide: 5010 bytes", "offset 0x"},
		{[]string{file}, 2, "entry wide: 5010 bytes", "left out: 1 image of nvvm, neither a cubin nor PTX"},
		{[]string{"-kernel", "wade", file}, 2, "", `x.fatbin: no kernel "wade"; did you mean wide?`},
		{[]string{"-target", "sm_90", file}, 2, "", "x.fatbin: nothing in it for sm_90, only for sm_80"},
		{[]string{"-format", "svg", file}, 2, "", "2 images, and -format svg is for one"},
		{[]string{"-format", "svg", "-kernel", "wide", file}, 0, "<svg ", ""},
		{[]string{"-format", "svg", "-kernel", "wide", "../../internal/image/cubin/testdata/fatbins/plain-12.4.fatbin"}, 2, "", "images of"},
		{[]string{"-kernel", "nope", "../../examples/drift/step.ptx"}, 2, "", `no kernel "nope"`},
		{[]string{"-kernel", "step", "../../examples/drift/step.ptx"}, 0, "entry step", ""},
	} {
		r := ptxabi(nil, append([]string{"assign"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, "%v: %s", tt.args, r.stderr)
		assert.Contains(t, r.stdout, tt.stdout, "%v", tt.args)
		assert.Contains(t, r.stderr, tt.stderr, "%v", tt.args)
	}
}
