package ptx

import (
	"fmt"
	"math"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// MaxSize, in bytes, stands for every size that is too large for an address space. So a product of extents cannot overflow.
const MaxSize = min(1<<40, math.MaxInt)

// Unsized reports whether v is an array without extent: x[] or x[0], which are
// equivalent.
func (v *Var) Unsized() bool {
	v = zero.Or(v)
	for _, n := range v.Dims {
		if n == NoExtent || n == 0 {
			return true
		}
	}
	return false
}

// SizeOf returns the size of a name that s declares, in bytes, and 0 for an array without
// extent. It is MaxSize for a size above [MaxSize].
func (s *Spec) SizeOf(v *Var) int {
	s, v = zero.Or(s), zero.Or(v)
	size := int64(s.ElemSize())
	for _, n := range v.Dims {
		if n <= 0 {
			return 0
		}
		if size != 0 && n > MaxSize/size {
			return MaxSize
		}
		size *= n
	}
	return int(size)
}

// ElemSize returns the size of one element in bytes. The element of a vector declaration is the whole vector.
func (s *Spec) ElemSize() int { return zero.Or(s).Type.Size() * max(zero.Or(s).Vec, 1) }

// Alignment returns the alignment of the names that s declares, in bytes: the larger of the
// element's own and Align. If Align is not a power of two, neither may be the result.
func (s *Spec) Alignment() int {
	s = zero.Or(s)
	natural := max(s.ElemSize(), 1)
	if s.Type.Class() == Handle {
		natural = 4
	}
	if natural&(natural-1) != 0 { // .v3: no assembler takes it
		natural = s.Type.Size()
	}
	if s.Align > math.MaxInt32 { // MaxInt32 fits in every int, and is not a power of two
		return math.MaxInt32
	}
	return max(natural, int(s.Align))
}

// TypeText returns the type as PTX writes it, without alignment and extents: ".f32" for
// x[4] of .f32, ".v4.f32" for a vector.
func (s *Spec) TypeText() string {
	s = zero.Or(s)
	if s.Vec > 0 {
		return fmt.Sprintf(".v%d%s", s.Vec, s.Type)
	}
	return s.Type.String()
}

// Size returns the size of the formal in bytes, and 0 for an array without extent; see
// [Spec.SizeOf].
func (f *Formal) Size() int { return zero.Or(f).SizeOf(&zero.Or(f).Var) }
