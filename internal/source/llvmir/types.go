package llvmir

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// Types are those of package layout: an integer is a _BitInt, or a bool of one bit, and a name is an alias, which stands for
// nothing until the module declares it.

// unknown is a type that no value of nvptx has, or that is not known, and unmeasured one that the releases of LLVM lay out
// differently.
var (
	unknown    layout.Type = &layout.Record{Incomplete: true}
	unmeasured layout.Type = &layout.Record{Unsupported: "an integer of another size"}
)

var words = map[string]layout.Type{
	"void": layout.Scalar{Kind: layout.Void}, "half": layout.Scalar{Kind: layout.Float16}, "bfloat": layout.Scalar{Kind: layout.BFloat16},
	"float": layout.Scalar{Kind: layout.Float}, "double": layout.Scalar{Kind: layout.Double},
	"fp128": unknown, "x86_fp80": unknown, "ppc_fp128": unknown, "x86_amx": unknown, "x86_mmx": unknown, "label": unknown, "token": unknown, "metadata": unknown, "opaque": unknown,
}

// basic is the type that a word is, but for ptr; nil if it is none.
func basic(word string) layout.Type {
	if t := words[word]; t != nil {
		return t
	}
	bits, ok := strings.CutPrefix(word, "i")
	n, err := strconv.ParseInt(bits, 10, 32)
	switch {
	case !ok || err != nil || n <= 0:
		return nil
	case n == 1:
		return layout.Scalar{Kind: layout.Bool}
	case n == 128:
		return layout.Scalar{Kind: layout.Int128}
	case n > 64:
		return unmeasured
	}
	return layout.Scalar{Kind: layout.BitInt, Bits: n}
}

// A pointer is a type of pointers: the module says how long they are in their space.
type pointer struct {
	of    *layout.Alias
	space int64
	elem  layout.Type // nil where it has none
}

// limit is the most bytes of a type that is laid out.
const limit = 1 << 31

// deep is the most types in one another.
const deep = 64

// layout lays out a type by the rules of nvptx64; false where the releases of LLVM differ, and of types without a layout.
func (p *parser) layout(t layout.Type) (*layout.Layout, bool) {
	l, err := p.memo.Of(t)
	return l, err == nil && l.Size <= limit
}

// vector is the type of a vector.
func (p *parser) vector(elem layout.Type, n int64) layout.Type {
	s, scalar := elem.(layout.Scalar)
	if !scalar && p.pointers[elem] == nil || s.Kind == layout.BitInt && s.Bits != 8 && s.Bits&(s.Bits-1) != 0 {
		return unmeasured
	}
	return &layout.Vector{Elem: elem, Len: n}
}

// address gives a type of pointers its size.
func (p *parser) address(t *pointer) {
	own, all := "p"+strconv.FormatInt(t.space, 10)+":", "p:"
	size := int64(64)
	if !strings.HasPrefix(p.m.Triple, "nvptx64") {
		size = 32
	}
	for _, prefix := range []string{all, own} {
		for part := range strings.SplitSeq(p.m.datalayout, "-") {
			if rest, ok := strings.CutPrefix(part, prefix); ok {
				if n, err := strconv.ParseInt(strings.SplitN(rest, ":", 2)[0], 10, 64); err == nil {
					size = n
				}
			}
		}
	}
	t.of.Type = layout.Scalar{Kind: layout.BitInt, Bits: size}
}

// maxAlign is the largest alignment that a type gives a formal.
const maxAlign = 128

// formal is how the back end declares a value of a type in a function; why says why that is not known.
func (p *parser) formal(t layout.Type, a attrs) (f Formal, why string) {
	by := t
	if a.byval {
		by = a.of
		if of := p.pointers[t]; by == nil && of != nil {
			by = of.elem
		}
		if by == nil {
			return f, "byval names no type"
		}
	}
	under := layout.Unalias(by)
	s, scalar := under.(layout.Scalar)
	if under == nil || under == unknown || s.Kind == layout.Void {
		return f, "its type has no size"
	}
	l, ok := p.layout(by)
	switch {
	case !ok:
		return f, "the releases of LLVM declare such a type differently, or not at all"
	case l.Size == 0:
		return f, "it has no bytes, which the releases of LLVM declare differently"
	}
	align := min(l.Align, maxAlign)
	switch {
	case a.byval:
		return Formal{Size: l.Size, Align: max(a.align, align), Bytes: true}, ""
	case !scalar || s.Kind == layout.Float16 || s.Kind == layout.BFloat16 || s.Kind == layout.Int128:
		if a.stack > 0 {
			align = a.stack
		}
		return Formal{Size: l.Size, Align: align, Bytes: true}, ""
	}
	return Formal{Size: l.Size, Align: l.Size}, ""
}
