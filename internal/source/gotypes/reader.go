package gotypes

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// Pos returns a position in Go as one in C.
func Pos(p token.Position) cdecl.Pos {
	return cdecl.Pos{File: p.Filename, Pos: diag.Pos{Line: uint32(max(p.Line, 0)), Col: uint32(max(p.Column, 0))}}
}

// A Reader turns Go types into C's. It must not be used concurrently.
type Reader struct {
	Rules layout.Rules
	// Report is told of everything that has no meaning on the device, once.
	Report func(at token.Pos, msg string)
	// Unknown says why the type of a field may not be known.
	Unknown string

	directives map[*types.TypeName]Directive
	records    map[string]*record
	cnames     map[*layout.Record]map[string]string // by the names in Go
}

// A record is a struct type that has been met.
type record struct {
	rec *layout.Record
	bad bool // reported
}

func (r *Reader) report(at token.Pos, format string, args ...any) {
	r.Report(at, fmt.Sprintf(format, args...))
}

// Directives reads the comments of the types that a file declares, and
// reports those that are of no type.
func (r *Reader) Directives(file *ast.File, defs map[*ast.Ident]types.Object) {
	if r.directives == nil {
		r.directives = map[*types.TypeName]Directive{}
	}
	read := map[*ast.CommentGroup]bool{}
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			continue
		}
		for _, s := range d.Specs {
			spec := s.(*ast.TypeSpec)
			name, ok := defs[spec.Name].(*types.TypeName)
			if !ok {
				continue
			}
			var dir Directive
			if d.Lparen == token.NoPos {
				r.directive(&dir, d.Doc)
				read[d.Doc] = true
			}
			r.directive(&dir, spec.Doc)
			read[spec.Doc] = true
			if dir != (Directive{}) {
				r.directives[name] = dir
			}
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if text, _, ok := directive(c); ok && !read[group] {
				r.report(c.Pos(), "//ptxabi:%s is above no type of the package and has no effect", strings.TrimSpace(text))
			}
		}
	}
}

func (r *Reader) directive(d *Directive, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		if err := d.parse(c); err != nil {
			r.report(c.Pos(), "%v", err)
		}
	}
}

// Directive returns what the comment of a type says.
func (r *Reader) Directive(name *types.TypeName) Directive { return r.directives[name] }

// Record returns the record of a struct type, the same one each time. It
// returns false where it has reported why.
func (r *Reader) Record(t types.Type) (*layout.Record, bool) {
	// Types of two functions, or of two versions of a package, may have one name, and the text of one without a name has
	// those of all in it.
	key := fmt.Sprintf("%p", t)
	n, named := t.(*types.Named)
	if named {
		key = fmt.Sprintf("%p", n.Obj())
		if n.TypeArgs() != nil {
			key = types.TypeString(t, nil)
		}
	}
	if known, ok := r.records[key]; ok {
		return known.rec, !known.bad
	}
	if r.records == nil {
		r.records = map[string]*record{}
	}
	e := &record{rec: &layout.Record{}}
	r.records[key] = e
	var dir Directive
	if named {
		dir = r.directives[n.Obj()]
		e.rec.Name = types.TypeString(n, func(*types.Package) string { return "" })
		if p := n.Obj().Pkg(); p != nil {
			e.rec.At = "package " + p.Path()
		}
		e.rec.Align, e.rec.Packed = dir.Align, dir.Packed
	}
	e.bad = !r.fields(e.rec, t.Underlying().(*types.Struct))
	if named && !e.bad && !dir.Packed {
		if why := r.tooLow("//ptxabi:align %d", dir.Align, &layout.Record{Fields: e.rec.Fields}); why != "" {
			r.report(n.Obj().Pos(), "%s: %s", n.Obj().Name(), why)
			e.bad = true
		}
	}
	if named && dir.Type != "" && !e.bad {
		if align, why := r.stands(e.rec, dir.Type); why != "" {
			r.report(n.Obj().Pos(), "%s: %s", n.Obj().Name(), why)
			e.bad = true
		} else {
			e.rec.Align = max(e.rec.Align, align)
		}
	}
	return e.rec, !e.bad
}

