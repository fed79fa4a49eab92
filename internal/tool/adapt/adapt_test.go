package adapt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// head is that of shims in tests.
var head = adapt.Head{Version: ptx.Version{Major: 6, Minor: 3}, Target: "sm_75"}

// TestVersions holds that check has nothing to say of the version of a shim for any
// target.
func TestVersions(t *testing.T) {
	s := (&pair{header: "int f0(int x);", from: "numba", to: "gcc"}).shim(t)
	targets := abi.Targets()
	require.NotEmpty(t, targets)
	for _, target := range targets {
		text := s.Text(adapt.Head{Version: adapt.VersionFor(resolve.ArchOf(target)), Target: target.Name})
		_, list := check.Source(target.Name, text, check.Options{Compile: true, Pedantic: true})
		assert.Empty(t, list, target.Name)
	}
	assert.Equal(t, ptx.Version{Major: 7, Minor: 8}, adapt.VersionFor(resolve.Arch{Name: "sm_90", SM: 90}))
	assert.Equal(t, ptx.Version{Major: 8}, adapt.VersionFor(resolve.Arch{Name: "sm_90a", SM: 90, Suffix: "a"}))
}

// TestHeader holds that nvcc and clang make of the header what the shim declares.
func TestHeader(t *testing.T) {
	for seed := range uint64(60) {
		p := draw(seed + 1)
		s := p.shim(t)
		text, list := s.Header()
		if len(list) > 0 {
			assert.Contains(t, p.from+p.to, "manual", list)
			continue
		}
		for _, by := range []layout.Producer{layout.NVCC, layout.Clang} {
			r, err := layoutcmd.Load("h.h", text, layoutcmd.Options{Producer: by})
			require.NoError(t, err)
			require.Empty(t, r.Errors, "%s", text)
			require.Len(t, r.Unit.Funcs, 2)
			for i, want := range []*ptx.Func{s.Callee, s.Caller} {
				d, why := r.Declare(r.Unit.Funcs[i], "f")
				require.Nil(t, why)
				assert.Equal(t, extents(want), extents(d.Func), "seed %d by %v:\n%s", p.seed, by, text)
				// The declaration says so where the linker would refuse the compiler's.
				_, declared, _ := strings.Cut(string(text), []string{"// The callee.", "// The shim."}[i])
				declared, _, _ = strings.Cut(declared, "PTXABI_DEVICE")
				assert.Equal(t, floats(want) && !floats(d.Func), strings.Contains(declared, "// For GCC alone: "), "seed %d by %v:\n%s", p.seed, by, text)
			}
		}
	}
}

// floats reports whether a function has formals of floating-point types, which the linker keeps apart from bits.
func floats(f *ptx.Func) bool {
	return slices.ContainsFunc(slices.Concat(f.Results, f.Params), func(p ptx.Formal) bool { return p.Type == ptx.F32 || p.Type == ptx.F64 })
}

// extents is what a function passes: bytes and alignments.
func extents(f *ptx.Func) (out []string) {
	for _, list := range [][]ptx.Formal{f.Results, f.Params} {
		for i := range list {
			p := &list[i]
			align := p.Spec.Alignment()
			if p.Size() > 128 { // which nvcc aligns to 4 at least
				align = max(align, 4)
			}
			out = append(out, fmt.Sprintf("%d:%d:%d", len(p.Dims), p.Size(), align))
		}
		out = append(out, ";")
	}
	return out
}

