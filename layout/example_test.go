package layout_test

import (
	"fmt"

	"github.com/ptxabi/ptxabi/layout"
)

// params is struct Params { double scale; float offset[3]; unsigned mode : 3; };
var params = &layout.Record{Name: "Params", Fields: []layout.Field{
	{Name: "scale", Type: layout.Scalar{Kind: layout.Double}},
	{Name: "offset", Type: &layout.Array{Elem: layout.Scalar{Kind: layout.Float}, Len: 3}},
	{Name: "mode", Type: layout.Scalar{Kind: layout.UInt}, BitField: true, Bits: 3},
}}

// Where the fields of a struct lie, and the declaration that carries it.
func ExampleOf() {
	l, err := layout.Of(params, layout.LP64)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Size, l.Align, l.DataSize)
	for f := range l.Fields() {
		fmt.Println(f.Path, f.Type, f.Offset, f.BitWidth)
	}
	fmt.Println(l.Param("p"))
	// Output:
	// 24 8 21
	// scale double 0 0
	// offset float[3] 8 0
	// mode unsigned int 20 3
	// .param .align 8 .b8 p[24]
}

// Compilers disagree about how a struct travels.
func ExampleLayout_ParamOf() {
	l, err := layout.Of(params, layout.LP64)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range []layout.Producer{layout.NVCC, layout.Clang, layout.GCC, layout.Manual} {
		fmt.Println(p, l.ParamOf(p, layout.Argument, "p"))
	}
	// Output:
	// nvcc .param .align 8 .b8 p[24]
	// clang .param .align 8 .b8 p[24]
	// gcc .param .u64 p
	// manual .param .align 8 .b8 p[21]
}

// How the fields are loaded from .param space.
func ExampleLayout_Loads() {
	l, err := layout.Of(params, layout.LP64)
	if err != nil {
		fmt.Println(err)
		return
	}
	for f := range l.Fields() {
		a := l.Loads(&f, 0)
		fmt.Printf("%s: %d × ld.param%s at %d\n", f.Path, a.Count, a.Type, a.Off)
	}
	// Output:
	// scale: 1 × ld.param.f64 at 0
	// offset: 3 × ld.param.f32 at 8
	// mode: 1 × ld.param.u8 at 20
}

// The values that printf("%d: %d %f\n", …) and all(…) of testdata/real/src pass after the dots.
func ExampleTailOf() {
	scalar := func(k layout.Kind) layout.Type { return layout.Scalar{Kind: k} }
	pair := &layout.Record{Name: "Pair", Fields: []layout.Field{{Name: "a", Type: scalar(layout.Int)}, {Name: "b", Type: scalar(layout.Double)}}}
	five := &layout.Record{Name: "Five", Fields: []layout.Field{{Name: "c", Type: &layout.Array{Elem: scalar(layout.Char), Len: 5}}}}
	for _, values := range [][]layout.Type{
		{scalar(layout.Int), scalar(layout.Int), scalar(layout.Double)},
		{scalar(layout.Double), scalar(layout.LongLong), pair, five, &layout.Pointer{}},
		{scalar(layout.Int), scalar(layout.Float)},
	} {
		tail, err := layout.TailOf(values, layout.LP64.NVCC())
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(tail.Offsets, tail.Param)
	}
	// Output:
	// [0 4 8] .param .align 8 .b8 [16]
	// [0 8 16 32 40] .param .align 8 .b8 [48]
	// value 1 of a tail is a float of 4 bytes, which C promotes
}
