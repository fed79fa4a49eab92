//go:build !explorer

package layoutcmd

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/gotypes"
	"github.com/ptxabi/ptxabi/layout"
)

// ReadsGo says whether sources in Go can be read: the explorer's smaller build
// leaves the Go compiler's front end out.
const ReadsGo = true

// goReader shows the structs of a Go file. Only the file itself is read, and
// those of [Options.Package]: a type of another package is not known.
type goReader struct {
	r     *Result
	fset  *token.FileSet
	types *gotypes.Reader
	lost  []*ast.Ident // the names of structs without a layout
	sizes types.Sizes  // on the machine that it is compiled for
}

// loadGo reads the struct types that a Go file declares.
func (r *Result) loadGo(name string, src []byte) {
	g := &goReader{r: r, fset: token.NewFileSet()}
	g.types = &gotypes.Reader{
		Rules: r.Rules, Unknown: "its type is not declared in this file",
		Report: func(at token.Pos, msg string) { g.report(g.pos(at), cdecl.BadType, "%s", msg) },
	}
	file, err := parser.ParseFile(g.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	var list scanner.ErrorList
	sound := token.Pos(len(src) + 1) // what ends before it was read as it is written
	if errors.As(err, &list) {
		for _, e := range list {
			g.report(gotypes.Pos(e.Pos), cdecl.Syntax, "%s", e.Msg)
		}
		if sound = file.FileStart + token.Pos(list[0].Pos.Offset); !r.Partial {
			return
		}
	}
	// What the checker reports is often what a generator has yet to
	// write, or another file's; a field whose type stays unknown is
	// reported where it stands.
	conf := gotypes.Checker(noImports{}, func(error) {})
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	files := []*ast.File{file}
	for _, other := range r.Package {
		f, _ := parser.ParseFile(g.fset, other.Name, other.Text, parser.ParseComments|parser.SkipObjectResolution)
		if f != nil && f.Name.Name == file.Name.Name {
			files = append(files, f)
		}
	}
	if name, why := gotypes.TooMuch(files); name != nil {
		g.report(g.pos(name.Pos()), cdecl.BadType, "%s: %s", name.Name, why)
		return
	}
	for _, f := range files { // no layout depends on a function, and n methods of a type take n^2 steps
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool { _, ok := d.(*ast.FuncDecl); return ok })
	}
	conf.Check(file.Name.Name, g.fset, files, info)
	for _, f := range files {
		g.types.Directives(f, info.Defs)
	}
	known := len(r.Errors)
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE && d.End() <= sound {
			for _, s := range d.Specs {
				g.show(info.Defs[s.(*ast.TypeSpec).Name], s.(*ast.TypeSpec))
			}
		}
	}
	if r.Partial && len(r.Types) == 0 && len(r.Records) > 0 {
		g.leaveOut(known)
	}
}

// leaveOut makes warnings of the errors from that one on, and names the structs that are left out
// for them, so that the others are shown.
func (g *goReader) leaveOut(from int) {
	for _, d := range g.r.Errors[from:] {
		d.Severity = diag.Warning
		g.r.Warnings.Add(d)
	}
	g.r.Errors = g.r.Errors[:from]
	var names []string
	g.r.Lost = len(g.lost)
	for _, name := range g.lost {
		names = append(names, name.Name)
	}
	if len(names) > 0 {
		g.r.Warnings.Add(cdecl.New(g.pos(g.lost[0].Pos()), diag.Warning, cdecl.BadType, "left out: %s", strings.Join(names, ", ")))
	}
}

// beginsLikeGo reports whether the first word of a text is Go's package, followed
// by a name. No declaration of C begins so.
func beginsLikeGo(src []byte) bool {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), src, nil, 0)
	if _, first, _ := s.Scan(); first != token.PACKAGE {
		return false
	}
	_, second, _ := s.Scan()
	return second == token.IDENT
}

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, fmt.Errorf("package %s is not read", path)
}

func (g *goReader) pos(p token.Pos) cdecl.Pos {
	return gotypes.Pos(g.fset.Position(p))
}

func (g *goReader) report(pos cdecl.Pos, code diag.Code, format string, args ...any) {
	g.r.Errors.Add(cdecl.New(pos, diag.Error, code, format, args...))
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
	rec, ok := g.types.Record(name.Type())
	if !ok {
		g.lost = append(g.lost, spec.Name)
		return
	}
	l, err := layout.Of(rec, g.r.Rules)
	if err != nil {
		g.report(g.pos(spec.Name.Pos()), cdecl.BadType, "%v", err)
		g.lost = append(g.lost, spec.Name)
		return
	}
	out := &Record{Name: name.Name(), Pos: g.pos(spec.Name.Pos()), Layout: &l}
	out.Notes = g.notes(name.Type(), &l)
	g.r.add(out)
}

// notes says where Go lays the struct out differently on the machine that it is
// compiled for.
func (g *goReader) notes(t types.Type, l *layout.Layout) []string {
	if g.sizes == nil {
		if g.sizes = gotypes.SizesFor(g.r.GOARCH); g.sizes == nil {
			g.sizes = gotypes.SizesFor("amd64")
		}
	}
	sizes, where := g.sizes, "on "+g.r.GOARCH
	if sizes.Sizeof(types.Typ[types.Uintptr]) == 8 {
		where = "on 64-bit platforms"
	}
	s := t.Underlying().(*types.Struct)
	fields := slices.Collect(s.Fields())
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
	if len(diffs) == 0 {
		return nil // byte for byte the same, however it is aligned
	}
	if align := sizes.Alignof(t); align < l.Align {
		diffs = append(diffs, fmt.Sprintf("aligned to %d", align))
	}
	return []string{fmt.Sprintf("Go differs %s: %s%s", where, strings.Join(diffs, ", "), why)}
}
