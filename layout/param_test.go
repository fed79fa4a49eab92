package layout_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/layout"
)

// TestExtent has the sizes and alignments that declarations say, which a
// typedef's alignment reaches only where it is written.
func TestExtent(t *testing.T) {
	aligned := func(of layout.Type, n int64) layout.Type { return &layout.Alias{Name: "a", Type: of, Align: n} }
	rec := &layout.Record{Name: "S", Fields: []layout.Field{{Name: "x", Type: layout.Scalar{Kind: layout.Int}}}}
	for _, tt := range []struct {
		typ         layout.Type
		by          layout.Producer
		role        layout.Role
		want        string
		size, align int64
	}{
		{aligned(layout.Scalar{Kind: layout.Float}, 16), layout.NVCC, layout.KernelArgument, ".param .f32 x", 4, 4},
		{aligned(layout.Scalar{Kind: layout.Double}, 4), layout.NVCC, layout.KernelArgument, ".param .f64 x", 8, 8},
		{aligned(layout.Scalar{Kind: layout.Char}, 2), layout.NVCC, layout.Argument, ".param .b32 x", 4, 4},
		{aligned(rec, 16), layout.NVCC, layout.KernelArgument, ".param .align 16 .b8 x[4]", 4, 16},
		{aligned(rec, 1), layout.NVCC, layout.Result, ".param .align 1 .b8 x[4]", 4, 1},
		{aligned(rec, 16), layout.Clang, layout.KernelArgument, ".param .align 4 .b8 x[4]", 4, 4},
		{aligned(rec, 1), layout.Clang, layout.Result, ".param .align 4 .b8 x[4]", 4, 4},
		{rec, layout.GCC, layout.KernelArgument, ".param .u64 x", 8, 8},
		{&layout.Record{Name: "E"}, layout.Clang, layout.InternalResult, "", 0, 0},
	} {
		l, err := layout.Of(tt.typ, layout.LP64)
		require.NoError(t, err)
		p := l.ParamOf(tt.by, tt.role, "x")
		assert.Equal(t, tt.want, p.String())
		size, align := p.Extent()
		assert.Equal(t, []int64{tt.size, tt.align}, []int64{size, align}, tt.want)
	}
}

// TestParseProducer has what names mean, and what is reported of those that were not measured.
func TestParseProducer(t *testing.T) {
	for _, name := range layout.ProducerNames() {
		_, err := layout.ParseProducer(name)
		require.NoError(t, err, name)
	}
	p, err := layout.ParseProducer("clang-16")
	require.NoError(t, err)
	assert.Equal(t, layout.Clang15, p)
	assert.Equal(t, layout.Clang, p.Family())
	const fields = "numba takes a record apart, into a parameter for each field: ptxabi adapt writes such declarations, with -from or -to "
	for name, want := range map[string]string{
		"clang-13": "clang-13 was not measured; measured are clang-14, clang-15, clang-16, clang-17, clang-18, clang-19, clang-20, clang-21, clang-22, clang-23",
		"numba":    fields + "numba", "numba-cuda": fields + "numba", "numba-cuda-0.30": fields + "numba",
		"numba-c": fields + "numba-c", "numba-cuda-c-0.30": fields + "numba-c", "numba-cuda-mlir-0.6": fields + "numba-cuda-mlir",
		"warp-1.8": "warp-1.8 was not measured; measured are warp-1.19, warp-llvm-1.19",
		"warp":     "warp was not measured; measured are warp-1.19, warp-llvm-1.19",
		"msvc":     `unknown producer "msvc"; known are nvcc, clang, gcc, manual, and releases that were measured, such as nvrtc-13.5`,
	} {
		_, err := layout.ParseProducer(name)
		assert.EqualError(t, err, want)
	}
	bytes := &layout.Record{Name: "B", Fields: []layout.Field{{Name: "c", Type: &layout.Array{Elem: layout.Scalar{Kind: layout.Char}, Len: 3}}}}
	l, err := layout.Of(bytes, layout.LP64)
	require.NoError(t, err)
	for by, want := range map[layout.Producer]string{
		layout.Clang14: ".param .align 4 .b8 x[3]", layout.Clang15: ".param .align 4 .b8 x[3]", layout.Clang: ".param .align 1 .b8 x[3]",
	} {
		p := l.ParamOf(by, layout.Argument, "x")
		assert.Equal(t, want, p.String())
	}
	p14 := l.ParamOf(layout.Clang14, layout.InternalArgument, "x")
	assert.Equal(t, ".param .align 4 .b8 x[3]", p14.String())
	number, err := layout.Of(layout.Scalar{Kind: layout.Float, Complex: true}, layout.Rules{Lang: layout.CXX})
	require.NoError(t, err)
	internal := number.ParamOf(layout.Clang, layout.InternalResult, "x")
	assert.Equal(t, ".param .align 16 .b8 x[8]", internal.String())
}

// TestParamOfNVCC holds that nvcc passes what its rules say, whatever the rules of the layout: an empty struct has a
// byte, and is no array without extent, which would make the function variadic.
func TestParamOfNVCC(t *testing.T) {
	for want, typ := range map[string]layout.Type{
		".param .align 1 .b8 p[1]":   &layout.Record{Name: "E"},
		".param .align 16 .b8 p[24]": &layout.Record{Name: "L", Fields: []layout.Field{{Name: "a", Type: layout.Scalar{Kind: layout.Char}}, {Name: "b", Type: layout.Scalar{Kind: layout.LongDouble}}}},
		".param .align 8 .b8 p[16]":  &layout.Record{Name: "P", Fields: []layout.Field{{Name: "a", Type: layout.Scalar{Kind: layout.Char}}, {Name: "b", Type: layout.Scalar{Kind: layout.Double}}}},
	} {
		for _, rules := range []layout.Rules{layout.LP64, layout.LP64.NVCC()} {
			l, err := layout.Of(typ, rules)
			require.NoError(t, err)
			assert.Equal(t, want, l.ParamOf(layout.NVCC, layout.KernelArgument, "p").String())
			assert.Equal(t, want, l.Param("p"))
		}
	}
	c, err := layout.Of(&layout.Record{Name: "E"}, layout.LP64)
	require.NoError(t, err)
	assert.Equal(t, ".param .align 1 .b8 p[0]", c.ParamOf(layout.Clang, layout.Argument, "p").String())
}

// TestEndlessAlias lays out types that are names of themselves.
func TestEndlessAlias(t *testing.T) {
	self := &layout.Alias{Name: "self"}
	self.Type = self
	other := &layout.Qualified{Type: &layout.Alias{Name: "b"}}
	other.Type.(*layout.Alias).Type = other
	for _, typ := range []layout.Type{self, other, &layout.Array{Elem: self, Len: 2}, &layout.Vector{Elem: other, Len: 2}, &layout.Record{Name: "R", Fields: []layout.Field{{Name: "f", Type: self}}}} {
		_, err := layout.Of(typ, layout.LP64)
		assert.ErrorContains(t, err, "nested too deeply")
	}
	assert.Nil(t, layout.Unalias(self))
}
