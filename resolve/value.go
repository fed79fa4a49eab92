package resolve

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// Value returns the size, alignment and kind of a declared name, by which the convention
// places it: of a formal, and of a .param variable or register that a call passes.
func Value(s *ptx.Spec, v *ptx.Var) abi.Value {
	if s == nil || v == nil {
		return abi.Value{}
	}
	align := s.Alignment()
	if s.Type.Class() == ptx.Handle || s.Opaque() {
		return abi.Value{Kind: abi.Opaque, Align: align}
	}
	if v.Unsized() {
		return abi.Value{Kind: abi.Unsized, Align: align}
	}
	return abi.Value{Size: s.SizeOf(v), Align: align}
}

// AppendValues appends the [Value] of each formal to dst, and returns the extended slice.
func AppendValues(dst []abi.Value, list []ptx.Formal) []abi.Value {
	dst = slices.Grow(dst, len(list))
	for i := range list {
		dst = append(dst, Value(&list[i].Spec, &list[i].Var))
	}
	return dst
}
