package main

import (
	"debug/elf"
	encoding "encoding/binary"
	"fmt"
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

// TestVerifyChooses compares a part of what is there: the cubins for one target,
// those of a program that have something of the source, one kernel.
func TestVerifyChooses(t *testing.T) {
	good := writeSource(t, "wide.ptx", wideModule(t))
	fat := cubinData + "/fatbins/zstd-13.5.fatbin"
	r := ptxabi(nil, "verify", "-target", "90", fat, good)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "(sm_90, toolkit 12.4)")
	assert.NotContains(t, r.stdout, "sm_80,")

	library := "!<arch>\n"
	for _, name := range []string{"wide-sm_80-12.4", "sm_80-12.4"} {
		data, err := os.ReadFile(cubinData + "/cubins/" + name + ".cubin")
		require.NoError(t, err)
		library += fmt.Sprintf("%-16s%-12d%-6d%-6d%-8d%-10d`\n", name[:4]+".o/", 0, 0, 0, 644, len(data)) + string(data)
		if len(data)%2 == 1 {
			library += "\n"
		}
	}
	lib := writeSource(t, "lib.a", library)
	r = ptxabi(nil, "verify", lib, good)
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.Contains(t, r.stdout, "lib.a(wide.o, ")
	assert.NotContains(t, r.stdout, "sm_8.o")
	assert.Contains(t, r.stderr, "note: left out: it has nothing that "+good+" defines\n")
	r = ptxabi(nil, "verify", lib, writeSource(t, "x.ptx", wideHead+".visible .entry other () { ret; }\n"))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "none of 2 cubins has anything that ")

	r = ptxabi(nil, "verify", "-kernel", "step", cxxCubin, writeSource(t, "k.cu", "struct P { double x[2]; int id; };\n__global__ void step(float dt, P p, double *x);\n"))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, "kernel _Z4stepf8ParticlePd: differs\n  named _Z4stepf8ParticlePd, ")
	assert.Contains(t, r.stdout, "\n1 difference\n")
	r = ptxabi(nil, "verify", "-kernel", "k", cubinData+"/cubins/sm_80-12.4.cubin", writeSource(t, "x.ptx", wideHead+".visible .entry k () { ret; }\n"))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, "kernel k: differs\n  6 parameters, 0 in ")
	assert.NotContains(t, r.stdout, "kernel empty")
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
		{[]string{file}, 2, "verify: 1 file, expected two: CUBIN FILE"},
		{[]string{"-format", "xml", file, good}, 2, `-format "xml" is none of text, json`},
		{[]string{good, good}, 2, "neither a cubin nor a fatbin nor an ELF file"},
		{[]string{file, file}, 2, "an ELF file, not PTX text"},
		{[]string{"nowhere.cubin", good}, 2, "nowhere.cubin: no such file"},
		{[]string{file, goFile}, 2, "s.go is a Go file, which declares no kernels: -type names the struct of it that one takes"},
		{[]string{"-type", "None", file, goFile}, 2, "s.go: no such type: None"},
		{[]string{"-type", "Bad", file, goFile}, 1, "s.go:14:2: error: field N: int has no fixed size on the device"},
		{[]string{"-type", "Whole", file, good}, 2, "-type is for a Go, C or CUDA file, and "},
		{[]string{"-param", "1", file, good}, 2, "-param says what the struct is for that -type names"},
		{[]string{"-kernel", "", file, good}, 2, "-kernel is empty"},
		{[]string{"-kernel", "wade", file, good}, 2, "wide.ptx: neither has a kernel wade"},
		{[]string{"-target", "sm_90", file, good}, 2, "wide-sm_80-12.4.cubin has no cubin for sm_90, only for sm_80"},
		{[]string{"-target", "sm_1", file, good}, 2, `unknown target "sm_1"`},
		{[]string{"-type", "Whole", "-param", "-2", file, goFile}, 2, "-param -2: parameters count from 0"},
		{[]string{"-type", "Whole", cxxCubin, goFile}, 2, "has 5 kernels, and -kernel does not say which -type is for: _Z4fillIfEvPT_, "},
		{[]string{"-type", "Whole", "-kernel", "add", cxxCubin, goFile}, 2, "-kernel add may mean each of _Z3addf, _Z3addi"},
		{[]string{file, writeSource(t, "x.ptx", "\n")}, 2, "x.ptx: no PTX module in it"},
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
__global__ void add(long n);
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
	// Overloads by their parameters, and what CUDA's keyword stands for. One that
	// the cubin has not is not taken for another.
	file = writeSource(t, "k.cu", `__global__ void add(int n);
void __attribute__((global)) add(float x);
__global__ void add(const float *p);
`)
	r = ptxabi(nil, "verify", cxxCubin, file)
	for _, want := range []string{
		"\nkernel _Z3addi: same, c[0x0][0x160], 4 bytes\n", "\nkernel _Z3addf: same, c[0x0][0x160], 4 bytes\n",
		"\nkernel add: only in source\n  not here; it stands in ",
	} {
		assert.Contains(t, r.stdout, want)
	}
	file = writeSource(t, "k.cu", "__global__ void add(int n);\n__global__ void add(long n);\n")
	r = ptxabi(nil, "verify", cxxCubin, file)
	assert.Contains(t, r.stdout, "\nkernel _Z3addf: differs\n  parameter 0 (n) has 4 bytes, 8 in ")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)

	// Types of one size, and a name that is not mangled.
	file = writeSource(t, "k.cu", `namespace sim { __global__ void run(unsigned n); }
extern "C" { __global__ void add(float x); }
__global__ void add(int n);
`)
	r = ptxabi(nil, "verify", cxxCubin, file)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "\nkernel _ZN3sim3runEi: differs\n  named _ZN3sim3runEi, "+file+":1 declares _ZN3sim3runEj\n")
	assert.Contains(t, r.stdout, "\nkernel _Z3addf: differs\n  named _Z3addf, "+file+":2 declares add\n")
	file = writeSource(t, "k.cu", "struct S { int a; };\nnamespace sim { __global__ void run(int (S::*n)[1]); }\n")
	assert.Contains(t, ptxabi(nil, "verify", cxxCubin, file).stdout, ", found by its name alone, the types of its parameters are not compared\n")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)

	// A header that is not called C++ and has templates.
	file = writeSource(t, "k.h", `struct Particle { double pos[2]; int id; };
template <class T> struct Vec { T x, y; };
template <class T> __global__ void fill(T *p);
__global__ void step(float dt, Particle p, double *x);
namespace sim { __global__ void run(int n); }
__global__ void add(int n);
__global__ void add(float x);
`)
	r = ptxabi(nil, "verify", cxxCubin, file)
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Contains(t, r.stderr, "k.h:2:1: warning: templates are not supported; this one is left out [UnsupportedC]")
	assert.Contains(t, r.stdout, "\nkernel _Z4fillIfEvPT_: not compared, the instance of a template, c[0x0][0x160], 8 bytes\n")
	assert.Contains(t, r.stdout, "\nno difference\n")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)
	file = writeSource(t, "k.h", "template <class T> struct Vec { T x, y; };\n__global__ void step(Vec<float> v);\n")
	r = ptxabi(nil, "verify", cxxCubin, file)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stderr, "k.h:2:22: warning: Vec is a template, which is not supported (declared at "+file+":1:1); the kernel step is left out")
	assert.Contains(t, r.stdout, "\nkernel _Z4stepf8ParticlePd: not compared, Vec is a template, which is not supported")
	assert.Contains(t, r.stdout, "\nkernel _Z3addi: only in cubin\n")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)
	// The others are compared all the same, whatever attributes stand before the name.
	file = writeSource(t, "k.h", `template <class T> struct Vec { T x, y; };
extern "C" __attribute__((global)) void __launch_bounds__(128) step(Vec<float> v);
namespace sim { __global__ void run(long n); __global__ void gone(Vec<int> *v); }
__global__ void add(int n);
__global__ void add(float n) { Vec<int> v; }
__device__ int helper(int n);
`)
	r = ptxabi(nil, "verify", cxxCubin, file)
	assert.Equal(t, 1, r.status)
	for _, want := range []string{
		"\nkernel _Z4stepf8ParticlePd: not compared, Vec is a template", "\nkernel _ZN3sim3runEi: differs\n",
		"\nkernel sim::gone: only in source\n", "\nkernel _Z3addi: same, ", "\nkernel _Z3addf: same, ",
	} {
		assert.Contains(t, r.stdout, want)
	}
	assert.Empty(t, ptxabi(nil, "verify", cxxCubin, writeSource(t, "k.h", "template <class T> struct Vec { T x; };\nvoid f(Vec<int> v);\n__global__ void add(int n);\n")).stdout)
	// One that is C alone.
	file = writeSource(t, "k.h", "struct class { int new; };\nvoid __attribute__((global)) add(int n);\n")
	r = ptxabi(nil, "verify", cxxCubin, file)
	assert.Contains(t, r.stdout, "\nkernel _Z3addi: same, ")
}

