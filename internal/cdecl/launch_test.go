package cdecl

import (
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
		u, err := Parse("x.cu", fmt.Appendf(nil, "%sstruct T { %s x; };\n", head, tt.typ), Options{Rules: rulesFor("c++")})
		require.NoError(t, err, tt.typ)
		l := typeT(u)
		require.NotNil(t, l, tt.typ)
		assert.Equal(t, [2]int64{tt.size, tt.align}, [2]int64{l.Size, l.Align}, tt.typ)
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
	} {
		u, err := Parse("x.cu", []byte(text), Options{Rules: rulesFor("c++")})
		require.NoError(t, err, text)
		assert.Empty(t, u.Warnings, text)
		require.NotNil(t, typeT(u), text)
		assert.Equal(t, int64(4), typeT(u).Size, text)
	}
	r := layout.LP64
	r.Lang, r.ABI = layout.CXX, layout.Microsoft
	_, err := Parse("x.cu", []byte("struct E {}; struct F {}; struct __declspec(empty_bases) T : E, F { int x; };"), Options{Rules: r})
	assert.ErrorContains(t, err, "empty_bases")
}
