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

// shapes are the kernels of testdata/shapes. Set has values of their parameters: x.y is a member, !y one that Go has
// a method for, :x an element of a vector, and ~ the bits of a half.
var shapes = []struct{ name, golang, params, set string }{
	{
		"mul_mat_q4", "MulMatQ4", "QuantShape q; const half *y; float *dst; int ncols; unsigned nrows; half scale",
		`q.dm:x~=15360 q.dm:y~=49152 q.zero=8 q.!transposed=1 q.!bits=21 q.!group=1000 q.strides[0]=-1 q.strides[2]=4096 q.weights=0x7f0011223344
		q.accumulate=true y=0x7f0000000010 dst=0x7f0000000020 ncols=-5 nrows=4000000000 scale~=14336`,
	},
	{
		"dequantize", "Dequantize", "half2 dm; const signed char *q; half *out; uint3 ne; long long stride; short zero",
		`dm:x~=1 dm:y~=65535 q=0x10 out=0x20 ne:x=1 ne:y=2 ne:z=3000000000 stride=-9000000000 zero=-300`,
	},
	{
		"attention::flash_fwd", "FlashFwd", "FlashParams params; int split", `params.q_ptr=1 params.k_ptr=2 params.v_ptr=3 params.o_ptr=4 params.oaccum_ptr=5
		params.q_batch_stride=6 params.k_batch_stride=-7 params.v_batch_stride=8 params.o_batch_stride=9 params.q_row_stride=10
		params.k_row_stride=11 params.v_row_stride=12 params.o_row_stride=13 params.h=14 params.h_k=15 params.b=16 params.seqlen_q=17
		params.seqlen_k=18 params.seqlen_knew=19 params.d=20 params.seqlen_q_rounded=21 params.seqlen_k_rounded=22 params.d_rounded=23
		params.rotary_dim=24 params.scale_softmax=0.125 params.scale_softmax_log2=-1.5 params.softcap=30 params.cu_seqlens_q=28
		params.cu_seqlens_k=29 params.block_table=30 params.block_table_batch_stride=-31 params.p_dropout=0.9 params.p_dropout_in_uint8_t=229
		params.rng_state[0]=34 params.rng_state[1]=0xffffffffffffffff params.window_size_left=-1 params.window_size_right=36
		params.is_bf16=true params.is_causal=false params.is_rotary_interleaved=true params.num_splits=40 params.alibi_slopes_ptr=41 split=-2`,
	},
	{
		"paged_attention", "PagedAttention",
		"float *out; const half *q; const half *k_cache; const int *block_tables; bool alibi; signed char kv_head; float scale; double base; size_t max_len; const float *const *biases",
		`out=1 q=2 k_cache=3 block_tables=4 alibi=true kv_head=-8 scale=0.1 base=0.1 max_len=0x123456789abcdef0 biases=0x7fffffffffff`,
	},
	{
		"raygen", "Raygen", "RayParams params", `params.handle=0xfedcba9876543210 params.frame=1 params.accum=2 params.size:x=1920 params.size:y=1080
		params.camera=2 params.eye:x=1.5 params.eye:z=-2 params.u:y=3 params.v:x=4 params.w:z=0.1 params.lights[0].position:y=5
		params.lights[1].radius=6 params.lights[2].emission!texture=0xffffffff params.lights[1].emission!texture=7 params.tile:y=65535
		params.environment=0x8000000000000001`,
	},
	{
		"integrate", "Integrate", "Body b; Body *all; float dt; int3 cell; char2 axes", `b.position:w=1 b.velocity:x=-0.5 b.!mass=2.25 b.!awake=1 b.!shape=5
		b.!layer=-2048 b.inertia[2]:z=9 b.time=1e300 b.material[1]!viscosity=0.1 b.material[0]!viscosity=-1 all=0x7f00 dt=0.016 cell:x=-1 cell:z=2 axes:y=-128`,
	},
	{"collide", "Collide", "Contact c; int n; Contact *out; unsigned long long *count", `c.kind=255 c.depth=-0.1 c.pair[1]=-2 c.normal[2]=0.3 n=1 out=2 count=3`},
	{
		"gemm_tma", "GemmTma", "TensorMap a; TensorMap b; float *c; int m; int n; int k; float alpha",
		`a.opaque[0]=1 a.opaque[15]=0xffffffffffffffff b.opaque[7]=0x0123456789abcdef c=1 m=2 n=-3 k=4 alpha=0.5`,
	},
	{
		"spectrum", "Spectrum", "cudaTextureObject_t samples; double2 twiddle; float2 window; double2 *out; short4 mask; ulonglong2 seed; char last",
		`samples=1 twiddle:x=0.1 twiddle:y=-0.2 window:y=0.3 out=2 mask:x=-1 mask:w=32767 seed:x=3 seed:y=0xffffffffffffffff last=-4`,
	},
	{
		"convolve", "Convolve", "const unsigned char *in; Filter f; unsigned char *out; int pitch; Border outside",
		`in=1 f.taps[0][0]=0.1 f.taps[2][1]=-0.2 f.border=-1 f.extent:y=2 f.name[4]=-3 out=4 pitch=-5 outside=7`,
	},
	{"rope", "RopeFloat64", "float *x; RopeArgs args; float scale", "x=1 args.theta=10000 args.factor=0.1 args.positions[4]=-2 scale=0.3"},
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
	dir := t.TempDir()
	copyTree(t, "testdata/shapes", dir)
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
		for _, set := range strings.Fields(s.set) {
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