func (r *Reader) fields(rec *layout.Record, s *types.Struct) bool {
	ok := true
	for i := range s.NumFields() {
		f := s.Field(i)
		tag, err := ParseTag(s.Tag(i))
		if err != nil {
			r.report(f.Pos(), "field %s: %v", f.Name(), err)
			ok = false
			continue
		}
		t, why := r.field(f, tag)
		if why == "" && t != nil && !rec.Packed {
			why = r.tooLow("tag \"align=%d\"", tag.Align, t)
		}
		if why != "" {
			r.report(f.Pos(), "field %s: %s", f.Name(), why)
		}
		if t == nil || why != "" {
			ok = false // a nil type has been reported where it is declared
			if other := elsewhere(f); other != "" && why == "" {
				r.report(f.Pos(), "field %s: %s has fields that cannot be passed", f.Name(), other)
			}
			continue
		}
		rec.Fields = append(rec.Fields, layout.Field{Name: f.Name(), Type: t, Align: tag.Align})
		if tag.Name != "" {
			r.name(rec, f.Name(), tag.Name)
		}
	}
	return ok
}

// tooLow says why a requested alignment has no effect on a type; "" where it has. Zero requests none.
func (r *Reader) tooLow(what string, align int64, t layout.Type) string {
	if align == 0 {
		return ""
	}
	if l, err := layout.Of(t, r.Rules); err == nil && align < l.Align {
		return fmt.Sprintf(what+" is less than the %d that it is aligned to by its type; //ptxabi:packed above a struct leaves out padding", align, l.Align)
	}
	return ""
}

func (r *Reader) name(rec *layout.Record, field, name string) {
	if r.cnames == nil {
		r.cnames = map[*layout.Record]map[string]string{}
	}
	if r.cnames[rec] == nil {
		r.cnames[rec] = map[string]string{}
	}
	r.cnames[rec][field] = name
}

// CName returns the name in C of a field of a record, which a tag may say.
func (r *Reader) CName(rec *layout.Record, field string) string {
	if n := r.cnames[rec][field]; n != "" {
		return n
	}
	return field
}

