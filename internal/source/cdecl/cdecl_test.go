package cdecl

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// bare is a diagnostic without its severity.
func bare(d *diag.Diagnostic) string {
	return diag.Place(d.File, d.Pos) + d.Msg + " [" + string(d.Code) + "]"
}

// TestEnd holds where what is reported ends: after a token, which a macro may have
// made, and nowhere if the token is not on one line or is the end of the input.
func TestEnd(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"struct S { unknown x; };", "unknown"},
		{"#define M unknown\r\nstruct S { M x; };", "M"},
		{"\ufeffstruct S { int x; } struct T;", "struct"},
		{"struct é { int x; }; struct é { int x; };", "é"},
		{"#include \"none.h\"", "#"},
		{"struct S { unkn\\\nown x; };", ""},
		{"struct S {", "{"},
		{"int x", ""},
	} {
		_, err := Parse("a.h", []byte(tt.src), Options{})
		var list diag.List
		require.ErrorAs(t, err, &list, tt.src)
		d := list[0]
		if tt.want == "" {
			assert.Zero(t, d.End, tt.src)
			continue
		}
		text := diag.NewText(tt.src)
		from, ok := text.Offset(d.Pos)
		require.True(t, ok, tt.src)
		to, ok := text.Offset(d.End)
		require.True(t, ok, tt.src)
		assert.Equal(t, tt.want, tt.src[from:to])
	}
}

// summary writes what a unit declares, one line each.
func summary(u *Unit) string {
	var b strings.Builder
	for _, r := range u.Records {
		if r.Layout == nil {
			fmt.Fprintf(&b, "%s: no layout\n", r.Name)
			continue
		}
		fmt.Fprintf(&b, "%s %d/%d:", r.Name, r.Layout.Size, r.Layout.Align)
		for f := range r.Layout.Fields() {
			fmt.Fprintf(&b, " %s@%d", f.Path, f.Offset)
			if f.BitWidth > 0 {
				fmt.Fprintf(&b, ".%d:%d", f.BitOffset, f.BitWidth)
			}
		}
		b.WriteString("\n")
	}
	for _, f := range u.Funcs {
		kind := "func"
		if f.Kernel {
			kind = "kernel"
		}
		fmt.Fprintf(&b, "%s %s(", kind, f.Name)
		for i, p := range f.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strings.TrimSpace(p.Type.String() + " " + p.Name))
		}
		fmt.Fprintf(&b, ") %s\n", f.Result)
	}
	return b.String()
}

