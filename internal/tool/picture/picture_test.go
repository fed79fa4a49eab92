package picture_test

import (
	"fmt"
	"slices"
	"strings"
	stdtesting "testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func target(t testing, name string) *abi.Target {
	t.Helper()
	row := must.Target(t, name)
	return row
}

// signatures draws signatures of functions and kernels, handles, empty values
// and arrays without extent among them.
func signatures(t *rapid.T) abi.Signature {
	value := func(label string) abi.Value {
		switch rapid.IntRange(0, 19).Draw(t, label+" kind") {
		case 0:
			return abi.Value{Kind: abi.Opaque}
		case 1:
			return abi.Value{Size: 0, Align: 1}
		case 2, 3:
			return abi.Value{Size: rapid.IntRange(1, 700).Draw(t, label+" size"), Align: 1 << rapid.IntRange(0, 7).Draw(t, label+" align")}
		}
		return abi.Value{Size: rapid.IntRange(1, 24).Draw(t, label+" size"), Align: 1 << rapid.IntRange(0, 4).Draw(t, label+" align")}
	}
	sig := abi.Signature{Kind: abi.FuncKind(rapid.IntRange(0, 1).Draw(t, "kind"))}
	for range rapid.IntRange(0, 14).Draw(t, "parameters") {
		sig.Params = append(sig.Params, value("parameter"))
	}
	if sig.Kind == abi.Func {
		if rapid.IntRange(0, 4).Draw(t, "variadic") == 0 {
			sig.Params = append(sig.Params, abi.Value{Kind: abi.Unsized, Align: 8})
		}
		for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(t, "results") {
			sig.Results = append(sig.Results, value("result"))
		}
	}
	return sig
}

// function makes names for a signature, of which those of parameters may be given.
func function(sig abi.Signature, a abi.Assignment, names ...string) resolve.Assigned {
	formals := func(role string, values []abi.Value) (list []ptx.Formal) {
		for i, v := range values {
			name := fmt.Sprintf("%s_%d", role, i)
			if role == "parameter" && i < len(names) {
				name = names[i]
			}
			list = append(list, ptx.Formal{Spec: ptx.Spec{Space: ptx.ParamSpace, Type: ptx.B8}, Var: ptx.Var{Name: name, Dims: []int64{int64(v.Size)}}})
		}
		return list
	}
	f := &ptx.Func{Name: "f", Entry: sig.Kind == abi.Entry, Pos: ptx.Pos{Line: 1, Col: 1}, Params: formals("parameter", sig.Params), Results: formals("result", sig.Results)}
	return resolve.Assigned{Function: *resolve.NewFunction(nil, f), Places: a}
}