// TestPairsBroken breaks shims: the test has to notice.
func TestPairsBroken(t *testing.T) {
	target := must.Target(t, "sm_75")
	ways := map[string]func(s *adapt.Shim) bool{
		"an extension the other way": func(s *adapt.Shim) bool {
			for i := range s.Moves {
				if m := &s.Moves[i]; !m.IsConst && m.From.Size < m.To.Size {
					m.Signed = !m.Signed
					return true
				}
			}
			return false
		},
		"two sources exchanged": func(s *adapt.Shim) bool {
			for i := range s.Moves {
				for j := range i {
					if a, b := &s.Moves[i], &s.Moves[j]; !a.IsConst && !b.IsConst && a.From != b.From && a.From.Size == b.From.Size && a.To.Side == b.To.Side && !a.From.Deref && !b.From.Deref && a.To.Size == b.To.Size {
						a.From, b.From = b.From, a.From
						return true
					}
				}
			}
			return false
		},
		"a move left out": func(s *adapt.Shim) bool {
			for i := range s.Moves {
				if m := &s.Moves[i]; !m.IsConst && !m.To.Deref && m.From.Side == adapt.Caller {
					s.Moves = append(s.Moves[:i:i], s.Moves[i+1:]...)
					return true
				}
			}
			return false
		},
	}
	for name, change := range ways {
		changed, noticed := 0, 0
		for seed := range uint64(150) {
			p := draw(seed + 1)
			s := p.shim(t)
			if len(s.For(target)) > 0 || !change(s) {
				continue
			}
			changed++
			wrong, err := p.execute(t, s, string(s.Text(head)), target)
			if err != nil || wrong != "" {
				noticed++
			}
		}
		t.Logf("%s: noticed in %d of %d", name, noticed, changed)
		assert.Greater(t, changed, 20, name)
		assert.Greater(t, noticed, changed/3, name)
	}
}

// FuzzMapping checks that no mapping causes a panic, and that check has no diagnostic for the
// shim of a mapping.
func FuzzMapping(f *testing.F) {
	const decls = ".version 6.3\n.target sm_75\n.address_size 64\n" +
		".extern .func (.param .b32 r) a (.param .b64 p, .param .b32 x, .param .b32 y, .param .align 8 .b8 s[12]);\n" +
		".extern .func (.param .align 4 .b8 r[8]) b (.param .align 4 .b8 v[8], .param .b32 n, .param .b64 q);\n"
	f.Add("caller.x -> callee.v[0:4]; caller.y -> callee.v[4:8]; caller.s[0:4] -> callee.n; caller.s[4:12] -> *callee.q[0:8]@4\ncallee.result[0:4] -> caller.result; callee.r[4:8] -> *caller.p[0:4]@4")
	f.Add("caller.1:s8 -> callee.n; 0 -> callee.q; -1 -> callee.v; caller.p -> nothing; callee.result -> nothing; caller.3->nothing # x\n0x7->caller.result;caller.y->nothing")
	f.Add("*caller.p[0:8] -> callee.v; caller.x:u16 -> callee.n; caller.p -> callee.q; callee.result[0:4] -> caller.result; caller.y -> nothing; caller.s -> nothing")
	f.Add("caller.s[1:3]:s16 -> callee.n")
	f.Add("caller.x:s8 -> callee.v[1:5]")
	f.Add("7 -> *caller.p[1:5]; -1 -> callee.v; 0 -> callee.n; 0 -> callee.q; callee.result[1:5] -> caller.result; caller.1->nothing; caller.2->nothing;caller.3->nothing")
	f.Add("*callee.q[0:4] -> *caller.p[0:4]; 5 -> *caller.p[4:8]; callee.result[4:8] -> caller.result; caller.x -> callee.v[0:4]; caller.y -> callee.v[4:8]; caller.s[8:12] -> callee.n")
	f.Add("caller.x[ -> callee.v[0:]; :s8 -> ; @ -> *; caller.99 -> callee.-1; 99999999999999999999 -> callee.q")
	f.Fuzz(func(t *testing.T, mapping string) {
		m, err := ptx.ParseString("x.ptx", decls)
		require.NoError(t, err)
		var funcs []*ptx.Func
		for _, it := range m.Items {
			if f, ok := it.(*ptx.Func); ok {
				funcs = append(funcs, f)
			}
		}
		s, list := adapt.FromMapping(funcs[0], funcs[1], "shim", "x.map", mapping)
		if s == nil {
			require.NotEmpty(t, list)
			return
		}
		_, list = check.Source("shim.ptx", s.Text(head), check.Options{Compile: true})
		require.NoError(t, list.Err(), "%s", s.Text(head))
	})
}
