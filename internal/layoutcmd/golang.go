package layoutcmd

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// goReader turns the structs of a Go file into records. Only the file itself
// is read: a type of another package is not known.
type goReader struct {
	r       *Result
	fset    *token.FileSet
	pkg     *types.Package
	records map[*types.TypeName]*layout.Record
	aligns  map[string]int64 // of //ptxabi:align directives, by type name
	bad     map[*types.TypeName]bool
}

// loadGo reads the struct types that a Go file declares.
func (r *Result) loadGo(name string, src []byte) {
	g := &goReader{
		r: r, fset: token.NewFileSet(), records: map[*types.TypeName]*layout.Record{},
		aligns: map[string]int64{}, bad: map[*types.TypeName]bool{},
	}
	file, err := parser.ParseFile(g.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	var list scanner.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			g.complain(cdecl.Pos{File: e.Pos.Filename, Line: e.Pos.Line, Col: e.Pos.Column}, cdecl.Syntax, "%s", e.Msg)
		}
		return
	}
	// What the checker complains of is often what a generator has yet to
	// write, or another file's; a field whose type stays unknown is
	// complained of where it stands.
	conf := types.Config{Importer: noImports{}, Error: func(error) {}, DisableUnusedImportCheck: true, IgnoreFuncBodies: true}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	g.pkg, _ = conf.Check(file.Name.Name, g.fset, []*ast.File{file}, info)
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			continue
		}
		for _, s := range d.Specs {
			spec := s.(*ast.TypeSpec)
			if d.Lparen == token.NoPos {
				g.directives(spec.Name.Name, d.Doc)
			}
			g.directives(spec.Name.Name, spec.Doc)
		}
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			for _, s := range d.Specs {
				g.show(info.Defs[s.(*ast.TypeSpec).Name], s.(*ast.TypeSpec))
			}
		}
	}
}

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("package %s is not read", path)
}

func (g *goReader) pos(p token.Pos) cdecl.Pos {
	at := g.fset.Position(p)
	return cdecl.Pos{File: at.Filename, Line: at.Line, Col: at.Column}
}

