package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/packers"
)

// The kernels that bindings launch: one with a struct, one without parameters, and one of which every
// parameter fits into eight bytes.
const bindingKernels = `struct S { double d; char c[17]; };
__global__ void saxpy(int n, struct S s, float *out, char last);
__global__ void idle(void);
__global__ void narrow(int n, float *out, char last);
`

// driverImage is a module for the stand-in driver: kernels with the sizes and the places of
// their parameters.
const driverImage = "saxpy 4@0 32@8 8@40 1@48\nidle\nnarrow 4@0 8@8 1@16\n"

// driverSource stands in for libcuda. A launch reads the parameters as the driver does, each from its
// address or all from the buffer of extra, and prints what it got. A buffer of another size than
// the kernel's is refused.
//
//go:embed testdata/text/driverSource.c
var driverSource string

// bindingMain is the part of the programs that all have: what they launch with, and what the kernels
// should get.
//
//go:embed testdata/text/bindingMain.go.txt
var bindingMain string

// generatedLaunches launch what -binding generates, for bindings that come from one.
var generatedLaunches = bindingPart("generated launches")

// launched are the lines of generatedLaunches.
const launched = `launch 1 2 3 4 5 6 7 0x5ca1ab1e extra SAXPY
launch 1 2 3 4 5 6 7 0x5ca1ab1e extra SAXPY
launch 1 2 3 4 5 6 7 0x5ca1ab1e extra 
saxpy: cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1)
`

// ownLaunches launch by the functions of a binding itself, of which the wide one is wrong.
var ownLaunches = bindingPart("own launches")

// A bindingCase is a binding and a program that uses it.
type bindingCase struct {
	flag    string // of ptxparam: -binding's value; "" for none
	path    string // of the package
	module  string // that it is in
	version string // that was read, and is built here where it can be had
	text    string // Go, from the imports on
	// standIn declares as much of the package as the generated code and the text need; it is
	// ours. "" is none.
	standIn string
	own     string // Go, with what the real package has beyond that
	want    string // lines that are printed
	wantOwn string
}

var (
	vansteenkisteStandIn = standInHead + bindingPart("vansteenkiste stand-in")

	vansteenkisteText = bindingPart("vansteenkiste text")
)

// bindingCases are those that can be launched here.
var bindingCases = []bindingCase{
	{
		flag: "gorgonia", path: "gorgonia.org/cu", module: "gorgonia.org/cu", version: "v0.9.6",
		standIn: standInHead + bindingPart("gorgonia stand-in"),
		text:    bindingPart("gorgonia text") + fmt.Sprintf(generatedLaunches, "f", "idle"),
		own:     fmt.Sprintf(ownLaunches, "f.Launch", "own.Launch"),
		want:    launched,
		wantOwn: "launch 1 2 3 4 5 6 7 0x5ca1ab1e kernelParams WRONG\nlaunch 1 2 3 4 5 6 7 0x5ca1ab1e kernelParams NARROW\n",
	},
	{
		flag: "mumax", path: "github.com/mumax/3/cuda/cu", module: "github.com/mumax/3", version: "v0.0.0-20261020084628-54efa12420b2",
		standIn: vansteenkisteStandIn,
		text:    vansteenkisteText + fmt.Sprintf(generatedLaunches, "f", "idle"),
		own: strings.NewReplacer("f(1", "cu.LaunchKernel(f, 1", "own(1", "cu.LaunchKernel(own, 1").Replace(
			fmt.Sprintf(ownLaunches, "f", "own")),
		want:    launched,
		wantOwn: "launch 1 2 3 4 5 6 7 0x5ca1ab1e kernelParams WRONG\nlaunch 1 2 3 4 5 6 7 0x5ca1ab1e kernelParams NARROW\n",
	},
	{
		flag: "cuda5", path: "github.com/barnex/cuda5/cu",
		standIn: vansteenkisteStandIn,
		text:    vansteenkisteText + fmt.Sprintf(generatedLaunches, "f", "idle"),
		want:    launched,
	},
	{
		flag: "mumax=example.org/fork/mycu", path: "example.org/fork/mycu", // of a package cu
		standIn: vansteenkisteStandIn,
		text:    vansteenkisteText + fmt.Sprintf(generatedLaunches, "f", "idle"),
		want:    launched,
	},
	{
		flag: "cudago", path: "github.com/InternatBlackhole/cudago/cuda",
		standIn: standInHead + bindingPart("cudago stand-in"),
		text:    bindingPart("cudago text"),
		want:    strings.Replace(launched, "SAXPY\nlaunch 1 2 3 4 5 6 7 0x5ca1ab1e", "SAXPY\nlaunch 1 2 3 4 5 6 7 0", 1),
	},
	{
		path: "github.com/ebitengine/purego", module: "github.com/ebitengine/purego", version: "v0.10.0",
		text: bindingPart("purego text"),
		want: "launch 1 2 3 4 5 6 7 0x8 kernelParams SAXPY\n0\nlaunch 1 2 3 4 5 6 7 0x8 extra SAXPY\n0\n" +
			"launch 1 2 3 4 5 6 7 0x8 kernelParams SAXPY\n0\nlaunch 1 2 3 4 5 6 7 0x8 kernelParams SAXPY\n0\n" +
			"attribute 2 1 0 attribute 4 2 9 attribute 6 1 0 launch 1 2 3 4 5 6 7 0x8 extra SAXPY\n0\n" +
			"node 0x4 0 launch 1 2 3 4 5 6 7 0x1 kernelParams SAXPY\n0 5\nnode 0x5 0 launch 1 2 3 4 5 6 7 0x1 extra SAXPY\n0\n",
	},
}

