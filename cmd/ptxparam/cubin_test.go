package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestCubin generates from a module and from what it was compiled to, which places the
// parameters alike: names and types are all that differ.
func TestCubin(t *testing.T) {
	drift := filepath.Join(repository(t), "examples", "drift")
	dir := t.TempDir()
	for _, name := range []string{"step.ptx", "step.cubin"} {
		data := must.Read(t, filepath.Join(drift, name))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/p\n\ngo 1.21\n"), 0o666))
	offsets := func(file string) []string {
		_, stderr, status := invoke(dir, "-kernel=all", "-pkg=p", "-o=p_param.go", file)
		require.Zero(t, status, stderr)
		text := must.Read(t, filepath.Join(dir, "p_param.go"))
		var out []string
		for line := range strings.Lines(string(text)) {
			name, value, ok := strings.Cut(line, " = ")
			switch name = strings.TrimSpace(name); {
			case !ok || strings.HasPrefix(name, "return"):
			case strings.Contains(name, "Offset") || strings.HasSuffix(name, "ParamBufferSize"):
				out = append(out, strings.TrimSpace(value))
			case strings.HasSuffix(name, "Symbol"):
				out = append(out, strings.TrimSpace(value))
			}
		}
		assert.Equal(t, strings.HasSuffix(file, ".ptx"), strings.Contains(string(text), "Decl = "))
		return out
	}
	want := offsets("step.ptx")
	assert.Greater(t, len(want), 3)
	assert.Equal(t, want, offsets("step.cubin"))
	for _, name := range []string{"program", "libstep.so.1"} { // whose names do not say what they are
		require.NoError(t, os.Link(filepath.Join(dir, "step.cubin"), filepath.Join(dir, name)))
		assert.Equal(t, want, offsets(name))
	}

	// Kernels are held against what they were compiled to.
	_, stderr, status := invoke(dir, "-kernel=all", "-pkg=p", "-cubin=step.cubin", "-o=p_param.go", "step.ptx")
	require.Zero(t, status, stderr)
	text := must.Read(t, filepath.Join(dir, "step.ptx"))
	changed := strings.Replace(string(text), ".param .u32 n", ".param .u64 n", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "step.ptx"), []byte(changed), 0o666))
	_, stderr, status = invoke(dir, "-check", "-kernel=all", "-pkg=p", "-cubin=step.cubin", "-o=p_param.go", "step.ptx")
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "step is another kernel in step.cubin for sm_80: parameter 2 has 4 bytes at 12 there, and 8 at 16 here [LayoutMismatch]")
	renamed := strings.ReplaceAll(string(text), "step", "stop")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "step.ptx"), []byte(renamed), 0o666))
	_, stderr, _ = invoke(dir, "-kernel=all", "-pkg=p", "-cubin=step.cubin", "-o=p_param.go", "step.ptx")
	assert.Contains(t, stderr, "step.cubin has no kernel stop [UndeclaredName]")
	_, stderr, _ = invoke(dir, "-kernel=all", "-pkg=p", "-target=sm_90", "-cubin=step.cubin", "-o=p_param.go", "step.ptx")
	assert.Contains(t, stderr, "step.cubin has no kernel stop")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "step.ptx"), text, 0o666))
	_, stderr, _ = invoke(dir, "-kernel=all", "-pkg=p", "-target=sm_90", "-cubin=step.cubin", "-o=p_param.go", "step.ptx")
	assert.Contains(t, stderr, "step.cubin has kernel step for sm_80, and not for sm_90, which -target names [UndeclaredName]")
	_, stderr, _ = invoke(dir, "-kernel=nosuch", "-pkg=p", "-cubin=step.cubin", "-o=p_param.go", "step.ptx")
	assert.Contains(t, stderr, "nosuch")
	assert.NotContains(t, stderr, "no kernel to hold")

	// Debug information has names and types.
	debug := must.Read(t, filepath.Join(repository(t), "internal", "tool", "verify", "testdata", "debug-sm_80-12.4.cubin"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "debug.cubin"), debug, 0o666))
	_, stderr, status = invoke(dir, "-kernel=step", "-o=debug.py", "debug.cubin")
	require.Zero(t, status, stderr)
	python := must.Read(t, filepath.Join(dir, "debug.py"))
	assert.Contains(t, string(python), `("x", ctypes.c_uint64),  # float*, 8 bytes`)
	assert.Contains(t, string(python), `("n", ctypes.c_int32),  # int, 4 bytes`)

	// A kernel whose symbol only a compiler knows is held against those of its name.
	for kernel, want := range map[string]string{"float *x, int n": "", "int n, float *x": "parameter 1 has 8 bytes at 56 there, and 4 at 56 here"} {
		source := "struct P { double a[7]; }; static __global__ void step(P p, " + kernel + ");\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "step.cu"), []byte(source), 0o666))
		_, stderr, status = invoke(dir, "-kernel=step", "-cubin=debug.cubin", "-o=debug.py", "step.cu")
		assert.Equal(t, want == "", status == 0, stderr)
		assert.Contains(t, stderr, want)
	}

	// So has that of PTX.
	_, stderr, status = invoke(dir, "-kernel=step", "-o=debug.py", filepath.Join(repository(t), "internal", "tool", "verify", "testdata", "debug.ptx"))
	require.Zero(t, status, stderr)
	python = must.Read(t, filepath.Join(dir, "debug.py"))
	assert.Contains(t, string(python), `("n", ctypes.c_int32),  # int, .param .u32 _Z4step1PPfi_param_2`)

	// What a cubin does not say is said by -param, and checked.
	own := "package p\n\ntype One struct{ A int32 }\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.go"), []byte(own), 0o666))
	require.NoError(t, os.Remove(filepath.Join(dir, "p_param.go")))
	_, stderr, status = invoke(dir, "-kernel=all", "-param=step.0=One", "step.cubin")
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "step.cubin: error: -param step.0=One: it has 4 bytes, and the parameter ")
	for _, tt := range []struct{ args, want string }{
		{"-type=One step.cubin", "-type is for Go and headers; a cubin has no types"},
		{"-kernel=all -emit-ptx=y.ptx step.cubin", "-emit-ptx needs types, which a cubin does not have"},
		{"-kernel=nothing step.cubin", "no kernel nothing"},
		{"-kernel=all -target=sm_75 step.cubin", "and not for sm_75"},
	} {
		_, stderr, status := invoke(dir, strings.Fields(tt.args)...)
		assert.NotZero(t, status)
		assert.Contains(t, stderr, tt.want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cut.cubin"), []byte("\x7fELF"), 0o666))
	_, stderr, status = invoke(dir, "-kernel=all", "-pkg=p", "cut.cubin")
	assert.Equal(t, 2, status, stderr)
}
