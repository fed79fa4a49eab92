package adapt

import (
	"fmt"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

// viewOf returns f as c declares it.
func viewOf(r *layoutcmd.Result, f *cdecl.FuncDecl, c Convention, side Side, name string) (*view, *diag.Diagnostic) {
	own := *r
	own.Producer, own.CXX = c.producer, c.cxx
	if f.Kernel {
		return nil, cdecl.New(f.Pos, diag.Error, Code, "%s is a kernel; a shim is between functions", f.Name)
	}
	d, why := own.Declare(f, name)
	if why != nil {
		return nil, why
	}
	check := func(what string, as layoutcmd.DeclaredFormal, pos cdecl.Pos) *diag.Diagnostic {
		if why := empty(what, f, pos, as.Layout); why != nil || as.Layout == nil {
			return why
		}
		if why := c.refuses(as.Layout); why != "" {
			return cdecl.New(pos, diag.Error, Code, "%s of %s is not for %s: it is, or has, %s", what, f.Name, c, why)
		}
		if as.Layout.NonTrivial && !cdecl.CopiedAsBytes(as.Layout) {
			return cdecl.New(pos, diag.Error, Code, "%s: %s is not copied as bytes, and a shim has no other way; pass its address", f.Name, as.Type)
		}
		return nil
	}
	for _, formal := range d.Formals {
		if formal.C >= 0 {
			if why := check(nameOf(f, formal.C), formal, f.Params[formal.C].Pos); why != nil {
				return nil, why
			}
		}
	}
	if why := check("the result", d.Result, f.Pos); why != nil {
		return nil, why
	}
	v := &view{params: make([]value, len(f.Params)), status: -2, notes: d.Notes}
	if c.numba {
		return v, v.numba(f, d, c, side, name)
	}
	v.fn = d.Func
	for i, formal := range d.Formals {
		p := piece{at: formal.Offset, place: Place{Side: side, Formal: i}}
		to := &v.result
		if formal.C >= 0 {
			to = &v.params[formal.C]
		}
		to.add(p, formal, &d.Func.Params[i])
	}
	if v.result.layout == nil && d.Result.Layout != nil {
		v.result.layout = d.Result.Layout
		if len(d.Func.Results) == 1 {
			v.result.add(piece{place: Place{Side: side, Formal: ResultFormal}}, d.Result, &d.Func.Results[0])
		}
	}
	return v, nil
}

// add adds the piece that a formal carries.
func (v *value) add(p piece, as layoutcmd.DeclaredFormal, f *ptx.Formal) {
	if v.layout == nil || as.Offset > 0 {
		whole := as.Layout
		if as.Offset > 0 { // of a complex number, in two formals
			copied := *v.layout
			copied.Size += as.Layout.Size
			whole = &copied
		}
		v.layout = whole
	}
	if size := as.Layout.Size; as.Indirect {
		p.place.Deref, p.place.Size, p.place.Align = true, size, as.Layout.Align
	} else {
		p.place.Size = min(size, sizeOf(f))
		p.extend(f, as.Type)
	}
	if p.place.Size > 0 {
		v.pieces = append(v.pieces, p)
	}
}

// extend notes that the value of a formal, a number, is extended to all of its bytes.
func (p *piece) extend(f *ptx.Formal, t layout.Type) {
	if len(f.Dims) == 0 && p.place.Size < sizeOf(f) {
		p.wide, p.sign = sizeOf(f), signed(t)
	}
}

// signed reports whether values of a scalar type are extended with their sign.
func signed(t layout.Type) bool {
	switch t := layout.Unalias(t).(type) {
	case layout.Scalar:
		return t.Integer() && t.Kind != layout.Bool && t.Signed()
	case *layout.Enum:
		return signed(t.Underlying)
	}
	return false
}

// numba makes a view of numba's, whose parameters are the fields of what C passes.
func (v *view) numba(f *cdecl.FuncDecl, d *layoutcmd.Declaration, c Convention, side Side, name string) *diag.Diagnostic {
	v.fn = &ptx.Func{Pos: f.Pos.Pos, NamePos: f.Pos.Pos, Linkage: ptx.Visible, Name: name, HasParams: true}
	whole := c.name == mlir // complex numbers and vectors are bytes, and one field alone is what it is
	scalar := func(size int64, name string) ptx.Formal {
		t := ptx.B32
		if size > 4 {
			t = ptx.B64
		}
		return ptx.Formal{Pos: f.Pos.Pos, Spec: ptx.Spec{Space: ptx.ParamSpace, Type: t}, Var: ptx.Var{Pos: f.Pos.Pos, Name: name}}
	}
	shaped := func(x field, name string) ptx.Formal {
		p := scalar(x.size, name)
		if x.bytes {
			p.Type, p.Align, p.Dims = ptx.B8, x.align, []int64{x.size}
		}
		return p
	}
	called := func(what string, t layout.Type, pos cdecl.Pos) *diag.Diagnostic {
		if _, record := layout.Unalias(t).(*layout.Record); record && whole && side == Caller {
			return cdecl.New(pos, diag.Error, Code, "%s of %s is a tuple, and numba-cuda-mlir 0.6 compiles no call with one; pass its fields, or its address", what, f.Name)
		}
		return nil
	}
	if c.status {
		v.status = ResultFormal
		v.fn.Results = []ptx.Formal{scalar(4, "status")}
		v.fn.Params = append(v.fn.Params, scalar(8, "result"))
	}
	l := d.Result.Layout
	if l == nil && !c.status && !whole { // a function that returns nothing returns a null pointer
		v.fn.Results, v.none = []ptx.Formal{scalar(8, "none")}, true
	}
	if l != nil {
		v.result.layout = l
		if why := called("the result", d.Result.Type, f.Pos); why != nil {
			return why
		}
		fields, why := fieldsOf(l, d.Result.Type, whole)
		size, align := l.Size, int64(1) // as numba aligns a tuple of these fields in memory
		for _, x := range fields {
			align = max(align, x.align)
		}
		if why == "" && l.Align > align && !whole {
			var ok bool
			if size, _, ok = tuple(l); !ok {
				why = fmt.Sprintf("it is aligned to %d, and numba, which aligns it to its fields, lays it out otherwise; return it through a pointer", l.Align)
			}
		}
		if why != "" {
			return cdecl.New(f.Pos, diag.Error, Code, "the result of %s: %s", f.Name, why)
		}
		p := piece{place: Place{Side: side, Formal: ResultFormal, Size: size, Align: align}}
		switch _, record := layout.Unalias(d.Result.Type).(*layout.Record); {
		case l.Size == 0:
		case c.status:
			p.place.Formal, p.place.Deref = 0, true
			v.result.pieces = []piece{p}
		case whole && len(fields) == 1:
			r := shaped(fields[0], "result")
			p.place.Size = fields[0].size
			p.extend(&r, fields[0].typ)
			v.fn.Results, v.result.pieces = []ptx.Formal{r}, []piece{p}
		case whole: // nested tuples are one
			off := int64(0)
			for _, x := range fields {
				off = (off + x.align - 1) / x.align * x.align
				v.result.pieces = append(v.result.pieces, piece{at: x.off, place: Place{Side: side, Formal: ResultFormal, Off: off, Size: x.size}, name: x.path})
				off += x.size
			}
			v.fn.Results = []ptx.Formal{shaped(field{size: (off + align - 1) / align * align, align: align, bytes: true}, "result")}
		default:
			r := shaped(field{size: size, align: align, bytes: record || l.Size > 8 || isComplex(d.Result.Type)}, "result")
			p.extend(&r, d.Result.Type)
			v.fn.Results, v.result.pieces = []ptx.Formal{r}, []piece{p}
		}
	}
	for _, formal := range d.Formals {
		if formal.C < 0 {
			continue
		}
		to := &v.params[formal.C]
		to.layout = formal.Layout
		if why := called(nameOf(f, formal.C), formal.Type, f.Params[formal.C].Pos); why != nil {
			return why
		}
		fields, why := fieldsOf(formal.Layout, formal.Type, whole)
		if why != "" {
			return cdecl.New(f.Params[formal.C].Pos, diag.Error, Code, "%s of %s: %s", nameOf(f, formal.C), f.Name, why)
		}
		for _, x := range fields {
			p := shaped(x, f.Params[formal.C].Name)
			if x.path != "" {
				p.Name += layoutcmd.Identifier(x.path)
			}
			at := piece{at: x.off, place: Place{Side: side, Formal: len(v.fn.Params), Size: x.size}, name: x.path}
			at.extend(&p, x.typ)
			v.fn.Params, to.pieces = append(v.fn.Params, p), append(to.pieces, at)
		}
	}
	return nil
}

// A field is a scalar in a value.
type field struct {
	path      string // with what stands before it: ".x", "[1]"; "" for the value itself
	off, size int64  // bytes
	align     int64
	typ       layout.Type
	bytes     bool // it is a vector or a complex number in one piece
}

// maxFields bounds the parameters that numba makes of one.
const maxFields = 1 << 10

// fieldsOf takes a value apart into scalars, as numba does with tuples; whole keeps complex numbers and vectors in
// one piece. It says why that is not possible.
func fieldsOf(l *layout.Layout, t layout.Type, whole bool) (out []field, why string) {
	end := int64(0)
	for f := range l.Fields() {
		path := f.Path
		if path != "" && path[0] != '[' {
			path = "." + path
		}
		switch {
		case f.BitWidth > 0:
			return nil, path + " is a bit-field, which numba does not have"
		case f.Offset < end:
			return nil, path + " is in a union, which numba does not have"
		}
		if f.Path == "" {
			f.Type = t
		}
		if why := split(&out, field{path: path, off: f.Offset, size: f.Size, align: f.Size, typ: f.Type}, whole); why != "" {
			return nil, why
		}
		end = f.Offset + f.Size
		if len(out) > maxFields {
			return nil, fmt.Sprintf("it has more than %d fields, each of which would be a parameter; pass its address", maxFields)
		}
	}
	for _, x := range out {
		if x.off%x.align != 0 {
			return nil, x.path + " is not aligned to its size, which it is in numba"
		}
	}
	return out, ""
}

// tuple is how many bytes numba's own layout of a record has, whose alignments are those of its fields. It is false where
// not each field lies at the same place.
func tuple(l *layout.Layout) (size, align int64, ok bool) {
	switch {
	case l.Elem != nil && l.Elem.Size > 0:
		size, align, ok = tuple(l.Elem)
		return l.Size / l.Elem.Size * size, align, ok && size == l.Elem.Size
	case len(l.Members) == 0 && isComplex(l.Type):
		return l.Size, l.Size / 2, true
	case len(l.Members) == 0:
		return l.Size, max(l.Size, 1), true
	}
	align = 1
	for i := range l.Members {
		n, a, fits := tuple(l.Members[i].Layout)
		size = (size + a - 1) / a * a
		if !fits || size != l.Members[i].Offset {
			return 0, 0, false
		}
		size, align = size+n, max(align, a)
	}
	return (size + align - 1) / align * align, align, true
}

// split adds a field, arrays and complex numbers in their parts.
func split(out *[]field, f field, whole bool) (why string) {
	switch t := layout.Unalias(f.typ).(type) {
	case *layout.Array:
		if t.Len <= 0 || f.size == 0 {
			return ""
		}
		for i := range min(t.Len, maxFields+1) {
			if why := split(out, field{path: fmt.Sprintf("%s[%d]", f.path, i), off: f.off + i*(f.size/t.Len), size: f.size / t.Len, align: f.size / t.Len, typ: t.Elem}, whole); why != "" {
				return why
			}
		}
		return ""
	case layout.Scalar:
		switch part := (layout.Scalar{Kind: t.Kind, Bits: t.Bits}); {
		case t.Complex && whole:
			f.align, f.bytes = f.size/2, true
		case t.Complex:
			for i, name := range []string{".real", ".imag"} {
				*out = append(*out, field{path: f.path + name, off: f.off + int64(i)*f.size/2, size: f.size / 2, align: f.size / 2, typ: part})
			}
			return ""
		case f.size > 8, f.size&(f.size-1) != 0, t.Kind == layout.BitInt || t.Kind == layout.UBitInt:
			return fmt.Sprintf("how numba passes %s is not known", t)
		}
	case *layout.Pointer:
		if f.size != 8 {
			return fmt.Sprintf("how numba passes %s is not known", t)
		}
	case *layout.Enum:
	case *layout.Vector:
		if f.bytes = true; !whole || f.size > 16 {
			return fmt.Sprintf("how numba passes %s is not known", f.typ)
		}
	default:
		return fmt.Sprintf("how numba passes %s is not known", f.typ)
	}
	*out = append(*out, f)
	return ""
}

func isComplex(t layout.Type) bool {
	s, ok := layout.Unalias(t).(layout.Scalar)
	return ok && s.Complex
}
