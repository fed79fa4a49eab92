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

// fromC adapts the only function of a header.
func fromC(t *testing.T, header, from, to string, o adapt.Options) (*adapt.Shim, string) {
	t.Helper()
	r, err := layoutcmd.Load("x.h", []byte(header), layoutcmd.Options{})
	require.NoError(t, err)
	require.Empty(t, r.Errors)
	o.Name, o.Symbol = "shim", "f"
	o.From, err = adapt.ParseConvention(from)
	require.NoError(t, err)
	o.To, err = adapt.ParseConvention(to)
	require.NoError(t, err)
	s, list := adapt.FromPrototype(r, r.Unit.Funcs[0], o)
	if s == nil {
		return nil, list.Error()
	}
	require.Empty(t, list)
	return s, string(s.Text(head))
}

// TestRefused lists what has no shim, and what is said of it.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ header, from, to, want string }{
		{"int f(int n, ...);", "nvcc", "clang", "f is variadic"},
		{"struct e {}; struct e f(int n);", "numba-c", "clang", "the result of f has no bytes"},
		{"int f(_Float16 x);", "nvcc", "clang-22", "x of f is not for nvcc: it is, or has, _Float16, which it does not take"},
		{"struct s { int n; _Float16 x; }; struct s f(int n);", "clang-22", "clang-18", "the result of f is not for clang-18: it is, or has, _Float16"},
		{"typedef float v __attribute__((vector_size(16))); int f(int n, v x);", "clang", "nvcc", "x of f is not for nvcc: it is, or has, a vector"},
		{"int f(long double x);", "clang", "gcc", "x of f is not for gcc: it is, or has, long double"},
		{"int f(_BitInt(17) x);", "clang-19", "nvcc", "x of f is not for nvcc: it is, or has, _BitInt(17), of which it was not measured what becomes"},
		{"_BitInt(17) f(int x);", "clang-14", "clang-19", "the result of f is not for clang-14: it is, or has, _BitInt(17), of which it was not measured what becomes"},
		{"struct s { unsigned _BitInt(7) x; }; int f(struct s x);", "clang", "clang-19", "x of f is not for clang: it is, or has, unsigned _BitInt(7), of which"},
		{"int f(_BitInt(65) x);", "clang-19", "manual", "x of f is not for clang-19: it is, or has, _BitInt(65), of which"},
		{"int f(_Complex float x);", "clang", "nvrtc-12.8", "_Complex float, which it does not take"},
		{"int f(_Complex short x);", "nvcc", "clang", "_Complex short, which it does not take"},
		{"struct s { int a : 3; }; int f(struct s);", "clang", "numba-c", "parameter 1 of f: .a is a bit-field, which numba does not have"},
		{"struct s { int a : 3; }; int f(struct s x);", "clang", "rustc-1.95", "x of f is not for rustc-1.95: it is, or has, a bit-field"},
		{"union u { int a; float b; }; int f(union u x);", "numba", "clang", ".b is in a union, which numba does not have"},
		{"struct s { int a : 3; }; int f(struct s x);", "clang", "numba-c", ".a is a bit-field, which numba does not have"},
		{"struct s { char c; int i; } __attribute__((packed)); int f(struct s x);", "clang", "numba", ".i is not aligned to its size"},
		{"struct v { int i; } __attribute__((aligned(16))); struct s { int a; struct v b; } f(int x);", "clang", "numba", "the result of f: it is aligned to 16, and numba, which aligns it to its fields, lays it out otherwise"},
		{"int f(__int128 x);", "clang", "numba", "how numba passes __int128 is not known"},
		{"int f(_BitInt(7) x);", "numba", "clang", "how numba passes _BitInt(7) is not known"},
		{"struct s { int a[2000]; }; int f(struct s x);", "clang", "numba", "it has more than 1024 fields"},
		{"struct s {}; int f(struct s x, int y);", "nvcc", "gcc", "x of f has no bytes, and compilers declare"},
		{"struct s {}; int f(struct s x, int y);", "nvcc", "gcc-12", "x of f has no bytes, and compilers declare"},
		{"struct s {}; int f(struct s x, int y);", "nvcc", "clang", "x of f has no bytes, and compilers declare"},
		{"struct s {}; int f(struct s x, int y);", "nvcc", "manual", "x of f has no bytes, and compilers declare"},
		{"struct s {}; int f(struct s x, int y);", "nvcc", "rustc-1.95", "x of f has no bytes, and compilers declare"},
		{"struct s {}; int f(struct s x, int y);", "gcc", "nvcc", "x of f has no bytes, and compilers declare"},
		{"struct s {}; struct s f(int y);", "nvcc", "gcc", "the result of f has no bytes, and compilers declare"},
		{"struct s {}; struct s f(int y);", "rustc-1.95", "nvcc", "the result of f has no bytes, and compilers declare"},
		{"struct s {}; int f(struct s x, int y);", "clang", "numba", "x of f has no bytes, and compilers declare"},
		{"struct s { int a; } __attribute__((aligned(256))); int f(struct s x);", "gcc", "clang", "callee: x of f is aligned to 256 bytes, and the assembler takes 128"},
		{"struct s { long double d; }; int f(struct s x);", "nvcc", "clang", "nvcc's idea of its long double is not known"},
	} {
		s, got := fromC(t, tt.header, tt.from, tt.to, adapt.Options{})
		assert.Nil(t, s, "%s", tt.header)
		assert.Contains(t, got, tt.want)
		assert.True(t, strings.HasPrefix(got, "x.h:1:"), got)
	}
}

