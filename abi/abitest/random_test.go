package abitest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/ptx"
)

var (
	olden  = abitest.Dialect{SM: 35, PTX: ptx.Version{Major: 7, Minor: 8}, MaxKernel: 4352, MaxFunction: 4096, CrashOnLoneSret: true}
	modern = abitest.Dialect{SM: 90, PTX: ptx.Version{Major: 8, Minor: 4}, MaxKernel: 32764, MaxFunction: 4096}
)

func TestRandomIsSeeded(t *testing.T) {
	for i := range 100 {
		assert.Equal(t, abitest.Random(1, i, modern), abitest.Random(1, i, modern))
	}
	assert.NotEqual(t, abitest.Random(1, 0, modern), abitest.Random(2, 0, modern))
	assert.NotEqual(t, abitest.Random(1, 0, modern), abitest.Random(1, 1, modern))
}

// TestRandomCovers counts what a thousand signatures contain, so that nothing
// that is to be measured is left out by accident, and nothing that ptxas does
// not take gets in.
func TestRandomCovers(t *testing.T) {
	features := func(d abitest.Dialect) map[string]int {
		seen := make(map[string]int)
		for i := range 1000 {
			s := abitest.Random(7, i, d)
			all := s.Params
			if s.Result != nil {
				all = append([]abitest.Formal{*s.Result}, s.Params...)
				seen["result"]++
				if s.Result.Value().Size > 48 {
					seen["result in memory"]++
					if s.Params == nil {
						seen["result in memory alone"]++
					}
				}
			}
			if s.Kernel {
				seen["kernel"]++
				if s.BlockSize() > 4352 {
					seen["large block"]++
				}
				assert.LessOrEqual(t, s.BlockSize(), d.MaxKernel)
			}
			if len(s.Params) == 0 {
				seen["no parameter"]++
			}
			if len(s.Params) > 20 {
				seen["many parameters"]++
			}
			for _, f := range all {
				where := "param "
				if f.Reg {
					where = "reg "
				}
				switch {
				case f.Unsized():
					seen["unsized"]++
				case f.Len > 0:
					seen["array "+f.Type]++
				case f.Vec > 0:
					seen["vector "+f.Type]++
				default:
					seen[where+f.Type]++
				}
				v := f.Value()
				if !s.Kernel {
					assert.LessOrEqual(t, v.Size, 4096)
					assert.LessOrEqual(t, v.Align, 128)
				}
				if v.Align >= 32 {
					seen["large alignment"]++
				}
				if v.Size > 1000 && !s.Kernel {
					seen["large parameter"]++
				}
				if v.Size%4 == 3 {
					seen["trailing bytes"]++
				}
			}
		}
		return seen
	}

	both := []string{
		"result", "result in memory", "kernel", "no parameter", "many parameters", "unsized",
		"large alignment", "large parameter", "trailing bytes",
		"param b8", "param b16", "param f16", "param b32", "param u32", "param s32", "param f32", "param b64", "param u64", "param s64", "param f64",
		"reg b8", "reg b16", "reg b32", "reg u32", "reg s32", "reg f32", "reg b64", "reg u64", "reg s64", "reg f64",
		"vector b8", "vector u8", "vector s8", "vector b16", "vector u16", "vector s16", "vector b32", "vector u32", "vector s32", "vector f32",
		"vector b64", "vector u64", "vector s64", "vector f64",
		"array b8", "array u8", "array s8", "array b16", "array u16", "array s16", "array f16", "array b32", "array u32", "array s32", "array f32",
		"array b64", "array u64", "array s64", "array f64", "array b128",
	}
	onlyModern := []string{"large block", "param b128", "reg f16", "reg f16x2", "vector f16", "vector f16x2"}

	got := features(modern)
	for _, f := range append(both, onlyModern...) {
		assert.Positive(t, got[f], f)
	}
	assert.Zero(t, got["reg b128"], "ptxas does not read all of it")

	got = features(olden)
	for _, f := range both {
		assert.Positive(t, got[f], f)
	}
	for _, f := range append(onlyModern, "reg b128", "result in memory alone") {
		assert.Zero(t, got[f], f)
	}
}

func TestFormal(t *testing.T) {
	for _, c := range []struct {
		f     abitest.Formal
		decl  string
		value abi.Value
	}{
		{abitest.Formal{Type: "b32"}, ".param .b32 x", abi.Value{Size: 4, Align: 4}},
		{abitest.Formal{Reg: true, Type: "f16x2"}, ".reg .f16x2 x", abi.Value{Size: 4, Align: 4}},
		{abitest.Formal{Reg: true, Type: "f64", Vec: 2}, ".reg .v2 .f64 x", abi.Value{Size: 16, Align: 16}},
		{abitest.Formal{Reg: true, Type: "u8", Vec: 4}, ".reg .v4 .u8 x", abi.Value{Size: 4, Align: 4}},
		{abitest.Formal{Type: "b128"}, ".param .b128 x", abi.Value{Size: 16, Align: 16}},
		{abitest.Formal{Type: "b32", Len: 3, Align: 16}, ".param .align 16 .b32 x[3]", abi.Value{Size: 12, Align: 16}},
		{abitest.Formal{Type: "f64", Len: 3, Align: 4}, ".param .align 4 .f64 x[3]", abi.Value{Size: 24, Align: 8}},
		{abitest.Formal{Type: "b8", Len: -1, Align: 8}, ".param .align 8 .b8 x[]", abi.Value{Align: 8, Kind: abi.Unsized}},
	} {
		assert.Equal(t, c.decl, c.f.Decl("x"))
		assert.Equal(t, c.value, c.f.Value(), c.decl)
	}
}