// TestCellsAreTheAssignment reads pictures back, by their pixels, and requires
// that every value is where package abi says, and that the rest is padding.
func TestCellsAreTheAssignment(t *stdtesting.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := target(t, rapid.SampledFrom([]string{"sm_35", "sm_61", "sm_75", "sm_80", "sm_90"}).Draw(t, "target"))
		if rapid.IntRange(0, 3).Draw(t, "other registers") == 0 { // the picture has what the row says
			row.Passing.First, row.Passing.Count = 6, rapid.IntRange(1, 30).Draw(t, "registers")
		}
		row.Kernel.ParamBase += rapid.SampledFrom([]int{0, 0, 4, 7}).Draw(t, "base") // rows begin at multiples of 8
		sig := signatures(t)
		a, err := abi.Assign(sig, row)
		if err != nil {
			t.Skip(err)
		}
		f := function(sig, a)
		root := read(t, picture.Page.Assigned(row, []resolve.Assigned{f}))
		checkText(t, root)

		var call, ret []string
		areas := map[string]map[string][2]int64{"stack": {}, "block": {}, "memory": {}}
		expect := func(value string, p abi.Placement, registers *[]string) {
			for _, piece := range p.Pieces() {
				bits := [2]int64{int64(piece.Loc.Off) * 8, int64(piece.Loc.Off+piece.Size) * 8}
				switch piece.Loc.Kind {
				case abi.InReg:
					*registers = append(*registers, fmt.Sprintf("%s %s %d:%d", piece.Loc, value, piece.Off, piece.Off+piece.Size))
				case abi.OnStack:
					areas["stack"][value] = bits
				case abi.InConst:
					areas["block"][value] = bits
				case abi.Indirect:
					areas["memory"][value] = bits
				}
			}
		}
		for i, p := range a.Params {
			expect(fmt.Sprintf("f0.p%d", i), p, &call)
		}
		for i, p := range a.Results {
			expect(fmt.Sprintf("f0.r%d", i), p, &ret)
		}
		if a.Sret.Kind == abi.InReg {
			call = append(call, fmt.Sprintf("%s f0.h 0:4", a.Sret))
		}
		for _, r := range root.find("registers") {
			got, want := registersOf(t, r, row), &call
			if r.attrs["data-when"] == "at the return" {
				want = &ret
			}
			assert.ElementsMatch(t, *want, got)
			*want = nil
		}
		assert.Empty(t, call)
		assert.Empty(t, ret)

		ends := map[string]int{"stack": a.StackBytes, "block": a.Block.Base + a.Block.Size}
		for _, area := range root.find("area") {
			name := area.attrs["data-area"]
			checkArea(t, memory(t, area), areas[name], int64(ends[name])*8)
			delete(areas, name)
		}
		for name, left := range areas {
			assert.Empty(t, left, "%s is not drawn", name)
		}
	})
}

// checkArea requires that what is drawn of memory is exactly the values, but
// for rows left out, and that the rest up to end is padding. An array without
// extent has a cell from its offset to the end of the row.
func checkArea(t testing, list []drawn, values map[string][2]int64, end int64) {
	t.Helper()
	left := func(bits int64) bool {
		return slices.ContainsFunc(list, func(d drawn) bool { return d.split && d.first <= bits && bits < d.end })
	}
	at := func(bit int64) (have []string) {
		for _, d := range list {
			if !d.split && d.first <= bit && bit < d.end {
				have = append(have, d.value)
			}
		}
		return have
	}
	last := end
	for value, bits := range values {
		last = max(last, bits[1])
		if bits[0] == bits[1] {
			assert.Equal(t, [][2]int64{{bits[0], bits[0]/64*64 + 64}}, bitsOf(list, value), value)
		}
	}
	for _, d := range list {
		if d.value == "" {
			continue
		}
		bits, known := values[d.value]
		require.True(t, known, d.value)
		if bits[0] < bits[1] {
			assert.LessOrEqual(t, bits[0], d.first, d.value)
			assert.GreaterOrEqual(t, bits[1], d.end, d.value)
		}
	}
	begin := list[0].first
	for bit := begin; bit < last; bit++ {
		if left(bit) {
			continue
		}
		var want []string
		for value, bits := range values {
			if bits[0] <= bit && bit < bits[1] {
				want = append(want, value)
			}
		}
		if want == nil {
			want = []string{""}
		}
		got := at(bit)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "bit %d", bit)
	}
}