var readTests = []struct {
	name, lang, src, want string
}{
	{"typedefs", "c", `typedef unsigned int u; typedef u v, *p, a[3]; struct S { v x; p q; a r; };`, "S 32/8: x@0 q@8 r@16\n"},
	{
		"arithmetic", "c", `enum { N = 1 << 2, M }; struct A { char c[N * 2 + M % 3]; int d[sizeof(long) / sizeof(int)]; }; struct B { char c[sizeof(struct A)]; };`,
		"A 20/4: c@0 d@12\nB 20/1: c@0\n",
	},
	{
		"offsetof", "c", `#include <stddef.h>
struct A { char c; struct { int i; short s[4]; } n; }; struct B { char x[offsetof(struct A, n.s[2])]; char y[(size_t)&((struct A *)0)->n.i]; };`,
		"A 16/4: c@0 n.i@4 n.s@8\nB 16/1: x@0 y@12\n",
	},
	{
		"sizeof member", "c", `struct A { double d[3]; }; struct B { char x[sizeof(((struct A *)0)->d)]; char y[sizeof ((struct A *)0)->d[0]]; };`,
		"A 24/8: d@0\nB 32/1: x@0 y@24\n",
	},
	{
		"attributes", "c", `struct __attribute__((packed)) A { char c; int i; }; struct B { char c; int i; } __attribute__((__packed__, __aligned__(2)));
struct C { char c; _Alignas(16) char d; char e __attribute__((aligned(4))); }; typedef struct { int i; } __attribute__((aligned(8))) D;`,
		"A 5/1: c@0 i@1\nB 6/2: c@0 i@1\nC 32/16: c@0 d@16 e@20\nD 8/8: i@0\n",
	},
	{
		"attributes of C++", "c++", `struct alignas(16) A { int i; }; struct [[gnu::packed]] B { char c; int i; }; struct C { char c; alignas(double) char d; [[gnu::aligned(4)]] char e; };`,
		"A 16/16: i@0\nB 5/1: c@0 i@1\nC 16/8: c@0 d@8 e@12\n",
	},
	{
		"CUDA", "c++", `#include <cuda_runtime.h>
struct __align__(16) P { float3 a; float4 b; dim3 d; cudaTextureObject_t t; half h; };
extern "C" __global__ void __launch_bounds__(256, 2) k(const P p, float *__restrict__ out, int n) { out[n] = p.a.x; }
__device__ __forceinline__ int f(int (&r)[3]) { return r[0]; }`,
		"P 64/16: a.x@0 a.y@4 a.z@8 b.x@16 b.y@20 b.z@24 b.w@28 d.x@32 d.y@36 d.z@40 t@48 h.__x@56\nkernel k(const P p, float *__restrict out, int n) void\nfunc f(int (&)[3] r) int\n",
	},
	{
		"CUDA vectors", "c++", `struct A { char c; char2 a; char d; char4 b; uchar3 e; short4 f; int2 g; longlong2 h; double3 i; double4 j; double4_32a k; };`,
		"A 160/32: c@0 a.x@2 a.y@3 d@4 b.x@8 b.y@9 b.z@10 b.w@11 e.x@12 e.y@13 e.z@14 f.x@16 f.y@18 f.z@20 f.w@22 g.x@24 g.y@28 h.x@32 h.y@40 i.x@48 i.y@56 i.z@64 j.x@80 j.y@88 j.z@96 j.w@104 k.x@128 k.y@136 k.z@144 k.w@152\n",
	},
	{
		"pragma pack", "c", "#pragma pack(push, 1)\nstruct A { char c; int i; };\n#pragma pack(push, label, 2)\nstruct B { char c; int i; };\n#pragma pack(pop, label)\nstruct C { char c; int i; };\n#pragma pack(pop)\nstruct D { char c; int i; };\n_Pragma(\"pack(2)\") struct E { char c; int i; };\n#pragma pack()\nstruct F { char c; int i; };",
		"A 5/1: c@0 i@1\nB 6/2: c@0 i@2\nC 5/1: c@0 i@1\nD 8/4: c@0 i@4\nE 6/2: c@0 i@2\nF 8/4: c@0 i@4\n",
	},
	{
		"macros", "c", "#ifndef G\n#define G\n#define N 4\n#define SQ(x) ((x)*(x))\n#define CAT(a,b) a##b\n#define PACKED __attribute__((packed))\n#if defined(N) && N > 3 && !defined(M)\nstruct PACKED CAT(S,1) { char c[SQ(N)]; int i; };\n#else\nnonsense\n#endif\n#endif",
		"S1 20/1: c@0 i@16\n",
	},
	{
		"namespaces", "c++", `namespace a::b { struct S { int i; enum class E : short { x }; E e; }; inline namespace v1 { struct V { char c; }; } } namespace z = a::b; struct T { a::b::S s; z::S::E e; a::b::V v; }; using namespace a; struct U : b::S { char c; };`,
		"a::b::S 8/4: i@0 e@4\na::b::v1::V 1/1: c@0\nT 12/4: s.i@0 s.e@4 e@8 v.c@10\nU 12/4: i@0 e@4 c@8\n",
	},
	{
		"class bodies", "c++", `class S { public: S() : a(1), b{2} {} explicit S(int x); ~S() = default; S &operator=(const S &) = default; operator bool() const { return a; } static constexpr int N = 2 + 1; template <class T> void t(T x) { x(); } void m() const noexcept; friend class F; private: int a = 1, b{2}; char c[N]; mutable int d : 3; };`,
		"S 12/4: a@0 b@4 c@8 d@11.0:3\n",
	},
	{
		"constants", "c++", `constexpr unsigned K = 1u << 3; const int L = K - 1; enum class E { a = 'A', b }; struct S { char c[K]; char d[L]; char e[static_cast<int>(E::b) - int(E::a)]; static_assert(sizeof(int) == 4, "int"); };`,
		"S 16/1: c@0 d@8 e@15\n",
	},
	{
		"static assertions", "c", `struct S { char c; int i; }; _Static_assert(sizeof(struct S) == 8 && _Alignof(struct S) == 4, "S"); _Static_assert(__builtin_offsetof(struct S, i) == 4, "i");`,
		"S 8/4: c@0 i@4\n",
	},
	{
		"declarators", "c", `typedef int (*fn)(int, char *); struct S { int *(*p)[3]; fn f; void (*g[2])(void); char m[2][3]; int (x); };`,
		"S 48/8: p@0 f@8 g@16 m@32 x@40\n",
	},
	{
		"qualified constants", "c++", `namespace ns { const int N = 8; } struct Q { static constexpr int N = 16; int member; enum { E = 4 }; };
struct alignas(ns::N) A { char c; }; struct B { alignas(Q::N) char c; char d __attribute__((aligned(ns::N*2))); alignas(::ns::N) char e; alignas(Q) char f; };
struct C { char a[sizeof(ns::N)]; char b[(Q::E)+(Q::N)]; char c[sizeof(Q::E)]; };`,
		"Q 4/4: member@0\nA 8/8: c@0\nB 32/16: c@0 d@16 e@24 f@28\nC 28/1: a@0 b@4 c@24\n",
	},
	{
		"members of classes", "c++", `struct B { double c; union { short s; int i[3]; }; }; struct Q : B { char member[5]; char own[sizeof(Q::member)]; };
namespace n { typedef Q R; } struct A { char a[sizeof(Q::member)]; decltype(B::c) b; char c[sizeof(n::R::i)]; decltype(Q::s) d; char e[alignof(decltype(Q::c))]; char f[sizeof Q::i]; };`,
		"B 24/8: c@0 s@8 i@8\nQ 40/8: c@0 s@8 i@8 member@24 own@29\nA 56/8: a@0 b@8 c@16 d@28 e@30 f@38\n",
	},
	{
		"inline namespaces", "c++", `namespace a::b::inline c { struct X { int i; }; } namespace d { inline namespace e { typedef char Y; } } struct S { a::b::X x; a::b::c::X z; d::Y y; };`,
		"a::b::c::X 4/4: i@0\nS 12/4: x.i@0 z.i@4 y@8\n",
	},
	{
		"counted arrays", "c++", `struct P { int x, y; }; constexpr int k[] = {1, f(2, 3), 4, }; const P q[]{{1, 2}, {3}}; static int m[][2] = {{1, 2}, {3, 4}, {5}};
struct S { char a[sizeof k / sizeof *k]; char b[sizeof(q)]; char c[sizeof m / sizeof m[0]]; };`,
		"P 8/4: x@0 y@4\nS 22/1: a@0 b@3 c@19\n",
	},
	{
		"counted arrays of C", "c", `static const short k[] = {1, 2, 3, 4}; const char *const n[] = {"a", "b"}; struct S { char a[sizeof k]; char b[sizeof n]; };`,
		"S 24/1: a@0 b@8\n",
	},
	{
		"names of std", "c++", `#include <cstddef>
struct S { std::byte b; cuda::std::size_t n; cuda::std::uint8_t u[sizeof(cuda::std::uint32_t)]; std::byte c[2]; }; typedef int byte; struct T { byte b; };`,
		"S 24/8: b@0 n@8 u@16 c@20\nT 4/4: b@0\n",
	},
	{
		"scoped enumerators", "c++", `const int A = 5; namespace n { enum class F : unsigned { A = 1, B = A << 1, AB = A | B }; enum class G { X, Y = X + 2, Z = sizeof(char[Y + 1]) }; }
struct S { char c[A]; char d[int(n::F::AB)]; char e[(int)n::G::Z]; };`,
		"S 11/1: c@0 d@5 e@8\n",
	},
	{
		"atomic records", "c", `struct P { int x, y; }; struct S { char c; _Atomic struct P p; }; struct T { char c; _Atomic struct { char a[3]; } t; };`,
		"P 8/4: x@0 y@4\nS 12/4: c@0 p.x@4 p.y@8\nT 4/1: c@0 t.a@1\n",
	},
	{
		"aligned enumerations", "c++", `enum class [[gnu::aligned(8)]] F : char; enum class F : char { a }; struct S { char c; F f; char d; };
enum __attribute__((packed, aligned(4))) P { b }; typedef P A __attribute__((aligned(2))); struct T { char c; P p; char d; A a; };`,
		"S 16/8: c@0 f@8 d@9\nT 8/4: c@0 p@4 d@5 a@6\n",
	},
	{
		"unions", "c", `struct S { char tag; union { int i; struct { short a; double d; }; float f[4]; }; };`,
		"S 24/8: tag@0 i@8 a@8 f@8 d@16\n",
	},
	{
		"arrays of records", "c", `struct S { struct { char c; struct { int i; } n[2]; } a[2]; };`,
		"S 24/4: a[0].c@0 a[0].n[0].i@4 a[0].n[1].i@8 a[1].c@12 a[1].n[0].i@16 a[1].n[1].i@20\n",
	},
	{"flexible", "c", `struct S { int n; double d[]; };`, "S 8/8: n@0 d@8\n"},
	{"forward", "c", `struct A; typedef struct A A; struct B { A *a; struct A *b; }; struct A { struct B b; };`, "B 16/8: a@0 b@8\nA 16/8: b.a@0 b.b@8\n"},
	{"line markers", "c", "# 1 \"a.h\"\n# 1 \"/usr/include/x.h\" 1 3\nstruct X { __float128 q; };\n# 2 \"a.h\" 2\nstruct S { int i; };", "X: no layout\nS 4/4: i@0\n"},
	{
		"functions", "c", `static inline int f(const struct S *s, int n[], ...) { if (n[0]) { return 1; } return sizeof(int); } struct S { int i; }; extern void g(void) __attribute__((noreturn)); int h();`,
		"S 4/4: i@0\nfunc f(const struct S * s, int * n) int\nfunc g() void\nfunc h() int\n",
	},
	{"universal names", "c++", `struct \u00dcn\u00EF { int Gr\u00f6\U000000dfe, ü; }; struct S { Ünï s; } /* \u */;`, "Ünï 8/4: Größe@0 ü@4\nS 8/4: s.Größe@0 s.ü@4\n"},
	{"CRLF and mark", "c", "\xef\xbb\xbfstruct S {\r\n  int i;\\\r\n  char c;\r\n};", "S 8/4: i@0 c@4\n"},
	{
		"local header types win", "c", "typedef unsigned short uint32_t; struct float4 { char c; }; struct S { uint32_t u; struct float4 f; };",
		"float4 1/1: c@0\nS 4/2: u@0 f.c@2\n",
	},
	{
		"wide enumerations", "c", `enum E { A = 0x80000000 }; enum F { B = -1, C = 0x80000000 }; enum __attribute__((packed)) G { D }; struct S { enum E e; enum F f; enum G g; };`,
		"S 24/8: e@0 f@8 g@16\n",
	},
	{
		"vectors", "c", `typedef float f4 __attribute__((vector_size(16))); typedef float f3 __attribute__((ext_vector_type(3))); struct S { char c; f4 a; f3 b; };`,
		"S 48/16: c@0 a@16 b@32\n",
	},
	{"mode", "c", `typedef int di __attribute__((mode(DI))); typedef unsigned qi __attribute__((__mode__(__QI__))); struct S { qi q; di d; };`, "S 16/8: q@0 d@8\n"},
	{"typeof", "c", `struct S { int a[3]; }; struct T { __typeof__(((struct S *)0)->a) b; typeof(short) c; };`, "S 12/4: a@0\nT 16/4: b@0 c@12\n"},
	{"member pointers", "c++", `struct C; struct S { int C::*p; void (C::*f)(int) const; int &r; int &&q; };`, "S 40/8: p@0 f@8 r@24 q@32\n"},
	{
		"string literals", "c", `struct S { char a[sizeof L"ab"]; char b[sizeof u8"ab" "\n"]; char c[sizeof u"a\U0001F600"]; char d[sizeof "\x41\101\u00e9"]; __typeof__(L"x"[0]) e[2]; };`,
		"S 40/4: a@0 b@12 c@16 d@24 e@32\n",
	},
	{"raw strings", "c++", `struct S { char a[sizeof R"x(\n")x"]; char b[sizeof LR"(ab)"]; };`, "S 16/1: a@0 b@4\n"},
	{"aligned without a number", "c", `struct __attribute__((aligned)) S { char c; }; struct T { char c; char d __attribute__((__aligned__)); };`, "S 16/16: c@0\nT 32/16: c@0 d@16\n"},
	{
		"tail padding in unions", "c++", `struct E {}; struct B : E { char a[2]; int b : 1; }; union U { short s; [[no_unique_address]] B b; }; struct S { [[no_unique_address]] U u; char c; };`,
		"E 1/1:\nB 4/4: a@0 b@2.0:1\nU 4/4: s@0 b.a@0 b.b@2.0:1\nS 4/4: u.s@0 u.b.a@0 u.b.b@2.0:1 c@3\n",
	},
	{"export macro", "c++", `class API_EXPORT S { public: int i; };`, "S 4/4: i@0\n"},
}

