package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	diffHead = ".version 8.1\n.target sm_80\n.address_size 64\n"
	diffA    = diffHead + ".visible .func (.param .b32 r) f (.param .b32 x, .param .align 4 .b8 y[64]) { ret; }\n" +
		".visible .entry k (.param .align 64 .b8 s[64], .param .u64 p) { ret; }\n"
	diffB = diffHead + ".visible .func (.param .align 4 .b8 r[52]) f (.param .b32 x, .param .align 4 .b8 y[64]) { ret; }\n" +
		".visible .entry k (.param .align 64 .b8 s[64], .param .u64 p) { ret; }\n"
	diffWide = diffHead + ".visible .entry k (.param .b8 s[8192]) { ret; }\n"
)

// TestDiff runs the command and holds its JSON against the schema.
func TestDiff(t *testing.T) {
	schema := readSchema(t, "diff")
	a, b, wide := writeSource(t, "a.ptx", diffA), writeSource(t, "b.ptx", diffB), writeSource(t, "wide.ptx", diffWide)
	for _, tt := range []struct {
		args   string
		status int
		want   []string
	}{
		{"A A", 0, []string{"func f: same\n", "entry k: same\n", "\nno difference\n"}},
		{"A B", 1, []string{
			" on sm_80 and ", "\nfunc f: differs, breaks callers\n",
			"breaks: result 0: result kind: the result was in R4 and is in memory whose address the caller passes in R4",
			"breaks: param 0: moved: it was in R4 and is in R5", "\n1 of 2 differ, 1 so that callers break\n",
		}},
		{"-target sm_90 A B", 1, []string{" on sm_90 and ", "breaks: param 0: moved: "}},
		{"-target sm_80,sm_86 A", 0, []string{" on sm_80 and ", " on sm_86\n", "\nno difference\n"}},
		{"-target sm_80,sm_90 A", 1, []string{
			"func f: same\n", "breaks: param 0: kernel offset: it was at offset 32 of the parameters and is at 48",
			"works: block base: ", "\nthe targets\n", "\n  kernel parameters  ",
		}},
		{"-matrix A", 1, []string{"2: sm_70 … sm_89, ", "\nentry k: a launch packs its parameters differently on some of them\n"}},
		{"-matrix A B", 1, []string{" on sm_35 … sm_121f, ", "\n1 of 2 differ, 1 so that callers break\n"}},
		{"-matrix A A", 0, []string{"\nno difference\n"}},
		{"-matrix WIDE", 1, []string{"1: sm_35 … sm_62, 8 targets\n   refused: s of k: ends at byte 8192"}},
	} {
		args := strings.Fields(strings.NewReplacer("A", a, "B", b, "WIDE", wide).Replace(tt.args))
		r := ptxabi(nil, append([]string{"diff", "-all"}, args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.args, r.stderr)
		assert.Empty(t, r.stderr, tt.args)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.args)
		}
		r = ptxabi(nil, append([]string{"diff", "-format=json"}, args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.args, r.stderr)
		schema.check(t, r.stdout)
	}
	for line := range strings.Lines(ptxabiOn(true, map[string]string{"NO_COLOR": "1"}, nil, "diff", a, b).stdout) {
		assert.True(t, len(line) <= 61 || !strings.Contains(strings.TrimSpace(line), " "), line)
	}
	cxx := writeSource(t, "cxx.ptx", ".version 7.8\n.target sm_80\n.visible .entry _Z4fillPfi(.param .u64 _Z4fillPfi_param_0, .param .u32 _Z4fillPfi_param_1) { ret; }\n")
	r := ptxabi(nil, "diff", "-matrix", cxx)
	assert.Contains(t, r.stdout, "\nentry fill(float*, int): a launch ")
	assert.Contains(t, r.stdout, "\n  param  param_0  c[0x0][0x140]")
	assert.Contains(t, ptxabi(nil, "diff", "-no-demangle", "-matrix", cxx).stdout, "\nentry _Z4fillPfi: a launch ")
	left := ptxabi(nil, "diff", "-matrix", wide, wide)
	assert.Equal(t, 0, left.status)
	assert.Contains(t, left.stderr, "sm_35: note: left out: ")
	assert.Contains(t, left.stdout, " on sm_70 … sm_121f, ")
}

