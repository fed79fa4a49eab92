package export

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// Programs in testdata answer requests, one a line. This is what Go answers to the same:
//
//	row NAME                                          what is known of a name, and parts of its row
//	flawed NAME count                                 the error of a row with so many parameter registers, 0 for none
//	regs NAME preserve                                what a call does to the registers
//	limits NAME threads blocks major minor            the limits of a launch
//	assign NAME kind preserve n {kind size align} n {kind size align}
//
// A preserve of -1 is none.

// requests returns requests on everything that there is to ask, n of them random, and the
// answers.
func requests(n int) (asked, answers []string) {
	ask := func(answer, format string, args ...any) {
		asked = append(asked, fmt.Sprintf(format, args...))
		answers = append(answers, answer)
	}
	for sm := range 140 {
		for _, name := range []string{"sm_%d", "sm_%da", "compute_%d", "%df"} {
			name = fmt.Sprintf(name, sm)
			ask(rowOf(name), "row %s", name)
		}
	}
	ask(rowOf("sm_"), "row sm_")
	ask(rowOf("sm_sm_90"), "row sm_sm_90")
	for n, code := range map[int]abi.Code{0: abi.BadTarget, 33: abi.BadTarget, 12: 0} {
		ask(fmt.Sprint(int(code)), "flawed sm_90 %d", n)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, t := range abi.Targets() {
		for _, n := range []int{-2, -1, 0, 1, 2, 3, 4, 5, 100, 236, 237, 238, 1000} {
			ask(regsOf(t, n), "regs %s %d", t.Name, n)
		}
		for range 50 {
			threads, blocks, major, minor := r.IntN(2200)-10, r.IntN(40)-2, r.IntN(10), r.IntN(10)
			m := &machine.Of(t.SM).Multi
			ask(fmt.Sprintf("%d %d %d", m.BlockLimit(threads, t.Regs.Last), m.ResidentLimit(threads, blocks, t.Regs.Last), t.MaxKernelParams(abi.Version{Major: major, Minor: minor})),
				"limits %s %d %d %d %d", t.Name, threads, blocks, major, minor)
		}
		for _, c := range abitest.Corpus() {
			sig := c.Function.ABI()
			ask(assignmentOf(sig, t), "%s", assignRequest(sig, t))
		}
	}
	targets := abi.Targets()
	for range n {
		t, sig := targets[r.IntN(len(targets))], randomSignature(r)
		ask(assignmentOf(sig, t), "%s", assignRequest(sig, t))
	}
	return asked, answers
}

// randomSignature draws a signature. Few are refused, for any reason that there is.
func randomSignature(r *rand.Rand) abi.Signature {
	odd := func(n int) bool { return r.IntN(n) == 0 }
	wrong := odd(20)
	value := func(large int) abi.Value {
		v := abi.Value{Size: r.IntN(large), Align: 1 << r.IntN(6)}
		switch {
		case odd(3):
			v.Size = v.Align
		case odd(10):
			v.Align = 0
		case odd(40):
			v.Align = 1 << r.IntN(30)
		case odd(60):
			v = abi.Value{Kind: abi.Opaque, Align: v.Align}
		}
		if wrong && odd(3) {
			v.Size = []int{-1, 1<<29 + 1, 1 << 29, 8 << 20, 8<<20 + 1, v.Size}[r.IntN(6)]
			v.Align = []int{-4, 3, 1 << 30, v.Align}[r.IntN(4)]
			v.Kind = abi.Kind(r.IntN(3))
		}
		return v
	}
	sig := abi.Signature{Kind: abi.FuncKind(r.IntN(2))}
	large := []int{9, 17, 65, 300, 6000}[r.IntN(5)]
	for range r.IntN([]int{3, 8, 20}[r.IntN(3)]) {
		sig.Params = append(sig.Params, value(large))
	}
	if sig.Kind == abi.Func {
		if odd(10) {
			sig.Params = append(sig.Params, abi.Value{Kind: abi.Unsized, Align: 1 << r.IntN(5), Size: r.IntN(2) * r.IntN(100)})
		}
		if odd(6) {
			sig.Preserve = abi.Preserve{Given: true, N: r.IntN(60)}
			if odd(5) {
				sig.Preserve.N = []int{-2, 0, 1, 237, 238}[r.IntN(5)]
			}
		}
	}
	if sig.Kind == abi.Func && odd(2) || wrong && odd(3) {
		sig.Results = append(sig.Results, value(large))
		if odd(30) {
			sig.Results = append(sig.Results, value(large))
		}
	}
	if wrong && odd(5) && sig.Kind == abi.Entry {
		sig.Preserve = abi.Preserve{Given: true, N: r.IntN(3)}
	}
	return sig
}

func assignRequest(sig abi.Signature, t *abi.Target) string {
	preserve := -1
	if sig.Preserve.Given {
		preserve = sig.Preserve.N
	}
	var b strings.Builder
	fmt.Fprintf(&b, "assign %s %d %d", t.Name, sig.Kind, preserve)
	for _, list := range [][]abi.Value{sig.Params, sig.Results} {
		fmt.Fprintf(&b, " %d", len(list))
		for _, v := range list {
			fmt.Fprintf(&b, " %d %d %d", v.Kind, v.Size, v.Align)
		}
	}
	return b.String()
}

func assignmentOf(sig abi.Signature, t *abi.Target) string {
	a, err := abi.Assign(sig, t)
	var b strings.Builder
	if err != nil {
		for _, e := range err.(abi.ErrorList) {
			is := 0
			if e.Result {
				is = 1
			}
			fmt.Fprintf(&b, "error %d,%d,%d,%s ", e.Param, is, e.Code, reasonOf(e))
		}
		return b.String()
	}
	hidden := 255
	if a.Sret.Kind == abi.InReg {
		hidden = int(a.Sret.Reg)
	}
	fmt.Fprintf(&b, "%d %d %d,%d,%d", hidden, a.StackBytes, a.Block.Bank, a.Block.Base, a.Block.Size)
	for i, list := range [][]abi.Placement{a.Params, a.Results} {
		b.WriteString([]string{" params", " results"}[i])
		for _, p := range list {
			fmt.Fprintf(&b, " %d,%d,%d,%d,%d,%d,%d", p.Loc.Kind, p.Loc.Reg, p.Loc.Bank, p.Loc.Off, p.Size, p.Align, p.Words())
		}
	}
	return b.String()
}

func regsOf(t *abi.Target, n int) string {
	f := t.RegsWith(abi.Preserve{Given: n != -1, N: n})
	return fmt.Sprintf("%d%s%s", f.RetAddr, setText(f.CalleeSaved), setText(f.CallerSaved))
}

func setText(s abi.RegSet) string {
	return fmt.Sprintf(" %016x%016x%016x%016x", s[3], s[2], s[1], s[0])
}

func rowOf(name string) string {
	status := 0
	_, err := abi.Lookup(name)
	var u *abi.UnmeasuredError
	if errors.As(err, &u) {
		status = 1
		if u.NoABI {
			status = 2
		}
	} else if err != nil {
		status = 3
	}
	t, err := abi.Assume(name)
	if err != nil || status == 3 { // a number above all that are known has no row in exports
		return fmt.Sprintf("none %d", status)
	}
	m := machine.Of(t.SM)
	return fmt.Sprintf("%d %s %d %s|%s|%s|%s %d %d %d %d %s|%s|%s|%d%s%s%s", status, t.Name, t.SM, t.Suffix, t.Generation, t.Toolkits, t.AssumedFrom, m.Multi.PerBlock,
		t.Passing.First, t.Kernel.LargeSince.Major, m.Spelling.AlignSPTable, m.Spelling.Call, m.Spelling.LoadConst.B64, t.Kernel.Dispute, m.Multi.Blocks,
		setText(t.Regs.CalleeSaved), setText(t.Regs.UniformDisputed), setText(t.Regs.BarrierCalleeSaved))
}

// write writes the text of a language and its driver to a folder.
func write(t *testing.T, dir, language string) (driver string) {
	text, err := Text(language)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ptxabi."+map[string]string{"c": "h", "rust": "rs", "python": "py"}[language]), text, 0o644))
	driver = map[string]string{"c": "driver.c", "rust": "driver.rs", "python": "driver.py"}[language]
	src := must.Read(t, "testdata/"+driver)
	driver = filepath.Join(dir, driver)
	require.NoError(t, os.WriteFile(driver, src, 0o644))
	return driver
}

// found returns the path of one of some programs, and skips the test where none is found.
func found(t *testing.T, names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("there is no %s here", strings.Join(names, ", no "))
	return ""
}

// quietly runs a program, which must not fail nor say anything.
func quietly(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoErrorf(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	require.Emptyf(t, string(out), "%s %s", name, strings.Join(args, " "))
}

// holds asks a program everything, and holds its answers against those of Go.
func holds(t *testing.T, n int, name string, args ...string) {
	t.Helper()
	asked, answers := requests(n)
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(strings.Join(asked, "\n") + "\n")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	require.Empty(t, stderr.String())
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, got, len(answers))
	bad := 0
	for i := range got {
		if got[i] != answers[i] && bad < 5 {
			bad++
			t.Errorf("%s\n\tsays    %s\n\tpackage abi says %s", asked[i], got[i], answers[i])
		}
	}
	t.Logf("%d answers are those of package abi", len(got))
}

// many is how many random signatures a program is asked about, a million for one of each
// language but for Python, which takes its time.
func many() int { return effort.Of(5_000, 100_000) }

func million() int { return effort.Of(5_000, 1_000_000) }

func TestC(t *testing.T) {
	for _, c := range []struct {
		compiler, std string
		flags         []string
		under         []string // what runs the program, one of these
	}{
		{"gcc", "c99", []string{"-O0"}, nil},
		{"gcc", "c99", []string{"-O3"}, nil},
		{"gcc", "c11", []string{"-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover"}, nil},
		{"gcc", "c99", []string{"-O2", "-m32"}, nil},
		{"g++", "c++17", []string{"-O2"}, nil},
		{"g++", "c++11", []string{"-Os"}, nil},
		{"clang", "c99", []string{"-O0"}, nil},
		{"clang", "c99", []string{"-O3", "-fsanitize=undefined", "-fno-sanitize-recover=all"}, nil},
		{"clang++", "c++17", []string{"-O2"}, nil},
		{"s390x-linux-gnu-gcc", "c99", []string{"-O2", "-static"}, []string{"qemu-s390x", "qemu-s390x-static"}}, // big-endian
	} {
		t.Run(strings.Join(append([]string{c.compiler, c.std}, c.flags...), " "), func(t *testing.T) {
			t.Parallel()
			if c.under == nil && c.flags[0] != "-O0" {
				effort.NeedLong(t, "as -O0; TestCEdges has the sanitizers")
			}
			compiler := found(t, c.compiler)
			dir := t.TempDir()
			driver, program := write(t, dir, "c"), filepath.Join(dir, "driver")
			other := filepath.Join(dir, "other.c") // a second file that includes the header, twice
			require.NoError(t, os.WriteFile(other, []byte("#include \"ptxabi.h\"\n#include \"ptxabi.h\"\nint other(void);\nint other(void) { return ptxabi_targets()->sm; }\n"), 0o644))
			args := []string{"-std=" + c.std, "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-o", program}
			if strings.HasSuffix(c.compiler, "++") {
				args = append(args, "-x", "c++")
			}
			args = append(append(args, c.flags...), driver, other)
			if probe(t, compiler, c.flags) {
				quietly(t, compiler, args...)
				n := many()
				if c.compiler == "gcc" && c.flags[0] == "-O3" {
					n = million()
				}
				if c.under == nil {
					holds(t, n, program)
				} else {
					holds(t, n, found(t, c.under...), program)
				}
			}
		})
	}
}

// probe reports whether a compiler makes programs with some flags at all, and skips the
// test where it does not.
func probe(t *testing.T, compiler string, flags []string) bool {
	dir := t.TempDir()
	src := filepath.Join(dir, "x.c")
	require.NoError(t, os.WriteFile(src, []byte("#include <stdint.h>\n#include <stdio.h>\nint main(void) { return 0; }\n"), 0o644))
	out, err := exec.Command(compiler, append(append([]string{}, flags...), "-x", "c", "-o", filepath.Join(dir, "x"), src)...).CombinedOutput()
	if err != nil {
		t.Skipf("%s %s makes no program here: %s", compiler, strings.Join(flags, " "), out)
	}
	return true
}

// TestCEdges has rows and signatures that are none, under the sanitizers.
func TestCEdges(t *testing.T) {
	gcc := found(t, "gcc")
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover"}
	if !probe(t, gcc, flags) {
		return
	}
	dir := t.TempDir()
	write(t, dir, "c")
	data := must.Read(t, "testdata/edges.c")
	edges, program := filepath.Join(dir, "edges.c"), filepath.Join(dir, "edges")
	require.NoError(t, os.WriteFile(edges, data, 0o644))
	quietly(t, gcc, append([]string{"-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-o", program, edges}, flags...)...)
	quietly(t, program)
}

// TestPythonEdges has values of other types.
func TestPythonEdges(t *testing.T) {
	python := found(t, "python3")
	dir := t.TempDir()
	write(t, dir, "python")
	cmd := exec.Command(python, "-c", `import ptxabi as p
t, v = p.lookup("sm_90"), p.Value(4, 4)
for wrong in (lambda: p.lookup(90), lambda: p.assume(None), lambda: p.assign(p.func([v]), "sm_90"), lambda: p.assign("func", t),
              lambda: p.assign(p.func([4]), t), lambda: p.assign(p.func([p.Value("4", 4)]), t), lambda: p.assign(p.func([v], [], "5"), t)):
    try:
        wrong()
    except TypeError as e:
        assert " not " in str(e), e
    else:
        raise SystemExit("taken")
p.assign(p.func([v]), t)
`)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// reasonOf returns the reason of an error of package abi, without its numbers.
func reasonOf(e *abi.Error) string {
	switch e.Code {
	case abi.BadSize, abi.BadAlign, abi.BadTarget:
		return reasons[map[abi.Code]string{abi.BadSize: "size", abi.BadAlign: "align", abi.BadTarget: "target"}[e.Code]]
	}
	for part, key := range map[string]string{
		"no such kind of function": "funcKind", "no such kind of value": "kind", "kernel has no .abi_preserve": "kernelPreserve", "kernel has no results": "kernelResult",
		"result cannot be an unsized": "unsizedResult", "must be the last parameter": "unsized", "kernel has no unsized": "unsized", "has no functions with .abi_preserve": "preserveNumber",
		" is not in 0 ": "preserveNumber", "has the return address in": "preserveReturn", "find no registers above": "preserveRegs", "bytes exceed the": "result",
		"the stack area grows": "stack", "of the parameter block": "block", "stands after a handle": "handle",
	} {
		if strings.Contains(e.Msg, part) {
			return reasons[key]
		}
	}
	return reasons["blockDispute"]
}

func TestRust(t *testing.T) {
	rustc := found(t, "rustc")
	dir := t.TempDir()
	driver, program := write(t, dir, "rust"), filepath.Join(dir, "driver")
	quietly(t, rustc, "--edition", "2018", "-D", "warnings", "-C", effort.Of("opt-level=0", "opt-level=3"), "-o", program, driver)
	holds(t, million(), program)

	lib := filepath.Join(dir, "lib.rs")
	require.NoError(t, os.WriteFile(lib, []byte("#![no_std]\npub mod ptxabi;\npub mod included {\n    include!(\"ptxabi.rs\");\n}\n"), 0o644))
	quietly(t, rustc, "--edition", "2021", "-D", "warnings", "--crate-type", "lib", "--emit=metadata", "--out-dir", dir, lib)
}

func TestPython(t *testing.T) {
	python := found(t, "python3")
	dir := t.TempDir()
	driver := write(t, dir, "python")
	holds(t, effort.Of(3_000, 100_000), python, "-B", "-W", "error", driver)
	quietly(t, python, "-B", "-W", "error", "-m", "doctest", filepath.Join(dir, "ptxabi.py"))
}

func TestPythonTypes(t *testing.T) {
	mypy := found(t, "mypy")
	dir := t.TempDir()
	driver := write(t, dir, "python")
	out, err := exec.Command(mypy, "--strict", "--cache-dir", dir, driver, filepath.Join(dir, "ptxabi.py")).CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestCorpusRunner runs examples/corpus/run.py with the Python module as a backend, right and
// wrong.
func TestCorpusRunner(t *testing.T) {
	python := found(t, "python3")
	dir := t.TempDir()
	write(t, dir, "python")
	backend := must.Read(t, "testdata/corpus.py")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "corpus.py"), backend, 0o644))
	args := []string{"-B", "../../../examples/corpus/run.py", "../../../abi/abitest/corpus.jsonl", "sm_90", python, "-B", filepath.Join(dir, "corpus.py")}
	out, err := exec.Command(python, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	n := len(abitest.Corpus())
	assert.Equal(t, fmt.Sprintf("sm_90: %d of %d cases compared, 0 wrong\n", n, n), string(out))

	out, err = exec.Command(python, append(args, "wrong")...).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "49 bytes are on the stack\n\t.func f (.param .align 4 .b8 p0[49], .param .b32 p1)\n\tsays  ")

	args[3] = "sm_1"
	out, err = exec.Command(python, args...).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "the corpus has no target sm_1\n")
}

