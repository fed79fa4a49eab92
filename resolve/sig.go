// Package sig turns PTX declarations into what package abi knows of them:
// names and positions go, sizes and alignments stay. It also answers which
// declaration a name means, in a module and in a function's nested scopes.
package resolve

import (
	"math"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// maxSize stands for every size that no address space holds. Package abi
// refuses it, so that a product of extents needs no error of its own.
const maxSize = min(1<<40, math.MaxInt)

// Value returns a declared name as the convention sees it.
func Value(s *ptx.Spec, v *ptx.Var) abi.Value {
	align := Align(s)
	if s.Type.Class() == ptx.Handle {
		return abi.Value{Kind: abi.Opaque, Align: align}
	}
	if Unsized(v) {
		return abi.Value{Kind: abi.Unsized, Align: align}
	}
	return abi.Value{Size: Size(s, v), Align: align}
}

// Unsized reports whether v is an array without extent: x[] or x[0], which
// mean the same.
func Unsized(v *ptx.Var) bool {
	for _, n := range v.Dims {
		if n == ptx.NoExtent || n == 0 {
			return true
		}
	}
	return false
}

// Size returns the size of a declared name in bytes, 0 for an array without
// extent; sizes beyond 2^40 come back as 2^40.
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

// ElemSize returns the size of one element in bytes: of the whole vector where
// there is one.
func ElemSize(s *ptx.Spec) int { return s.Type.Size() * max(s.Vec, 1) }

// Align returns the alignment that a declaration gives its names: the larger
// of the element's own and .align. One that is no power of two comes back as
// it is, for package abi to refuse.
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
	if s.Align > math.MaxInt32 { // which is no power of two, and an int everywhere
		return math.MaxInt32
	}
	return max(natural, int(s.Align))
}

// Func returns the signature of a function, kernel or declaration.
func Func(f *ptx.Func) abi.Signature {
	kind := abi.Func
	if f.Entry {
		kind = abi.Entry
	}
	return abi.Signature{Kind: kind, Params: Values(f.Params), Results: Values(f.Results), Preserve: Preserve(f.Directive(PreserveName))}
}

// Prototype returns the signature of a prototype.
func Prototype(p *ptx.Prototype) abi.Signature {
	return abi.Signature{Params: Values(p.Params), Results: Values(p.Results), Preserve: Preserve(p.Directive(PreserveName))}
}

// The directives that Preserve reads: of registers, and of barriers, which say
// nothing of places.
const (
	PreserveName        = ".abi_preserve"
	PreserveControlName = ".abi_preserve_control"
)

// Preserve returns what the directive d says, which is nil for none. A number
// that is not understood comes back as -1, for package abi to refuse.
func Preserve(d *ptx.Directive) abi.Preserve {
	if d == nil {
		return abi.Preserve{}
	}
	if strings.TrimSpace(d.Args) == "WARP_SZ" {
		return abi.Preserve{Given: true, N: 32}
	}
	n, err := strconv.ParseInt(strings.TrimRight(strings.TrimSpace(d.Args), "Uu"), 0, 32)
	if err != nil {
		n = -1
	}
	return abi.Preserve{Given: true, N: int(n)}
}

// Values returns the formals as the convention sees them.
func Values(list []ptx.Formal) []abi.Value {
	if len(list) == 0 {
		return nil
	}
	return AppendValues(make([]abi.Value, 0, len(list)), list)
}

// AppendValues appends the formals as the convention sees them.
func AppendValues(dst []abi.Value, list []ptx.Formal) []abi.Value {
	for i := range list {
		dst = append(dst, Value(&list[i].Spec, &list[i].Var))
	}
	return dst
}

// Params returns the formals of f. They are f.Params but for kernels of PTX
// 1.0 to 1.3, which declare theirs in the body.
func Params(m *ptx.Module, f *ptx.Func) []ptx.Formal {
	if !InBody(m, f) {
		return f.Params
	}
	list := append([]ptx.Formal(nil), f.Params...)
	for _, s := range f.Body {
		d, ok := s.(*ptx.Decl)
		if !ok || d.Space != ptx.ParamSpace {
			continue
		}
		for _, v := range d.Vars {
			list = append(list, ptx.Formal{Pos: d.Pos, Spec: d.Spec, Var: v})
		}
	}
	return list
}

// InBody reports whether .param declarations in f's body are formals of a
// kernel: they are before PTX 1.4.
func InBody(m *ptx.Module, f *ptx.Func) bool {
	return f.Entry && m.Version != (ptx.Version{}) && !m.Version.AtLeast(1, 4)
}
