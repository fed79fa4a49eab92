package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/images"
)

type assignedImage struct {
	Image, Kind, Target string
	Functions           []images.Function
}

// assignedImages are the images in the JSON of assign, whether one or several.
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
	t.Parallel()
	schema, lines := readSchema(t, "assign"), readSchema(t, "jsonl")
	files := must.Glob(t, cubinData+"/cubins/*.cubin")
	require.Greater(t, len(files), 50)
	for _, file := range files {
		data := must.Read(t, file)
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