func TestDiffRefuses(t *testing.T) {
	a := writeSource(t, "a.ptx", diffA)
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 2, "diff: 0 files, expected one at least: A [B...]"},
		{[]string{a}, 2, "one module and one target: there is nothing to compare with"},
		{[]string{"-target", "80", a}, 2, "one module and one target: there is nothing to compare with"},
		{[]string{"-target", "80,90,100", a}, 2, "-target 80,90,100: 3 targets, two at most"},
		{[]string{"-target", "80,", a}, 2, `unknown target ""`},
		{[]string{"-target", "80,30", a}, 2, "-assume takes over the facts of sm_35"},
		{[]string{"-matrix", "-target", "80", a}, 2, "-matrix compares all targets, -target one or two: use one of them"},
		{[]string{"-format", "xml", a, a}, 2, `-format "xml" is none of text, json`},
		{[]string{a, "nowhere.ptx"}, 2, "nowhere.ptx: no such file"},
		{[]string{a, writeSource(t, "c.c", "struct S { int x; };\n")}, 2, `c.c is not PTX: compile it to PTX to compare it, and "ptxabi verify CUBIN `},
		{[]string{writeSource(t, "s.go", goStructs), a}, 2, `s.go is not PTX: compile it to PTX to compare it, and "ptxabi verify -type NAME CUBIN `},
		{[]string{a, writeSource(t, "x.sass", "\t.target\tsm_80\n.text.f:\n\tEXIT ;\n")}, 2, "x.sass: a listing of machine code, not PTX"},
		{[]string{a, writeSource(t, "x.ptx", diffHead+".func (")}, 1, "x.ptx:4:"},
		{[]string{a, writeSource(t, "x.ptx", diffHead+".func f (.param .align 3 .b8 x[4]);")}, 1, "x.ptx:4:"},
	} {
		r := ptxabi(nil, append([]string{"diff"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, "%v", tt.args)
		assert.Contains(t, r.stderr, tt.want)
		assert.Empty(t, r.stdout, tt.want)
	}
}

// TestDiffHalf compares what errors leave, in each form: what could not be read is neither added nor removed.
func TestDiffHalf(t *testing.T) {
	schema := readSchema(t, "diff")
	a := writeSource(t, "a.ptx", diffA)
	lost := writeSource(t, "lost.ptx", strings.Replace(diffA, "(.param .b32 x", "(.param .b32 ", 1))
	outside := writeSource(t, "outside.ptx", strings.Replace(diffA, ".visible .func (", "foo; .func ) (", 1))
	cubins := cubinData + "/cubins/sm_80-12.4.cubin"
	body, err := os.ReadFile(cubinData + "/module.ptx")
	require.NoError(t, err)
	half := writeSource(t, "half.ptx", diffHead+string(body)+".visible .entry k2 (.param .b32 ) { ret; }\n")
	for _, tt := range []struct{ args, want, not, stderr string }{
		{"A LOST", "entry k: same\n", "func f", "left out for errors in their declarations: f"},
		{"LOST A", "entry k: same\n", "func f", "left out for errors in their declarations: f"},
		{"A OUTSIDE", "entry k: same\n", "func f", "a function that it lacks is not compared"},
		{"-matrix LOST", "entry k: a launch", "func f", "left out for errors in their declarations: f"},
		{"-matrix A LOST", "entry k: same\n", "func f", "left out for errors in their declarations: f"},
		{"CUBIN HALF", "entry k: same\n", "k2", "left out for errors in their declarations: k2"},
		{"HALF CUBIN", "entry k: same\n", "k2", "left out for errors in their declarations: k2"},
	} {
		args := strings.Fields(strings.NewReplacer("A", a, "LOST", lost, "OUTSIDE", outside, "CUBIN", cubins, "HALF", half).Replace(tt.args))
		r := ptxabi(nil, append([]string{"diff", "-all"}, args...)...)
		assert.Equal(t, 1, r.status, tt.args)
		assert.Contains(t, r.stdout, tt.want, tt.args)
		assert.NotContains(t, r.stdout, tt.not, tt.args)
		assert.Contains(t, r.stderr, tt.stderr, tt.args)
		r = ptxabi(nil, append([]string{"diff", "-format=json"}, args...)...)
		assert.Equal(t, 1, r.status, tt.args)
		schema.check(t, r.stdout)
		assert.Equal(t, !strings.Contains(tt.args, "OUTSIDE"), strings.Contains(r.stdout, `"leftOut": [`), tt.args)
	}
}

// TestDiffCubins compares what cubins record of kernels, with each other and
// with PTX.
func TestDiffCubins(t *testing.T) {
	schema := readSchema(t, "diff")
	body, err := os.ReadFile(cubinData + "/module.ptx")
	require.NoError(t, err)
	handles, err := os.ReadFile(cubinData + "/handles.ptx")
	require.NoError(t, err)
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n"
	replace := strings.NewReplacer(
		"SAME", writeSource(t, "same.ptx", head+string(body)), "HANDLES", writeSource(t, "handles.ptx", head+string(handles)),
		"GROWN", writeSource(t, "grown.ptx", head+strings.Replace(string(body), ".b8 s[20]", ".b8 s[24]", 1)),
		"LARGE", writeSource(t, "large.ptx", head+strings.Replace(string(body), "s[20]", "s[32]", 1)),
		"FEWER", writeSource(t, "fewer.ptx", head+strings.NewReplacer(" pl, .param .f32 f)", " pl)", "ld.param.f32 %f, [f];", "mov.f32 %f, 0f00000000;").Replace(string(body))),
		"DIR", cubinData+"/cubins", "FAT", cubinData+"/fatbins/zstd-13.5.fatbin", "WIDE", writeSource(t, "wide.ptx", wideModule(t)),
	)
	for _, tt := range []struct {
		args   string
		status int
		want   []string
	}{
		{"DIR/sm_80-12.4.cubin DIR/sm_80-13.5.cubin", 0, []string{"\nonly kernels are compared: a cubin does not record", "entry k: same\n", "\nno difference\n"}},
		{"DIR/sm_80-12.4.cubin DIR/sm_90-13.5.cubin", 1, []string{
			"entry empty: same\n", "entry k: differs, callers work\n", "works: block base: the parameters begin at c[0x0][0x160] and c[0x0][0x210]",
			"\nthe targets\n",
		}},
		{"DIR/sm_80-12.4.cubin SAME", 0, []string{"same.ptx on sm_80\n", "\nno difference\n"}},
		{"SAME DIR/sm_120-13.5.cubin", 0, []string{"same.ptx on sm_120 and ", "\nno difference\n"}},
		{"DIR/handles-sm_80-12.4.cubin HANDLES", 0, []string{"entry handles: same\n"}},
		{"GROWN DIR/sm_80-12.4.cubin", 1, []string{
			"  >  param 1  c[0x0][0x170]  s  24@16 .b8[24]", "  c[0x0][0x170]  20 bytes\n", "  breaks: param 1: size: it had 24 bytes and has 20\n",
			"1 of 3 differ, 1 so that callers break\n",
		}},
		{"DIR/sm_80-12.4.cubin LARGE", 1, []string{
			"breaks: param 2: kernel offset: it was at offset 40 of the parameters and is at 48", "breaks: block size: a launch passes 68 bytes and should pass 76",
		}},
		{"DIR/sm_80-12.4.cubin FEWER", 1, []string{
			"breaks: param 5: removed: it is missing: a launch that passes it passes too many bytes\n",
		}},
		{"FEWER DIR/sm_80-12.4.cubin", 1, []string{"breaks: param 5: added: callers do not pass it, which is in c[0x0][0x1a0]\n"}},
		{"-target sm_80 FAT WIDE", 0, []string{"zstd-13.5.fatbin(0x128) on sm_80 and "}},
		{"-target sm_80,sm_90 FAT FAT", 1, []string{"(0x128) on sm_80 and ", "works: block base: "}},
	} {
		args := strings.Fields(replace.Replace(tt.args))
		r := ptxabi(nil, append([]string{"diff", "-all"}, args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s%s", tt.args, r.stdout, r.stderr)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.args)
		}
		r = ptxabi(nil, append([]string{"diff", "-format=json"}, args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.args, r.stderr)
		schema.check(t, r.stdout)
	}
	// By name, whatever the order of the symbols is.
	sorted := ptxabi(nil, "diff", "-all", "-no-demangle", cxxCubin, cxxCubin)
	assert.Regexp(t, `(?s)\nentry _Z3addf: .*\nentry _Z3addi: .*\nentry _Z4fill.*\nentry _Z4step.*\nentry _ZN3sim3runEi: `, sorted.stdout)
	// Names are whatever a file says.
	data, err := os.ReadFile(cubinData + "/cubins/sm_80-12.4.cubin")
	require.NoError(t, err)
	data = bytes.ReplaceAll(data, []byte("empty\x00"), []byte("e\x1b[1m\x00"))
	hostile := writeSource(t, "x\x1b[2J.cubin", string(data))
	r := ptxabi(nil, "diff", "-all", hostile, hostile)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "entry e\\x1b[1m: same\n")
	assert.NotContains(t, r.stdout+r.stderr, "\x1b")
	for args, want := range map[string]string{
		"FAT WIDE":                                 "has 2 cubins, for sm_80, sm_90: -target chooses one",
		"-target sm_86 FAT WIDE":                   "has no cubin for sm_86, only for sm_80, sm_90",
		"-matrix SAME DIR/sm_80-12.4.cubin":        "-matrix compares PTX: a cubin is for one target",
		"-target sm_80,sm_90 DIR/sm_80-12.4.cubin": "a cubin is for one target: two of them can be compared, or one with its PTX",
	} {
		r := ptxabi(nil, append([]string{"diff"}, strings.Fields(replace.Replace(args))...)...)
		assert.Equal(t, 2, r.status, args)
		assert.Contains(t, r.stderr, want, args)
	}
}

// TestDiffRenamed compares kernels of C++ whose symbols have changed: because the type of a parameter has, or
// a version in a name. What is the same is counted.
func TestDiffRenamed(t *testing.T) {
	module := func(kernels ...string) string {
		text := wideHead
		for _, k := range kernels {
			text += ".visible .entry " + k + " { ret; }\n"
		}
		return writeSource(t, "x.ptx", text)
	}
	a := module(
		"_Z5scalePfi(.param .u64 _Z5scalePfi_param_0, .param .u32 _Z5scalePfi_param_1)", // scale(float*, int)
		"_ZN3cub10_V_300100_4scanIiEEvPT_(.param .u64 _ZN3cub10_V_300100_4scanIiEEvPT__param_0)",
		"_ZN3cub10_V_300100_4goneEv()",
		"same(.param .u64 same_param_0)",
		"gone()",
	)
	b := module(
		"_Z5scalePfl(.param .u64 _Z5scalePfl_param_0, .param .u64 _Z5scalePfl_param_1)", // scale(float*, long)
		"_ZN3cub10_V_300200_4scanIiEEvPT_(.param .u64 _ZN3cub10_V_300200_4scanIiEEvPT__param_0)",
		"same(.param .u64 same_param_0)",
	)
	r := ptxabi(nil, "diff", a, b)
	assert.Equal(t, 1, r.status, r.stderr)
	for _, want := range []string{
		"\nentry scale(float*, int): differs, breaks callers\n",
		"  breaks: renamed: a launch that looks it up by its symbol does not find it: it was _Z5scalePfi and is _Z5scalePfl\n",
		"  breaks: param 1: size: it had 4 bytes and has 8\n", "  >  param 1  c[0x0][0x168]  param_1  4@4 .u32  ",
		"::scan<int>(int*): differs, callers work\n",
		"  works: renamed: its name contains a version, which has changed; the code that launches it was compiled with it\n",
		"  works: removed: it is missing; its name contains a version, so the code that launches it was compiled with it\n",
		"\nentry gone: only in a, breaks callers\n", "\n1 unchanged\n", "\n4 of 5 differ, 2 so that callers break\n",
	} {
		assert.Contains(t, r.stdout, want)
	}
	assert.NotContains(t, r.stdout, "name only")
	assert.NotContains(t, r.stdout, "same")
	assert.Contains(t, ptxabi(nil, "diff", "-all", a, b).stdout, "\nentry same: same\n")
	assert.Equal(t, r, ptxabi(nil, "diff", "-changed", a, b))
	assert.Equal(t, 2, ptxabi(nil, "diff", "-changed", "-all", a, b).status)
	readSchema(t, "diff").check(t, ptxabi(nil, "diff", "-format=json", a, b).stdout)
}

// TestDiffLibraries compares files that have several cubins for an architecture: all kernels of one with all of the
// other.
func TestDiffLibraries(t *testing.T) {
	cubins := map[string]string{}
	for name, file := range map[string]string{
		"cxx": cxxCubin, "debug": "../../internal/tool/verify/testdata/debug-sm_80-12.4.cubin",
		"module80": cubinData + "/cubins/sm_80-12.4.cubin", "module90": cubinData + "/cubins/sm_90-13.5.cubin", "module100": cubinData + "/cubins/sm_100-13.5.cubin",
	} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		cubins[name] = string(data)
	}
	archs := map[string]uint32{"module90": 90, "module100": 100}
	library := func(names ...string) string {
		var all []entry
		for _, name := range names {
			arch := archs[name]
			if arch == 0 {
				arch = 80
			}
			all = append(all, entry{kind: 2, arch: arch, flags: 1, data: cubins[name]})
		}
		return writeSource(t, "lib.fatbin", fatbin(all...))
	}
	both := library("cxx", "module80", "module90")
	r := ptxabi(nil, "diff", both, library("module90", "module80", "debug", "cxx", "module100"))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, " on sm_80\n")
	assert.Contains(t, r.stdout, " on sm_90\n")
	assert.Contains(t, r.stdout, "entry q::two(V, D, float): only in ")
	r = ptxabi(nil, "diff", both, library("module80", "cxx"))
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.Contains(t, r.stdout, "no difference")
	r = ptxabi(nil, "diff", both, library("debug", "module100"))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, "only in")
	r = ptxabi(nil, "diff", library("cxx", "module90"), library("module100", "module100"))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "has cubins for sm_80, sm_90, ")
	assert.Contains(t, r.stderr, "-target chooses one of each")
	// Kernels of one name that are not alike are nobody's.
	cubins["other"] = strings.ReplaceAll(cubins["debug"], "three\x00", "empty\x00")
	r = ptxabi(nil, "diff", library("module80", "other"), library("other", "module80"))
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.Contains(t, r.stderr, "lib.fatbin: note: left out: 1 kernel that sm_80 has several times, with different parameters: empty\n")
}