// TestVerifyStripped has a cubin without symbols: they begin where the section
// table says that they do, and there are none.
func TestVerifyStripped(t *testing.T) {
	data, err := os.ReadFile(cubinData + "/cubins/wide-sm_80-12.4.cubin")
	require.NoError(t, err)
	table := int(encoding.LittleEndian.Uint64(data[40:]))
	count := int(encoding.LittleEndian.Uint16(data[60:]))
	for i := range count {
		if s := data[table+64*i:]; encoding.LittleEndian.Uint32(s[4:]) == uint32(elf.SHT_SYMTAB) || encoding.LittleEndian.Uint32(s[44:]) != 0 ||
			strings.HasPrefix(sectionName(data, table, i), ".nv.info") {
			encoding.LittleEndian.PutUint32(s[4:], uint32(elf.SHT_NULL))
		}
	}
	r := ptxabi(data, "verify", "-", writeSource(t, "wide.ptx", wideModule(t)))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "<stdin>: it was stripped of its symbols, without which nothing names its kernels")
}

// sectionName is the name of a section of an ELF file of 64 bits.
func sectionName(data []byte, table, i int) string {
	order := encoding.LittleEndian
	names := table + 64*int(order.Uint16(data[62:]))
	at := int(order.Uint64(data[names+24:])) + int(order.Uint32(data[table+64*i:]))
	name, _, _ := strings.Cut(string(data[at:]), "\x00")
	return name
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
	assert.Contains(t, r.stdout, filepath.Join(dir, "a.go")+"\n\nkernel _Z4stepf8ParticlePd: same as struct Args, c[0x0][0x160], 40 bytes\n")
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
