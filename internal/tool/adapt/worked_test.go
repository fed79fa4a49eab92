package adapt_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// worked returns what is in the folder of the worked case: clang's function, numba's
// kernel, and the shim between them.
func worked(t *testing.T) (callee, kernel, shim string) {
	t.Helper()
	read := func(name string) string {
		data := must.Read(t, filepath.Join("testdata", "worked", name))
		return string(data)
	}
	r, err := layoutcmd.Load("scale.h", []byte(read("scale.h")), layoutcmd.Options{})
	require.NoError(t, err)
	o := adapt.Options{Name: "scale_for_numba", Symbol: "scale"}
	o.From, err = adapt.ParseConvention("numba")
	require.NoError(t, err)
	o.To, err = adapt.ParseConvention("clang")
	require.NoError(t, err)
	s, list := adapt.FromPrototype(r, r.Unit.Funcs[0], o)
	require.Empty(t, list)
	return read("scale.ptx"), read("kernel.ptx"), string(s.Text(adapt.Head{Version: ptx.Version{Major: 6, Minor: 3}, Target: "sm_75"}))
}

// TestWorked calls clang's function in numba's kernel with (1, 2, 3) and -3: through the
// shim, and directly.
func TestWorked(t *testing.T) {
	callee, kernel, shim := worked(t)
	require.Equal(t, strings.Count(kernel, "scale_for_numba"), 7, "its declaration and its call")

	const out = 0x40000000
	name, block := kernelOf(t, kernel)
	for off, f := range map[int]float32{56: 1, 60: 2, 64: 3} {
		binary.LittleEndian.PutUint32(block[off:], math.Float32bits(f))
	}
	binary.LittleEndian.PutUint64(block[32:], out)

	// run returns what scale gets, as it looks for it, and what the kernel stores.
	run := func(mods ...*ptx.Module) (args, result [3]float32, s int8, stored bool) {
		target := must.Target(t, "sm_75")
		x := &machine{t: target, params: block, memory: []region{newRegion(out, 12)}}
		word := func(m *sim.Machine, r sass.Reg) uint32 {
			w := m.Reg(r)
			return uint32(w[0].Val) | uint32(w[1].Val)<<8 | uint32(w[2].Val)<<16 | uint32(w[3].Val)<<24
		}
		x.called = func(m *sim.Machine, name string) error {
			if name == "scale" {
				for i := range args {
					args[i] = math.Float32frombits(word(m, x.asns[name].Params[0].Loc.Reg+sass.Reg(i)))
				}
				s = int8(word(m, x.asns[name].Params[1].Loc.Reg))
			}
			return nil
		}
		require.NoError(t, x.run(name, mods...))
		for i := range result {
			data, ok := x.memory[0].get(4*i, 4)
			stored = ok
			result[i] = math.Float32frombits(binary.LittleEndian.Uint32(data))
		}
		return args, result, s, stored
	}

	args, result, s, stored := run(parsed(t, callee), parsed(t, shim), parsed(t, kernel))
	assert.Equal(t, [3]float32{1, 2, 3}, args)
	assert.Equal(t, int8(-3), s)
	assert.True(t, stored)
	assert.Equal(t, [3]float32{-3, -6, -9}, result)

	// Without it scale takes the two words of an address for x and y, x for z, and the
	// lowest byte of y for s; numba takes the first word of the result for the status, and
	// what it had put where the result was to go for the result.
	args, result, s, _ = run(parsed(t, callee), parsed(t, strings.ReplaceAll(kernel, "scale_for_numba", "scale")))
	assert.NotEqual(t, float32(1), args[0])
	assert.NotEqual(t, float32(2), args[1])
	assert.Equal(t, float32(1), args[2])
	assert.Equal(t, int8(0), s)
	assert.Equal(t, [3]float32{}, result)
}

// kernelOf returns the name of the kernel in a module and its parameters, as zeros.
func kernelOf(t *testing.T, text string) (string, []byte) {
	t.Helper()
	for _, it := range parsed(t, text).Items {
		if f, ok := it.(*ptx.Func); ok && f.Entry {
			return f.Name, make([]byte, 68)
		}
	}
	t.Fatal("no kernel in it")
	return "", nil
}

// TestWorkedLinks assembles the three and links them.
func TestWorkedLinks(t *testing.T) {
	callee, kernel, shim := worked(t)
	tools, err := oracle.Find()
	require.NoError(t, err)
	linked := 0
	for _, tk := range tools.Toolkits {
		if tk.Nvlink == "" || tk.PTX.Major < 8 || tk.PTX.Major == 8 && tk.PTX.Minor < 8 { // which numba's module is of
			continue
		}
		linkAll(t, tk, "sm_75", callee, kernel, shim)
		linked++
	}
	if linked == 0 {
		t.Skip("not assembled and linked: no nvlink beside a ptxas that knows PTX 8.8; " + oracle.EnvVar + " names folders to look in")
	}
	t.Logf("linked by %d releases", linked)
}

// TestExample executes the example with a mapping: 1, 2 and 3 have the squares' sum 14,
// which -3 in eight bits turns into -42.
func TestExample(t *testing.T) {
	read := func(name string) string {
		data := must.Read(t, filepath.Join("..", "..", "..", "examples", "adapt", name))
		return string(data)
	}
	function := func(text, name string) *ptx.Func {
		for _, it := range parsed(t, text).Items {
			if f, ok := it.(*ptx.Func); ok && f.Name == name {
				return f
			}
		}
		t.Fatal("no function " + name)
		return nil
	}
	target := must.Target(t, "sm_75")
	caller, callee := read("main.ptx"), read("norm.ptx")
	for name, mapping := range map[string]string{
		"as it is":     read("norm.map"),
		"byte by byte": strings.NewReplacer("@4", "", "caller.x      ->", "caller.x[0:1] -> callee.v[0:1]; caller.x[1:3] -> callee.v[1:3]; caller.x[3:4] ->", "callee.v[0:4]", "callee.v[3:4]").Replace(read("norm.map")),
	} {
		s, list := adapt.FromMapping(function(caller, "norm_main"), function(callee, "norm"), "norm_main", "norm.map", mapping)
		require.Empty(t, list, name)
		const out = 0x40000000
		x := &machine{t: target, params: make([]byte, 20), memory: []region{newRegion(out, 4)}}
		binary.LittleEndian.PutUint64(x.params, out)
		for i := range 3 {
			binary.LittleEndian.PutUint32(x.params[8+4*i:], math.Float32bits(float32(i+1)))
		}
		require.NoError(t, x.run("k", parsed(t, callee), parsed(t, string(s.Text(head))), parsed(t, caller)), "%s\n%s", name, s.Text(head))
		data, ok := x.memory[0].get(0, 4)
		assert.True(t, ok)
		assert.Equal(t, float32(-42), math.Float32frombits(binary.LittleEndian.Uint32(data)), name)
	}
}
