package packers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/gotypes"
	"github.com/ptxabi/ptxabi/layout"
)

// unbuilt is a hint at a file of the folder that declares a type, and is built
// elsewhere.
func (in *goInput) unbuilt(name string) string {
	fset := token.NewFileSet()
	dir := filepath.Dir(in.g.path(in.g.out.code))
	for _, f := range in.g.neighbours(fset, dir) {
		n := newNames()
		n.note(fset, f.tree)
		if at, ok := n.declared[name]; ok && f.built != nil {
			return fmt.Sprintf("; %s:%d does, and //go:build %s keeps it out", in.g.shown(at.File), at.Line, f.built)
		}
	}
	return ""
}

// inFile is how a file of the package calls another one.
func (in *goInput) inFile(p *types.Package) string {
	if p == in.pkg.types {
		return ""
	}
	return p.Name()
}

// suggest makes a name for an instance: Vec of float32 is VecFloat32.
func suggest(base, args string) string {
	for _, part := range strings.FieldsFunc(args, func(r rune) bool { return !isLetterOrDigit(r) }) {
		base += upperFirst(part)
	}
	return base
}

// structs are the names of the package's struct types.
func (in *goInput) structs() []string {
	var out []string
	scope := in.pkg.types.Scope()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok {
			if _, ok := tn.Type().Underlying().(*types.Struct); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// notExported reports a field of another package where this one has it.
func (in *goInput) notExported(f *types.Var, t types.Type) {
	of := ""
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != in.pkg.types {
		of = " of " + types.TypeString(t, (*types.Package).Name)
	}
	in.g.report(in.l.place(in.site.Pos()), badType, "%s: field %s%s is not exported; package %s cannot read it", in.siteName(), f.Name(), of, in.u.pkg)
}

// siteName is how diagnostics call the site.
func (in *goInput) siteName() string {
	if _, ok := in.site.(*types.Var); ok {
		return "field " + in.site.Name()
	}
	return in.site.Name()
}

// doubted reports a type of the package that is declared twice, or in a
// declaration that does not parse. A package may have other errors: it is read
// before what it needs has been generated.
func (in *goInput) doubted(tn *types.TypeName) {
	if len(in.l.problems) == 0 {
		return
	}
	from, to := in.l.place(tn.Pos()), in.l.place(tn.Pos())
	for _, f := range in.pkg.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.Pos() == tn.Pos() {
				to = in.l.place(s.End())
			}
			return true
		})
	}
	for _, p := range in.l.problems {
		within := p.pos.Filename == from.File && int(from.Line) <= p.pos.Line &&
			(p.pos.Line <= int(to.Line) || to.Line == 0) // one that does not end
		if p.syntax && within || !p.syntax && p.msg == tn.Name()+" redeclared in this block" {
			in.g.report(gotypes.Pos(p.pos), badType, "%s: %s", tn.Name(), p.msg)
		}
	}
}

// hollow is the path of the first member that has no bytes in one of two
// layouts of one type; "" if there is none.
func hollow(a, b *layout.Layout) string {
	for i := range min(len(a.Members), len(b.Members)) {
		m, n := a.Members[i].Layout, b.Members[i].Layout
		for m.Elem != nil && n.Elem != nil {
			m, n = m.Elem, n.Elem
		}
		name := a.Members[i].Field.Name
		if (m.Size == 0) != (n.Size == 0) && len(m.Members) == 0 {
			return name
		}
		if inner := hollow(m, n); inner != "" {
			return strings.TrimPrefix(name+"."+inner, ".")
		}
	}
	return ""
}

// refuseLayout reports a type that has no layout at the field that is to
// blame, if one is.
func (in *goInput) refuseLayout(tn *types.TypeName, rec *layout.Record, why string) {
	at := in.l.place(tn.Pos())
	c, err := layout.Of(rec, in.g.host())
	cxx, err2 := layout.Of(rec, in.g.nvcc())
	path := ""
	if err == nil && err2 == nil && !(cdecl.Places{}).Same(&c, &cxx) {
		path = hollow(&c, &cxx)
	}
	for _, l := range in.levels(tn.Type(), path) {
		if l.pos != token.NoPos && in.own(l.pos) {
			at = in.l.place(l.pos)
		}
	}
	in.g.report(at, badType, "%s %s", tn.Name(), why)
}
