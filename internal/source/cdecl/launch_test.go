package cdecl

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/layout"
)

// TestLaunchTypes has what launches pass and headers of CUDA and C++ declare, by size and alignment. Those of CUDA's are the ones that
// its headers of 12.9 and 13.5 give (CUtensorMap in both, curand_kernel.h 10.3).
func TestLaunchTypes(t *testing.T) {
	const head = "#include <array>\n#include <complex>\n#include <utility>\n#include <cuda/std/array>\n#include <cuda/std/complex>\n#include <cuda/std/utility>\n" +
		"#include <curand_kernel.h>\n#include <cuda_fp4.h>\n#include <library_types.h>\n"
	for _, tt := range []struct {
		typ         string
		size, align int64
	}{
		{"std::array<float, 5>", 20, 4},
		{"std::array<double, 0>", 1, 1},
		{"cuda::std::array<double, 0>", 8, 8},
		{"cudaChannelFormatKind", 4, 4},
		{"enum cudaLimit", 4, 4},
		{"cuda::std::array<double, 3>", 24, 8},
		{"std::array<std::pair<char, short>, 2>", 8, 2},
		{"std::complex<float>", 8, 4},
		{"std::complex<double>", 16, 8},
		{"cuda::std::complex<float>", 8, 8},
		{"cuda::std::complex<double>", 16, 16},
		{"std::pair<int, double>", 16, 8},
		{"cuda::std::pair<char, int>", 8, 4},
		{"__nv_fp8_e4m3", 1, 1},
		{"__nv_fp8x4_e5m2", 4, 4},
		{"__nv_fp8x2_e8m0", 2, 2},
		{"__nv_fp6x2_e2m3", 2, 2},
		{"__nv_fp4x2_e2m1", 1, 1},
		{"__nv_fp4x4_e2m1", 2, 2},
		{"nv_half", 2, 2},
		{"nv_bfloat162", 4, 4},
		{"CUtensorMap", 128, 64},
		{"cudaDataType_t", 4, 4},
		{"cudaMemcpyKind", 4, 4},
		{"CUresult", 4, 4},
		{"CUfunction", 8, 8},
		{"curandState", 48, 8},
		{"curandState_t", 48, 8},
		{"curandStateMRG32k3a_t", 48, 8},
		{"curandStatePhilox4_32_10_t", 64, 16},
		{"curandStateSobol32_t", 140, 4},
		{"curandStateScrambledSobol64", 536, 8},
		{"curandStateMtgp32", 4112, 8},
	} {
		for _, head := range []string{head, ""} {
			u, err := Parse("x.cu", fmt.Appendf(nil, "%sstruct T { %s x; };\n", head, tt.typ), Options{Rules: rulesFor("c++")})
			require.NoError(t, err, tt.typ)
			l := typeT(u)
			require.NotNil(t, l, tt.typ)
			assert.Equal(t, [2]int64{tt.size, tt.align}, [2]int64{l.Size, l.Align}, tt.typ)
		}
	}

	parse := func(text string, o Options) *Unit {
		o.Rules = rulesFor("c++")
		u, err := Parse("x.cu", []byte(text), o)
		require.NoError(t, err, text)
		return u
	}
	u := parse("struct T { char c; CUtensorMap m; };", Options{})
	require.Len(t, u.Warnings, 1)
	assert.Contains(t, u.Warnings[0].Msg, "CUDA 13 aligns it to 128")
	for version, align := range map[string]int64{"12090": 64, "13000": 128} {
		u := parse("#define CUDA_VERSION "+version+"\nstruct T { char c; CUtensorMap m; };", Options{})
		assert.Empty(t, u.Warnings)
		assert.Equal(t, [2]int64{128 + align, align}, [2]int64{typeT(u).Size, typeT(u).Align})
	}
	u = parse("typedef struct alignas(128) { unsigned long long opaque[16]; } CUtensorMap; struct T { char c; CUtensorMap m; };", Options{})
	assert.Empty(t, u.Warnings)
	assert.Equal(t, int64(128), typeT(u).Align)
}