func TestRead(t *testing.T) {
	for _, tt := range readTests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := Parse("a.h", []byte(tt.src), Options{Rules: rulesFor(tt.lang)})
			require.NoError(t, err)
			assert.Equal(t, tt.want, summary(u))
		})
	}
}

var errorTests = []struct {
	name, lang, src string
	want            []string // line:col: message [code]
}{
	{"several", "c", "struct A { foo x; int y; };\nstruct B { int i; };\nstruct C { bar z; };", []string{
		"1:12: unknown type foo [UndeclaredName]", "3:12: unknown type bar [UndeclaredName]",
	}},
	{"by value", "c", "struct A { int i; struct A a; };", []string{"1:28: A.a: contains itself [BadType]"}},
	{"negative", "c", "struct A { int a[2 - 3]; };", []string{"1:17: array of negative length -1 [BadType]"}},
	{"huge", "c", "struct A { char a[0x7fffffffffffffff]; }; struct B { int a[1L << 60][1L << 60]; };", []string{
		"1:19: array is too large [BadType]", "1:58: B.a[]: array is too large [BadType]",
	}},
	{"bits", "c", "struct A { int a : 33; char b : -1; float c : 3; int d : 0; };", []string{
		"1:16: A.a: bit-field of 33 bits is wider than its type, int [BadType]",
	}},
	{"alignment", "c", "struct A { int a __attribute__((aligned(3))); };", []string{"1:41: alignment 3 is not a power of two [BadType]"}},
	{"alignment of none", "c", "struct A { int a __attribute__((aligned(0))); }; struct B { _Alignas(0) int b; };", []string{
		"1:41: alignment 0 is not a power of two; only alignas(0) asks for none [BadType]",
	}},
	{"low alignas", "c", "struct A { _Alignas(2) int a; }; struct B { _Alignas(2) _Alignas(8) int b; };\n_Alignas(short) int v; extern _Alignas(8) struct U u[];", []string{
		"1:12: alignas(2) is less than the alignment of int, which is 4 [BadType]",
		"2:1: alignas(2) is less than the alignment of int, which is 4 [BadType]",
	}},
	{"low alignas of C++", "c++", "struct alignas(2) A { int x; };\nstruct alignas(2) __attribute__((packed)) B { int x; };\nstruct C { alignas(1) B b; alignas(2) int y __attribute__((aligned(8))); };\n#pragma pack(1)\nstruct D { alignas(2) int x; }; struct alignas(2) E { int x; };", []string{
		"1:8: alignas(2) is less than the alignment of the members of struct A, which is 4 [BadType]",
		"3:12: alignas(1) is less than the alignment of B, which is 2 [BadType]",
		"5:12: alignas(2) is less than the alignment of int, which is 4 [BadType]",
	}},
	{"template", "c++", "template <class T, class U = int> struct V { T t; };\ntemplate <class T> struct V<T, typename T::x> { };\nstruct S { V<int> v; };\nstruct T { int i; };", []string{
		"3:20: V: it has a partial specialisation that is not supported (at a.h:2:1) [UnsupportedC]",
	}},
	{"within itself", "c", "struct S { (}\nstruct S { int A; } A", []string{
		"1:10: { is not closed [BadDeclaration]", "1:12: expected a member, found ( [BadDeclaration]",
		"2:8: S is defined at a.h:1:8 already [RedefinedName]",
	}},
	{"pack", "c++", "template <class... T> struct V { };\nstruct S { V<int> v; };", []string{"2:12: V<…>: parameter packs are not supported [UnsupportedC]"}},
	{"function template", "c++", "template <class T> T f();", []string{"1:1: templates are not supported [UnsupportedC]"}},
	{"arguments", "c++", "template <class T, int N> struct V { T t[N]; };\nV<int> v;\nV<int, 2, 3> w;\nV<int, 0x100000000> x;\nV y;", []string{
		"2:1: V takes 2 arguments, not 1 [BadType]", "3:1: V takes 2 arguments [BadType]", "5:1: V is a template, and has no arguments here [UnsupportedC]",
	}},
	{"within a template", "c++", "template <class T> struct V { T t; typename T::x u; };\nV<int> v;", []string{"1:45: int is not a class, and has no x [BadType]"}},
	{"endless template", "c++", "template <int N> struct V { V<N + 1> v; };\nV<0> v;", []string{"1:1: templates are instantiated more than 64 deep [UnsupportedC]"}},
	{"virtual", "c++", "struct S { int i; virtual void f(); };\nstruct T : S { int j; };", []string{
		"1:19: virtual functions are not supported [UnsupportedC]", "2:1: T.S: virtual functions are not supported [BadType]",
	}},
	{"virtual base", "c++", "struct S { int i; }; struct T : virtual S { int j; };", []string{"1:33: virtual bases are not supported [UnsupportedC]"}},
	{"assertion", "c", "struct S { int i; };\n_Static_assert(sizeof(struct S) == 8, \"size\");", []string{
		"2:1: static assertion does not hold: \"size\" [FailedAssertion]",
	}},
	{"redefinition", "c", "struct S { int i; };\nstruct S { int j; };", []string{"2:8: S is defined at a.h:1:8 already [RedefinedName]"}},
	{"member twice", "c", "struct S { int i; char i; };", []string{"1:24: member i is declared at a.h:1:16 already [RedefinedName]"}},
	{"include", "c", "#include \"nowhere.h\"\nstruct S { int i; };", []string{"1:1: cannot find \"nowhere.h\" [BadDirective]"}},
	{"error directive", "c", "#if 1\n#error no way\n#endif", []string{"2:1: #error no way [BadDirective]"}},
	{"unclosed", "c", "struct S { int i;", []string{"1:10: { is not closed [BadDeclaration]"}},
	{"function member", "c", "struct S { int f(void); };", []string{"1:16: member f is a function [BadType]"}},
	{"division", "c", "struct S { char c[1 / 0]; };", []string{"1:19: array bound: division by zero [NotConstant]"}},
	{"align pragma", "c", "#pragma align=packed\nstruct S { char c; int i; };\n#pragma options align=reset", []string{
		"1:1: #pragma align=packed is not supported [BadDirective]", "3:1: #pragma options align=reset is not supported [BadDirective]",
	}},
	{"first line", "c", "#pragma pack(3)\nstruct S { int i; };", []string{"1:1: #pragma pack of 3 [BadDirective]"}},
	{"vector attributes", "c", "typedef float m __attribute__((matrix_type(4, 4)));\ntypedef __attribute__((neon_vector_type(2))) long long v;", []string{
		"1:32: attribute matrix_type is not supported [UnsupportedC]", "2:24: attribute neon_vector_type is not supported [UnsupportedC]",
	}},
	{"flexible", "c", "struct S { int a[]; int b; };", []string{"1:16: S.a: flexible array is not the last member [BadType]"}},
}

