package packers

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/source/gotypes"
)

// A neighbour is a Go file in the folder of the output that this run does not
// write.
type neighbour struct {
	tree  *ast.File
	built constraint.Expr // nil is everywhere
	test  bool
}

// neighbours reads the Go files of a folder. What does not parse is left out,
// or read as far as it goes.
func (g *generator) neighbours(fset *token.FileSet, dir string) []neighbour {
	outputs := g.outputPaths()
	var out []neighbour
	for _, path := range g.goFiles(dir) {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		name := filepath.Base(path)
		if name[0] == '_' || name[0] == '.' || slices.ContainsFunc(outputs, func(o string) bool { return sameFile(o, path) }) {
			continue
		}
		src, err := disk.ReadFile(path)
		if err != nil {
			continue
		}
		tree, _ := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if tree == nil || tree.Name == nil {
			continue
		}
		x, err := fileConstraint(path, src)
		if err != nil {
			continue // which the go command reports
		}
		out = append(out, neighbour{tree, x, isTestFile(path)})
	}
	return out
}

// join holds the package of a unit, which is to be called name, against the
// files beside the output: those built with it are of one package, and what
// any of them declares is taken. Without a name, it is what they say.
func (g *generator) join(u *unit, name string) error {
	dir := filepath.Dir(g.path(g.out.code))
	x := and(u.built, nameConstraint(g.out.code))
	build, err := satisfy(x)
	if err != nil {
		return fmt.Errorf("-tags: %w", err)
	}
	fset := token.NewFileSet()
	files := g.neighbours(fset, dir)
	u.pkg = name
	for _, f := range files {
		if f.test || f.built != nil && !f.built.Eval(build.has) {
			continue
		}
		other := f.tree.Name.Name
		switch {
		case u.pkg == "":
			u.pkg = other
		case u.pkg != other && !(u.test && u.pkg == other+"_test"):
			said := "-pkg"
			if g.Package == "" {
				said = "$GOPACKAGE"
			}
			path := fset.Position(f.tree.Package).Filename
			return fmt.Errorf("%s %s: %s, beside the output, is of package %s", said, name, g.shown(path), other)
		}
	}
	if u.pkg == "" {
		u.pkg = g.packageOf(dir) // of an earlier run's file, say
	}
	never := &constraint.NotExpr{X: &constraint.TagExpr{Tag: "ignore"}} // a tag that no build sets
	u.names = newNames()
	for _, f := range files {
		if f.tree.Name.Name == u.pkg && holds(and(and(x, f.built), never)) { // both are built anywhere
			u.note(fset, f.tree)
		}
	}
	return nil
}

// names are what the files of a package declare, each at its first place.
type names struct {
	declared map[string]place
	methods  map[string]place // that types have: "T.M"
}

func newNames() names { return names{map[string]place{}, map[string]place{}} }

// note notes what a file of the package declares.
func (n *names) note(fset *token.FileSet, file *ast.File) {
	declarations(file, func(typ string, id *ast.Ident) {
		list, name := n.declared, id.Name
		if typ != "" {
			list, name = n.methods, typ+"."+name
		}
		if _, ok := list[name]; !ok {
			list[name] = gotypes.Pos(fset.Position(id.Pos()))
		}
	})
}

// declarations calls yield for each name that a file declares, in order, and for the methods of types.
func declarations(file *ast.File, yield func(typ string, id *ast.Ident)) {
	declare := func(typ string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.Name != "_" {
				yield(typ, id)
			}
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declare("", s.Name)
				case *ast.ValueSpec:
					declare("", s.Names...)
				}
			}
		case *ast.FuncDecl:
			switch {
			case d.Recv == nil && d.Name.Name != "init":
				declare("", d.Name)
			case d.Recv != nil && len(d.Recv.List) == 1:
				t := ast.Unparen(d.Recv.List[0].Type)
				if s, ok := t.(*ast.StarExpr); ok {
					t = ast.Unparen(s.X)
				}
				if id, ok := t.(*ast.Ident); ok {
					declare(id.Name, d.Name)
				}
			}
		}
	}
}

// packageOf returns the name of the package in a folder; "" if there is none.
func (g *generator) packageOf(dir string) string {
	for _, path := range g.goFiles(dir) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err == nil && !isTestFile(path) {
			return f.Name.Name
		}
	}
	return ""
}

// generatedHere reports whether a file is Go that ptxparam has written.
func generatedHere(path string) bool {
	src, err := disk.ReadFile(path)
	return err == nil && File{Data: []byte(firstLine)}.Earlier(src)
}

// generatedBy reports whether a file begins as those do that ptxparam writes.
func generatedBy(f *ast.File) bool {
	return len(f.Comments) > 0 && f.Comments[0].List[0].Text+"\n" == firstLine
}
