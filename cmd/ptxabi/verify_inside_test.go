package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVerifyInside compares PTX, which NVIDIA's compiler 11.8 made of inside.cu, with that file and with others whose
// parameters have as many bytes.
func TestVerifyInside(t *testing.T) {
	const data = "../../internal/verify/testdata/"
	text, err := os.ReadFile(data + "inside.cu")
	require.NoError(t, err)
	schema := readSchema(t, "verify")
	r := ptxabi(nil, "verify", "-strict", data+"inside.ptx", data+"inside.cu")
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.NotContains(t, r.stdout, "unknown")
	for _, tt := range []struct{ what, old, with, want string }{
		{
			"members that are swapped", "int n; double d;", "double d; int n;",
			"kernel step(P, float*, int): differs\n  parameter 0 (p): line 20 reads a float of 8 bytes at 16 of it, where FILE has int n\n",
		},
		{"a float and an integer", "float b; int n", "int n; float b", "line 17 reads a float of 4 bytes at 4 of it, where FILE has int n\n"},
		{"two floats that are a double", "float a; float b", "double a", "line 17 reads a float of 4 bytes at 0 of it, where FILE has double a\n"},
		{"an integer that is longer", "long x; int y", "int y; long x", "reads 8 bytes at 0 of it, where FILE has int y\n"},
		{"a scalar", "three(R r, float v)", "three(R r, int v)", "  parameter 1 (v) is a float here, int in FILE\n"},
		{"another", "index(R r, int i)", "index(R r, float i)", "  parameter 1 (i) is an integer here, float in FILE\n"},
		{"a bound", "(128, 4)", "(256, 4)", "  compiled for .maxntid 128, 1, 1, FILE:4 has __launch_bounds__(256)\n"},
		{"registers", "(128, 4)", "(128, 8)", "  .minnctapersm allows 128 registers, __launch_bounds__ of FILE:4 allows 64\n"},
	} {
		changed := strings.Replace(string(text), tt.old, tt.with, 1)
		require.NotEqual(t, string(text), changed)
		file := writeSource(t, "k.cu", changed)
		r := ptxabi(nil, "verify", data+"inside.ptx", file)
		assert.Equal(t, 1, r.status, tt.what)
		assert.Contains(t, strings.ReplaceAll(r.stdout, file, "FILE"), tt.want, tt.what)
		schema.check(t, ptxabi(nil, "verify", "-format=json", data+"inside.ptx", file).stdout)
	}
	// The lines of both, in formats of others.
	file := writeSource(t, "k.cu", strings.Replace(string(text), "float b; int n", "int n; float b", 1))
	r = ptxabi(nil, "verify", "-format=github", data+"inside.ptx", file)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "::error file="+file+",line=4,")
	r = ptxabi(nil, "verify", "-format=sarif", data+"inside.ptx", file)
	for _, want := range []string{`"startLine": 4`, `"startLine": 17`, `"KernelMismatch"`, "inside.ptx"} {
		assert.Contains(t, r.stdout, want)
	}
	r = ptxabi(nil, "verify", "-type", "P", "-kernel", "step", "-param", "0", data+"inside.ptx", file)
	assert.Equal(t, 1, r.status, r.stdout)
	assert.Contains(t, r.stdout, "line 17 reads a float of 4 bytes at 4 of it")
}

// TestVerifyUnknown has a cubin, which says nothing of what is inside of a parameter.
func TestVerifyUnknown(t *testing.T) {
	file := writeSource(t, "k.cu", "struct Particle { double pos[2]; int id; };\n__global__ void step(float dt, Particle p, double *x);\n")
	r := ptxabi(nil, "verify", "-kernel", "step", cxxCubin, file)
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Contains(t, r.stdout, "kernel step(float, Particle, double*): same, c[0x0][0x160], 40 bytes, the inside of p is unknown\n")
	r = ptxabi(nil, "verify", "-strict", "-kernel", "step", cxxCubin, file)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "\n  the inside of p is unknown\n")
	assert.Contains(t, r.stdout, ": differs\n")
}
