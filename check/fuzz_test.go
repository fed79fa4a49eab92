package check_test

import (
	"fmt"
	"math/rand"
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

// sane checks what holds for the diagnostics about any text.
func sane(t *testing.T, src []byte) {
	t.Helper()
	for _, opts := range []check.Options{{}, {Compile: true, Pedantic: true, Release: ptx.Version{Major: 12, Minor: 4}}} {
		m, _ := ptx.Parse("f.ptx", src)
		all := check.Module(m, opts)
		again := check.Module(m, opts)
		require.Equal(t, all.Error(), again.Error(), "diagnostics do not depend on chance")
		lines := uint32(strings.Count(string(src), "\n") + 1)
		for _, e := range all {
			require.NotEmpty(t, e.Msg)
			require.True(t, e.Pos.IsValid() && e.Pos.Line <= lines, "%v", e)
			_, ok := check.Explain(e.Code)
			require.True(t, ok, e.Code)
			require.False(t, strings.ContainsAny(e.Msg, "\n\r") && !strings.ContainsAny(string(src), "\n\r"), "%q", e.Msg)
			if opts.Pedantic && e.Severity == diag.Warning {
				// These say what the machine code does, or some assemblers refuse, not what the manual says.
				require.Contains(t, []diag.Code{check.TruncatedQuad, check.MisreadPart, check.UnwrittenArgument, check.AbandonedResult, check.TrailingNul, check.NewerFeature}, e.Code)
			}
		}
		check.Link([]*ptx.Module{m, m})
	}
}

func seeds(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, pattern := range []string{casesDir + "/modules/*.ptx", "../testdata/real/*.ptx"} {
		paths := must.Glob(t, pattern)
		for _, path := range paths {
			src := must.Read(t, path)
			if len(src) < 64<<10 {
				all = append(all, src)
			}
		}
	}
	return all
}

// FuzzModule checks any text as a module: every diagnostic has a known code and a line of the
// text, and a second run has the same.
func FuzzModule(f *testing.F) {
	for _, src := range seeds(f) {
		if len(src) < 8<<10 {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { sane(t, src) })
}

// TestDamaged judges modules that are cut, flipped and spliced.
func TestDamaged(t *testing.T) {
	all := seeds(t)
	rng := rand.New(rand.NewSource(1))
	n := 3000
	if testing.Short() {
		n = 300
	}
	base, _ := ptx.Parse("base.ptx", all[0])
	for range n {
		src := slices.Clone(all[rng.Intn(len(all))])
		switch rng.Intn(4) {
		case 0:
			src = src[:rng.Intn(len(src)+1)]
		case 1:
			src[rng.Intn(len(src))] ^= 1 << rng.Intn(8)
		case 2:
			other := all[rng.Intn(len(all))]
			src = append(src[:rng.Intn(len(src))], other[rng.Intn(len(other)):]...)
		case 3:
			at := rng.Intn(len(src))
			src = slices.Delete(src, at, min(at+1+rng.Intn(20), len(src)))
		}
		if len(src) < 20<<10 {
			sane(t, src)
			m, _ := ptx.Parse("f.ptx", src)
			check.Link([]*ptx.Module{base, m})
			base = m
		}
	}
}

// TestLinkRecorded holds all recorded modules against each other, of which many
// share names and nothing else.
func TestLinkRecorded(t *testing.T) {
	var mods []*ptx.Module
	for _, src := range seeds(t) {
		m, _ := ptx.Parse("x.ptx", src)
		mods = append(mods, m)
	}
	codes := make(map[diag.Code]int)
	for _, e := range check.Link(mods) {
		codes[e.Code]++
	}
	for _, code := range []diag.Code{check.MismatchedModules, check.LooseDeclaration, check.RepeatedDefinition} {
		assert.NotZero(t, codes[code], code)
	}
}

// TestLinear judges inputs that would take a quadratic rule minutes.
func TestLinear(t *testing.T) {
	n := effort.Of(2000, 30000)
	rep := func(format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	digits := strings.Repeat("7", n)
	long := strings.Repeat("x", n)
	for name, src := range map[string]string{
		"redeclared":      rep(".extern .func f(.param .b32 x);\n"),
		"many formals":    ".extern .func f(" + strings.TrimSuffix(rep(".param .b32 x#,"), ",") + ");\n.func g() { call f, (" + strings.TrimSuffix(rep("#,"), ",") + "); ret; }",
		"many names":      ".func g() { .param .b32 a; " + rep("call f#, (u#, a); ") + " ret; }",
		"many calls":      ".extern .func f(.param .b32 x);\n.func g() { .param .b32 a; " + rep("st.param.b32 [a], 1; call f, (a); ") + " ret; }",
		"stale calls":     ".extern .func f(.param .b32 x);\n.func g() { .param .b32 a; st.param.b32 [a], 1; " + rep("call f, (a); ") + " ret; }",
		"window":          ".extern .func f(.param .b32 x);\n.func g() { .param .b32 a; " + rep("st.param.b32 [a], #; L#: ") + "call f, (a); " + rep("st.param.b32 [a], 1; @%p bra L#; ") + " ret; }",
		"results":         ".extern .func (.param .b32 r) f();\n.func g() { .param .b32 a; .reg .b32 %r; call (a), f; " + rep("L#: call (a), f; @%p bra L#; ld.param.b32 %r, [a]; ") + " ret; }",
		"stale results":   ".extern .func (.param .b32 r) f();\n.extern .func h();\n.func g() { .reg .b32 %r; " + rep("{ .param .b32 a; call (a), f; L#: call h; @%p bra L#; ld.param.b32 %r, [a]; }") + " ret; }",
		"deep":            ".func g() { " + rep("{ .param .b32 a#; ") + strings.Repeat("}", n) + " ret; }",
		"targets":         ".extern .func f(.param .b32 x);\n.func g(.reg .b64 d) { t: .calltargets " + strings.TrimSuffix(rep("f,"), ",") + "; " + rep("call d, (1.0), t; ") + " ret; }",
		"different lists": rep(".extern .func f#(.param .b8 x[#]);\n") + ".func g(.reg .b64 d) { .param .b8 a[4]; t: .calltargets " + strings.TrimSuffix(rep("f#,"), ",") + "; " + rep("call d, (a), t; ") + " ret; }",
		"digits":          ".func g() { .reg .b32 %r<9>; .param .b32 a; " + strings.Repeat("st.param.b32 [a], %r"+digits+"; ", 20) + " ret; }",
		"long names":      ".extern .func f(.param .b32 " + long + ");\n.func " + long + "y(.param .b32 z) { .reg .b64 %d; " + rep("call f, (%d); call f, (z); ") + " ret; }",
		"dimensions":      ".func f(.reg .b32 x) { ret; }\n.func g() { .param .b32 a" + strings.Repeat("[1]", n) + "; " + rep("call f, (a); ") + " ret; }",
		"unwritten":       ".func f(" + strings.TrimSuffix(rep(".param .b32 x#,"), ",") + ") { trap; }\n.func g() { " + rep(".param .b32 a#; ") + rep("{ .param .b32 b; call f, (b); }") + "call f, (" + strings.TrimSuffix(rep("a#,"), ",") + "); ret; }",
		"points to":       ".func g(.param .b32 x) { .reg .b64 %d<40000>; " + rep("mov.u64 %d#, x; ") + rep("L#: ld.local.b32 %r, [%d1]; ") + " ret; }",
		"cycles":          rep(".func f#();\n") + ".func (.reg .b32 a, .reg .b32 b) m() { ret; }\n" + rep(".func f#() { call f#; call f0; ret; }\n") + ".visible .entry k() { call f1; ret; }",
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := ptx.Parse("x", []byte(".version 8.3\n.target sm_90\n.address_size 64\n"+src))
			all := check.Module(m, check.Options{})
			all = append(all, check.Module(m, check.Options{Compile: true})...)
			size := 0
			for _, e := range all {
				size += len(e.Msg)
				for _, r := range e.Related {
					size += len(r.Msg)
				}
			}
			assert.Less(t, size, 2000*n)
		})
	}
}
