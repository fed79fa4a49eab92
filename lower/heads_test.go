package lower_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// bothWays lowers a text as a whole and body by body, and requires the same to
// come out of it. It reports whether the second way had something to say.
func bothWays(t *testing.T, name, src string, target *abi.Target, workers int) (ok bool) {
	t.Helper()
	heads, err := ptx.ParseOutline(name, src)
	if err != nil {
		_, whole := ptx.Parse(name, []byte(src))
		require.Error(t, whole, name)
		return false
	}
	var got, want diag.List
	text, ok, gotErr := lower.BodyByBody(heads, target, lower.Options{Workers: workers, Diags: &got})
	if !ok {
		require.Nil(t, text, name)
		require.NoError(t, gotErr, name)
		require.Empty(t, got, name)
		return false
	}
	m, err := ptx.Parse(name, []byte(src))
	require.NoError(t, err, name)
	prog, wantErr := lower.Module(m, target, lower.Options{Workers: 1, Diags: &want})
	require.Equal(t, wantErr, gotErr, name)
	require.Equal(t, want, got, name)
	if wantErr == nil {
		require.True(t, bytes.Equal(prog.AppendText(nil), bytes.Join(text, nil)), "%s: the texts differ", name)
	}
	return true
}

// TestHeads holds that modules that are read body by body become what they become
// as a whole: real ones, those with known verdicts, those of golden cases.
func TestHeads(t *testing.T) {
	target, err := abi.Lookup("sm_90a")
	require.NoError(t, err)
	counts := make(map[string]int)
	for _, file := range realModules(t) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		if bothWays(t, file, string(src), target, len(src)%3+1) {
			counts["real"]++
		}
	}
	files, err := filepath.Glob("../testdata/check/modules/*.ptx")
	require.NoError(t, err)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		if bothWays(t, file, string(src), target, 1) {
			counts["checked"]++
		}
	}
	require.NoError(t, filepath.WalkDir("../testdata", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		a, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, f := range a.Files {
			if bothWays(t, path, string(f.Data), target, 1) && bytes.Contains(f.Data, []byte(".func")) {
				counts["golden"]++
			}
		}
		return nil
	}))
	for _, s := range bench.Shapes {
		if bothWays(t, s.Name, string(s.Text(200)), target, 2) {
			counts["shapes"]++
		}
	}
	t.Log(counts)
	assert.Equal(t, len(realModules(t)), counts["real"])
	assert.Greater(t, counts["checked"], 200)
	assert.Greater(t, counts["golden"], 100)
	assert.Greater(t, counts["shapes"], 3)
}

// TestHeadsMangled does the same with damaged modules, in which bodies may end
// where braces do not say so.
func TestHeadsMangled(t *testing.T) {
	target, err := abi.Lookup("sm_90a")
	require.NoError(t, err)
	const splinters = "{}\"/*;\n.,"
	r := rand.New(rand.NewPCG(1, 2))
	lowered, refused := 0, 0
	for _, file := range realModules(t) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		if len(src) > 20_000 {
			continue
		}
		for range 30 {
			b := bytes.Clone(src)
			for range 1 + r.IntN(3) {
				switch at := r.IntN(len(b)); r.IntN(3) {
				case 0:
					b[at] = splinters[r.IntN(len(splinters))]
				case 1:
					b = append(b[:at:at], b[min(at+r.IntN(40), len(b)-1):]...)
				case 2:
					from := r.IntN(len(src))
					copy(b[at:], src[from:min(from+20, len(src))])
				}
			}
			if bothWays(t, file, string(b), target, 1) {
				lowered++
			} else {
				refused++
			}
		}
	}
	t.Log(lowered, refused)
	assert.Greater(t, lowered, 50)
	assert.Greater(t, refused, 50)
}

// TestHeadsHolds checks that what the check remembers of a body is not
// overwritten by the bodies after it: a variable that was reported,
// a prototype with sub-word formals, an argument that is never stored.
func TestHeadsHolds(t *testing.T) {
	target, err := abi.Lookup("sm_90a")
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(".version 8.3\n.target sm_90a\n.address_size 64\n.global .align 8 .u64 at = f1;\n")
	fmt.Fprintf(&b, ".func last(.param .b32 x, .param .b32 y);\n")
	for i := range 200 {
		fmt.Fprintf(&b, ".func f%d(.param .b32 x, .param .b64 g)\n{\n\t.reg .b64 %%rd<4>;\n\t.reg .b32 %%r<4>;\n", i)
		switch i % 5 {
		case 0: // an argument that last does not read, and one that it does
			b.WriteString("\t{ .param .b32 a; .param .b32 c; call last, (a, c); }\n")
		case 1: // sub-word formals of a prototype
			b.WriteString("\tld.param.b64 %rd1, [g];\n\tp: .callprototype _ (.param .b8 x, .param .s16 y);\n" +
				"\t{ .param .b8 a; .param .s16 c; st.param.b8 [a], 1; st.param.s16 [c], 2; call %rd1, (a, c), p; }\n")
		case 2: // an argument that matches no prototype's sub-word formal
			b.WriteString("\t{ .param .b16 v; .param .b32 a; st.param.b32 [a], 1; st.param.b16 [v], 1; call last, (a, a); }\n")
		case 3:
			fmt.Fprintf(&b, "\tmov.u64 %%rd1, f%d;\n", i-1)
		case 4:
			b.WriteString("\t.param .b8 n[2][2];\n\t{ .param .b32 a; call last, (a, a); }\n")
		}
		b.WriteString("\tret;\n}\n")
	}
	b.WriteString(".func last(.param .b32 x, .param .b32 y)\n{\n\t.reg .b32 %r<2>;\n\tld.param.b32 %r1, [x];\n\tst.global.b32 [at], %r1;\n\tret;\n}\n")
	for _, workers := range []int{1, 2, 7} {
		assert.True(t, bothWays(t, "x.ptx", b.String(), target, workers), "%d workers", workers)
	}
}

