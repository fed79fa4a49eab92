package main

import (
	"bytes"
	_ "embed"
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
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
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
			if ok && effort.Long() {
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
	compilers = compilers[:effort.Of(min(1, len(compilers)), len(compilers))]
	if len(compilers) == 0 {
		t.Skip("neither gcc nor clang-19 is installed")
	}
	dir := t.TempDir()
	layHeaders(t, dir)
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
	require.NoError(t, os.WriteFile(filepath.Join(dir, "differ.cc"), []byte(differProgram), 0o666))
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
	good := must.Read(t, filepath.Join(dir, "go.h"))
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
	layHeaders(t, dir)
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

// layHeaders writes the files of testdata/headers.txtar and a go.mod into a folder.
func layHeaders(t *testing.T, dir string) {
	t.Helper()
	a := golden.Archive(t, "testdata/headers.txtar")
	for _, f := range append(a.Files, txtar.File{Name: "go.mod", Data: []byte("module example.org/h\n\ngo 1.26\n")}) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666))
	}
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

//go:embed testdata/text/differProgram.cc
var differProgram string
