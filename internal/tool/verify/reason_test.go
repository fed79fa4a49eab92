package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestReason has differences with a known cause, and others that are alike and have none.
func TestReason(t *testing.T) {
	block := func(params ...Param) *Block { return &Block{Params: params} }
	at := func(offset, size int) Param { return Param{Offset: offset, Size: size} }
	typed := func(p Param, typ string) Param { p.Type = typ; return p }
	record := typed(at(8, 24), "struct s")
	record.Fields = []Field{{Path: "x"}}
	for _, tt := range []struct {
		source, compiled *Block
		want             string
	}{
		{block(at(0, 8)), block(at(0, 8), at(8, 8)), "Triton adds"},
		{block(at(0, 8), at(8, 4)), block(at(0, 8), at(8, 4), at(16, 8), at(24, 8)), "Triton adds"},
		{block(at(0, 8)), block(at(0, 8), at(8, 8), at(16, 8), at(24, 8)), ""},
		{block(at(0, 8)), block(at(0, 8), at(8, 4)), ""},
		{block(at(0, 8)), block(at(0, 4), at(8, 8)), ""},
		{block(), block(at(0, 8)), ""},
		{block(at(0, 4), typed(at(48, 128), "CUtensorMap")), block(at(0, 4), at(112, 128)), "128 in CUDA 13"},
		{block(at(0, 4), typed(at(48, 128), "struct m")), block(at(0, 4), at(112, 128)), ""},
		{block(typed(at(0, 8), "unsigned long")), block(at(0, 4)), "4 bytes on Windows"},
		{block(typed(at(0, 8), "long long")), block(at(0, 4)), ""},
		{block(at(0, 4), record), block(at(0, 4), at(16, 24)), "aligns the record otherwise"},
		{block(at(0, 8)), block(at(0, 8)), ""},
		{nil, block(at(0, 8)), ""},
	} {
		got := reason(tt.source, tt.compiled)
		assert.Contains(t, got, tt.want)
		assert.Equal(t, tt.want == "", got == "", got)
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
