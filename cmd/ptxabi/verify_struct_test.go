package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	cxxCubin  = "../../internal/tool/verify/testdata/cxx-sm_80-12.4.cubin"
	goStructs = `package p

type Whole struct {
	Dt float32
	_  uint32
	P  struct {
		Pos [2]float64
		ID  int64
	}
	X uint64
}

type Bad struct {
	N int
}

type Particle struct {
	Pos [2]float64
	ID  int32
}

// Drifted has the size of Whole.
type Drifted struct {
	X  uint64
	Dt float32
	_  uint32
	P  Particle
}

type Grown struct {
	Pos  [2]float64
	ID   int64
	Mass float64
}

type Narrow struct {
	Pos [6]float32
}

// Flat has the members of Particle one by one.
type Flat struct {
	Dt   float32
	_    uint32
	X, Y float64
	ID   int32
	Out  uint64
}

// Short lacks one of them.
type Short struct {
	Dt  float32
	X   float64
	ID  int32
	_   [12]byte
	Out uint64
}
`
)

// TestVerifyStruct compares structs with kernels that C++ has named.
func TestVerifyStruct(t *testing.T) {
	schema := readSchema(t, "verify")
	goFile := writeSource(t, "s.go", goStructs)
	header := writeSource(t, "s.h", "struct Particle { double pos[2]; int id; };\n")
	for _, tt := range []struct {
		what   string
		args   []string
		status int
		want   []string
	}{
		{"field by field", []string{"-type", "Whole", "-kernel", "step", cxxCubin, goFile}, 0, []string{
			"kernel step(float, Particle, double*): same as struct Whole, c[0x0][0x160], 40 bytes",
		}},
		{"member by member", []string{"-type", "Flat", "-kernel", "step", cxxCubin, goFile}, 0, []string{
			"kernel step(float, Particle, double*): same as struct Flat, c[0x0][0x160], 40 bytes",
		}},
		{"with bytes that nothing has", []string{"-type", "Short", "-kernel", "step", cxxCubin, goFile}, 1, []string{
			"  parameter 1 (X) has 24 bytes, 8 in ",
		}},
		{"of the same size", []string{"-type", "Drifted", "-kernel", "step", cxxCubin, goFile}, 1, []string{
			"kernel step(float, Particle, double*): differs from struct Drifted\n",
			"  parameter 0 (X) has 4 bytes, 8 in ", "  parameter 1 (Dt) has 24 bytes, 4 in ", "  parameter 2 (P) at offset 32, at 16 in ",
			"\n  > 0      0 … 8  uint64_t X  ", "\n             32 … 36  int32_t ID\n",
		}},
		{"by value", []string{"-type", "Particle", "-kernel", "step", "-param", "1", cxxCubin, goFile}, 0, []string{"same as struct Particle"}},
		{"by value, in C", []string{"-type", "Particle", "-kernel", "_Z4stepf8ParticlePd", "-param", "1", cxxCubin, header}, 0, []string{"same as struct Particle"}},
		{"grown", []string{"-type", "Grown", "-kernel", "step", "-param", "1", cxxCubin, goFile}, 1, []string{
			"  parameter 1 (Grown) has 24 bytes, 32 in ", "\n             32 … 40  double Mass\n", "\n1 difference\n", "8 … 40  struct Grown Grown",
		}},
		{"less aligned", []string{"-type", "Narrow", "-kernel", "step", "-param", "1", cxxCubin, goFile}, 1, []string{
			"  parameter 1 (Narrow) at offset 8, at 4 in ", "\n1 difference\n",
		}},
		{"too far", []string{"-type", "Grown", "-kernel", "step", "-param", "3", cxxCubin, goFile}, 1, []string{
			"s.go:30: Grown is for parameter 3, and the kernel has 3\n",
		}},
		{"the only parameter", []string{"-type", "Particle", "-kernel", "sim::run", cxxCubin, goFile}, 1, []string{
			"kernel sim::run(int): differs", "  parameter 0 (Particle) has 4 bytes, 24 in ",
		}},
		{"no kernel", []string{"-type", "Whole", "-kernel", "stop", cxxCubin, goFile}, 1, []string{
			"kernel stop: only in source", "  not here, so that Whole of ",
		}},
	} {
		r := ptxabi(nil, append([]string{"verify"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.what)
		}
		r = ptxabi(nil, append([]string{"verify", "-format=json"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		schema.check(t, r.stdout)
	}
}

// TestVerifyPackage takes a struct out of a package of several files.
func TestVerifyPackage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":      "package p\n\ntype Args struct {\n\tDt float32\n\t_  uint32\n\tP  Particle\n\tX  Address\n}\n",
		"b.go":      "package p\n\n//ptxabi:align 8\ntype Particle struct {\n\tPos [2]float64\n\tID  int64\n}\n\ntype Address uint64\n",
		"b_test.go": "package p\n\ntype Other struct{}\n",
		"x.go":      "package other\n\ntype Args struct{}\n",
		"bad.go":    "package p\n\nfunc (",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	r := ptxabi(nil, "verify", "-type", "Args", "-kernel", "step", cxxCubin, dir)
	assert.Equal(t, 0, r.status, r.stderr+r.stdout)
	assert.Contains(t, r.stdout, filepath.Join(dir, "a.go")+"\n\nkernel step(float, Particle, double*): same as struct Args, c[0x0][0x160], 40 bytes, the inside of P is unknown\n")
	r = ptxabi(nil, "verify", "-type", "Other", "-kernel", "step", cxxCubin, dir)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, dir+": no Go file in it declares the type Other")
	r = ptxabi(nil, "verify", cxxCubin, dir)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, dir+": is a directory")
	// The examples' own structs.
	r = ptxabi(nil, "verify", "-type", "Args", "../../examples/drift/step.cubin", "../../examples/drift")
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "kernel step: same as struct Args, c[0x0][0x160], 16 bytes")
	r = ptxabi(nil, "verify", "-type", "OldArgs", "../../examples/drift/step.cubin", "../../examples/drift")
	assert.Equal(t, 1, r.status)
	for _, want := range []string{
		"../../examples/drift/step.cubin (sm_80", "kernel step: differs from struct OldArgs",
		"  parameter 0 (Dt) has 8 bytes, 4 in ../../examples/drift/host.go\n", "  parameter 1 (N) at offset 8, at 4 in ",
	} {
		assert.Contains(t, r.stdout, want)
	}
}

