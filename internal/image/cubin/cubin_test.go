package cubin_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// files returns the files of a kind in testdata, by name.
func files(t testing.TB, pattern string) []string {
	t.Helper()
	paths := must.Glob(t, filepath.Join("testdata", pattern))
	return paths
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data := must.Read(t, path)
	return data
}

func open(t testing.TB, path string) *cubin.File {
	t.Helper()
	f, err := cubin.Open(read(t, path))
	require.NoError(t, err, path)
	return f
}

// TestDumps compares the text of each cubin of testdata with the one beside
// it.
func TestDumps(t *testing.T) {
	dumps := make(map[string]bool)
	for _, path := range files(t, "cubins/*.cubin") {
		want := filepath.Join("testdata", "dumps", strings.TrimSuffix(filepath.Base(path), ".cubin")+".txt")
		dumps[want] = true
		golden.Hold(t, want, open(t, path).String())
	}
	for _, path := range files(t, "dumps/*.txt") {
		assert.True(t, dumps[path], "%s is of no cubin", path)
	}
}

// TestKernels checks what every cubin of module.ptx has to show, whatever it
// was made by and for: the layout of k's parameters is the module's.
func TestKernels(t *testing.T) {
	want := []cubin.Param{
		{Ordinal: 0, Offset: 0, Size: 1, PointeeAlign: 1},
		{Ordinal: 1, Offset: 16, Size: 20, PointeeAlign: 1},
		{Ordinal: 2, Offset: 40, Size: 8, PointeeAlign: 16, PointeeSpace: 4},
		{Ordinal: 3, Offset: 48, Size: 8, PointeeAlign: 8, PointeeSpace: 2},
		{Ordinal: 4, Offset: 56, Size: 8, PointeeAlign: 1, PointeeSpace: 1},
		{Ordinal: 5, Offset: 64, Size: 4, PointeeAlign: 1},
	}
	for _, path := range files(t, "cubins/*.cubin") {
		name := strings.TrimSuffix(filepath.Base(path), ".cubin")
		if !strings.HasPrefix(name, "sm_") && !strings.HasPrefix(name, "debug-") && !strings.HasPrefix(name, "linked-") {
			continue
		}
		f := open(t, path)
		target, toolkit := named(name)
		assert.Equal(t, target, f.Arch, name)
		assert.Equal(t, toolkit, f.Toolkit.String(), name)
		assert.Equal(t, strings.HasPrefix(name, "linked-"), f.Linked, name)
		k := f.Func("k")
		if !assert.NotNil(t, k, name) {
			continue
		}
		assert.True(t, k.Kernel, name)
		assert.Equal(t, want, k.Params, name)
		assert.Equal(t, 68, k.ParamSize, name)
		bank := f.Section(fmt.Sprintf(".nv.constant%d.k", k.ParamBank))
		if assert.NotNil(t, bank, name) {
			assert.EqualValues(t, k.ParamBase+k.ParamSize, bank.Size, "%s: the bank ends with the parameters", name)
		}
		funcs := []string{"leaf", "fib", "big"}
		if f.Linked {
			funcs = funcs[:2] // nothing calls big
		}
		for _, fn := range funcs {
			if g := f.Func(fn); assert.NotNil(t, g, "%s %s", name, fn) {
				assert.False(t, g.Kernel, "%s %s", name, fn)
				assert.Empty(t, g.Params, "%s %s", name, fn)
				assert.Positive(t, g.Regs, "%s %s", name, fn)
				assert.NotEmpty(t, f.Code(g), "%s %s", name, fn)
			}
		}
		assert.GreaterOrEqual(t, f.Func("leaf").FrameSize, 64, "%s: leaf has 64 bytes of its own", name)
		if !f.Linked {
			assert.Zero(t, f.Func("big").FrameSize, "%s: big's parameter is in its caller's frame", name)
		}
		called := false
		for _, r := range f.Relocs {
			called = called || r.Section == ".text.k" && r.Name == "ext" && strings.HasPrefix(r.Kind.String(), "R_CUDA_ABS")
		}
		assert.True(t, called, "%s: the call of ext is relocated; linked files keep their relocations", name)
	}
}

// named takes a name like "linked-sm_80-12.4" apart. The family variant leaves
// no trace.
func named(name string) (target, toolkit string) {
	name = name[strings.Index(name, "sm_"):]
	target, toolkit, _ = strings.Cut(name, "-")
	return strings.TrimSuffix(target, "f"), toolkit
}

// TestWide checks both records of parameters above 4,352 bytes.
func TestWide(t *testing.T) {
	for _, path := range files(t, "cubins/wide-*.cubin") {
		k := open(t, path).Func("wide")
		require.NotNil(t, k, path)
		assert.Equal(t, []cubin.Param{
			{Ordinal: 0, Offset: 0, Size: 5000, PointeeAlign: 1, V2: true},
			{Ordinal: 1, Offset: 5000, Size: 8, PointeeAlign: 32, PointeeSpace: 4, V2: true},
			{Ordinal: 2, Offset: 5008, Size: 2, PointeeAlign: 1, V2: true},
		}, k.Params, path)
		assert.Equal(t, 5010, k.ParamSize, path)
	}
}

// TestHandles checks that opaque handles have no place.
func TestHandles(t *testing.T) {
	for _, path := range files(t, "cubins/handles-*.cubin") {
		k := open(t, path).Func("handles")
		require.NotNil(t, k, path)
		assert.Equal(t, []cubin.Param{
			{Ordinal: 0, Offset: 0, Size: 4, PointeeAlign: 1},
			{Ordinal: 1, Offset: -1, PointeeAlign: 1, PointeeSpace: 6},
			{Ordinal: 2, Offset: -1, PointeeAlign: 1, PointeeSpace: 7},
			{Ordinal: 3, Offset: 4, Size: 1, PointeeAlign: 1},
		}, k.Params, path)
		assert.Equal(t, "texref", k.Params[1].PointeeSpace.String())
	}
}

func TestNarrow(t *testing.T) {
	for _, path := range files(t, "cubins/narrow-*.cubin") {
		f := open(t, path)
		assert.Equal(t, 32, f.AddressSize, path)
		require.NotNil(t, f.Func("k"), path)
		assert.Equal(t, []cubin.Param{
			{Ordinal: 0, Offset: 0, Size: 1, PointeeAlign: 1},
			{Ordinal: 1, Offset: 4, Size: 4, PointeeAlign: 1},
		}, f.Func("k").Params, path)
	}
}

// TestUnwind checks what the tables of -g say of registers in calls.
func TestUnwind(t *testing.T) {
	for _, tt := range []struct{ file, ret, rules string }{
		{"debug-sm_80-12.4", "R20", "same_value R16"},
		{"debug-sm_100-13.5", "R20", "same_value R16"},
		{"debug-sm_60-12.9", "none", "same_value R16"},
	} {
		f := open(t, filepath.Join("testdata", "cubins", tt.file+".cubin"))
		seen := false
		frames, err := f.Frames()
		require.NoError(t, err)
		for _, e := range frames {
			for _, fn := range e.Funcs {
				if fn.Function != "leaf" {
					continue
				}
				seen = true
				assert.Equal(t, tt.ret, e.Return.String(), tt.file)
				assert.Contains(t, fmt.Sprint(e.Rules), tt.rules, tt.file)
			}
		}
		assert.True(t, seen, "%s has a table of leaf", tt.file)
	}
}
