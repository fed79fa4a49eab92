package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// A shape is a kernel of testdata/shapes, with values of its parameters: shapes.txt says how they are written.
type shape struct {
	name, golang, params string
	set                  []string
}

// readShapes reads testdata/shapes/shapes.txt.
func readShapes(t *testing.T) (shapes []shape) {
	t.Helper()
	text := must.Read(t, "testdata/shapes/shapes.txt")
	for _, block := range strings.Split(string(text), "\n\n")[1:] {
		head, values, _ := strings.Cut(block, "\n")
		names, params, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
		name, golang, _ := strings.Cut(names, " ")
		shapes = append(shapes, shape{name, golang, params, strings.Fields(values)})
	}
	return shapes
}

// shapeTypes are the structs that they take.
const shapeTypes = "QuantShape,FlashParams,RayParams,Body,Contact,TensorMap,Filter,RopeArgs"

// shapesPrelude has what CUDA declares by itself, for a compiler of the host.
//
//go:embed testdata/text/shapesPrelude.cu
var shapesPrelude string

// shapesMain launches in both forms.
//
//go:embed testdata/text/shapesMain.go.txt
var shapesMain string

// TestShapes packs the arguments of kernels in the shapes of real projects, by code that is generated from their
// source, from PTX and from a cubin, and launches them with a stand-in driver, which reads as many bytes as the cubin
// says. They are the bytes that a C++ compiler lays out, at the places of the cubin. The modules and the programs are of Go 1.22.
func TestShapes(t *testing.T) {
	needDriver(t)
	gxx, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("g++ is not installed")
	}
	dir, shapes := t.TempDir(), readShapes(t)
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/shapes")))
	data := must.Read(t, "testdata/shapes/shapes.cubin")
	file, err := cubin.Open(data)
	require.NoError(t, err)
	image, kernels := "", map[string][]cubin.Param{}
	for i := range file.Functions {
		f := &file.Functions[i]
		image += f.Name
		kernels[cxxname.Plain(f.Name)] = f.Params
		for _, p := range f.Params {
			image += fmt.Sprintf(" %d@%d", p.Size, p.Offset)
		}
		image += "\n"
	}
	host, calls := shapesPrelude, []string{}
	var params []string // for -param
	for _, s := range shapes {
		places, place := kernels[s.name], ""
		for i, p := range strings.Split(s.params, "; ") {
			place += fmt.Sprintf("\tmemcpy(b + %d, &a.%s, sizeof a.%[2]s);\n", places[i].Offset, p[strings.LastIndexAny(p, " *")+1:])
			if typ, name, _ := strings.Cut(p, " "); slices.Contains(strings.Split(shapeTypes, ","), typ) && name[0] != '*' {
				params = append(params, fmt.Sprintf("-param=%s.%d=%s", s.name, i, typ))
			}
		}
		host += fmt.Sprintf("\t{ struct { %s; } a; memset(&a, 0, sizeof a);\n", s.params)
		call := fmt.Sprintf("\t{\n\t\tvar a %sArgs\n", s.golang)
		for _, set := range s.set {
			path, value, _ := strings.Cut(set, "=")
			c := "a." + strings.NewReplacer(".!", ".", "!", ".", ":", ".", "~", ".__x").Replace(path)
			host += fmt.Sprintf("\t%s = (std::remove_reference<decltype((%[1]s))>::type)%s;\n", c, value)
			call += "\t\t" + setInGo(path, value) + "\n"
		}
		end := places[len(places)-1]
		host += fmt.Sprintf("\tunsigned char b[%d] = {0};\n%s\tprint(b, sizeof b); }\n", end.Offset+end.Size, place)
		call += fmt.Sprintf("\t\tvar l %[1]sLaunch\n\t\tl.Pin(&a)\n\t\tlaunch(%[1]sSymbol, &l.KernelParams()[0], nil)\n\t\tlaunch(%[1]sSymbol, nil, (*unsafe.Pointer)(unsafe.Pointer(&l.Extra()[0])))\n\t\tl.Unpin()\n\t}\n", s.golang)
		calls = append(calls, call)
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("host.cc", "#include <type_traits>\n"+host+"}\n")
	quiet(t, dir, nil, gxx, "-std=c++14", "-w", "-o", "host", "host.cc")
	want := strings.Fields(tool(t, dir, nil, "./host"))
	require.Len(t, want, len(shapes))
	write("go.mod", "module example.org/shapes\n\ngo 1.22\n")
	lib := must.Read(t, filepath.Join(driverLibrary(t, nil), "libcuda.so"))
	for _, from := range []string{"cu", "ptx", "cubin"} {
		sub, n := filepath.Join(dir, from), len(shapes)
		require.NoError(t, os.Mkdir(sub, 0o777))
		args := append([]string{"-kernel=all", "-pkg=main", "-target=sm_90", "-o=kernels.go", "-names=../shapes.cu", "../shapes." + from}, params...)
		if from == "cu" { // which has no instances of templates
			n--
			args = []string{"-kernel=all", "-pkg=main", "-target=sm_90", "-rules=sysv", "-cubin=../shapes.cubin", "-o=kernels.go", "../shapes.cu"}
		} else {
			_, stderr, status := invoke(sub, "-type="+shapeTypes, "-rules=sysv", "-pkg=main", "-o=types.go", "../shapes.cu")
			require.Zero(t, status, stderr)
		}
		_, stderr, status := invoke(sub, args...)
		require.Zero(t, status, stderr)
		if from != "cu" {
			require.Empty(t, stderr)
		}
		for _, name := range []string{"kernels.rs", "kernels.py"} { // without -param, whose types are of Go
			_, stderr, status := invoke(sub, "-kernel=all", "-target=sm_90", "-rules=sysv", "-o="+name, "../shapes."+from)
			require.Zero(t, status, stderr)
		}
		translated(t, sub)
		write(from+"/main.go", shapesMain+strings.Join(calls[:n], "")+"}\n\nconst image = `"+image+"`\n")
		write(from+"/libcuda.so", string(lib))
		env := []string{"CGO_ENABLED=1", "GODEBUG=cgocheck=1", "LD_LIBRARY_PATH=" + sub}
		quiet(t, dir, env, "go", "vet", "./"+from)
		lines := strings.Split(tool(t, dir, env, "go", "run", "./"+from), "\n")
		require.Len(t, lines, 2*n+1)
		for i, w := range want[:n] {
			assert.Equal(t, "launch 1 2 3 4 5 6 7 0 kernelParams "+w, lines[2*i], "%s from %s", shapes[i].name, from)
			assert.Equal(t, "launch 1 2 3 4 5 6 7 0 extra "+w, lines[2*i+1], "%s from %s", shapes[i].name, from)
		}
	}
}

// setInGo sets what a path of shapes leads to.
func setInGo(path, value string) string {
	out := "a"
	for part := range strings.FieldsFuncSeq(strings.TrimSuffix(path, "~"), func(r rune) bool { return strings.ContainsRune(".!", r) }) {
		name, element, vector := strings.Cut(part, ":")
		out += "."
		for word := range strings.SplitSeq(name, "_") {
			out += strings.ToUpper(word[:1]) + word[1:]
		}
		if vector {
			out += fmt.Sprintf("[%d]", strings.Index("xyzw", element))
		}
	}
	if strings.Contains(path, "!") {
		i := strings.LastIndex(out, ".")
		return fmt.Sprintf("%s.Set%s(%s)", out[:i], out[i+1:], value)
	}
	return out + " = " + value
}
