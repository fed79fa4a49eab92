package resolve

import (
	"fmt"
	"math"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// maxSize stands for every size that no address space holds. Package abi
// refuses it, so that a product of extents needs no error of its own.
const maxSize = min(1<<40, math.MaxInt)

// Value returns the size, alignment and kind of a declared name, by which the convention
// places it: of a formal, and of a .param variable or register that a call passes.
func Value(s *ptx.Spec, v *ptx.Var) abi.Value {
	align := Align(s)
	if s.Type.Class() == ptx.Handle || s.Opaque() {
		return abi.Value{Kind: abi.Opaque, Align: align}
	}
	if Unsized(v) {
		return abi.Value{Kind: abi.Unsized, Align: align}
	}
	return abi.Value{Size: Size(s, v), Align: align}
}

// AppendValues appends the [Value] of each formal to dst, and returns the extended slice.
func AppendValues(dst []abi.Value, list []ptx.Formal) []abi.Value {
	dst = slices.Grow(dst, len(list))
	for i := range list {
		dst = append(dst, Value(&list[i].Spec, &list[i].Var))
	}
	return dst
}

// Unsized reports whether v is an array without extent: x[] or x[0], which are
// equivalent.
func Unsized(v *ptx.Var) bool {
	for _, n := range v.Dims {
		if n == ptx.NoExtent || n == 0 {
			return true
		}
	}
	return false
}

// Size returns the size of a declared name in bytes, and 0 for an array without extent.
// Sizes above 2^40 are returned as 2^40.
func Size(s *ptx.Spec, v *ptx.Var) int {
	size := int64(ElemSize(s))
	for _, n := range v.Dims {
		if n <= 0 {
			return 0
		}
		if size != 0 && n > maxSize/size {
			return maxSize
		}
		size *= n
	}
	return int(size)
}

// ElemSize returns the size of one element in bytes, which is the whole vector for
// vectors.
func ElemSize(s *ptx.Spec) int { return s.Type.Size() * max(s.Vec, 1) }

// Align returns the alignment of the names of a declaration, in bytes: the larger of the
// element's own and .align. An alignment that is not a power of two is returned as it is,
// for package abi to refuse.
func Align(s *ptx.Spec) int {
	if size := s.Type.Size(); s.Vec == 0 && size > 0 && s.Align <= math.MaxInt32 { // as nearly always
		return max(size, int(s.Align))
	}
	natural := max(ElemSize(s), 1)
	if s.Type.Class() == ptx.Handle {
		natural = 4
	}
	if natural&(natural-1) != 0 { // .v3, which no assembler takes
		natural = s.Type.Size()
	}
	if s.Align > math.MaxInt32 { // which is not a power of two, and an int everywhere
		return math.MaxInt32
	}
	return max(natural, int(s.Align))
}

// TypeText returns the type of a declaration as PTX writes it, without alignment and
// extents: ".f32" for x[4] of .f32, ".v4.f32" for a vector.
func TypeText(s *ptx.Spec) string {
	if s.Vec > 0 {
		return fmt.Sprintf(".v%d%s", s.Vec, s.Type)
	}
	return s.Type.String()
}