// elsewhere is the type of a field, or of the elements of its array, where
// another package declares it; else "".
func elsewhere(f *types.Var) string {
	t := types.Unalias(f.Type())
	for {
		a, ok := t.Underlying().(*types.Array)
		if !ok {
			break
		}
		t = types.Unalias(a.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == f.Pkg() {
		return ""
	}
	return types.TypeString(n, (*types.Package).Name)
}

// field converts the type of a field, or says why it cannot be passed.
func (r *Reader) field(f *types.Var, tag Tag) (layout.Type, string) {
	elem, dims := tag.Element(f.Type())
	switch {
	case f.Name() == "_" && Hollow(f.Type()):
		// Such a field says something to Go alone: structs.HostLayout.
		return &layout.Array{Elem: layout.Scalar{Kind: layout.Char}}, ""
	case (tag.Bits != nil || tag.Union != nil) && len(dims) > maxDims:
		return nil, "an array of bit-fields or of unions has four dimensions at most"
	case tag.Bits != nil:
		t, why := r.bitFields(elem, tag.Bits)
		return arrays(t, dims), why
	case tag.Union != nil:
		t, why := r.union(f.Pkg(), elem, tag.Union)
		return arrays(t, dims), why
	}
	t, why := r.typ(f.Type())
	if t == nil || why != "" {
		return nil, why
	}
	switch {
	case tag.Ptr:
		t, why := address(elem, f.Type())
		return arrays(t, dims), why
	case tag.Type != "":
		return r.typed(t, tag.Type)
	}
	return t, ""
}

// maxDims bounds the dimensions of an array whose elements have methods.
const maxDims = 4

// arrays is an array of those dimensions, the outer one first; nil of nil.
func arrays(t layout.Type, dims []int64) layout.Type {
	for _, n := range slices.Backward(dims) {
		if t != nil {
			t = &layout.Array{Elem: t, Len: n}
		}
	}
	return t
}

// address is the type of what holds an address on the device, or says why a type cannot, by the name that is shown.
func address(t, shown types.Type) (layout.Type, string) {
	if b, ok := t.Underlying().(*types.Basic); ok && (b.Kind() == types.Uint64 || b.Kind() == types.Uintptr) {
		return &layout.Pointer{Elem: layout.Scalar{Kind: layout.Void}}, ""
	}
	return nil, fmt.Sprintf("%s is not a device pointer; use uint64 or uintptr", shown)
}

// Hollow reports whether t is a struct without fields, or of such fields alone.
func Hollow(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if !Hollow(f.Type()) {
			return false
		}
	}
	return true
}

// basics are the Go types that have a counterpart on the device.
var basics = map[types.BasicKind]layout.Type{
	types.Bool: layout.Scalar{Kind: layout.Bool},
	types.Int8: alias("int8_t", layout.SChar), types.Uint8: alias("uint8_t", layout.UChar),
	types.Int16: alias("int16_t", layout.Short), types.Uint16: alias("uint16_t", layout.UShort),
	types.Int32: alias("int32_t", layout.Int), types.Uint32: alias("uint32_t", layout.UInt),
	types.Int64: alias("int64_t", layout.LongLong), types.Uint64: alias("uint64_t", layout.ULongLong),
	types.Uintptr: alias("uintptr_t", layout.ULongLong),
	types.Float32: layout.Scalar{Kind: layout.Float}, types.Float64: layout.Scalar{Kind: layout.Double},
	// CUDA's complex numbers are vectors of two, and aligned as such.
	types.Complex64:  &layout.Alias{Name: "cuFloatComplex", Type: layout.Scalar{Kind: layout.Float, Complex: true}, Align: 8},
	types.Complex128: &layout.Alias{Name: "cuDoubleComplex", Type: layout.Scalar{Kind: layout.Double, Complex: true}, Align: 16},
}

func alias(name string, k layout.Kind) layout.Type {
	return &layout.Alias{Name: name, Type: layout.Scalar{Kind: k}}
}

// typ converts a type, or says why it has no meaning on the device. Both
// results are empty for a struct that has been reported already.
func (r *Reader) typ(t types.Type) (layout.Type, string) {
	orig := t
	t = types.Unalias(t)
	if _, ok := t.Underlying().(*types.Struct); ok {
		rec, ok := r.Record(t)
		if !ok {
			return nil, ""
		}
		return rec, ""
	}
	if n, ok := t.(*types.Named); ok {
		switch d := r.directives[n.Obj()]; {
		case d.Ptr:
			return address(n, n.Underlying())
		case d.Type != "" || d.Align != 0:
			under, why := r.typ(n.Underlying())
			if under == nil {
				return nil, why
			}
			a := &layout.Alias{Name: n.Obj().Name(), Type: under, Align: d.Align}
			if d.Type != "" {
				align, why := r.stands(under, d.Type)
				if why != "" {
					return nil, why
				}
				a.Name, a.Align = d.Type, max(align, d.Align)
			}
			return a, ""
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return r.basic(t)
	case *types.Array:
		elem, why := r.typ(t.Elem())
		if elem == nil {
			return nil, why
		}
		return &layout.Array{Elem: elem, Len: t.Len()}, ""
	case *types.Pointer:
		return nil, goPointer
	case *types.Slice:
		elem := "T"
		of := t.Elem()
		for a, ok := of.Underlying().(*types.Array); ok; a, ok = of.Underlying().(*types.Array) {
			of = a.Elem()
		}
		if _, inner := of.Underlying().(*types.Slice); inner { // and so may be all within
		} else if _, why := r.typ(t.Elem()); why == "" {
			elem = types.TypeString(t.Elem(), func(p *types.Package) string { return p.Name() })
		}
		return nil, fmt.Sprintf("%s is a Go pointer with a length; a device pointer and an int64, or an array [N]%s, can be passed", t, elem)
	case *types.Map, *types.Chan:
		return nil, fmt.Sprintf("%s lives in Go's memory; uintptr can be passed, with the address of a table on the device", t)
	case *types.Signature:
		return nil, fmt.Sprintf("%s is Go code; an int32 that the kernel switches on can be passed", t)
	case *types.Interface:
		if _, ok := types.Unalias(orig).(*types.TypeParam); !ok {
			return nil, fmt.Sprintf("%s may hold any type; a struct, or a [N]byte tagged `ptxabi:\"union=…\"`, can be passed", orig)
		}
	}
	if _, ok := types.Unalias(orig).(*types.TypeParam); ok {
		return nil, fmt.Sprintf("%s is a type parameter; an instance of the type has a layout", orig)
	}
	return nil, fmt.Sprintf("%s has no meaning on the device", t)
}

const goPointer = "a Go pointer means nothing on the device; uintptr, or a uint64 tagged `ptxabi:\"ptr\"`, holds a device address"

func (r *Reader) basic(t *types.Basic) (layout.Type, string) {
	if c, ok := basics[t.Kind()]; ok {
		return c, ""
	}
	if t.Kind() == types.Invalid {
		return nil, r.Unknown
	}
	return nil, cmp.Or(refused[t.Kind()], fmt.Sprintf("%s has no meaning on the device", t))
}

// refused says why some of the others cannot be passed.
var refused = map[types.BasicKind]string{
	types.Int:    "int has no fixed size on the device; int32 or int64 has",
	types.Uint:   "uint has no fixed size on the device; uint32 or uint64 has",
	types.String: "string is not copied as bytes; [N]byte is",

	types.UnsafePointer: goPointer,
}