// TestEverythingIsSaid checks that the text alternative has every value with
// its place.
func TestEverythingIsSaid(t *stdtesting.T) {
	row := target(t, "sm_80")
	sig := abi.Signature{Params: []abi.Value{{Size: 4}, {Size: 12, Align: 8}, {Size: 50, Align: 4}, {Size: 8, Align: 8}}, Results: []abi.Value{{Size: 64, Align: 8}}}
	a, err := abi.Assign(sig, row)
	require.NoError(t, err)
	f := function(sig, a, "x", "y", "big", "_")
	root := read(t, picture.Page.Assigned(row, []resolve.Assigned{f}))
	assert.Equal(t, "img", root.attrs["role"])
	assert.Equal(t, "Where the parameters and results of f live on sm_80", root.children[0].text)
	assert.Equal(t, "title", root.children[0].name)
	assert.Equal(t, `sm_80: parameter registers R4 to R15, stack pointer R1, return address R20:R21.
.func (.param .b8 result_0[64]) f(.param .b8 x[4], .param .b8 y[12], .param .b8 big[50], .param .b8 _[8])
func, line 1; 52 bytes of stack.
parameter x, .b8[4], 4 bytes aligned to 1: R5.
parameter y, .b8[12], 12 bytes aligned to 8: R6:R8.
parameter big, .b8[50], 50 bytes aligned to 4: [R1+0x0].
param 3, .b8[8], 8 bytes aligned to 8: R10:R11.
result result_0, .b8[64], 64 bytes aligned to 8: in local memory, whose address the caller passes in R4.
R4 holds the address of the result, which the caller passes.
tail padding: 2 bytes at [R1+0x32].
`, root.child(t, "desc").text)

	l, err := layout.Of(&layout.Record{Name: "S", Fields: []layout.Field{
		{Name: "c", Type: layout.Scalar{Kind: layout.Char}},
		{Name: "d", Type: layout.Scalar{Kind: layout.Double}},
		{Name: "b", Type: layout.Scalar{Kind: layout.Int}, BitField: true, Bits: 3},
	}}, layout.LP64)
	require.NoError(t, err)
	root = read(t, picture.Page.Layouts(nil, []picture.Record{{Name: "S", Kind: "struct", Layout: &l, Param: ".param .b8 S[24]"}}, nil))
	assert.Equal(t, "How struct S lies in memory, byte by byte", root.children[0].text)
	assert.Equal(t, `struct S: 24 bytes, aligned to 8, 17 used.
.param .b8 S[24].
c: char, 1 byte at byte 0.
padding: 7 bytes at byte 1.
d: double, 8 bytes at byte 8.
b: int, 3 bits at byte 16.
tail padding: 61 bits at byte 16:3.
`, root.child(t, "desc").text)
}

// TestHostileNames checks that names stay text.
func TestHostileNames(t *stdtesting.T) {
	names := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `]]>&amp;<!--`, "a\x00b\x1bc\xff", "\u202egnp.exe",
		"'onclick='x'", "</style></svg>", strings.Repeat("名", 300), "a\nb\tc",
	}
	row := target(t, "sm_80")
	var list []resolve.Assigned
	var records []picture.Record
	for _, n := range names {
		sig := abi.Signature{Params: []abi.Value{{Size: 4}, {Size: 100}}, Results: []abi.Value{{Size: 60}}}
		a, err := abi.Assign(sig, row)
		require.NoError(t, err)
		f := function(sig, a, n, n)
		f.Name = n
		list = append(list, f)
		l, err := layout.Of(&layout.Record{Name: n, Fields: []layout.Field{{Name: n, Type: layout.Scalar{Kind: layout.Char}}}}, layout.LP64)
		require.NoError(t, err)
		records = append(records, picture.Record{Name: n, Kind: "struct", Layout: &l, Param: n, Notes: []string{n}})
	}
	for _, svg := range [][]byte{picture.Page.Assigned(row, list), picture.Page.Layouts(row, records, nil)} {
		root := read(t, svg)
		checkText(t, root)
		checkSafe(t, root)
		text := string(svg)
		assert.NotContains(t, text, "\u202e")
		assert.NotContains(t, text, "\x1b")
		assert.Contains(t, root.child(t, "desc").text, names[0])
	}
}

// checkSafe requires that a picture reaches for nothing and that nothing in it
// can clash with another in the same page.
func checkSafe(t testing, root *node) {
	t.Helper()
	elements := strings.Fields("svg title desc style rect g text path")
	attrs := strings.Fields("xmlns class role width height viewBox x y d transform data-value data-bits data-bytes data-place data-area data-when" +
		" data-function data-record data-kernel data-name data-kind")
	for _, n := range root.all() {
		assert.Contains(t, elements, n.name)
		for a := range n.attrs {
			assert.Contains(t, attrs, a)
		}
		if n.name == "style" {
			assert.Equal(t, picture.Style, n.text)
		}
	}
	assert.NotContains(t, picture.Style, "url(")
	assert.NotContains(t, picture.Style, "@import")
}