// TestLanguages holds that g++ reads a header as C++, as nvcc does, where a record without members has a byte.
func TestLanguages(t *testing.T) {
	const header = "struct e {}; struct s { struct e e; int x; }; int f(struct s v);"
	_, text := fromC(t, header, "gcc-12", "g++-12", adapt.Options{})
	assert.Contains(t, text, "\t.local .align 4 .b8 memory0[8];\n")
	assert.Contains(t, text, "// v.x: *caller.v[0:4] to *callee.v[4:8]\n")
	_, text = fromC(t, header, "g++-12", "nvcc", adapt.Options{})
	assert.Contains(t, text, "// v: *caller.v[0:8] to callee.v\n")
}

// TestBitInts holds that clang 19's integers of up to 64 bits are adapted, which were measured.
func TestBitInts(t *testing.T) {
	_, text := fromC(t, "_BitInt(33) f(unsigned _BitInt(7) x);", "clang-19", "manual", adapt.Options{})
	assert.Contains(t, text, ".visible .func (.param .b64 shim_retval) shim (\n\t.param .b32 shim_param_0 // x\n)")
	_, text = fromC(t, "struct s { char c; _BitInt(33) x; }; int f(struct s x);", "clang-19", "manual", adapt.Options{})
	assert.Contains(t, text, ".param .align 8 .b8 shim_param_0[16] // x\n")
}

// TestNoPrototype holds that a note says what C's f() is taken for, which in C++ and with (void) is plain.
func TestNoPrototype(t *testing.T) {
	const none = "no errors"
	const note = "x.h:1:5: note: f() of C says nothing of parameters, and is taken for f(void): a call passes none; write the parameters if there are any [CannotAdapt]"
	for header, want := range map[string]string{"int f();": note, "int f(void);": none, "int f(); int f(void);": none, "int f(void); int f();": none} {
		s, _ := fromC(t, header, "clang", "numba", adapt.Options{})
		assert.Equal(t, want, s.Notes.Error(), header)
	}
	r, err := layoutcmd.Load("x.h", []byte("int f();"), layoutcmd.Options{Lang: "c++"})
	require.NoError(t, err)
	assert.False(t, r.Unit.Funcs[0].NoProto)
}

// TestEnums holds that an enumeration is extended as the type it has.
func TestEnums(t *testing.T) {
	for typ, want := range map[string]string{"signed char": ".s8", "unsigned char": ".u8", "short": ".s16", "unsigned short": ".u16"} {
		_, text := fromC(t, "enum e : "+typ+" { a }; enum e f(enum e x);", "clang", "nvcc", adapt.Options{})
		assert.Contains(t, text, "\tld.param"+want+" %r0, [shim_param_0]; // x: ", typ)
		assert.Contains(t, text, "\tld.param"+want+" %r1, [ret]; // the result: ", typ)
	}
}

