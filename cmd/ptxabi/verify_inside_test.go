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
	const data = "../../internal/tool/verify/testdata/"
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

// TestVerifyJoined has PTX that clang 19 made of joined.cu at -O2. It reads neighbours of different types with one
// ld.param.v2.u32, so that only the uses of the registers show which of them is a float.
func TestVerifyJoined(t *testing.T) {
	const data = "../../internal/tool/verify/testdata/"
	text, err := os.ReadFile(data + "joined.cu")
	require.NoError(t, err)
	r := ptxabi(nil, "verify", data+"joined.ptx", data+"joined.cu")
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Contains(t, r.stdout, "kernel used(S, float*, int*): same, c[0x0][0x160], 48 bytes\n")
	assert.Contains(t, r.stdout, "48 bytes, the kind of s.a, s.b is unknown\n")
	assert.Contains(t, r.stdout, "40 bytes, the kind of s.b, s.d is unknown\n")
	assert.Equal(t, 0, ptxabi(nil, "verify", "-strict", "-kernel", "used", data+"joined.ptx", data+"joined.cu").status)
	for _, kernel := range []string{"stored", "copied"} {
		r := ptxabi(nil, "verify", "-strict", "-kernel", kernel, data+"joined.ptx", data+"joined.cu")
		assert.Equal(t, 1, r.status, kernel)
		assert.Contains(t, r.stdout, "\n  the kind of s.b is unknown\n")
	}

	changed := strings.Replace(string(text), "int a; float b", "float a; int b", 1)
	require.NotEqual(t, string(text), changed)
	file := writeSource(t, "k.cu", changed)
	r = ptxabi(nil, "verify", data+"joined.ptx", file)
	assert.Equal(t, 1, r.status, r.stdout)
	assert.Contains(t, r.stdout, "reads a float of 4 bytes at 4 of it, where "+file+" has int b\n")
	for _, kernel := range []string{"used", "stored", "copied"} {
		r := ptxabi(nil, "verify", "-strict", "-format", "json", "-kernel", kernel, data+"joined.ptx", file)
		assert.Equal(t, 1, r.status, kernel)
		readSchema(t, "verify").check(t, r.stdout)
	}
}

// TestVerifyUses has the ways in which PTX shows whether a member is a float.
func TestVerifyUses(t *testing.T) {
	const head = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .align 8 .b8 k_param_0[24])\n{\n" +
		"\t.reg .b32 %r<9>;\n\t.reg .f32 %f<9>;\n\t.reg .b64 %rd<9>;\n"
	const pair = "\tld.param.v2.b32 {%r1, %r2}, [k_param_0];\n"
	const unknown = "the kind of s.f is unknown"
	const difference = "reads a float of 4 bytes at 4 of it"
	for _, tt := range []struct{ what, body, second, want string }{
		{"a float in a register of bits", pair + "add.s32 %r3, %r1, 1; add.f32 %r4, %r2, %r2;", "float", ""},
		{"exchanged", pair + "add.s32 %r3, %r1, 1; add.f32 %r4, %r2, %r2;", "int", difference},
		{"a copy of a register", pair + "add.s32 %r3, %r1, 1; mov.b32 %r4, %r2; mov.b32 %f1, %r4;", "int", difference},
		{"stored", pair + "add.s32 %r3, %r1, 1; st.global.b32 [%rd1], %r2;", "float", unknown},
		{"stored as an integer", pair + "add.s32 %r3, %r1, 1; st.global.u32 [%rd1], %r2;", "int", unknown},
		{"a sign that is tested", pair + "add.s32 %r3, %r1, 1; shr.u32 %r4, %r2, 31;", "float", unknown},
		{"written again", pair + "add.s32 %r3, %r1, 1; mov.u32 %r2, 0; mov.b32 %f1, %r2;", "int", unknown},
		{"both", pair + "add.s32 %r3, %r1, 1; mov.b32 %f1, %r2; add.s32 %r4, %r2, 1;", "float", unknown},
		{"alone", "ld.param.u32 %r2, [k_param_0+4];", "int", ""},
		{"a float that is copied as an integer", "ld.param.u32 %r2, [k_param_0+4]; st.global.u32 [%rd1], %r2;", "float", unknown},
		{"joined", "ld.param.u64 %rd2, [k_param_0]; mov.b64 {%r1, %r2}, %rd2; add.s32 %r3, %r1, 1; mov.b32 %f1, %r2; ld.param.f64 %fd1, [k_param_0+8];", "float", ""},
		{"joined and exchanged", "ld.param.u64 %rd2, [k_param_0]; mov.b64 {%r1, %r2}, %rd2; add.s32 %r3, %r1, 1; mov.b32 %f1, %r2; ld.param.f64 %fd1, [k_param_0+8];", "int", unknown},
		{"joined and stored", "ld.param.u64 %rd2, [k_param_0]; st.global.u64 [%rd1], %rd2; ld.param.f64 %fd1, [k_param_0+8];", "float", "the kind of s.i, s.f is unknown"},
		{"a union", pair + "add.s32 %r3, %r1, 1; mov.b32 %f1, %r2;", "union { int a; float b; }", ""},
	} {
		module := writeSource(t, "k.ptx", head+strings.ReplaceAll(tt.body, "; ", ";\n\t")+"\n\t.reg .f64 %fd<3>;\n\tret;\n}\n")
		file := writeSource(t, "k.cu", "struct S { int i; "+tt.second+" f; double d; long l; };\nextern \"C\" __global__ void k(S s);\n")
		r := ptxabi(nil, "verify", module, file)
		strict := ptxabi(nil, "verify", "-strict", module, file)
		if tt.want == "" {
			assert.Contains(t, r.stdout, "24 bytes\n", tt.what)
			assert.Equal(t, 0, strict.status, tt.what+strict.stdout)
			continue
		}
		assert.Contains(t, r.stdout, tt.want, tt.what)
		assert.Equal(t, tt.want == difference, r.status == 1, tt.what)
		assert.Equal(t, 1, strict.status, tt.what)
	}
}