func TestErrors(t *testing.T) {
	for _, tt := range errorTests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("a.h", []byte(tt.src), Options{Rules: rulesFor(tt.lang)})
			var list diag.List
			require.True(t, errors.As(err, &list), "%v", err)
			var got []string
			for _, e := range list {
				got = append(got, strings.TrimPrefix(bare(e), "a.h:"))
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestInclude(t *testing.T) {
	fsys := fstest.MapFS{
		"inc/a.h": {Data: []byte("#pragma once\n#include \"b.h\"\nstruct A { struct B b; };")},
		"inc/b.h": {Data: []byte("#pragma once\nstruct B { int i; };")},
	}
	u, err := Parse("main.c", []byte("#include \"inc/a.h\"\n#include \"inc/b.h\"\nstruct C { struct A a; };"), Options{FS: fsys})
	require.NoError(t, err)
	require.Len(t, u.Records, 3)
	assert.Equal(t, "inc/b.h:2:1", u.Records[0].Pos.String())
	assert.EqualValues(t, 4, u.Records[2].Layout.Size)

	// Compilers do not look beside a file for a header in angle brackets.
	u, err = Parse("main.c", []byte("#if __has_include(<inc/a.h>)\nstruct S { char c[64]; };\n#elif __has_include(\"inc/a.h\")\nstruct S { int i; };\n#endif"), Options{FS: fsys})
	require.NoError(t, err)
	assert.EqualValues(t, 4, u.Records[0].Layout.Size)
}

// TestMicrosoftMemberPointers: their size depends on the bases of the class.
func TestMicrosoftMemberPointers(t *testing.T) {
	src := []byte("struct A { int a; }; struct B : A {}; struct C : A, B {}; struct D;\n" +
		"struct S { int B::*p; void (B::*f)(); };\nstruct T { int C::*p; };\nstruct U { void (D::*f)(); };")
	u, err := Parse("a.h", src, Options{Rules: layout.Rules{ABI: layout.Microsoft, Lang: layout.CXX}})
	assert.EqualError(t, err, "a.h:3:17: error: pointers to members of struct C, which is not known to have one base at most, are not supported by Microsoft's rules [UnsupportedC]\n"+
		"a.h:4:19: error: pointers to members of struct D, which is not known to have one base at most, are not supported by Microsoft's rules [UnsupportedC]")
	assert.Contains(t, summary(u), "S 16/8: p@0 f@8\n")
}

func TestRules(t *testing.T) {
	src := []byte("struct S { long l; void *p; wchar_t w; long double d; int a : 3; char b : 3; };")
	for _, tt := range []struct {
		name        string
		rules       layout.Rules
		size, align int64
	}{
		{"LP64", layout.LP64, 40, 8}, {"ILP32", layout.ILP32, 32, 8}, {"LLP64", layout.LLP64, 40, 8},
	} {
		u, err := Parse("a.h", src, Options{Rules: tt.rules})
		require.NoError(t, err, tt.name)
		assert.Equal(t, tt.size, u.Records[0].Layout.Size, tt.name)
		assert.Equal(t, tt.align, u.Records[0].Layout.Align, tt.name)
	}
}

// FuzzParse checks that no input makes the parser panic or hang, and that its errors are in the
// input.
func FuzzParse(f *testing.F) {
	for _, tt := range readTests {
		f.Add([]byte(tt.src), tt.lang == "c++")
	}
	for _, tt := range errorTests {
		f.Add([]byte(tt.src), tt.lang == "c++")
	}
	f.Fuzz(func(t *testing.T, src []byte, cxx bool) {
		rules := layout.LP64
		if cxx {
			rules.Lang = layout.CXX
		}
		partial, _ := Parse("a.h", src, Options{Rules: rules, Partial: true, Named: []string{"V<int>", "S"}})
		require.NotNil(t, partial)
		for _, r := range partial.Records { // of nothing that is lost there is a layout
			require.False(t, r.Layout != nil && partial.LeftOut(r.Type) != "", r.Name)
		}
		u, err := Parse("a.h", src, Options{Rules: rules})
		require.NotNil(t, u)
		marked := strings.Contains(string(src), "#") // line markers make positions of their own
		lines := strings.Count(string(src), "\n") + 1
		var list diag.List
		if err != nil {
			require.True(t, errors.As(err, &list))
			require.NotEmpty(t, list)
		}
		for _, e := range append(list, u.Warnings...) {
			require.NotEmpty(t, e.Msg)
			require.True(t, e.Pos.IsValid(), "%v", e)
			if !marked {
				require.LessOrEqual(t, int(e.Pos.Line), lines, "%v", e)
			}
		}
		for _, r := range u.Records {
			require.True(t, r.Pos.IsValid())
			require.NotEmpty(t, r.Type.String())
			if r.Layout != nil {
				require.NotEmpty(t, r.Layout.Clang())
				n := 0
				for range r.Layout.Fields() {
					if n++; n > 1000 {
						break
					}
				}
			}
		}
	})
}

func BenchmarkHeader(b *testing.B) {
	var s strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&s, "struct S%d { uint8_t a; float4 v; struct { int x, y; } p[3]; unsigned f : 3, g : 7; double d; };\n", i)
	}
	src := []byte(s.String())
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("a.h", src, Options{Rules: layout.Rules{Lang: layout.CXX}}); err != nil {
			b.Fatal(err)
		}
	}
}
