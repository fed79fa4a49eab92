package packers

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/gotypes"
)

// A promotion finds structs that have the generated methods of a type that they embed: these pack that part alone.
type promotion struct {
	g    *generator
	fset *token.FileSet
	dir  string            // of the output
	made map[string]string // the generated types, by the method that they have
	own  *checked          // the package of the output
	read map[string]*checked
}

// A checked package is one with the methods that it has once all is generated; the zero one could not be checked.
type checked struct {
	*types.Package
	files []*ast.File
	info  types.Info
}

// promoted warns of structs in the package of the output, whatever they are generated from, and in those packages of the
// session that import it, themselves or through others.
func (g *generator) promoted(u *unit) {
	if g.Warn == nil || g.output != golang {
		return
	}
	p := &promotion{g: g, fset: token.NewFileSet(), dir: filepath.Dir(g.path(g.out.code)), made: map[string]string{}, read: map[string]*checked{}}
	for _, r := range u.records {
		p.made[r.Name] = "MarshalParam"
	}
	for _, k := range u.kernels {
		p.made[k.GoName+"Args"] = "AppendParams"
	}
	var files []*ast.File
	if g.Source != nil {
		if tree, err := parser.ParseFile(p.fset, g.Input, g.Source, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			files = append(files, tree)
		}
	} else {
		for _, n := range g.neighbours(p.fset, p.dir) {
			if n.tree.Name.Name == u.pkg {
				files = append(files, n.tree)
			}
		}
	}
	p.own = p.check(u.path, u.pkg, files, p.made, &packages.Package{})
	for _, f := range files {
		if !generatedBy(f) {
			p.structs(f, p.own)
		}
	}
	for _, pkg := range g.session.tree {
		if c := p.reach(pkg); c != nil && c != p.own {
			for _, f := range c.files {
				p.structs(f, c)
			}
		}
	}
}

// reach checks a package that imports the one of the output, itself or through others; it returns nil for others.
func (p *promotion) reach(pkg *packages.Package) *checked {
	if c, ok := p.read[pkg.ID]; ok {
		return c
	}
	if len(pkg.GoFiles) > 0 && sameFolder(filepath.Dir(pkg.GoFiles[0]), p.dir) {
		p.read[pkg.ID] = p.own
		return p.own
	}
	p.read[pkg.ID] = nil
	reaches := false
	for _, dep := range pkg.Imports {
		reaches = p.reach(dep) != nil || reaches
	}
	if !reaches {
		return nil
	}
	var files []*ast.File
	for _, path := range pkg.GoFiles {
		if tree, err := parser.ParseFile(p.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			files = append(files, tree)
		}
	}
	p.read[pkg.ID] = p.check(pkg.PkgPath, pkg.Name, files, nil, pkg)
	return p.read[pkg.ID]
}

// check type-checks files, as far as they have no errors, and gives methods to the types that this run makes, and to those that
// lines //go:generate of the files name. Structs in bodies are checked as if they stood outside.
func (p *promotion) check(path, name string, files []*ast.File, made map[string]string, list *packages.Package) *checked {
	c := &checked{files: files, info: types.Info{Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}}
	if much, _ := gotypes.TooMuch(files); much != nil {
		return c
	}
	lines, declared := "", map[string]bool{}
	var all []*ast.File
	for _, f := range files {
		for _, group := range f.Comments {
			for _, line := range group.List {
				if strings.HasPrefix(line.Text, "//go:generate") && strings.Contains(line.Text, "ptxparam") {
					lines += line.Text + "\n"
				}
			}
		}
		outside := *f
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				ast.Inspect(d.Body, func(n ast.Node) bool {
					if s, ok := n.(*ast.StructType); ok {
						spec := &ast.ValueSpec{Names: []*ast.Ident{{Name: "_", NamePos: s.Pos()}}, Type: s}
						outside.Decls = append(outside.Decls, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}})
						return false
					}
					return true
				})
			}
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, spec := range d.Specs {
					declared[spec.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
		all = append(all, &outside)
	}
	methods := "package " + name + "\n"
	add := func(name, method string) {
		if !declared[name] {
			methods += "type " + name + " struct{}\n"
		}
		declared[name] = true
		methods += fmt.Sprintf("func (*%s) %s() {}\n", name, method)
	}
	for name, method := range made {
		add(name, method)
	}
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(lines, -1) {
		if token.IsIdentifier(word) && types.Universe.Lookup(word) == nil {
			add(word, "MarshalParam")
		}
	}
	if tree, err := parser.ParseFile(p.fset, "", methods, parser.SkipObjectResolution); err == nil {
		all = append(all, tree)
	}
	conf := gotypes.Checker(reached{p, list}, func(error) {}) // other than these warnings, the compiler reports
	c.Package, _ = conf.Check(path, p.fset, all, &c.info)
	return c
}