// driverLibrary compiles the stand-in driver with functions that do nothing for other names.
func driverLibrary(t *testing.T, names []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var text strings.Builder
	text.WriteString(driverSource)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		for _, version := range []string{"", "_v2", "_v3", "_v4"} {
			if !strings.Contains(driverSource, "int "+name+version+"(") {
				fmt.Fprintf(&text, "int %s%s(void) { return 0; }\n", name, version)
			}
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cuda.c"), []byte(text.String()), 0o666))
	tool(t, dir, nil, "cc", "-shared", "-fPIC", "-o", "libcuda.so", "cuda.c")
	return dir
}

// bindingProgram generates the launches for a binding into a new module and writes the program.
func bindingProgram(t *testing.T, c bindingCase, real bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module example.org/user\n\ngo 1.21\n")
	write("k.cu", bindingKernels)
	if c.path == "github.com/ebitengine/purego" { // with the structs of the example
		text := must.Read(t, filepath.Join(repository(t), "examples", "driver", "driver.go"))
		write("driver.go", strings.Replace(string(text), "\npackage driver", "\npackage main", 1))
	}
	for _, kernels := range []string{"saxpy,narrow", "idle"} { // two runs, so that C is in two files
		args := []string{"-kernel=" + kernels, "-pkg=main", "k.cu"}
		if c.flag != "" {
			args = append(args, "-binding="+c.flag)
		}
		_, stderr, status := invoke(dir, args...)
		require.Zero(t, status, stderr)
	}
	write("main.go", fmt.Sprintf(bindingMain, driverImage))
	text := c.text
	if real {
		text += c.own
	}
	imports := "\"fmt\"\n"
	if strings.Contains(text, "unsafe.") {
		imports += "\"unsafe\"\n"
	}
	name := ""
	if c.flag != "" && !strings.HasPrefix(c.flag, "cudago") {
		name = "cu "
	}
	write("launch.go", "package main\n\nimport (\n"+imports+name+"\""+c.path+"\"\n)\n\nfunc launch(saxpy *SaxpyArgs, narrow *NarrowArgs) {"+text+"}\n")
	return dir
}

// assertLaunched holds what a program printed against what it should have launched.
func assertLaunched(t *testing.T, want, got string) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^(saxpy|narrow) ([0-9a-f]+)\n`)
	params := map[string]string{}
	for _, m := range line.FindAllStringSubmatch(got, -1) {
		params[m[1]] = m[2]
	}
	require.Len(t, params, 2, got)
	got = line.ReplaceAllString(got, "")
	got = strings.NewReplacer(params["saxpy"], "SAXPY", params["narrow"], "NARROW").Replace(got)
	// The first eight bytes of each parameter are right, at its place.
	eight := params["saxpy"][:2*16]
	got = regexp.MustCompile(`\b`+eight+`[0-9a-f]+`).ReplaceAllString(got, "WRONG")
	assert.Equal(t, want, got)
}

// needDriver skips where no stand-in driver can be built or loaded.
func needDriver(t *testing.T) {
	t.Helper()
	effort.NeedLong(t, "builds programs with cgo")
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in driver is a shared object of Linux")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler here")
	}
}

// TestBindings launches what is generated for each binding, through declarations of ours that stand in for
// it, with a stand-in driver. The binding alone says where the driver is, and no headers are there.
func TestBindings(t *testing.T) {
	needDriver(t)
	lib := must.Read(t, filepath.Join(driverLibrary(t, nil), "libcuda.so"))
	var have []string
	for _, c := range bindingCases {
		if c.standIn == "" {
			continue
		}
		name, _, _ := strings.Cut(c.flag, "=")
		have = append(have, name)
		t.Run(c.flag, func(t *testing.T) {
			dir := bindingProgram(t, c, false)
			stand := t.TempDir()
			pkg := "cu"
			if name == "cudago" {
				pkg = "cuda"
			}
			for file, text := range map[string]string{
				"go.mod": "module " + c.path + "\n\ngo 1.21\n", pkg + ".go": strings.Replace(c.standIn, "PKG", pkg, 1),
				"libcuda.so": string(lib),
			} {
				require.NoError(t, os.WriteFile(filepath.Join(stand, file), []byte(text), 0o666))
			}
			env := []string{"CGO_ENABLED=1", "GODEBUG=cgocheck=1", "LD_LIBRARY_PATH=" + stand, "CGO_LDFLAGS=", "CGO_CFLAGS="}
			tool(t, dir, env, "go", "mod", "edit", "-require", c.path+"@v0.0.0", "-replace", c.path+"@v0.0.0="+stand)
			tool(t, dir, env, "go", "vet", ".")
			assertLaunched(t, c.want, tool(t, dir, env, "go", "run", "."))
			if c.flag == bindingCases[0].flag {
				assertLaunched(t, c.want, tool(t, dir, append(env, "GOEXPERIMENT=cgocheck2"), "go", "run", "."))
			}
		})
	}
	slices.Sort(have)
	names := packers.BindingNames()
	slices.Sort(names)
	assert.Equal(t, names, slices.Compact(have), "each binding has a case")
}

// TestRealBindings launches through bindings themselves, where the Go command can have them, and NVIDIA's headers
// where they need them; the driver is the stand-in. Their own launch gets the wide struct wrong, which is
// what docs/ptxparam.md says of them, and the rest right.
func TestRealBindings(t *testing.T) {
	needDriver(t)
	for _, c := range bindingCases {
		if c.version == "" {
			continue
		}
		t.Run(strings.ReplaceAll(c.module, "/", " "), func(t *testing.T) {
			source := moduleSource(t, c.module, c.version)
			env := []string{"GOPROXY=" + goEnv(t, "GOPROXY"), "GOTOOLCHAIN=local", "CGO_ENABLED=0"}
			lib := driverLibrary(t, driverNames(t, filepath.Join(source, strings.TrimPrefix(c.path, c.module))))
			env = append(env, "LD_LIBRARY_PATH="+lib)
			if c.flag != "" {
				env = append(env, "CGO_ENABLED=1", "CGO_CFLAGS=-w "+headerFlag(t), "CGO_LDFLAGS=-L"+lib, "GODEBUG=cgocheck=1")
			}
			dir := bindingProgram(t, c, true)
			quiet(t, dir, env, "go", "mod", "edit", "-require", c.module+"@"+c.version)
			if out, err := inFolder(dir, env, "go", "list", "-deps", "."); err != nil {
				t.Skipf("what %s needs cannot be had: %s", c.module, out)
			}
			if out, err := inFolder(dir, env, "go", "build", c.path); err != nil {
				lines := strings.SplitN(out, "\n", 3)
				t.Skipf("%s does not compile with the headers that are here: %s", c.path, lines[min(1, len(lines)-1)])
			}
			quiet(t, dir, env, "go", "vet", ".")
			assertLaunched(t, c.want+c.wantOwn, tool(t, dir, env, "go", "run", "."))
		})
	}
}

// inFolder runs a program for at most some minutes.
func inFolder(dir string, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(environment(), env...)
	out, err := cmd.CombinedOutput()
	return string(bytes.TrimSpace(out)), err
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// moduleSource is the folder of a module, from the module cache or from where the Go command gets modules.
func moduleSource(t *testing.T, module, version string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/ask\n\ngo 1.21\n\nrequire "+module+" "+version+"\n"), 0o666))
	env := []string{"GOPROXY=" + goEnv(t, "GOPROXY")}
	if out, err := inFolder(dir, env, "go", "mod", "download", module); err != nil {
		t.Skipf("%s cannot be had: %s", module, out)
	}
	out, err := inFolder(dir, env, "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil || out == "" {
		t.Skipf("%s cannot be had: %s", module, out)
	}
	return out
}

// driverNames are the functions of the driver that the files of a folder may call.
func driverNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".go" && ext != ".c" && ext != ".h" {
			continue
		}
		data := must.Read(t, filepath.Join(dir, e.Name()))
		names = append(names, regexp.MustCompile(`\bcu[A-Z]\w*`).FindAllString(string(data), -1)...)
	}
	return names
}

// headerFlag is the flag with which the C compiler finds cuda.h: none, or -I with the folder of a toolkit or of
// PyPI's nvidia-cuda-runtime that PTXABI_CUDA_INCLUDE names.
func headerFlag(t *testing.T) string {
	t.Helper()
	folders := []string{""}
	if dir := os.Getenv("PTXABI_CUDA_INCLUDE"); dir != "" {
		folders = []string{dir}
	} else {
		folders = append(folders, "/usr/local/cuda/include", "/opt/cuda/include")
	}
	for _, dir := range folders {
		args := []string{"-fsyntax-only", "-x", "c", "-"}
		if dir != "" {
			args = append(args, "-I"+dir)
		}
		cmd := exec.Command("cc", args...)
		cmd.Stdin = strings.NewReader("#include <cuda.h>\nCUresult r;\n")
		if cmd.Run() == nil {
			if dir == "" {
				return ""
			}
			return "-I" + dir
		}
	}
	t.Skip("no cuda.h here; PTXABI_CUDA_INCLUDE may name the folder that has it")
	return ""
}

// TestDocumentedBindings holds docs/ptxparam.md against the bindings that are launched through here.
func TestDocumentedBindings(t *testing.T) {
	data := must.Read(t, "../../docs/ptxparam.md")
	for _, c := range bindingCases {
		if c.version != "" {
			assert.Regexp(t, "\\| `"+c.path+"` \\| "+c.version+" \\|.* the binding \\|\n", string(data))
		}
	}
	for _, name := range packers.BindingNames() {
		assert.Contains(t, string(data), "| `-binding="+name+"`")
	}
	// The call that stands there has the parameters of what is generated.
	generated := must.Read(t, "testdata/golden/binding.txtar")
	signature := regexp.MustCompile(`\) Launch\((.*), v \*SaxpyArgs\) error`).FindSubmatch(generated)
	require.NotNil(t, signature)
	names := regexp.MustCompile(` (int|cubinding\.\w+)`).ReplaceAllString(string(signature[1]), "")
	assert.Contains(t, string(data), "\nerr := l.Launch("+names+", &args)\n")
}

//go:embed testdata/text/standInHead.go.txt
var standInHead string

//go:embed testdata/bindings.txtar
var bindingTexts []byte

// bindingPart is a part of a program for bindings.
func bindingPart(name string) string {
	for _, f := range txtar.Parse(bindingTexts).Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	panic("testdata/bindings.txtar has no " + name)
}