// TestDocument runs the programs of docs/export.md, which has their output.
func TestDocument(t *testing.T) {
	doc := must.Read(t, "../../../docs/export.md")
	for _, c := range []struct {
		language, file, compiler string
		args                     []string
	}{
		{"c", "x.c", "gcc", []string{"-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "x", "x.c"}},
		{"rust", "x.rs", "rustc", []string{"x.rs"}},
		{"python", "x.py", "python3", nil},
	} {
		t.Run(c.language, func(t *testing.T) {
			m := regexp.MustCompile("(?s)\n```" + c.language + "\n(.*?)\n```\n\nIt prints\n\n```text\n(.*?\n)```\n").FindSubmatch(doc)
			require.NotNil(t, m)
			compiler := found(t, c.compiler)
			dir := t.TempDir()
			write(t, dir, c.language)
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), append(m[1], '\n'), 0o644))
			run := []string{compiler, "-B", c.file}
			if c.args != nil {
				cmd := exec.Command(compiler, c.args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				run = []string{filepath.Join(dir, "x")}
			}
			cmd := exec.Command(run[0], run[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			assert.Equal(t, string(m[2]), string(out))
		})
	}
}

// TestDocs finds types and fields without a description, and descriptions of nothing.
func TestDocs(t *testing.T) {
	said := 0
	for _, r := range records() {
		assert.NotEmpty(t, r.Doc, r.Name())
		said++
		for _, f := range r.Fields {
			assert.NotEmpty(t, f.Doc, r.Name()+"."+f.StructField.Name)
			assert.NotContains(t, f.Doc, "*/")
			said++
		}
	}
	assert.Len(t, docs, said)
}

// TestErrorCodes finds codes of package abi that are not here.
func TestErrorCodes(t *testing.T) {
	for code := abi.Code(1); !strings.HasPrefix(code.String(), "Code("); code++ {
		require.Greater(t, len(errorCodes), int(code)-1)
		assert.Equal(t, code, errorCodes[code-1].Code)
	}
}

func TestText(t *testing.T) {
	for _, name := range Languages() {
		one, err := Text(name)
		require.NoError(t, err)
		two, err := Text(name)
		require.NoError(t, err)
		assert.Equal(t, one, two)
		assert.NotContains(t, string(one), "<no value>")
		assert.Equal(t, -1, bytes.IndexFunc(one, func(r rune) bool { return r >= 0x80 }), name)
	}
	_, err := Text("cobol")
	assert.EqualError(t, err, `export: no language "cobol", only c, rust, python`)
}
