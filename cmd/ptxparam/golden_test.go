package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/ptx"
)

// invoke runs the program in a folder.
func invoke(dir string, args ...string) (stdout, stderr string, status int) {
	var out, err strings.Builder
	status = run(args, env{stdout: &out, stderr: &err, dir: dir, vars: environment()})
	return out.String(), err.String(), status
}

// environment is the process's without what go generate and the project's own
// module set.
func environment() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOFILE=") || strings.HasPrefix(v, "GOPACKAGE=")
	}), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
}

// lay writes the inputs of a case into a new folder p of a module.
func lay(c *golden.Case, root string) (string, error) {
	dir := filepath.Join(root, "p")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	for _, f := range c.Inputs {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o777), os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// TestGolden runs testdata/golden: a section is a command line, and its text
// the files that the command writes, and what it reports. In the gate everything
// that is generated is then compiled, vetted and run.
func TestGolden(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/golden\n\ngo 1.21\n"), 0o666))
	sections := map[string]int{}
	made := 0
	golden.Run(t, "testdata/golden", map[string]golden.Section{
		"ptxparam": func(c *golden.Case, args []string) ([]byte, error) {
			sections[c.Name]++
			mod := filepath.Join(root, fmt.Sprintf("%s%d", c.Name, sections[c.Name]))
			dir, err := lay(c, mod)
			if err != nil {
				return nil, err
			}
			out, ok, err := outcome(dir, args)
			if err != nil {
				return nil, err
			}
			if ok && effort.Long() && inGo(dir) {
				made++
				if _, diagnostics, status := invoke(dir, append([]string{"-test"}, args...)...); status != 0 {
					return nil, fmt.Errorf("with -test: %s", diagnostics)
				}
			}
			// What has errors, what imports a package that is not there, and
			// what is built with tags alone is not compiled below.
			if ok {
				translated(t, dir)
			}
			if !ok || c.Name == "broken" || c.Name == "binding" || c.Name == "constraints" {
				return out, os.RemoveAll(mod)
			}
			return out, nil
		},
	})
	if t.Failed() || !effort.Long() {
		return
	}
	require.NotZero(t, made)
	tool(t, root, nil, "go", "vet", "./...")
	tool(t, root, nil, "go", "test", "./...")
	for _, arch := range []string{"386", "arm64"} {
		vars := []string{"GOARCH=" + arch, "CGO_ENABLED=0"}
		tool(t, root, vars, "go", "build", "./...")
		tool(t, root, vars, "go", "vet", "./...")
	}
}

// outcome runs a command in a folder, and returns what it wrote and said.
func outcome(dir string, args []string) (out []byte, ok bool, err error) {
	before, err := names(dir)
	if err != nil {
		return nil, false, err
	}
	stdout, stderr, status := invoke(dir, args...)
	after, err := names(dir)
	if err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	b.WriteString(stdout)
	b.WriteString(strings.ReplaceAll(stderr, dir, "DIR"))
	for _, name := range after {
		if slices.Contains(before, name) {
			continue
		}
		if status != 0 {
			return nil, false, fmt.Errorf("%s was written though there were errors", name)
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, false, err
		}
		fmt.Fprintf(&b, "==> %s <==\n%s", name, data)
	}
	if status != 0 {
		fmt.Fprintf(&b, "exit status %d\n", status)
	}
	return b.Bytes(), status == 0, nil
}

func names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, err
}

// tool runs a program, which must succeed without a word on standard error.
func tool(t *testing.T, dir string, vars []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(environment(), vars...)
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := cmd.Run(); err != nil || diagnostics.String() != "" {
		t.Errorf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), diagnostics.String())
	}
	return out.String()
}

