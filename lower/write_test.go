package lower_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// bothWays lowers a text and its tree, and requires the same to come out of it. It reports whether
// something did.
func bothWays(t *testing.T, name, src string, target *abi.Target, workers int) (ok bool) {
	t.Helper()
	var got, want diag.List
	var text bytes.Buffer
	gotErr := lower.Write(&text, src, lower.Options{Target: target, File: name, Workers: workers, Diags: &got})
	m, _ := ptx.Parse(name, []byte(src))
	prog, wantErr := lower.Module(m, target, lower.Options{Diags: &want})
	require.Equal(t, wantErr, gotErr, name)
	require.Equal(t, want, got, name)
	if wantErr != nil {
		return false
	}
	require.True(t, bytes.Equal(prog.AppendText(nil), text.Bytes()), "%s: the texts differ", name)
	return true
}

// TestWrite holds that modules that are read body by body become what they become
// as a whole: real ones, those with known verdicts, those of golden cases.
func TestWrite(t *testing.T) {
	target := must.Target(t, "sm_90a")
	counts := make(map[string]int)
	for _, file := range effort.RealModules(t, "..") {
		src := must.Read(t, file)
		if bothWays(t, file, string(src), target, len(src)%3+1) {
			counts["real"]++
		}
	}
	files, err := filepath.Glob("../testdata/check/modules/*.ptx")
	require.NoError(t, err)
	for _, file := range files {
		src := must.Read(t, file)
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
	assert.Equal(t, len(effort.RealModules(t, "..")), counts["real"])
	assert.Greater(t, counts["checked"], 200)
	assert.Greater(t, counts["golden"], 100)
	assert.Greater(t, counts["shapes"], 3)
}

// TestWriteMangled does the same with damaged modules, in which bodies may end
// where braces do not say so.
func TestWriteMangled(t *testing.T) {
	target := must.Target(t, "sm_90a")
	const splinters = "{}\"/*;\n.,"
	r := rand.New(rand.NewPCG(1, 2))
	lowered, refused := 0, 0
	for _, file := range effort.RealModules(t, "..") {
		src := must.Read(t, file)
		if len(src) > 20_000 {
			continue
		}
		for range effort.Of(8, 30) {
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
	assert.Greater(t, lowered, 20)
	assert.Greater(t, refused, 50)
}

// TestWriteHolds checks that what the check remembers of a body is not
// overwritten by the bodies after it: a variable that was reported,
// a prototype with sub-word formals, an argument that is never stored.
func TestWriteHolds(t *testing.T) {
	target := must.Target(t, "sm_90a")
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

// TestCarriageReturns checks that one within an instruction, which ends no line of
// PTX, ends none of what comes out either.
func TestCarriageReturns(t *testing.T) {
	target := must.Target(t, "sm_90a")
	const head = ".version 8.3\n.target sm_90a\n.address_size 64\n.func f() { .reg .b32 %r<9>; mov.u32 %r1, %r2; }\n.func g()\n{\n\t.reg .b32 %r<9>;\n"
	for _, body := range []string{
		"\tadd.u32 %r1,\r%r2, %r3;\n\tret;\n}\n",
		"\tadd.u32 %r1,\r\n\t\t%r2, %r3;\r\n\tret;\r\n}\r\n",
	} {
		assert.True(t, bothWays(t, "x.ptx", head+body, target, 1))
		var text strings.Builder
		require.NoError(t, lower.Write(&text, head+body, lower.Options{Target: target}))
		assert.NotContains(t, text.String(), "\r")
		assert.Contains(t, text.String(), "\tadd.u32 %r1, %r2, %r3 ;\n")
	}
}