// reached imports those packages that a package names and that reach that of the output.
type reached struct {
	p    *promotion
	list *packages.Package
}

func (r reached) Import(path string) (*types.Package, error) {
	if dep := r.list.Imports[path]; dep != nil {
		if c := r.p.reach(dep); c != nil && c.Package != nil {
			return c.Package, nil
		}
	}
	return nil, errors.New("not read")
}

// structs looks at all structs of a file.
func (p *promotion) structs(f *ast.File, c *checked) {
	named := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			s, literal := n.Type.(*ast.StructType)
			named[n.Type] = literal
			switch obj := c.info.Defs[n.Name]; {
			case literal && obj == nil: // in a body
				p.look(c, c.info.TypeOf(s), s, n)
			case literal || obj != nil && !n.Assign.IsValid():
				p.look(c, obj.Type(), s, n)
			}
		case *ast.StructType:
			if !named[n] {
				p.look(c, c.info.TypeOf(n), n, nil)
			}
		}
		return true
	})
}

// look warns of a struct, once. It has no spec where it has no name, and no literal where its fields are those of another type.
func (p *promotion) look(c *checked, t types.Type, literal *ast.StructType, spec *ast.TypeSpec) {
	name := "a struct"
	if spec != nil {
		name = spec.Name.Name
	}
	if t == nil || c == p.own && p.made[name] != "" {
		return
	}
	for _, method := range []string{"MarshalParam", "AppendParams"} {
		obj, index, _ := types.LookupFieldOrMethod(t, true, c.Package, method)
		f, ok := obj.(*types.Func)
		if !ok || len(index) < 2 || f.Pkg() != p.own.Package {
			continue
		}
		of, ok := f.Signature().Recv().Type().(*types.Pointer)
		if !ok {
			continue
		}
		base, ok := of.Elem().(*types.Named)
		if !ok || p.made[base.Obj().Name()] != method {
			continue
		}
		pos := token.NoPos
		if literal == nil {
			pos = spec.Pos()
		} else {
			field := 0
			for _, f := range literal.Fields.List {
				if field == index[0] {
					pos = f.Pos()
				}
				field += max(len(f.Names), 1)
			}
		}
		at := gotypes.Pos(p.fset.Position(pos))
		at.File = p.g.shown(at.File)
		fix := "a field with a name has none"
		if method == "MarshalParam" && spec != nil && c.info.Defs[spec.Name] != nil && spec.TypeParams == nil {
			fix = "-type " + name + " gives it its own, and " + fix
		}
		p.g.Warn(cdecl.New(at, diag.Warning, mismatch, "%s embeds %s, so that its %s and the like pack the %[2]s alone; %[4]s",
			name, c.called(base), method, fix))
	}
}

// called is the name of a type as the package has it.
func (c *checked) called(t *types.Named) string {
	if t.Obj().Pkg() == c.Package {
		return t.Obj().Name()
	}
	return t.Obj().Pkg().Name() + "." + t.Obj().Name()
}
