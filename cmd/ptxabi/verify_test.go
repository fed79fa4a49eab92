package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const cubinData = "../../internal/cubin/testdata"

// source writes a source to a file and returns its path.
func writeSource(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

const wideHead = ".version 8.1\n.target sm_80\n.address_size 64\n"

func wideModule(t *testing.T) string {
	t.Helper()
	body, err := os.ReadFile(cubinData + "/wide.ptx")
	require.NoError(t, err)
	return wideHead + string(body)
}

func TestVerify(t *testing.T) {
	schema := readSchema(t, "verify")
	good := writeSource(t, "wide.ptx", wideModule(t))
	bad := writeSource(t, "wide.ptx", strings.Replace(wideModule(t), "s[5000]", "s[5008]", 1))
	for _, tt := range []struct {
		what, file, source string
		status             int
		want               []string
	}{
		{"a cubin", "cubins/wide-sm_80-12.4.cubin", good, 0, []string{"(sm_80, toolkit 12.4)", "kernel wide: same, c[0x0][0x1a80], 5010 bytes", "\nno difference\n"}},
		{"a drifted struct", "cubins/wide-sm_80-12.4.cubin", bad, 1, []string{"\n  > 0      0 … 5008", "parameter 0 (s) has 5000 bytes, 5008 in ", "\n4 differences\n"}},
		{"all cubins of a fatbin", "fatbins/zstd-13.5.fatbin", good, 0, []string{"fatbin(0x", "(sm_80, toolkit 12.4)", "(sm_90, toolkit 12.4)", "c[0x0][0x210]"}},
		{
			"CUDA C++", "cubins/wide-sm_90-12.4.cubin",
			writeSource(t, "k.cu", "struct __attribute__((aligned(16))) S { char c[4992]; };\n"+
				"extern \"C\" __global__ void wide(S s, int *p, short h) {}\n"),
			1,
			[]string{"parameter 0 (s) has 5000 bytes, 4992 in ", "parameter 1 (p) at offset 5000, at 4992 in "},
		},
		{
			"a header", "cubins/narrow-sm_80-11.8.cubin",
			writeSource(t, "k.cu", "extern \"C\" __global__ void k(unsigned char c, unsigned p);\n"), 0,
			[]string{"kernel k: same, c[0x0][0x160], 8 bytes"},
		},
	} {
		r := ptxabi(nil, "verify", cubinData+"/"+tt.file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.what)
		}
		r = ptxabi(nil, "verify", "-format", "json", cubinData+"/"+tt.file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		schema.check(t, r.stdout)
	}
}

// TestVerifyTarget has modules that the cubin cannot be of, whose layouts agree.
func TestVerifyTarget(t *testing.T) {
	body := strings.TrimPrefix(wideModule(t), wideHead)
	file := cubinData + "/cubins/wide-sm_80-12.4.cubin"
	for target, status := range map[string]int{"sm_30": 0, "sm_70": 0, "sm_80": 0, "sm_86": 1, "sm_90a": 1, "sm_100f": 1} {
		src := writeSource(t, "wide.ptx", strings.Replace(wideHead, "sm_80", target, 1)+body)
		r := ptxabi(nil, "verify", file, src)
		assert.Equal(t, status, r.status, "%s: %s", target, r.stderr)
		want := "\ncode for sm_80, which " + src + " is not compiled for: its .target is " + target + "\n"
		assert.Equal(t, status != 0, strings.Contains(r.stdout, want), "%s: %s", target, r.stdout)
	}
}

func TestVerifyStdin(t *testing.T) {
	data, err := os.ReadFile(cubinData + "/cubins/wide-sm_80-12.4.cubin")
	require.NoError(t, err)
	good := writeSource(t, "wide.ptx", wideModule(t))
	r := ptxabi(data, "verify", "-", good)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "<stdin> (sm_80, toolkit 12.4) and "+good)
	r = ptxabi(data, "verify", "-", "-")
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "standard input is one of them at most")
	r = ptxabi(nil, "verify", "-", good)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "<stdin>: offset 0x0: an empty file")
}

