package verify_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestPTXIsLikeItsCubin compares what is taken of a text with what the assembler
// recorded of it: parameters, handles, blocks, and the kinds of what functions
// return and take.
func TestPTXIsLikeItsCubin(t *testing.T) {
	paths := must.Glob(t, filepath.Join(cubins, "*.cubin"))
	kernels, prototypes := 0, 0
	for _, path := range paths {
		name, _, body, bits := moduleOf(t, path)
		f, err := open(path)
		require.NoError(t, err)
		outline, err := ptx.ParseOutline(name, fmt.Sprintf(".version 8.6\n.target %s\n", f.Arch)+string(body))
		require.NoError(t, err, name)
		row, err := abi.Assume(f.Arch)
		require.NoError(t, err)
		p := (&verify.Module{Module: outline.Module()}).PTX(row, bits)
		assert.Equal(t, f.AddressSize, p.AddressSize, name)
		assert.Equal(t, f.Kernels(), p.Kernels(), name)
		for _, k := range p.Kernels() {
			want, got := f.Func(k), p.Func(k)
			alone := len(want.Params) > 0 && want.ParamBase < 0 // handles, of which a text says more
			if !alone {
				assert.Equal(t, want.ParamSize, got.ParamSize, "%s: %s", name, k)
			}
			if len(want.Params) > 0 && !alone {
				assert.Equal(t, want.ParamBank, got.ParamBank, "%s: %s", name, k)
				assert.Equal(t, want.ParamBase, got.ParamBase, "%s: %s", name, k)
			}
			assert.Equal(t, places(want.Params), places(got.Params), "%s: %s", name, k)
			assert.Equal(t, want.MaxThreads, got.MaxThreads, "%s: %s", name, k)
			assert.Equal(t, want.ReqThreads, got.ReqThreads, "%s: %s", name, k)
			kernels++
		}
		for _, want := range f.Prototypes {
			if i := slices.IndexFunc(p.Prototypes, func(q cubin.Prototype) bool { return q.Name == want.Name }); i >= 0 {
				assert.Equal(t, want.Text, p.Prototypes[i].Text, "%s: %s", name, want.Name)
				prototypes++
			}
		}
	}
	assert.Greater(t, kernels, 100)
	assert.Greater(t, prototypes, 50)
}

// TestPTXAliases holds PTX with aliases against itself, and against a source in
// which they are others.
func TestPTXAliases(t *testing.T) {
	const head = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .func f () { ret; }\n.visible .func g () { ret; }\n"
	row := must.Target(t, "sm_80")
	read := func(text string) *ptx.Module {
		m := must.Parse(t, "x.ptx", []byte(head+text))
		return m
	}
	image := (&verify.Module{Module: read(".visible .func a ();\n.alias a, f;\n")}).PTX(row, 64)
	for text, want := range map[string]string{
		".visible .func a ();\n.alias a, f;\n": "",
		".weak .func a ();\n.alias a, f;\n":    "",
		".visible .func a ();\n.alias a, g;\n": "an alias of f here, of g in x.ptx:6",
		".visible .func a () { ret; }\n":       "an alias of f here, a function of its own in x.ptx:6",
		".visible .func b ();\n.alias b, f;\n": "not here; it stands in x.ptx:6",
		"":                                     "x.ptx has no such function",
	} {
		r := (&verify.Binary{File: image.File, Name: "x.fatbin", PTX: image, Number: 1}).Compare(verify.NewModule(read(text)).On(row))
		assert.Equal(t, want == "", r.OK(), text)
		assert.Contains(t, strings.Join(r.Findings(), "\n"), want)
	}
}

// places are offset, size and kind of each parameter.
func places(list []cubin.Param) []string {
	var all []string
	for _, p := range list {
		if p.Offset < 0 {
			all = append(all, p.PointeeSpace.String())
			continue
		}
		all = append(all, fmt.Sprint(p.Offset, p.Size))
	}
	return all
}
