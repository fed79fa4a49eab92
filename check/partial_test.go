package check_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestSyntaxErrorsInBodies takes a character out of modules that compilers made, or puts one
// in: whatever that breaks, no name is reported to be missing but in the function
// where it was, and no count to be wrong.
func TestSyntaxErrorsInBodies(t *testing.T) {
	files, err := filepath.Glob("../testdata/real/*.ptx")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	damaged := 0
	for _, file := range files {
		src := must.Read(t, file)
		if len(src) > 40_000 {
			continue
		}
		_, was := check.Source(file, src, check.Options{Compile: true})
		for range effort.Of(10, 40) {
			at := rng.IntN(len(src))
			if i := strings.IndexAny(string(src[at:]), ";{}(),[]\"/"); i >= 0 && rng.IntN(3) > 0 {
				at += i
			}
			text := slices.Delete(slices.Clone(src), at, at+1)
			if rng.IntN(3) == 0 {
				text = slices.Insert(slices.Clone(src), at, "{}();\"/"[rng.IntN(7)])
			}
			if _, err := ptx.Parse(file, text); err == nil {
				continue
			}
			damaged++
			m, is := check.Source(file, text, check.Options{Compile: true})
			line := strings.Count(string(src[:at]), "\n") + 1
			for _, e := range is {
				switch e.Code {
				case check.UndeclaredName, check.UndeclaredCallee, check.WrongCount, check.UnknownPrototype, check.ConflictingDeclaration:
				default:
					continue
				}
				if within(m, line, int(e.Pos.Line)) {
					continue // a register whose name has lost a character, say
				}
				same := slices.ContainsFunc(was, func(w *diag.Diagnostic) bool { return w.Msg == e.Msg })
				assert.True(t, same, "%s, byte %d (%q): %v", file, at, src[max(at-30, 0):min(at+30, len(src))], e)
			}
		}
	}
	assert.Greater(t, damaged, 200)
}

// within reports whether two lines are in one function.
func within(m *ptx.Module, a, b int) bool {
	return slices.ContainsFunc(m.Items, func(it ptx.Item) bool {
		f, ok := it.(*ptx.Func)
		in := func(line int) bool { return ok && int(f.Pos.Line) <= line && line <= int(f.EndPos.Line) }
		return in(a) && in(b)
	})
}

// TestMissingBrace holds that a body that is not closed costs the functions after it nothing, nor what is declared between
// them.
func TestMissingBrace(t *testing.T) {
	const src = ".version 7.8\n.target sm_80\n.func one(.param .b32 x)\n{\n{ .reg .b32 %r;\nld.param.b32 %r, [nothing];\nret;\n" +
		".global .u32 g;\n.extern .func d(.param .b32 a);\n.func two(.param .b32 y)\n{\n.reg .b32 %r;\nld.param.b32 %r, [lost];\nld.param.b32 %r, [g];\ncall d, (%r);\nret;\n}\n"
	_, list := check.Text("x.ptx", src, check.Options{Compile: true})
	assert.Equal(t, []string{
		"x.ptx:10:1: error: two begins before the body of one is closed; add '}' [BadSyntax]",
		"x.ptx:13:19: error: lost is not declared at this place [UndeclaredName]",
		"x.ptx:14:19: error: g is not a parameter; ld.param.b32 reaches .param variables alone [MismatchedSpace]",
		"\tx.ptx:8:14: declared here",
	}, strings.Split(list.Error(), "\n"))
}

// TestOperandBrace holds that a brace of an operand that is missing, or one too many, costs its statement alone.
func TestOperandBrace(t *testing.T) {
	const src = ".version 7.8\n.target sm_80\n.func one()\n{\n.reg .b64 %%rd; .reg .b32 %%r<2>;\n%s\nret;\n}\n.func two()\n{\ncall nobody;\nret;\n}\n"
	for statement, want := range map[string]string{
		"mov.b64 %rd, {%r0, %r1;":   "x.ptx:6:23: error: '{' is not closed in this instruction [BadSyntax]",
		"mov.b64 %rd, %r0, %r1};":   "x.ptx:6:22: error: '}' closes nothing here [BadSyntax]",
		"mov.b64 {%r0, %r1, %rd;":   "x.ptx:6:23: error: '{' is not closed in this instruction [BadSyntax]",
		"mov.b64 %r0, %r1}, %rd;":   "x.ptx:6:17: error: '}' closes nothing here [BadSyntax]",
		"mov.b64 {%r0, %r1}}, %rd;": "x.ptx:6:19: error: '}' closes nothing here [BadSyntax]",
	} {
		_, list := check.Text("x.ptx", fmt.Sprintf(src, statement), check.Options{Compile: true})
		assert.Equal(t, want+"\nx.ptx:11:6: error: nobody is declared nowhere; add .extern .func with its formals [UndeclaredCallee]", list.Error(), statement)
	}
}
