package producers

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

const folder = "../../../testdata/measured/producers"

// recordings are all that there are, the older release of a compiler first.
func recordings(t *testing.T) []*Recording {
	t.Helper()
	names, err := fs.Glob(os.DirFS(folder), "*.txt")
	require.NoError(t, err)
	var all []*Recording
	for _, n := range names {
		text := must.Read(t, folder+"/"+n)
		r, err := Parse(string(text))
		require.NoError(t, err, n)
		require.Equal(t, strings.TrimSuffix(n, ".txt"), r.Name+"-"+r.Version)
		require.Equal(t, string(text), r.String(), "%s is what its lines say", n)
		all = append(all, r)
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Name != all[j].Name {
			return all[i].Name < all[j].Name
		}
		return older(all[i].Version, all[j].Version)
	})
	return all
}

func older(a, b string) bool {
	var x, y [3]int
	fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// TestLevels has that optimisation never changes what other modules see, as docs/producers.md says.
func TestLevels(t *testing.T) {
	for _, r := range recordings(t) {
		for k, h := range r.Seen {
			for _, level := range r.Levels {
				if other, ok := r.Seen[Key{k.Case, k.Role, level}]; ok && !strings.Contains(k.Role, "internal") {
					assert.Equal(t, h, other, "%s: %s, %s", r.Short(), k.Case, k.Role)
				}
			}
		}
	}
}

// typesOf are the types of the cases, as package layout has them.
func typesOf(t *testing.T, lang layout.Lang, words map[string]string) map[string]layout.Type {
	t.Helper()
	types := map[string]layout.Type{}
	for _, one := range Cases() {
		if one.CXX && lang == layout.C || one.Name == "variadic" {
			continue
		}
		text := Declared(one) + "typedef " + one.Type + " q_t;\n"
		rules := layout.LP64
		rules.Lang = lang
		u, err := cdecl.Parse("k.cu", []byte(spell(text, words)), cdecl.Options{Rules: rules})
		if err != nil {
			t.Logf("%s: %v", one.Name, err)
			continue
		}
		for _, d := range u.Typedefs {
			if d.Name == "q_t" {
				types[one.Name] = d.Type
			}
		}
	}
	return types
}

// TestLayout holds what package layout says of each release that was measured against what
// was seen of it.
func TestLayout(t *testing.T) {
	cxx, c := typesOf(t, layout.CXX, cudaWords), typesOf(t, layout.C, cWords)
	named := map[string]bool{}
	for _, r := range recordings(t) {
		name := r.Short()
		if strings.HasPrefix(name, "numba") || strings.HasPrefix(name, "triton") {
			continue // TestNumba has the one, and the other passes scalars alone
		}
		named[name] = true
		if name = strings.Replace(name, "nvrtc-headers", "nvrtc", 1); r.Name == "tilelang" {
			name = "nvcc"
		}
		by, err := layout.ParseProducer(name)
		require.NoError(t, err)
		types, lang := cxx, layout.CXX
		if r.Name == "gcc" || by == layout.Rustc {
			types, lang = c, layout.C
		}
		compared := 0
		for _, one := range Cases() {
			typ := types[one.Name]
			if typ == nil {
				continue
			}
			rules := layout.LP64
			rules.Lang = lang
			if by == layout.NVCC {
				rules = rules.NVCC()
				if one.Name == "long_double" {
					rules.LongDouble = layout.LP64.LongDouble
				}
			}
			l, err := layout.Of(typ, rules)
			require.NoError(t, err)
			for _, role := range Roles {
				for _, level := range r.Levels {
					h, ok := r.Seen[Key{one.Name, role, level}]
					if !ok || unmodelled(by, one, role, level) || r.Name == "warp-llvm" && strings.Contains(role, "internal") { // of which its clang takes small records for numbers

						continue
					}
					compared++
					want := predicted(&l, by, role)
					if strings.HasPrefix(r.Name, "warp") {
						want = warped(t, types, want, one, by, role)
					}
					assert.Equal(t, h, want.String(), "%s: %s, %s, %s", name, one.Name, role, level)
				}
			}
		}
		least := map[bool]int{true: 100, false: 500}[len(r.Levels) == 1 || r.Name == "nvrtc-headers"]
		if r.Name == "tilelang" { // kernels with numbers
			least = 13
		}
		assert.Greater(t, compared, least, name)
	}
	for _, name := range layout.ProducerNames() {
		if strings.Contains(name, "-") {
			assert.True(t, named[name], "layout knows %s, of which there is no recording", name)
		}
	}
}

// TestMeasured measures the compilers on this machine whose releases were recorded: clang, cicc of toolkits, and GCC.
func TestMeasured(t *testing.T) {
	if !effort.Long() {
		t.Skip("asking compilers again takes a while; PTXABI_LONG=1 runs it")
	}
	tools, err := oracle.Find()
	if err != nil {
		t.Log(err)
	}
	var words []string
	for _, found := range tools.Clangs {
		words = append(words, "clang="+found.Path)
	}
	for _, kit := range tools.Toolkits {
		if kit.Cicc != "" {
			words = append(words, "cicc="+kit.Cicc)
		}
	}
	found, _ := filepath.Glob("/usr/lib/gcc/*/*/accel/nvptx-none/lto1")
	for _, path := range found {
		words = append(words, "gcc="+path, "g++="+path)
	}
	asked := 0
	for _, word := range words {
		c, err := Open(word)
		if err != nil {
			continue // which does not run
		}
		for _, r := range recordings(t) {
			if r.Name != c.Name || r.Version != c.Version {
				continue
			}
			again, err := Measure(t.Context(), c)
			require.NoError(t, err, word)
			again.Head = r.Head // which has another name of the program
			assert.Equal(t, r.String(), again.String(), word)
			asked++
			t.Logf("%s: asked again", r.Short())
		}
	}
	if asked == 0 {
		t.Skip("no compiler that was recorded is found here")
	}
}

// unmodelled reports whether package layout has no answer.
func unmodelled(by layout.Producer, one Case, role, level string) bool {
	optimised := level == "-O2" || level == "-O3" || level == "release" || level == Default
	switch {
	case by == layout.NVCC && strings.HasPrefix(one.Name, "ext_"): // NVRTC takes vectors for scalars
		return true
	case (by == layout.NVCC || by == layout.GCC) && strings.Contains(role, "internal") && optimised:
		return true
	case by.Family() == layout.Clang && strings.HasPrefix(role, "result internal"):
		return !optimised
	case by == layout.Rustc && strings.Contains(role, "internal"): // which have Rust's convention
		return true
	case by == layout.GCC && strings.HasPrefix(one.Name, "complex") && strings.HasPrefix(role, "argument"): // two parameters
		return true
	case by == layout.GCC && strings.HasPrefix(one.Name, "empty") && strings.HasSuffix(role, "call"): // GCC's caller is at odds with itself
		return true
	}
	return false
}

// warped is the signature that Warp writes for one of C: an array takes the place of the pointer, and a kernel has
// the bounds of its launch before all, and for derivatives all of its own parameters once more.
func warped(t *testing.T, types map[string]layout.Type, c Head, one Case, by layout.Producer, role string) Head {
	t.Helper()
	param := func(name string, as layout.Role) string {
		l, err := layout.Of(types[name], layout.LP64)
		require.NoError(t, err)
		return strings.TrimPrefix(strings.Replace(l.ParamOf(by, as, "x").String(), " x", "", 1), ".param ")
	}
	switch kernel := strings.Contains(role, "kernel"); {
	case kernel && strings.HasPrefix(one.Name, "warp_tid"):
		return Head{nil, []string{param(one.Name, layout.KernelArgument), param("warp_array", layout.KernelArgument), ".u32"}}
	case kernel:
		own := []string{param("warp_array", layout.KernelArgument), c.Params[1]}
		all := append([]string{param("warp_tid_1", layout.KernelArgument)}, own...)
		if role == "adjoint kernel" {
			all = append(all, own...)
		}
		return Head{nil, all}
	}
	return Head{c.Results, slices.Concat([]string{param("warp_array", layout.InternalArgument)}, c.Params[1:])}
}

// predicted is the signature that package layout says.
func predicted(l *layout.Layout, by layout.Producer, role string) Head {
	pointer := ".b64"
	if by == layout.GCC {
		pointer = ".u64"
	}
	kind := map[string]layout.Role{
		"kernel argument": layout.KernelArgument, "adjoint kernel": layout.KernelArgument, "argument internal": layout.InternalArgument, "argument internal call": layout.InternalArgument,
		"result internal": layout.InternalResult, "result internal call": layout.InternalResult,
	}
	as, ok := kind[role]
	if !ok {
		as = layout.Argument
		if strings.HasPrefix(role, "result") {
			as = layout.Result
		}
	}
	p := l.ParamOf(by, as, "x")
	text := strings.TrimPrefix(strings.Replace(p.String(), " x", "", 1), ".param ")
	switch {
	case text == "" && !strings.HasPrefix(role, "result"): // no parameter
		return Head{nil, []string{strings.Replace(pointer, ".b64", map[bool]string{true: ".u64", false: ".b64"}[as == layout.KernelArgument], 1)}}
	case as == layout.KernelArgument:
		return Head{nil, []string{".u64", text}}
	case strings.HasPrefix(role, "argument"):
		return Head{nil, []string{pointer, text}}
	case text == "":
		return Head{nil, []string{pointer}}
	case p.Indirect:
		return Head{nil, []string{text, pointer}}
	}
	return Head{[]string{text}, []string{pointer}}
}

// TestWarp has what docs/producers.md says of Warp's two compilers: they declare all kernels alike, and the
// functions of its clang take small records as numbers.
func TestWarp(t *testing.T) {
	both := map[string]*Recording{}
	for _, r := range recordings(t) {
		both[r.Name] = r
	}
	nvrtc, llvm := both["warp"], both["warp-llvm"]
	require.NotNil(t, nvrtc)
	require.NotNil(t, llvm)
	kernels, numbers := 0, 0
	for k, h := range llvm.Seen {
		if strings.Contains(k.Role, "kernel") {
			assert.Equal(t, nvrtc.Seen[k], h, "%s: %s", k.Case, k.Role)
			kernels++
		}
		_, full, two := strings.Cut(nvrtc.Seen[Key{k.Case, "argument internal", "debug"}], ", ") // its second parameter
		if k.Role != "argument internal" || !two || !strings.HasSuffix(full, "])") {
			continue
		}
		_, size, _ := strings.Cut(full, "[")
		small := slices.Contains([]string{"1", "2", "4", "8"}, strings.TrimSuffix(size, "])"))
		_, second, _ := strings.Cut(h, ", ")
		assert.Equal(t, small, !strings.HasPrefix(second, ".align"), "%s: %s", k.Case, h)
		if small {
			numbers++
		}
	}
	assert.Greater(t, kernels, 140)
	assert.Greater(t, numbers, 10)
}