// TestVerifyOneParam compares a struct that one parameter has with all of them: the report says
// which flag compares it with that one.
func TestVerifyOneParam(t *testing.T) {
	goFile := writeSource(t, "s.go", goStructs)
	r := ptxabi(nil, "verify", "-type", "Particle", "-kernel", "step", cxxCubin, goFile)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "; parameter 1 has 24: -param 1 compares Particle with it alone\n")
	r = ptxabi(nil, "verify", "-type", "Particle", "-kernel", "step", "-param", "1", cxxCubin, goFile)
	assert.Equal(t, 0, r.status, r.stdout)
	r = ptxabi(nil, "verify", "-type", "Narrow", "-kernel", "run", cxxCubin, goFile)
	assert.Equal(t, 1, r.status)
	assert.NotContains(t, r.stdout, "-param")
}

// TestVerifyNoKernel compares a struct with a kernel that the cubin has not.
func TestVerifyNoKernel(t *testing.T) {
	goFile := writeSource(t, "s.go", goStructs)
	for name, want := range map[string]string{
		"stp":     "; did you mean step?\n",
		"run":     "; did you mean sim::run?\n",
		"nothing": "\n",
	} {
		r := ptxabi(nil, "verify", "-type", "Whole", "-kernel", name, cxxCubin, goFile)
		assert.Equal(t, 1, r.status, name)
		assert.Contains(t, r.stderr, cxxCubin+": note: it has no kernel "+name+want)
		assert.Contains(t, r.stdout, "kernel "+name+": only in source")
	}
}