// TestMembersOutside has constructors and operators outside of their classes, and microsoft's empty_bases.
func TestMembersOutside(t *testing.T) {
	for _, text := range []string{
		"struct T { T(float f); operator float() const; T &operator=(int); int x; };\n__device__ T::T(const float f) : x(1) { }\n" +
			"__device__ __inline__ T::operator float() const { return x; }\n__attribute__((used)) T &T::operator=(int i) { x = i; return *this; }\nstruct U { T t; };",
		"struct E {}; struct F {}; struct __declspec(empty_bases) T : E, F { int x; };",
		"namespace a { inline namespace v1 { struct S { int x; }; } } struct T { a::S s; };",
		"#pragma pack(push, 1)\nstruct U { std::pair<char, short> p; };\n#pragma pack(pop)\nstatic_assert(sizeof(U) == 4 && sizeof(std::array<char, 3>) == 3, \"\"); struct T { int x; };",
		"struct cuda { cuda(); }; namespace a { namespace std { struct pair { int x; }; } struct U { std::pair p; }; } struct T { a::U u; };",
		"using std::pair; struct T { ::std::pair<short, short> p; }; template<class V> struct U { pair<V, V> p; }; static_assert(sizeof(U<T>) == 8, \"\");",
	} {
		u, err := Parse("x.cu", []byte(text), Options{Rules: rulesFor("c++")})
		require.NoError(t, err, text)
		assert.Empty(t, u.Warnings, text)
		require.NotNil(t, typeT(u), text)
		assert.Equal(t, int64(4), typeT(u).Size, text)
	}
}

// TestEmptyBases has the sizes that clang 19 gives for x86_64-pc-windows-msvc.
func TestEmptyBases(t *testing.T) {
	r := layout.LLP64
	r.Lang = layout.CXX
	for text, size := range map[string]int64{
		"struct T : E, F { int x; };":                                                        8,
		"struct __declspec(empty_bases) T : E, F { int x; };":                                4,
		"struct __declspec(empty_bases) T : E, F, G { char x; };":                            1,
		"struct __declspec(empty_bases) T : E, C, F { int x; };":                             8,
		"struct __declspec(empty_bases) T : E, F {};":                                        1,
		"struct __declspec(empty_bases) B : E, F {}; struct T { char c; B b; E e; int x; };": 8,
		"struct __declspec(empty_bases) T : E, A { char x; };":                               8,
	} {
		u, err := Parse("x.cu", []byte("struct E {}; struct F {}; struct G : E {}; struct C { char c; }; struct alignas(8) A {};"+text), Options{Rules: r})
		require.NoError(t, err, text)
		assert.Equal(t, size, typeT(u).Size, text)
	}
}

// TestStdBesideTemplates: the names of <cstdint> are known as std's too where something declares a part of std.
func TestStdBesideTemplates(t *testing.T) {
	const text = "#include <array>\nstruct D { std::uint32_t q; std::array<std::int8_t, 3> a; std::size_t n; std::byte b; cuda::std::uint64_t c; };\n" +
		"namespace std { template<class T> struct hash; }\nstruct Foo { int x; };\nstruct E { std::Foo f; };\n"
	u, err := Parse("x.cu", []byte(text), Options{Rules: layout.LP64.NVCC(), Partial: true})
	require.NoError(t, err)
	sizes := map[string]int64{}
	for _, r := range u.Records {
		if r.Layout == nil {
			continue // left out
		}
		if rec, ok := layout.Unalias(r.Layout.Type).(*layout.Record); ok {
			sizes[rec.Name] = r.Layout.Size
		}
	}
	assert.EqualValues(t, 32, sizes["D"])
	assert.EqualValues(t, 4, sizes["Foo"])
	assert.NotContains(t, sizes, "E", "std has no Foo")
}

// TestPartialSpecialisations has assertions that clang takes too.
func TestPartialSpecialisations(t *testing.T) {
	u, err := Parse("x.cu", []byte(launchSource), Options{Rules: rulesFor("c++")})
	require.NoError(t, err)
	assert.Empty(t, u.Warnings)
	for _, d := range u.Records {
		assert.NotContains(t, d.Name, "#")
	}
	for text, why := range map[string]string{
		"template<class T, class U> struct K {}; template<class T, class U> struct K<T*, U> {}; template<class T, class U> struct K<T, U*> {}; struct T { K<int*, int*> k; };": "several partial specialisations fit",
		"template<class T> using id = T; template<class T> struct K {}; template<class T> struct K<id<T>*> {}; struct T { K<int> k; };":                                        "not supported (at x.cu:1:",
		"template<class T, bool B = sizeof(T) == 4> struct K {}; template<class T> struct K<T*> {}; struct T { K<int*> k; };":                                                  "not supported (at x.cu:1:",
		"template<class... T> struct K; template<class T, class... R> struct K<T, R...> {}; struct T { K<int> k; };":                                                           "parameter packs",
		"template<class T> struct K; template<class T> struct K<T*, T> {}; struct T { K<int> k; };":                                                                            "not supported (at x.cu:1:",
		"template<class T> struct K; template<class T> struct K<T*> { int i; }; struct T { K<int> k; };":                                                                       "K<int> is not defined",
	} {
		_, err := Parse("x.cu", []byte(text), Options{Rules: rulesFor("c++")})
		assert.ErrorContains(t, err, why, text)
	}
}

//go:embed testdata/text/launchSource.cc
var launchSource string
