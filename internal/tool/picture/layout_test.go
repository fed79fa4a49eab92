package picture_test

import (
	"bytes"
	"fmt"
	stdtesting "testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/resolve"
)

// records draws records of scalars, arrays, bit-fields, and records again.
func records(t *rapid.T, depth int) *layout.Record {
	r := &layout.Record{Name: "S", Packed: rapid.IntRange(0, 5).Draw(t, "packed") == 0}
	if rapid.IntRange(0, 3).Draw(t, "union") == 0 {
		r.Kind = layout.Union
	}
	kinds := []layout.Kind{layout.Char, layout.Short, layout.Int, layout.LongLong, layout.Double}
	for i := range rapid.IntRange(1, 6).Draw(t, "fields") {
		f := layout.Field{Name: fmt.Sprintf("field%d", i), Type: layout.Scalar{Kind: rapid.SampledFrom(kinds).Draw(t, "scalar")}}
		switch rapid.IntRange(0, 5).Draw(t, "field") {
		case 0:
			f.Type = &layout.Array{Elem: f.Type, Len: rapid.Int64Range(0, 90).Draw(t, "length")}
		case 1:
			f.Type, f.BitField, f.Bits = layout.Scalar{Kind: layout.Int}, true, rapid.Int64Range(1, 31).Draw(t, "bits")
		case 2:
			f.Align = 1 << rapid.IntRange(0, 6).Draw(t, "align")
		case 3:
			if depth > 0 {
				f.Type = records(t, depth-1)
			}
		case 4:
			if depth > 0 {
				f.Type = &layout.Array{Elem: records(t, depth-1), Len: rapid.Int64Range(0, 5).Draw(t, "elements")}
			}
		}
		r.Fields = append(r.Fields, f)
	}
	return r
}

// TestCellsAreTheFields reads pictures of records back and requires that every
// field has its bits, and that the others are padding.
func TestCellsAreTheFields(t *stdtesting.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SampledFrom([]layout.Rules{layout.LP64, layout.LLP64}).Draw(t, "rules")
		l, err := layout.Of(records(t, 2), rules)
		if err != nil { // packing can leave elements that are not multiples of their alignment
			t.Skip(err)
		}
		root := read(t, picture.Page.Layouts(nil, []picture.Record{{Name: "S", Kind: "struct", Layout: &l}}, nil))
		checkText(t, root)
		checkSafe(t, root)
		want := map[string][2]int64{}
		n := 0
		for leaf := range l.Fields() {
			bits := [2]int64{leaf.Start(), leaf.Start() + leaf.BitWidth}
			if leaf.BitWidth == 0 {
				bits[1] += leaf.Size * 8
			}
			if bits[0] < bits[1] {
				want[fmt.Sprintf("t0.f%d", n)] = bits
			}
			n++
		}
		areas := root.find("area")
		if l.Size == 0 {
			assert.Empty(t, areas)
			return
		}
		require.Len(t, areas, 1)
		list := memory(t, areas[0])
		if len(areas[0].find("sans")) > 0 {
			t.Skip("fields over others are left out")
		}
		checkArea(t, list, want, l.Size*8)
		checkCells(t, list)
	})
}

// checkCells requires that no two cells lie on one another.
func checkCells(t testing, list []drawn) {
	t.Helper()
	for i, a := range list {
		for _, b := range list[:i] {
			if !a.split && !b.split && a.first < b.end && b.first < a.end && a.low < b.low+b.height && b.low < a.low+a.height {
				assert.Fail(t, "cells overlap", "%+v %+v", a, b)
			}
		}
	}
}

// TestKernelFields checks the fields of a kernel's parameters at their
// addresses, and a parameter whose fields are not known.
func TestKernelFields(t *stdtesting.T) {
	row := target(t, "sm_80")
	inner := &layout.Record{Name: "In", Fields: []layout.Field{
		{Name: "tag", Type: layout.Scalar{Kind: layout.Char}}, {Name: "v", Type: layout.Scalar{Kind: layout.Double}},
	}}
	l, err := layout.Of(inner, layout.LP64)
	require.NoError(t, err)
	a, err := abi.Assign(abi.Signature{Kind: abi.Entry, Params: []abi.Value{{Size: 4, Align: 4}, {Size: 16, Align: 64}, {Size: 8, Align: 8}}}, row)
	require.NoError(t, err)
	n, err := layout.Of(layout.Scalar{Kind: layout.Int}, layout.LP64)
	require.NoError(t, err)
	k := picture.Kernel{Name: "k", Block: a.Block, Params: []picture.KernelParam{
		{Name: "n", Loc: a.Params[0].Loc, Size: 4, Layout: &n},
		{Name: "in", Loc: a.Params[1].Loc, Size: 16, Layout: &l, Notes: []string{"a note"}},
		{Name: "what", Loc: a.Params[2].Loc, Size: 8, Type: "struct What"},
	}}
	root := read(t, picture.Page.Layouts(row, nil, []picture.Kernel{k}))
	checkText(t, root)
	base := int64(a.Block.Base)
	require.EqualValues(t, 0x160, base)
	want := map[string][2]int64{
		"k0.p0.f0": {base * 8, base*8 + 32},
		"k0.p1.f0": {0x180 * 8, 0x181 * 8},
		"k0.p1.f1": {0x188 * 8, 0x190 * 8},
		"k0.p2":    {0x190 * 8, 0x198 * 8},
	}
	checkArea(t, memory(t, root.find("area")[0]), want, (base+int64(a.Block.Size))*8)
	desc := root.child(t, "desc").text
	assert.Contains(t, desc, "in.v: double, 8 bytes at byte 40.\n")
	assert.Contains(t, desc, "in: a note.\n")
}