// TestHeadersCompile compiles the headers of the golden cases in every way.
func TestHeadersCompile(t *testing.T) {
	type compiler struct {
		name, args, file string
	}
	var compilers []compiler
	for _, c := range []compiler{
		{"gcc", "-std=c11", "a.c"},
		{"g++", "-std=c++11", "a.cc"},
		{"clang-19", "-std=c11", "a.c"},
		{"clang-19", "-std=c++11", "a.cc"},
		{"clang-19", "-std=c11 --target=nvptx64-nvidia-cuda -ffreestanding", "a.c"},
		{"clang-19", "-std=c++11 --target=nvptx64-nvidia-cuda -ffreestanding", "a.cc"},
		{"clang-19", "-x cuda -std=c++14 -nocudainc -nocudalib --cuda-gpu-arch=sm_70 --cuda-device-only", "a.cu"},
	} {
		if _, err := exec.LookPath(c.name); err == nil {
			compilers = append(compilers, c)
		}
	}
	if len(compilers) == 0 {
		t.Skip("neither gcc nor clang-19 is installed")
	}
	dir := t.TempDir()
	for name, text := range headerInputs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/h\n\ngo 1.26\n"), 0o666))
	for _, sub := range []string{"c", "cu", "packs", "bases"} { // types of x.h and x.cu have names of those of x.go
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o777))
	}
	for _, args := range [][]string{
		{"-type=Params,Packed,Plain", "-emit-header=go.h", "-emit-ptx=go.ptx", "x.go"},
		{"-type=params,wide", "-rules=sysv", "-pkg=p", "-emit-header=c.h", "-emit-ptx=c.ptx", "-o=c/x_param.go", "x.h"},
		{"-type=params", "-rules=sysv", "-pkg=p", "-emit-header=shared.h", "-o=c/x_param.go", "x.h"},
		{"-type=b1,b2,b3,b4,b5,b6", "-rules=sysv", "-pkg=p", "-emit-header=bits.h", "bits.c"},
		{"-type=register", "-emit-header=names.h", "names.go"},
		{"-type=al1,al2,al3,al4,al5,al6,al7,al8,al9,al10,al11,al12,al13", "-rules=sysv", "-pkg=p", "-emit-header=aligned.h", "aligned.c"},
		{"-type=Out,Outs", "-rules=sysv", "-pkg=p", "-emit-header=packs.h", "-o=packs/x_param.go", "packs.cu"},
		{"-type=E,M", "-rules=sysv", "-pkg=p", "-emit-header=bases.h", "-o=bases/x_param.go", "bases.cu"},
		{"-type=Derived,Packed,Class,Bits,Byte,Unnamed,Pair,Packs", "-rules=sysv", "-pkg=p", "-emit-header=cu.h", "-o=cu/x_param.go", "x.cu"},
	} {
		_, stderr, status := invoke(dir, args...)
		require.Zero(t, status, stderr)
	}
	for _, h := range []string{"go.h", "c.h", "cu.h", "bits.h", "names.h", "aligned.h", "packs.h", "bases.h"} {
		also := h
		if h == "c.h" {
			also = "shared.h" // which declares records that c.h has as well
		}
		text := fmt.Sprintf("#include %q\n#include %q\nint ptxparam_dummy(void);\nint ptxparam_dummy(void) { return 0; }\n", h, also)
		for _, c := range compilers {
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), []byte(text), 0o666))
			args := append(strings.Fields(c.args), "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", c.file)
			tool(t, dir, nil, c.name, args...)
		}
	}
	// Each bit-field of the classes has the bits that it has in the header.
	const program = `#include <cstring>
namespace source {
#include "bases.cu"
}
#include "bases.h"
template <class S, class H, class F> int differ(F set) {
	S s; H h;
	memset((void *)&s, 0, sizeof s); memset((void *)&h, 0, sizeof h);
	set(s); set(h);
	return sizeof s != sizeof h || memcmp((void *)&s, (void *)&h, sizeof s);
}
#define DIFFER(T, f) differ<source::T, T>([](auto &x) { x.f = -1; })
int main() { return DIFFER(E, a) || DIFFER(E, c) || DIFFER(E, b) || DIFFER(E, z) || DIFFER(E, w) || DIFFER(E, tail) || DIFFER(E, s) || DIFFER(E, t) || DIFFER(M, q) || DIFFER(M, r); }
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "differ.cc"), []byte(program), 0o666))
	for _, c := range []string{"g++", "clang++-19"} {
		if _, err := exec.LookPath(c); err == nil {
			tool(t, dir, nil, c, "-std=c++14", "-w", "-o", "differ.exe", "differ.cc")
			tool(t, dir, nil, "./differ.exe")
		}
	}
	// NVRTC and nvcc take them too, and the members have the names and types of the source.
	nvrtc := `import ctypes, glob, nvidia, sys
