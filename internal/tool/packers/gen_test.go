package packers

import (
	"go/build/constraint"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/layout"
)

// TestBaseAlign holds baseAlign against every measured target: alignments up
// to it give the same offsets everywhere, twice it does not.
func TestBaseAlign(t *testing.T) {
	differ := false
	for _, target := range abi.Targets() {
		k := target.Kernel
		assert.Zero(t, k.ParamBase%baseAlign, target.Name)
		assert.Zero(t, k.LargeBase%baseAlign, target.Name)
		differ = differ || k.AbsoluteAlign && k.ParamBase%(2*baseAlign) != 0
	}
	assert.True(t, differ)
}

func TestNameConstraint(t *testing.T) {
	for name, want := range map[string]string{
		"x.go": "", "linux.go": "", "x_linux.go": "linux", "x_amd64.go": "amd64", "x_linux_amd64.go": "linux && amd64",
		"x_amd64_linux.go": "linux", "x_linux_test.go": "linux", "x_param.go": "", "a_b_windows_arm64.go": "windows && arm64",
		"_linux.go": "linux", "x_unix.go": "", "windows_amd64.go": "amd64",
	} {
		got := ""
		if x := nameConstraint(filepath.Join("d_linux", name)); x != nil {
			got = x.String()
		}
		assert.Equal(t, want, got, name)
	}
}

func TestSatisfy(t *testing.T) {
	for _, expr := range []string{
		"windows", "plan9 && 386", "!linux", "a && !b", "(a || b) && !a", "unix && !linux && !darwin", "ios", "go1.21 && cgo", "!amd64",
	} {
		x, err := constraint.Parse("//go:build " + expr)
		require.NoError(t, err)
		c, err := satisfy(x)
		require.NoError(t, err, expr)
		assert.True(t, x.Eval(c.has), "%s: %+v", expr, c)
	}
	for _, expr := range []string{"windows && linux", "a && !a", "386 && amd64"} {
		x, err := constraint.Parse("//go:build " + expr)
		require.NoError(t, err)
		_, err = satisfy(x)
		assert.ErrorContains(t, err, "holds nowhere", expr)
	}
}

func TestNames(t *testing.T) {
	for c, want := range map[string]string{
		"n_rows": "NRows", "x": "X", "_n": "N", "__half": "Half", "2d": "X2d", "T": "T", "sim::step": "SimStep", "ünder": "Ünder", "日": "X日",
	} {
		assert.Equal(t, want, goName(c), c)
	}
	for mangled, want := range map[string]string{
		"_Z5saxpyfPf": "Saxpy", "_ZN3sim4stepEPf": "Step", "_ZL3foov": "Foo", "plain": "Plain", "_Z9": "Z9",
		"_Z5saxpyIfEvPT_": "SaxpyFloat", "_Z3sumILi4EjEvPT0_": "Sum4UnsignedInt", "_Z1fIPfEvv": "FFloatPtr",
		"_ZN3VecIfE4stepEv": "Step",
	} {
		one := ofSymbol(mangled, place{})
		assert.Equal(t, want, one.goName(""), mangled)
	}
	s := nameSet{}
	assert.Equal(t, []string{"x", "x_"}, []string{s.take("x"), s.take("x")})
}

// TestDeterministic generates twice and compares.
func TestDeterministic(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "go.mod", "module example.org/d\n\ngo 1.26\n")
	writeFile(t, dir, "x.go", "package d\n\nimport \"time\"\n\ntype P struct {\n\tA time.Duration\n\tB [3]Q\n}\n\ntype Q struct{ X, Y uint8 }\n")
	cfg := Config{Dir: dir, Input: "x.go", Types: []string{"P", "Q"}, Test: true, Header: "x.h", PTX: "x.ptx"}
	first, err := Generate(cfg)
	require.NoError(t, err)
	again, err := Generate(cfg)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	for _, f := range first {
		assert.NotContains(t, string(f.Data), dir, f.Path)
	}
	// From elsewhere, and by an absolute path, it is the same text.
	cfg.Dir, cfg.Input = filepath.Dir(dir), filepath.Join(dir, "x.go")
	other, err := Generate(cfg)
	require.NoError(t, err)
	for i := range first {
		assert.Equal(t, string(first[i].Data), string(other[i].Data))
	}
}