// TestHeadsOfFunctions does it with many functions, several at once. sm_70 makes a
// label at each call, which count through the module.
func TestHeadsOfFunctions(t *testing.T) {
	src := string(bench.Functions(7, 200))
	for _, name := range []string{"sm_70", "sm_120"} {
		target, err := abi.Lookup(name)
		require.NoError(t, err)
		for _, workers := range []int{0, 1, 2, 7} {
			assert.True(t, bothWays(t, "x.ptx", src, target, workers), "%s, %d workers", name, workers)
		}
	}
	_, ok, err := lower.BodyByBody(&ptx.Outline{}, nil, lower.Options{})
	assert.False(t, ok)
	assert.EqualError(t, err, "lower: no target")
}

// TestHeadsOfLongText does it with functions whose text is much longer than their
// bodies, and than a part of the text, among short ones. The notes of their calls are
// completed at the end: the address of what they call is taken after them.
func TestHeadsOfLongText(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(".version 7.1\n.target sm_80\n.address_size 64\n.func last() { ret; }\n")
	for i, calls := range []int{1, 700, 900, 3000, 2, 5000, 6000, 300, 1} {
		fmt.Fprintf(&b, ".visible .func f%d()\n{\n%s\tret;\n}\n", i, strings.Repeat("\tcall last;\n", calls))
	}
	b.WriteString(".visible .func taker()\n{\n\t.reg .b64 %rd<2>;\n\tmov.u64 %rd1, last;\n\tret;\n}\n")
	for _, workers := range []int{1, 2} {
		assert.True(t, bothWays(t, "x.ptx", b.String(), target, workers), "%d workers", workers)
	}
}

// TestCarriageReturns checks that one within an instruction, which ends no line of
// PTX, ends none of what comes out either.
func TestCarriageReturns(t *testing.T) {
	target, err := abi.Lookup("sm_90a")
	require.NoError(t, err)
	const head = ".version 8.3\n.target sm_90a\n.address_size 64\n.func f() { .reg .b32 %r<9>; mov.u32 %r1, %r2; }\n.func g()\n{\n\t.reg .b32 %r<9>;\n"
	for _, body := range []string{
		"\tadd.u32 %r1,\r%r2, %r3;\n\tret;\n}\n",
		"\tadd.u32 %r1,\r\n\t\t%r2, %r3;\r\n\tret;\r\n}\r\n",
	} {
		assert.True(t, bothWays(t, "x.ptx", head+body, target, 1))
		heads, err := ptx.ParseOutline("x.ptx", head+body)
		require.NoError(t, err)
		text, ok, err := lower.BodyByBody(heads, target, lower.Options{})
		require.NoError(t, err)
		require.True(t, ok)
		assert.NotContains(t, string(bytes.Join(text, nil)), "\r")
		assert.Contains(t, string(bytes.Join(text, nil)), "\tadd.u32 %r1, %r2, %r3 ;\n")
	}
}

// TestLargeModulesAreForgotten holds that the memory for a large function is given back,
// and not kept for small modules that follow, in check and in lowering.
func TestLargeModulesAreForgotten(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // each processor has a pool of its own
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	run := func(src string) {
		m, err := ptx.ParseOutline("m", src)
		require.NoError(t, err)
		text, ok, err := lower.BodyByBody(m, target, lower.Options{Workers: 1})
		require.NoError(t, err)
		require.True(t, ok)
		require.NotEmpty(t, text)
	}
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n"
	held := func() int {
		for range 3 { // what is in a pool stays for one collection, and what is asked for again for ever
			run(head + ".func f() { ret; }\n")
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	const n = 50000
	labels := strings.Builder{}
	labels.WriteString(head + ".func f() {\n")
	for i := range n {
		fmt.Fprintf(&labels, "L%d: .reg .b32 %%a%d; add.s32 %%a%d, %%a%d, 1;\n", i, i, i, i)
	}
	labels.WriteString("ret; }\n")
	before := held()
	run(labels.String())
	assert.Less(t, held()-before, 2<<20, "a function of %d labels and registers", n)
}