folder = list(nvidia.__path__)[0]
lib = ctypes.CDLL(glob.glob(folder + "/*/lib/libnvrtc.so.1[0-9]")[0])
name = sys.argv[1]
program, size = ctypes.c_void_p(), ctypes.c_size_t()
lib.nvrtcCreateProgram(ctypes.byref(program), open(name, "rb").read(), name.encode(), 0, None, None)
args = [b"--std=c++17", b"-I."] + [b"-I" + f.encode() for f in glob.glob(folder + "/*/include")]
status = lib.nvrtcCompileProgram(program, len(args), (ctypes.c_char_p * len(args))(*args))
lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
log = ctypes.create_string_buffer(size.value)
lib.nvrtcGetProgramLog(program, log)
sys.exit(log.value.decode().strip() or status)
`
	has := func(pattern string) string {
		out, err := exec.Command("python3", "-c", "import glob, nvidia; print(glob.glob(list(nvidia.__path__)[0] + '/"+pattern+"')[0])").Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	nvcc, err := exec.LookPath("nvcc")
	if err != nil {
		nvcc = has("*/bin/nvcc")
	}
	library := has("*/lib/libnvrtc.so.1[0-9]")
	if library == "" || nvcc == "" {
		t.Log("NVRTC or nvcc is missing: Python's nvidia-cuda-nvrtc, -runtime and -nvcc have them")
	}
	if library != "" || nvcc != "" && effort.Long() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "nvrtc.py"), []byte(nvrtc), 0o666))
		for h, use := range map[string]string{
			"go.h": "Params p, float *o) { o[0] = p.F4.x + p.U.D + p.Bits.mode + p.OK + p.L + p.Old.w",
			"c.h":  "params p, wide w, float *o) { o[0] = p.pos.x + p.u + p.named.d + p.low + p.d + p.big + p.all + p.one + p.deep + sizeof p.h2.y + w.v + p.text[0] + w.e.width + w.pitched.pitch",
			"cu.h": "Derived p, Class q, Pair r, Bits s, float *o) { o[0] = p.a + p.d + q.x + r.c + s.e", "bits.h": "b2 p, b4 q, b6 r, float *o) { o[0] = p.b + q.odd + r.q.n + r.c",
			"names.h": "register_ p, float *o) { o[0] = p.class_ + p.Gr\\u00f6\\u00dfe + p.Bits.\\u00b5s", "aligned.h": "al1 p, al5 q, al8 r, float *o) { o[0] = p.a + q.q + r.f8",
			"packs.h": "Out p, float *o) { o[0] = p.i.x", "bases.h": "E p, M q, float *o) { o[0] = p.a + p.b + p.w + p.t + q.r",
		} {
			text := fmt.Sprintf("#include %q\nextern \"C\" __global__ void k(%s; }\n", h, use)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "k.cu"), []byte(text), 0o666))
			if library != "" {
				tool(t, dir, nil, "python3", "nvrtc.py", "k.cu")
			}
			if nvcc != "" && effort.Long() {
				tool(t, dir, nil, nvcc, "-Xcompiler", "-Wall,-Wextra,-Werror", "-c", "-o", "k.o", "k.cu")
			}
		}
	}
	// A header with another layout is refused by the assertions in it.
	good, err := os.ReadFile(filepath.Join(dir, "go.h"))
	require.NoError(t, err)
	bad := strings.Replace(string(good), "unsigned char ptxparam_pad0[", "short ptxparam_pad0[", 1)
	require.NotEqual(t, string(good), bad)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.c"), []byte(bad), 0o666))
	cmd := exec.Command(compilers[0].name, "-fsyntax-only", "bad.c")
	cmd.Dir = dir
	assert.Error(t, cmd.Run())
}

// TestSkeletons holds the generated PTX against the parser, and against ptxas
// where PTXABI_ORACLE has one.
func TestSkeletons(t *testing.T) {
	dir := t.TempDir()
	for name, text := range headerInputs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/h\n\ngo 1.26\n"), 0o666))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c"), 0o777))
	for _, args := range [][]string{
		{"-type=Params,Packed,Plain", "-emit-ptx=go.ptx", "x.go"},
		{"-type=params,wide", "-kernel=k", "-rules=sysv", "-pkg=p", "-emit-ptx=c.ptx", "-o=c/x_param.go", "x.h"},
		{"-type=params", "-rules=sysv", "-pkg=p", "-emit-header=shared.h", "-o=c/x_param.go", "x.h"},
	} {
		_, stderr, status := invoke(dir, args...)
		require.Zero(t, status, stderr)
	}
	for _, name := range []string{"go.ptx", "c.ptx"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		_, err = ptx.Parse(name, text)
		assert.NoError(t, err)
		for kit := range strings.SplitSeq(os.Getenv("PTXABI_ORACLE"), ":") {
			ptxas := filepath.Join(kit, "bin", "ptxas")
			if _, err := os.Stat(ptxas); kit == "" || err != nil {
				continue
			}
			arch := "sm_80"
			tool(t, dir, nil, ptxas, "-c", "-arch", arch, "-o", name+".cubin", name)
		}
	}
}

// headerInputs have something of everything that a header can say.
var headerInputs = map[string]string{
	"names.go": `package p

