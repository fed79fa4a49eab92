package cdecl

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/layout"
)

// typedefs declares typedefs of types of every kind with alignments below and
// above their own, and returns their names.
func typedefs() (src string, names []string) {
	var b strings.Builder
	b.WriteString(`enum E { X };
struct Q { int x; };
struct R { double d; char c; };
struct C3 { char c[3]; };
struct A16 { int x; } __attribute__((aligned(16)));
union U { int i; double d; };
struct A129 { char c[129]; };
struct L160 { long long c[20]; };
typedef _Complex float cf;
typedef void (Q::*mf)();
`)
	for i, t := range []string{
		"char", "short", "int", "float", "double", "long long", "bool", "int *", "__int128", "cf", "mf", "enum E",
		"struct Q", "struct R", "struct C3", "struct A16", "union U", "struct A129", "struct L160",
	} {
		for _, a := range []int{1, 2, 4, 8, 16, 32} {
			name := fmt.Sprintf("t%d_%d", i, a)
			fmt.Fprintf(&b, "typedef %s %s __attribute__((aligned(%d)));\n", t, name, a)
			names = append(names, name)
		}
	}
	for _, t := range []string{"t3_16", "t8_2", "t12_16", "t13_1"} {
		fmt.Fprintf(&b, "typedef %s o%s; typedef const o%s c%s;\n", t, t, t, t)
		names = append(names, "o"+t, "c"+t)
	}
	return b.String(), names
}

// TestTypedefParams compares what compilers pass for aligned typedefs with what
// this package says, in each role.
func TestTypedefParams(t *testing.T) {
	src, names := typedefs()
	u, err := Parse("k.cu", []byte(src), Options{Rules: rulesFor("c++")})
	require.NoError(t, err)
	types := map[string]layout.Type{}
	for _, d := range u.Typedefs {
		types[d.Name] = d.Type
	}
	var b strings.Builder
	b.WriteString("# 1 \"k.cu\"\n" + src)
	for _, n := range names {
		fmt.Fprintf(&b, "extern \"C\" __attribute__((global)) void k_%s(%s f, int *o) { *o = *(volatile char *)&f; }\n", n, n)
		fmt.Fprintf(&b, "extern \"C\" __attribute__((device, noinline, used)) %s r_%s(%s *p) { return *p; }\n", n, n, n)
		fmt.Fprintf(&b, "extern \"C\" __attribute__((device, noinline, used)) int a_%s(%s f) { return *(volatile char *)&f; }\n", n, n)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.ii"), filepath.Join(dir, "k.ptx")
	require.NoError(t, os.WriteFile(in, []byte(b.String()), 0o666))
	for _, by := range []struct {
		producer layout.Producer
		find     func(*testing.T) string
		args     []string
	}{
		{layout.NVCC, findCICC, []string{"--c++17", "--gnu_version=110000", "-arch", "compute_80", "-m64", "--orig_src_file_name", "k.cu", "-w", "--device-c", in, "-o", out}},
		{layout.Clang, findClang, []string{"-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-S", "-O1", "-w", in, "-o", out}},
	} {
		t.Run(by.producer.String(), func(t *testing.T) {
			text, err := exec.Command(by.find(t), by.args...).CombinedOutput()
			require.NoError(t, err, "%s", text)
			ptx := must.Read(t, out)
			flat := spaces.ReplaceAllString(string(ptx), " ")
			emitted := func(pattern string) string {
				m := regexp.MustCompile(pattern).FindStringSubmatch(flat)
				require.NotNil(t, m, pattern)
				return strings.TrimSpace(m[1])
			}
			for _, n := range names {
				l, err := layout.Of(types[n], rulesFor("c++"))
				require.NoError(t, err)
				assert.Equal(t, emitted(`\.entry k_`+n+` ?\( ?([^,)]*)`), l.ParamOf(by.producer, layout.KernelArgument, "k_"+n+"_param_0").String())
				assert.Equal(t, emitted(`a_`+n+` ?\( ?([^,)]*)`), l.ParamOf(by.producer, layout.Argument, "a_"+n+"_param_0").String())
				assert.Equal(t, emitted(`\.func ?\(([^()]*)\) r_`+n+` ?\(`), l.ParamOf(by.producer, layout.Result, "func_retval0").String())
			}
		})
	}
}
