package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLayoutNarrowFloats has CUDA's floats of 8, 6 and 4 bits without their headers, with the sizes and alignments that
// cuda_fp8.hpp, cuda_fp6.hpp and cuda_fp4.hpp of 12.9 give them.
func TestLayoutNarrowFloats(t *testing.T) {
	r := ptxabi([]byte(`struct S {
	__nv_fp8_e8m0 a; __nv_fp8x2_e4m3 b; __nv_fp8x4_e5m2 c; __nv_fp6_e2m3 d; __nv_fp6x2_e3m2 e;
	__nv_fp6x4_e2m3 f; __nv_fp4_e2m1 g; __nv_fp4x2_e2m1 h; __nv_fp4x4_e2m1 i; nv_half j;
};`), "layout", "-lang", "c++", "-")
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Empty(t, r.stderr)
	assert.Contains(t, r.stdout, "struct S: 24 bytes, aligned to 4, 22 used\n")
	for _, row := range []string{"  0       1     a.__x ", "  2       2     b.__x ", "  4       4     c.__x ", "  8       1     d.__x ", "  10      2     e.__x ", "  12      4     f.__x ", "  16      1     g.__x ", "  17      1     h.__x ", "  18      2     i.__x ", "  20      2     j.__x "} {
		assert.Contains(t, r.stdout, row)
	}
}
