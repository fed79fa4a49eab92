package abitest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Formal is one parameter or result as PTX declares it. Its fields are those
// of the declaration, and are not checked.
type Formal struct {
	// Reg reports that it is in .reg space; otherwise it is in .param space.
	Reg bool
	// Type is the fundamental type without its dot: "b8", "f16x2"; or "texref", "samplerref",
	// "surfref" for an opaque handle.
	Type string
	// Vec is the number of elements of a .reg vector, 2 or 4; 0 for none.
	Vec int
	// Len is the number of elements of an array; 0 if the formal is no array. A
	// negative Len is an array without extent, the tail of a variadic function.
	Len int
	// Align is the .align of the declaration in bytes; 0 for none.
	Align int
}

// A Function is a function or kernel as PTX declares it. The zero Function has
// neither parameters nor a result.
type Function struct {
	Kernel bool
	Params []Formal
	Result *Formal // nil for none
	// Tail is the number of bytes that a caller passes for the last parameter if that is
	// an array without extent; 0 if it passes none.
	Tail int
	// Preserve is the .abi_preserve of a function.
	Preserve abi.Preserve
}

// Elem returns the size in bytes of f's type, which is that of an element of an array or a vector; 0 for an
// unknown type.
func (f Formal) Elem() int {
	switch strings.TrimLeft(f.Type, "bsuf") {
	case "8":
		return 1
	case "16":
		return 2
	case "32", "16x2":
		return 4
	case "64":
		return 8
	case "128":
		return 16
	}
	return 0
}

// Unsized reports whether f is an array without extent.
func (f Formal) Unsized() bool { return f.Len < 0 }

// Opaque reports whether f is a handle of a texture, a sampler or a surface.
func (f Formal) Opaque() bool { return strings.HasSuffix(f.Type, "ref") }

// Value returns f's size, alignment and kind, by which the convention places it.
func (f Formal) Value() abi.Value {
	if f.Opaque() {
		return abi.Value{Kind: abi.Opaque}
	}
	size := f.Elem()
	align := size
	switch {
	case f.Vec > 0:
		size *= f.Vec
		align = size
	case f.Unsized():
		return abi.Value{Align: max(align, f.Align), Kind: abi.Unsized}
	case f.Len > 0:
		size *= f.Len
	}
	return abi.Value{Size: size, Align: max(align, f.Align)}
}

// Decl returns the declaration of f as a formal or a local with a name:
// ".param .align 8 .b8 x[12]".
func (f Formal) Decl(name string) string {
	var b strings.Builder
	space := ".param "
	if f.Reg {
		space = ".reg "
	}
	b.WriteString(space)
	if f.Align > 0 {
		fmt.Fprintf(&b, ".align %d ", f.Align)
	}
	if f.Vec > 0 {
		fmt.Fprintf(&b, ".v%d ", f.Vec)
	}
	fmt.Fprintf(&b, ".%s %s", f.Type, name)
	switch {
	case f.Unsized():
		b.WriteString("[]")
	case f.Len > 0:
		fmt.Fprintf(&b, "[%d]", f.Len)
	}
	return b.String()
}

// ParamName returns the name of parameter i in declarations: "p0".
func ParamName(i int) string { return fmt.Sprintf("p%d", i) }

// ResultName is the name of the result in declarations.
const ResultName = "res"

// Decl returns the function's declaration under a name, without linkage, body
// and semicolon: ".func (.param .b32 res) f (.reg .b64 p0)".
func (s *Function) Decl(name string) string {
	s = zero.Or(s)
	kind, result, preserve := ".func", "", ""
	if s.Kernel {
		kind = ".entry"
	}
	if s.Result != nil {
		result = "(" + s.Result.Decl(ResultName) + ") "
	}
	var params []string
	for i, f := range s.Params {
		params = append(params, f.Decl(ParamName(i)))
	}
	if s.Preserve.Given {
		preserve = fmt.Sprintf(" .abi_preserve %d", s.Preserve.N)
	}
	return fmt.Sprintf("%s %s%s (%s)%s", kind, result, name, strings.Join(params, ", "), preserve)
}

// String returns the declaration under the name f.
func (s *Function) String() string { return s.Decl("f") }

// Opaque reports whether a parameter or the result of s is an opaque handle.
func (s *Function) Opaque() bool {
	s = zero.Or(s)
	return slices.ContainsFunc(s.Params, Formal.Opaque) || s.Result != nil && s.Result.Opaque()
}

// ABI returns the signature of s, with the size of a caller's tail if there is one.
func (s *Function) ABI() abi.Signature {
	s = zero.Or(s)
	sig := abi.Signature{Preserve: s.Preserve}
	if s.Kernel {
		sig.Kind = abi.Entry
	}
	for _, f := range s.Params {
		v := f.Value()
		if v.Kind == abi.Unsized {
			v.Size = s.Tail
		}
		sig.Params = append(sig.Params, v)
	}
	if s.Result != nil {
		sig.Results = []abi.Value{s.Result.Value()}
	}
	return sig
}

// Clone returns a copy of s that shares nothing with it.
func (s *Function) Clone() *Function {
	s = zero.Or(s)
	c := *s
	c.Params = append([]Formal(nil), s.Params...)
	if s.Result != nil {
		r := *s.Result
		c.Result = &r
	}
	return &c
}