type register struct {
	int, char_, char, bool, NULL, errno, INT8_MAX, uint8_t int8

	class, Größe, 日本 float32
	double struct{ new uint32 }
	U      [4]byte ` + "`ptxabi:\"union=new:int32|class:float32\"`" + `
	Bits   uint32  ` + "`ptxabi:\"bits=char:3|µs:29\"`" + `
}
`,
	// The bit-fields of a derived class begin at a byte after those of its base class.
	"bases.cu": `struct B { B() {} int a : 3; unsigned c : 2; };
struct D : B { int b : 5; unsigned char z : 4; long long w : 20; int tail; };
struct E : D { short s : 7; short t : 12; };
struct N { N() {} char q : 2; };
struct M : N { char r : 3; };
`,
	"bits.c": `struct b1 { int a : 2, b : 19; } __attribute__((aligned(32)));
struct b2 { unsigned a : 7, b : 26, : 3; int c : 5; };
struct b3 { unsigned a : 1, : 0, b : 1; char c; };
struct b4 {
	struct b2 in;
	union { unsigned long long x : 33; int y : 3; } u;
	struct { int : 3; short s; } only;
	char c;
	int odd : 9;
};
struct __attribute__((packed)) b5 { char a; long long b; struct b3 in; } __attribute__((aligned(4)));
struct b6 {
	union { long long : 35; int n; } q;
	union { int : 9; char c; };
	union { long long : 0; char z; } zero;
};
`,
	"aligned.c": `typedef float wide_t __attribute__((aligned(16)));
typedef wide_t again_t;
typedef struct al_in { int x; } al_in_t __attribute__((aligned(16)));
typedef int triple_t[3] __attribute__((aligned(8)));
typedef double low_t __attribute__((aligned(4)));
struct al1 { wide_t a; float b; };
struct al2 { al_in_t s; int c; triple_t d; char e; again_t f; };
struct al3 { char c; struct al_in i; al_in_t s; };
struct al4 { int e; low_t f; };
struct al5 { union { wide_t f; char c; } u; struct { again_t q; }; wide_t r __attribute__((aligned(32))); };
struct al6 { struct al1 one[2]; struct { triple_t t; } two[3]; };
struct al7 { union { int i; float f; }; };
struct al8 { unsigned char c : 3; union { int i8; struct { float f8; }; }; };
struct __attribute__((aligned(16))) al9 { union { int i; wide_t w; }; struct { char c; }; };
struct __attribute__((aligned(16))) al10 { struct { int i; }; };
struct __attribute__((aligned(16))) al11 { struct { short s; }; union { int m : 3; long long n : 40; }; int z; };
struct __attribute__((packed)) al12 { char c; struct { char d; int i; }; };
struct al13 { char c; struct { char d; int i; } __attribute__((aligned(32))); int z; };
`,
	"packs.cu": `#pragma pack(push, 2)
struct In { int x; char c; };
#pragma pack(pop)
#pragma pack(push, 1)
struct Out { char c; In i; };
struct Outs { char c; In i[2]; double d; };
#pragma pack(pop)
`,
	"x.go": `package p

//ptxabi:align 32
type Vec struct{ X, Y, Z, W float32 }

type Params struct {
	N    uint8
	D    float64
	V    Vec
	F4   [4]float32 ` + "`ptxabi:\"type=float4\"`" + `
	H    uint16     ` + "`ptxabi:\"type=half\"`" + `
	P    uint64     ` + "`ptxabi:\"ptr=global\"`" + `
	C    complex64
	In   struct{ A, B int16 }
	Bits uint32  ` + "`ptxabi:\"bits=mode:3|:1|bias:-4|rest:8\"`" + `
	More uint64  ` + "`ptxabi:\"bits=a:40|b:-4\"`" + `
	U    [8]byte ` + "`ptxabi:\"union=I:int32|D:float64|V:float2|P:Plain\"`" + `
	OK   bool
	A    [3][2]Plain
	L    int8 ` + "`ptxabi:\"align=8\"`" + `
	Old  [4]int64 ` + "`ptxabi:\"type=longlong4\"`" + ` // deprecated in CUDA 13
}

type Plain struct{ A, B int16 }

//ptxabi:packed
type Packed struct {
	A uint8
	B float64
	C Plain
}
`,
	"x.cu": `struct Base { int a; char b; };
struct Derived : Base { char c; double d; };
#pragma pack(push, 1)
struct Packed { char a; double b; short c : 3; short d : 9; };
#pragma pack(pop)
class Class { public: int x; static int s; void f(); private: float y; };
struct N { N(); int a; char b; };
struct Bits : N { unsigned char d : 3, e : 5; };
struct Byte : N { char d; };
struct Unnamed : N { struct { char d; }; };
struct Empty {};
struct Pair : Empty, Byte, Derived { short s; float a; };
struct alignas(16) Wide { float w; };
struct Packs : Packed, Wide { char b; };
`,
	"x.h": `#include <stdint.h>
enum mode { FAST, SLOW };
struct params {
	unsigned on : 1, kind : 6;
	signed char tiny : 3;
	char first;
	float4 pos;
	struct { short q; int64_t r; } in[2];
	enum mode mode;
	union { uint64_t u; float *fp; };
	union { int i; double d; } named;
	struct { unsigned char low : 3, high : 5; union { short s; struct { char c, d; }; }; long long big : 40; };
	union { unsigned long long all : 33; _Bool one : 1; };
	half h;
	half2 h2;
	nv_bfloat162 b2;
	_Bool ok;
	const char *text;
	unsigned long long deep : 40;
};
struct wide { char c; int v __attribute__((aligned(64))); short s; cudaExtent e; cudaPitchedPtr pitched; };
__global__ void k(struct params p, int n, float *out);
`,
}

// quiet runs a program, which must succeed; what it says does not matter.
func quiet(t *testing.T, dir string, vars []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(environment(), vars...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
}