// TestLarge holds the size of pictures of large things.
func TestLarge(t *stdtesting.T) {
	row := target(t, "sm_80")
	draw := func(sig abi.Signature, n int) []byte {
		a, err := abi.Assign(sig, row)
		require.NoError(t, err)
		f := function(sig, a)
		var list []resolve.Assigned
		for range n {
			list = append(list, f)
		}
		svg := picture.Page.Assigned(row, list)
		assert.True(t, bytes.Equal(svg, picture.Page.Assigned(row, list)), "the same input gave other bytes")
		checkText(t, read(t, svg))
		return svg
	}
	many := make([]abi.Value, 4000)
	for i := range many {
		many[i] = abi.Value{Size: 1 + i%8, Align: 1}
	}
	record := func(fields ...layout.Field) []byte {
		l, err := layout.Of(&layout.Record{Name: "S", Fields: fields}, layout.LP64)
		require.NoError(t, err)
		svg := picture.Page.Layouts(nil, []picture.Record{{Name: "S", Kind: "struct", Layout: &l}}, nil)
		root := read(t, svg)
		checkText(t, root)
		return svg
	}
	point := &layout.Record{Name: "P", Fields: []layout.Field{
		{Name: "x", Type: layout.Scalar{Kind: layout.Float}}, {Name: "flag", Type: layout.Scalar{Kind: layout.Char}},
	}}
	union := &layout.Record{Kind: layout.Union, Name: "U"}
	for i := range 1000 {
		union.Fields = append(union.Fields, layout.Field{Name: fmt.Sprintf("m%d", i), Type: layout.Scalar{Kind: layout.Int}})
	}
	for _, tt := range []struct {
		name  string
		svg   []byte
		limit int
	}{
		{"300 functions", draw(abi.Signature{Params: []abi.Value{{Size: 4}, {Size: 12, Align: 8}, {Size: 52}}, Results: []abi.Value{{Size: 4}}}, 300), 3 << 20},
		{"4096 bytes", draw(abi.Signature{Params: []abi.Value{{Size: 4096, Align: 16}}, Results: []abi.Value{{Size: 4096, Align: 16}}}, 1), 20 << 10},
		{"kernel of 32764 bytes", draw(abi.Signature{Kind: abi.Entry, Params: []abi.Value{{Size: 32764, Align: 4}}}, 1), 20 << 10},
		{"4000 parameters", draw(abi.Signature{Params: many}, 1), 500 << 10},
		{"array of a terabyte", record(layout.Field{Name: "a", Type: &layout.Array{Elem: layout.Scalar{Kind: layout.Char}, Len: 1 << 40}}), 20 << 10},
		{"a thousand million records", record(layout.Field{Name: "p", Type: &layout.Array{Elem: point, Len: 1 << 30}}), 200 << 10},
		{"union of a thousand", record(layout.Field{Name: "u", Type: union}), 200 << 10},
	} {
		assert.Less(t, len(tt.svg), tt.limit, tt.name)
		t.Logf("%s: %d bytes", tt.name, len(tt.svg))
	}
}

// TestEmpty draws nothing, and what has no bytes.
func TestEmpty(t *stdtesting.T) {
	row := target(t, "sm_80")
	checkSafe(t, read(t, picture.Page.Assigned(row, nil)))
	checkSafe(t, read(t, picture.Page.Assigned(row, []resolve.Assigned{function(abi.Signature{}, abi.Assignment{})})))
	checkSafe(t, read(t, picture.Page.Layouts(nil, nil, nil)))
	l, err := layout.Of(&layout.Record{Name: "E"}, layout.LP64)
	require.NoError(t, err)
	root := read(t, picture.Page.Layouts(nil, []picture.Record{{Name: "E", Kind: "struct", Layout: &l}}, nil))
	assert.Contains(t, root.child(t, "desc").text, "struct E: 0 bytes")
	assert.Empty(t, root.find("area"))
}