// TestUnaligned holds that a value is not extended from memory of which no alignment is said, and that
// scalars do not go by their position into an array that is less aligned.
func TestUnaligned(t *testing.T) {
	function := func(params string) *ptx.Func {
		m := parsed(t, ".version 6.3\n.target sm_75\n.address_size 64\n.extern .func f ("+params+");\n")
		return m.Items[len(m.Items)-1].(*ptx.Func)
	}
	pointer, word := function(".param .b64 p"), function(".param .b32 n")
	s, list := adapt.FromMapping(pointer, word, "shim", "x.map", "*caller.p[0:2]:s16 -> callee.n")
	assert.Nil(t, s)
	assert.ErrorContains(t, list.Err(), "has to be aligned to its size, and *caller.p[0:2] is not known to be")
	s, list = adapt.FromMapping(pointer, word, "shim", "x.map", "*caller.p[0:2]@2:s16 -> callee.n")
	assert.Empty(t, list)
	assert.NotNil(t, s)

	scalars := function(".param .b64 x, .param .b32 y")
	s, list = adapt.ByPosition(scalars, function(".param .align 4 .b8 v[12]"), "shim")
	assert.Nil(t, s)
	assert.ErrorContains(t, list.Err(), "which go where a mapping has to say")
	s, list = adapt.ByPosition(scalars, function(".param .align 8 .b8 v[12]"), "shim")
	assert.Empty(t, list)
	assert.NotNil(t, s)
}

// TestAddresses holds that an address is handed on where both sides pass one, and that
// what a callee is given is all that its type has.
func TestAddresses(t *testing.T) {
	const header = "struct s { int a; char b; }; struct s f(struct s x);"
	_, text := fromC(t, header, "gcc", "gcc", adapt.Options{})
	assert.Contains(t, text, "the address of x: caller.x to callee.x")
	assert.Contains(t, text, "the address of the result: caller.result to callee.result")
	assert.NotContains(t, text, ".local")
	s, text := fromC(t, header, "manual", "gcc", adapt.Options{})
	assert.Equal(t, map[int]adapt.Memory{0: {8, 4}, 1: {8, 4}}, s.Memory)
	assert.Contains(t, text, ".local .align 4 .b8 memory0[8];")
}

// TestLong holds that check has nothing to say of values of thousands of bytes, which are
// copied piece by piece where that may be.
func TestLong(t *testing.T) {
	const header = "struct s { char c[3000]; }; struct s f(struct s x);"
	for _, pair := range [][2]string{{"clang", "gcc"}, {"gcc", "clang"}, {"clang", "nvcc"}} {
		_, text := fromC(t, header, pair[0], pair[1], adapt.Options{})
		_, list := check.Source("x.ptx", []byte(text), check.Options{Compile: true, Pedantic: true})
		assert.Empty(t, list, pair)
	}
	s, why := fromC(t, strings.Replace(header, "3000", "20000", 1), "clang", "nvcc", adapt.Options{})
	assert.Nil(t, s)
	assert.Contains(t, why, "x of shim has 20000 bytes; a shim moves up to 16384")
}

// TestHidden supplies, drops and hands on hidden parameters.
func TestHidden(t *testing.T) {
	seven := uint64(7)
	_, text := fromC(t, "int f(int x);", "clang", "nvcc", adapt.Options{
		HiddenCaller: []adapt.Hidden{{Type: ptx.B64}, {Type: ptx.B32}},
		HiddenCallee: []adapt.Hidden{{Type: ptx.B32, Value: &seven}, {Type: ptx.B32}},
	})
	assert.Contains(t, text, "mov.b32 %r1, 7; // a hidden parameter: 7 into callee.hidden1")
	assert.Contains(t, text, "ld.param.b32 %r2, [shim_param_2]; // a hidden parameter: caller.hidden2 to callee.hidden2")
	_, list := check.Source("x.ptx", []byte(text), check.Options{Compile: true, Pedantic: true})
	assert.Empty(t, list)
}

// TestVersions holds that check has nothing to say of the version of a shim for any
// target.
func TestVersions(t *testing.T) {
	s, _ := fromC(t, "int f(int x);", "numba", "gcc", adapt.Options{})
	targets := abi.Targets()
	require.NotEmpty(t, targets)
	for _, target := range targets {
		text := s.Text(adapt.Head{Version: adapt.VersionFor(resolve.ArchOf(target)), Target: target.Name})
		_, list := check.Source(target.Name, text, check.Options{Compile: true, Pedantic: true})
		assert.Empty(t, list, target.Name)
	}
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