// TestLaunches checks that a type of a launch is known where a run names it, or a type that has it in it.
func TestLaunches(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "go.mod", "module example.org/d\n\ngo 1.26\n")
	writeFile(t, dir, "k.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n")
	files, err := Generate(Config{Dir: dir, Input: "k.ptx", Kernels: []string{"k"}, Output: "k_args.go", Package: "d"})
	require.NoError(t, err)
	for _, f := range files {
		writeFile(t, dir, f.Path, string(f.Data))
	}
	require.FileExists(t, filepath.Join(dir, "k_args_launch.go"))
	writeFile(t, dir, "x.go", "package d\n\ntype P struct{ N int32 }\n\ntype App struct {\n\tN int32\n\tL KLaunch\n}\n")
	_, err = Generate(Config{Dir: dir, Input: "x.go", Types: []string{"P"}})
	require.NoError(t, err)
	const pinner = "field pinner: runtime.Pinner has fields that cannot be passed"
	_, err = Generate(Config{Dir: dir, Input: "x.go", Types: []string{"App"}})
	require.ErrorContains(t, err, pinner)
	_, err = Generate(Config{Dir: dir, Input: "k_args_launch.go", Types: []string{"KLaunch"}})
	require.ErrorContains(t, err, pinner)
	_, err = Generate(Config{Dir: dir, Input: "k.ptx", Kernels: []string{"k"}, Output: "other.go", Package: "d", Params: map[string]string{"k.0": "KLaunch"}})
	require.ErrorContains(t, err, pinner)
	_, err = Generate(Config{Dir: dir, Input: "x.go", Types: []string{"KLaunc"}})
	require.ErrorContains(t, err, "did you mean KLaunch?")
	writeFile(t, dir, "y.go", "package d\n\ntype KLaunch struct{ N int32 }\n")
	_, err = Generate(Config{Dir: dir, Input: "y.go", Types: []string{"KLaunch"}})
	require.ErrorContains(t, err, pinner, "the first declaration counts")
}

// TestWindowsLineEnds checks that input with the line ends of Windows, and
// with a byte-order mark, gives the same.
func TestWindowsLineEnds(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "go.mod", "module example.org/d\n\ngo 1.26\n")
	const src = "//go:build linux || windows\n\npackage d\n\n//ptxabi:align 16\ntype P struct {\n\tA int32\n}\n"
	var want []File
	for i, text := range []string{src, "\ufeff" + src, strings.ReplaceAll(src, "\n", "\r\n")} {
		writeFile(t, dir, "x.go", text)
		got, err := Generate(Config{Dir: dir, Input: "x.go", Types: []string{"P"}})
		require.NoError(t, err)
		if i == 0 {
			want = got
		}
		assert.Equal(t, want, got)
	}
}

// TestLists checks what the Config refuses.
func TestLists(t *testing.T) {
	_, err := Generate(Config{Env: []string{}, Types: []string{"A"}})
	assert.ErrorContains(t, err, "$GOFILE")
	_, err = Generate(Config{Input: "x.go", Types: []string{""}})
	assert.ErrorContains(t, err, "empty")
	_, err = Generate(Config{Input: "testdata", Types: []string{"A"}, Dir: t.TempDir()})
	assert.ErrorContains(t, err, "no such file")
}

// TestBaseName has the names of fields for base classes that are instances of templates.
func TestBaseName(t *testing.T) {
	for name, want := range map[string]string{
		"n::Base": "Base", "n::Shape<n::Sphere>": "Shape", "Outer<a::B>::Base": "Base", "n::V<n::S<a::B>, 3>": "V", "Shape": "Shape",
	} {
		assert.Equal(t, want, baseName(&layout.Record{Kind: layout.Struct, Name: name}), name)
	}
}