func TestVerifyRefuses(t *testing.T) {
	good := writeSource(t, "wide.ptx", wideModule(t))
	file := cubinData + "/cubins/wide-sm_80-12.4.cubin"
	goFile := writeSource(t, "s.go", goStructs)
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{file}, 2, "verify: 1 files, expected two: CUBIN FILE"},
		{[]string{"-format", "xml", file, good}, 2, `-format "xml" is none of text, json`},
		{[]string{good, good}, 2, "neither a cubin nor a fatbin nor an ELF file"},
		{[]string{file, file}, 2, "an ELF file, not PTX text"},
		{[]string{"nowhere.cubin", good}, 2, "nowhere.cubin: no such file"},
		{[]string{file, goFile}, 2, "s.go is a Go file, which declares no kernels: -type names the struct of it that one takes"},
		{[]string{"-type", "None", file, goFile}, 2, "s.go: no such type: None"},
		{[]string{"-type", "Bad", file, goFile}, 1, "s.go:14:2: error: field N: int has no fixed size on the device"},
		{[]string{"-type", "Whole", file, good}, 2, "-type is for a Go, C or CUDA file, and "},
		{[]string{"-kernel", "wide", file, goFile}, 2, "-kernel and -param say what the struct is for that -type names"},
		{[]string{"-type", "Whole", "-param", "-2", file, goFile}, 2, "-param -2: parameters count from 0"},
		{[]string{"-type", "Whole", cxxCubin, goFile}, 2, "has 5 kernels, and -kernel does not say which -type is for: _Z4fillIfEvPT_, "},
		{[]string{"-type", "Whole", "-kernel", "add", cxxCubin, goFile}, 2, "-kernel add may mean each of _Z3addf, _Z3addi"},
		{[]string{file, writeSource(t, "x.h", "struct S { int x; };\n")}, 2, "declares no kernels"},
		{[]string{file, writeSource(t, "x.ptx", wideHead+".func (")}, 1, "x.ptx:4:"},
	} {
		r := ptxabi(nil, append([]string{"verify"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, tt.want)
		assert.Contains(t, r.stderr, tt.want)
		assert.Empty(t, r.stdout, tt.want)
	}
}

const (
	cxxCubin  = "../../internal/verify/testdata/cxx-sm_80-12.4.cubin"
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
			"kernel _Z4stepf8ParticlePd: same as struct Whole, c[0x0][0x160], 40 bytes",
		}},
		{"of the same size", []string{"-type", "Drifted", "-kernel", "step", cxxCubin, goFile}, 1, []string{
			"kernel _Z4stepf8ParticlePd: differs from struct Drifted\n",
			"  parameter 0 (X) has 4 bytes, 8 in ", "  parameter 1 (Dt) has 24 bytes, 4 in ", "  parameter 2 (P) at offset 32, at 16 in ",
			"\n  > 0      0 … 8  unsigned long long X  ", "\n             32 … 36  int32_t ID\n",
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
			"kernel _ZN3sim3runEi: differs", "  parameter 0 (Particle) has 4 bytes, 24 in ",
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

// TestVerifyMangled finds the kernels of a header in a cubin of C++.
func TestVerifyMangled(t *testing.T) {
	file := writeSource(t, "k.cu", `struct Particle { double pos[2]; int id; };
__global__ void step(float dt, Particle p, double *x);
namespace sim { __global__ void run(long n); }
__global__ void add(int n);
`)
	r := ptxabi(nil, "verify", cxxCubin, file)
	assert.Equal(t, 1, r.status, r.stderr)
	for _, want := range []string{
		"\nkernel _Z4stepf8ParticlePd: same, c[0x0][0x160], 40 bytes\n",
		"\nkernel _ZN3sim3runEi: differs\n  parameter 0 (n) has 4 bytes, 8 in ",
		"\nkernel add: differs\n", "k.cu:4 may mean each of _Z3addf, _Z3addi: ",
		"\nkernel _Z4fillIfEvPT_: only in cubin\n",
	} {
		assert.Contains(t, r.stdout, want)
	}
	assert.NotContains(t, r.stdout, "kernel _Z3add")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)
}
