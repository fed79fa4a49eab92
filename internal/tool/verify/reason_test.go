package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/layout"
)

// TestReason has differences with a known cause, and others that are alike and have none.
func TestReason(t *testing.T) {
	block := func(params ...Param) *Block { return &Block{Params: params} }
	at := func(offset, size int) Param { return Param{Offset: offset, Size: size} }
	typed := func(p Param, typ string) Param { p.Type = typ; return p }
	record := typed(at(8, 24), "struct s")
	record.Fields = []Field{{Path: "x"}}
	long := func(p Param) Param { p.long = true; return p }
	triton := &cubin.Function{Name: "k", ReqThreads: []int{128, 1, 1}}
	ofLong := &cubin.Function{Name: "_Z1km", Params: make([]cubin.Param, 1)}
	ofInt := &cubin.Function{Name: "_Z1ki", Params: make([]cubin.Param, 1)}
	for _, tt := range []struct {
		source, compiled *Block
		fn               *cubin.Function
		host             bool
		want             string
	}{
		{block(at(0, 8)), block(at(0, 8), at(8, 8)), triton, false, "if Triton made"},
		{block(at(0, 8), at(8, 4)), block(at(0, 8), at(8, 4), at(16, 8), at(24, 8)), triton, true, "if Triton made"},
		{block(at(0, 8)), block(at(0, 8), at(8, 8), at(16, 8), at(24, 8)), triton, false, ""},
		{block(at(0, 8)), block(at(0, 8), at(8, 8)), &cubin.Function{Name: "k"}, false, ""},
		{block(at(0, 8)), block(at(0, 8), at(8, 8)), &cubin.Function{Name: "k", ReqThreads: []int{16, 16, 1}}, false, ""},
		{block(at(0, 8)), block(at(0, 8), at(8, 8)), &cubin.Function{Name: "_Z1kPf", ReqThreads: []int{128, 1, 1}}, false, ""},
		{block(at(0, 8), at(8, 8)), block(at(0, 8)), triton, false, ""},
		{block(at(0, 8)), block(at(0, 8), at(8, 4)), triton, false, ""},
		{block(at(0, 8)), block(at(0, 4), at(8, 8)), triton, false, ""},
		{block(), block(at(0, 8)), triton, false, ""},
		{block(at(0, 4), typed(at(48, 128), "CUtensorMap")), block(at(0, 4), at(112, 128)), triton, false, "128 in CUDA 13"},
		{block(at(0, 4), typed(at(48, 128), "struct m")), block(at(0, 4), at(112, 128)), triton, false, ""},
		{block(long(at(0, 8))), block(at(0, 4)), triton, false, "long has 4 bytes on Windows"},
		{block(long(at(0, 8))), block(at(0, 4)), ofInt, false, ""},
		{block(long(at(0, 8))), block(at(0, 4)), ofInt, true, "long has 4 bytes on Windows"},
		{block(at(0, 8)), block(at(0, 4)), ofLong, true, "on Windows, where this was compiled"},
		{block(at(0, 4)), block(at(0, 8)), ofLong, true, ""},
		{block(at(0, 8)), block(at(0, 4)), triton, true, ""},
		{block(at(0, 4), record), block(at(0, 4), at(16, 24)), triton, false, "aligns the record otherwise"},
		{block(at(0, 4), record), block(at(0, 4), at(24, 24)), triton, false, ""},
		{block(at(0, 8)), block(at(0, 8)), triton, false, ""},
		{nil, block(at(0, 8)), triton, false, ""},
	} {
		got := reason(tt.source, tt.compiled, tt.fn, tt.host)
		assert.Contains(t, got, tt.want)
		assert.Equal(t, tt.want == "", got == "", got)
	}
}

// TestIsLong has types that are long on Windows as well, and others.
func TestIsLong(t *testing.T) {
	long := layout.Scalar{Kind: layout.Long}
	for want, types := range map[bool][]layout.Type{
		true:  {long, &layout.Alias{Name: "word", Type: long}, &layout.Qualified{Const: true, Type: long}},
		false: {layout.Scalar{Kind: layout.LongLong}, &layout.Alias{Name: "size_t", Type: layout.Scalar{Kind: layout.ULong}}, &layout.Alias{Name: "word", Type: &layout.Alias{Name: "int64_t", Type: long}}, &layout.Pointer{Elem: long}},
	} {
		for _, typ := range types {
			assert.Equal(t, want, isLong(typ), typ)
		}
	}
}

// TestExternC has kernels of which one side has the name of C++.
func TestExternC(t *testing.T) {
	one := func(name string, status Status) Kernel {
		return Kernel{Name: name, Status: status, Differences: []Difference{{Msg: "gone"}}}
	}
	r := &Report{Kernels: []Kernel{
		one("_Z3addPf", OnlyInSource), one("sub", OnlyInSource), one("add", OnlyInCubin), one("_Z3subi", OnlyInCubin),
		one("_Z3mulPf", OnlyInSource), one("_ZN2ns3addEv", OnlyInSource), one("mul", Differs),
	}}
	r.externC()
	for i, want := range []string{"; add is only in cubin, and extern", "; _Z3subi is only in cubin", "; _Z3addPf is only in source", "; sub is only in source", "gone", "gone", "gone"} {
		assert.Contains(t, r.Kernels[i].Differences[0].Msg, want)
		assert.Equal(t, want == "gone", r.Kernels[i].Differences[0].Msg == "gone")
	}
}
