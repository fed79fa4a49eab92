package check_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
	files := must.Glob(t, "../testdata/real/*.ptx")
	rng := rand.New(rand.NewPCG(1, 2))
	damaged := 0
	for _, file := range files {
		src := must.Read(t, file)
		if len(src) > 40_000 {
			continue
		}
		_, was := check.Source(file, src, check.Options{Compile: true})
		for range effort.Of(5, 40) {
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
	assert.Greater(t, damaged, effort.Of(100, 1000))
}

// within reports whether two lines are in one function.
func within(m *ptx.Module, a, b int) bool {
	return slices.ContainsFunc(m.Items, func(it ptx.Item) bool {
		f, ok := it.(*ptx.Func)
		in := func(line int) bool { return ok && int(f.Pos.Line) <= line && line <= int(f.EndPos.Line) }
		return in(a) && in(b)
	})
}