func (g *goReader) complain(pos cdecl.Pos, code cdecl.Code, format string, args ...any) {
	g.r.Complaints = append(g.r.Complaints, &cdecl.Error{Pos: pos, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// directives reads //ptxabi:align N.
func (g *goReader) directives(name string, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		arg, ok := strings.CutPrefix(c.Text, "//ptxabi:align ")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(arg), 10, 64)
		if err != nil || n <= 0 || n&(n-1) != 0 {
			g.complain(g.pos(c.Pos()), cdecl.BadType, "alignment %s is not a power of two", strings.TrimSpace(arg))
			continue
		}
		g.aligns[name] = n
	}
}

// show adds a struct type to the result.
func (g *goReader) show(obj types.Object, spec *ast.TypeSpec) {
	name, ok := obj.(*types.TypeName)
	if !ok || spec.TypeParams != nil || name.IsAlias() {
		return
	}
	if _, ok := name.Type().Underlying().(*types.Struct); !ok {
		return
	}
	if len(g.r.Types) > 0 && !slices.Contains(g.r.Types, name.Name()) {
		return // what the host keeps to itself need not have a layout
	}
	rec, ok := g.record(name)
	if !ok {
		return
	}
	l, err := layout.Of(rec, g.r.Rules)
	if err != nil {
		g.complain(g.pos(spec.Name.Pos()), cdecl.BadType, "%v", err)
		return
	}
	out := &Record{Name: name.Name(), Pos: g.pos(spec.Name.Pos()), Layout: &l}
	out.Notes = goNotes(name.Type(), &l)
	g.r.add(out)
}

// record converts a named struct type, once.
func (g *goReader) record(name *types.TypeName) (*layout.Record, bool) {
	if rec, ok := g.records[name]; ok {
		return rec, !g.bad[name]
	}
	rec := &layout.Record{Name: name.Name(), Align: g.aligns[name.Name()]}
	g.records[name] = rec
	ok := g.fields(rec, name.Type().Underlying().(*types.Struct))
	g.bad[name] = !ok
	return rec, ok
}

func (g *goReader) fields(rec *layout.Record, s *types.Struct) bool {
	ok := true
	for i := range s.NumFields() {
		f := s.Field(i)
		t, why := g.typ(f.Type())
		if why != "" {
			g.complain(g.pos(f.Pos()), cdecl.BadType, "field %s: %s", f.Name(), why)
			ok = false
			continue
		}
		if t == nil {
			ok = false // complained of where its type is declared
			continue
		}
		lf := layout.Field{Name: f.Name(), Type: t}
		if tag := reflect.StructTag(s.Tag(i)).Get("ptxabi"); tag != "" {
			arg, found := strings.CutPrefix(tag, "align=")
			n, err := strconv.ParseInt(arg, 10, 64)
			if !found || err != nil || n <= 0 || n&(n-1) != 0 {
				g.complain(g.pos(f.Pos()), cdecl.BadType, "field %s: tag %q is not align=N with a power of two", f.Name(), tag)
				ok = false
				continue
			}
			lf.Align = n
		}
		rec.Fields = append(rec.Fields, lf)
	}
	return ok
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
	types.Complex64:  layout.Scalar{Kind: layout.Float, Complex: true},
	types.Complex128: layout.Scalar{Kind: layout.Double, Complex: true},
}

func alias(name string, k layout.Kind) layout.Type {
	return &layout.Alias{Name: name, Type: layout.Scalar{Kind: k}}
}

// typ converts a type, or says why it has no meaning on the device. Both
// results are empty for a struct that has been complained of already.
func (g *goReader) typ(t types.Type) (layout.Type, string) {
	if n, ok := t.(*types.Named); ok {
		if _, ok := n.Underlying().(*types.Struct); ok && n.TypeArgs().Len() == 0 {
			rec, ok := g.record(n.Obj())
			if !ok {
				return nil, ""
			}
			return rec, ""
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		if c, ok := basics[t.Kind()]; ok {
			return c, ""
		}
		switch t.Kind() {
		case types.Int:
			return nil, "int has no fixed size on the device; int32 or int64 has"
		case types.Uint:
			return nil, "uint has no fixed size on the device; uint32 or uint64 has"
		case types.String:
			return nil, "string is not copied as bytes; [N]byte is"
		case types.Invalid:
			return nil, "its type is not declared in this file"
		}
	case *types.Array:
		elem, why := g.typ(t.Elem())
		if elem == nil {
			return nil, why
		}
		return &layout.Array{Elem: elem, Len: t.Len()}, ""
	case *types.Struct:
		rec := &layout.Record{}
		if !g.fields(rec, t) {
			return nil, ""
		}
		return rec, ""
	case *types.Pointer:
		return nil, "a Go pointer means nothing on the device; uintptr holds a device address"
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
		return nil, "a Go pointer means nothing on the device; uintptr holds a device address"
	}
	return nil, fmt.Sprintf("%s has no meaning on the device", t)
}

// goNotes says where Go lays the struct out differently.
func goNotes(t types.Type, l *layout.Layout) []string {
	var notes []string
	for _, p := range []struct{ arch, where string }{
		{"amd64", "on 64-bit platforms"}, {"386", "on 32-bit x86"},
	} {
		if n := goDifference(types.SizesFor("gc", p.arch), t, l, p.where); n != "" {
			notes = append(notes, n)
		}
	}
	return notes
}

// goDifference describes how the offsets and size by Go's rules differ.
func goDifference(sizes types.Sizes, t types.Type, l *layout.Layout, where string) string {
	s := t.Underlying().(*types.Struct)
	var fields []*types.Var
	for i := range s.NumFields() {
		fields = append(fields, s.Field(i))
	}
	var diffs []string
	for i, off := range sizes.Offsetsof(fields) {
		if off != l.Members[i].Offset {
			diffs = append(diffs, fmt.Sprintf("%s at %d", fields[i].Name(), off))
		}
	}
	size := sizes.Sizeof(t)
	if size != l.Size {
		diffs = append(diffs, fmt.Sprintf("size %d", size))
	}
	why := ""
	if n := len(fields); n > 0 && size > l.Size && sizes.Sizeof(fields[n-1].Type()) == 0 {
		why = ": Go pads after a last field without bytes"
	}
	if align := sizes.Alignof(t); align < l.Align {
		diffs = append(diffs, fmt.Sprintf("aligned to %d", align))
	}
	if len(diffs) == 0 {
		return ""
	}
	return fmt.Sprintf("Go differs %s: %s%s", where, strings.Join(diffs, ", "), why)
}
