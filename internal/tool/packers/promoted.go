package packers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
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
	made map[string]string // the generated types, by the method that they have
	own  *scope            // their package
	read map[string]*scope // packages by their IDs; nil for those that do not reach their package
}

// A scope is what a package declares.
type scope struct {
	files   []*ast.File
	types   map[string]declared
	methods map[string]place // "T.M"
	lines   string           // //go:generate that run ptxparam
}

// imports are the packages that a file names, as far as they are read.
type imports map[string]*scope

// A declared type is one with what its file imports.
type declared struct {
	*ast.TypeSpec
	imports
}

// A typ is a type as a file spells it.
type typ struct {
	ast.Expr
	in *scope
	imports
}

// promoted warns of structs in the package of the output, whatever they are generated from, and in those packages of the
// session that import it, themselves or through others.
func (g *generator) promoted(u *unit) {
	if g.Warn == nil || g.output != golang {
		return
	}
	p := &promotion{g: g, fset: token.NewFileSet(), made: map[string]string{}, read: map[string]*scope{}}
	p.own = &scope{types: map[string]declared{}, methods: u.methods}
	for _, r := range u.records {
		p.made[r.name] = "MarshalParam"
	}
	for _, k := range u.kernels {
		p.made[k.goName+"Args"] = "AppendParams"
	}
	dir := filepath.Dir(g.path(g.outputs().code))
	if g.Source != nil {
		if tree, err := parser.ParseFile(p.fset, g.Input, g.Source, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			p.own.declare(tree, nil)
		}
	} else {
		for _, n := range g.neighbours(p.fset, dir) {
			if n.tree.Name.Name == u.pkg {
				p.own.declare(n.tree, nil)
			}
		}
	}
	for _, f := range p.own.files {
		if len(f.Comments) == 0 || f.Comments[0].List[0].Text+"\n" != firstLine {
			p.structs(f, p.own, nil)
		}
	}
	for _, pkg := range g.session.tree {
		if s := p.scopeOf(pkg, dir); s != nil && s != p.own {
			for _, f := range s.files {
				p.structs(f, s, p.importsOf(f, pkg, dir))
			}
		}
	}
}

// declare notes the types of a file, and its lines that run ptxparam.
func (s *scope) declare(f *ast.File, in imports) {
	s.files = append(s.files, f)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					s.types[spec.Name.Name] = declared{spec, in}
				}
			}
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:generate") && strings.Contains(c.Text, "ptxparam") {
				s.lines += c.Text + "\n"
			}
		}
	}
}

// scopeOf reads a package that imports the one in a folder, itself or through others; it returns nil for others.
func (p *promotion) scopeOf(pkg *packages.Package, dir string) *scope {
	if s, ok := p.read[pkg.ID]; ok {
		return s
	}
	if len(pkg.GoFiles) > 0 && sameFolder(filepath.Dir(pkg.GoFiles[0]), dir) {
		p.read[pkg.ID] = p.own
		return p.own
	}
	p.read[pkg.ID] = nil
	reaches := false
	for _, dep := range pkg.Imports {
		reaches = p.scopeOf(dep, dir) != nil || reaches
	}
	if !reaches {
		return nil
	}
	s := &scope{types: map[string]declared{}, methods: map[string]place{}}
	p.read[pkg.ID] = s
	for _, path := range pkg.GoFiles {
		tree, err := parser.ParseFile(p.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		s.declare(tree, p.importsOf(tree, pkg, dir))
		funcs := &loaded{funcs: map[string]token.Pos{}, methods: map[string]token.Pos{}}
		funcs.noteFuncs(tree)
		for m := range funcs.methods {
			s.methods[m] = place{}
		}
	}
	return s
}

// importsOf are what a file of a package imports.
func (p *promotion) importsOf(f *ast.File, pkg *packages.Package, dir string) imports {
	out := imports{}
	for _, i := range f.Imports {
		dep := pkg.Imports[strings.Trim(i.Path.Value, "\"`")]
		if dep == nil {
			continue
		}
		name := dep.Name
		if i.Name != nil {
			name = i.Name.Name
		}
		out[name] = p.scopeOf(dep, dir)
	}
	return out
}

// has reports whether a type has a method of its own, or a line that generates it.
func (s *scope) has(name, method string) bool {
	_, own := s.methods[name+"."+method]
	return own || name != "" && method == "MarshalParam" && regexp.MustCompile(`\b`+name+`\b`).MatchString(s.lines)
}

// structs looks at all structs of a file.
func (p *promotion) structs(f *ast.File, in *scope, names imports) {
	named := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			named[n.Type] = true
			_, _, _, under := p.embedded(typ{n.Type, in, names}, "")
			if s, _ := under.Expr.(*ast.StructType); s != nil && (s == n.Type || !n.Assign.IsValid()) {
				p.look(under, n)
			}
		case *ast.StructType:
			if !named[n] {
				p.look(typ{n, in, names}, nil)
			}
		}
		return true
	})
}

// look warns of a struct, once. It has no declaration where it has no name.
func (p *promotion) look(s typ, spec *ast.TypeSpec) {
	name := ""
	if spec != nil {
		name = spec.Name.Name
	}
	if name != "" && s.in == p.own && p.made[name] != "" {
		return
	}
	for _, method := range []string{"MarshalParam", "AppendParams"} {
		field, of := p.from(s, method)
		if field == nil || s.in.has(name, method) {
			continue
		}
		pos := field.Pos()
		if spec != nil && spec.Type != s.Expr {
			pos = spec.Pos()
		}
		at := gotypes.Pos(p.fset.Position(pos))
		at.File = p.g.shown(at.File)
		fix := "a field with a name has none"
		if method == "MarshalParam" && spec != nil && s.in.types[name].TypeSpec == spec && spec.TypeParams == nil {
			fix = "-type " + name + " gives it its own, and " + fix
		}
		if name == "" {
			name = "a struct"
		}
		p.g.Warn(cdecl.New(at, diag.Warning, mismatch, "%s embeds %s, so that its %s and the like pack the %[2]s alone; %[4]s", name, of, method, fix))
	}
}

// from returns the field of a struct through which it has a method of a generated type, as Go has it: the type that is the
// least deep has it, if it is the only one there.
func (p *promotion) from(s typ, method string) (*ast.Field, string) {
	type step struct {
		field *ast.Field // of s
		typ              // that is embedded
	}
	next := []step{}
	embed := func(field *ast.Field, s typ) {
		for _, f := range s.Expr.(*ast.StructType).Fields.List {
			if len(f.Names) == 0 {
				top := field
				if top == nil {
					top = f
				}
				next = append(next, step{top, typ{f.Type, s.in, s.imports}})
			}
		}
	}
	embed(nil, s)
	seen := map[ast.Expr]bool{}
	for len(next) > 0 {
		level := next
		next = nil
		var found []step
		var names []string
		for _, st := range level {
			name, made, has, under := p.embedded(st.typ, method)
			switch {
			case has:
				found = append(found, st)
				if !made {
					name = ""
				}
				names = append(names, name)
			case under.Expr != nil && !seen[under.Expr]:
				seen[under.Expr] = true
				embed(st.field, under)
			}
		}
		if len(found) == 1 && names[0] != "" {
			return found[0].field, names[0]
		}
		if len(found) > 0 {
			return nil, ""
		}
	}
	return nil, ""
}

// embedded says of an embedded type what it is called, whether it is generated, whether it has a method of its own, and which
// struct it is. No type has a method without a name.
func (p *promotion) embedded(x typ, method string) (name string, made, has bool, under typ) {
	defined := false // by another type, whose methods it does not have
	for range 100 {  // aliases and definitions may be of each other
		of, called := "", ""
		switch t := x.Expr.(type) {
		case *ast.StarExpr:
			x.Expr = t.X
		case *ast.ParenExpr:
			x.Expr = t.X
		case *ast.IndexExpr:
			x.Expr = t.X
		case *ast.IndexListExpr:
			x.Expr = t.X
		case *ast.SelectorExpr:
			pkg, _ := t.X.(*ast.Ident)
			if pkg == nil || x.imports[pkg.Name] == nil {
				return name, false, false, typ{}
			}
			x.in = x.imports[pkg.Name]
			of, called = t.Sel.Name, pkg.Name+"."+t.Sel.Name
		case *ast.Ident:
			if of, called = t.Name, t.Name; x.in.types[of].TypeSpec == nil && p.made[of] == "" && x.imports["."] != nil {
				x.in = x.imports["."]
			}
		case *ast.InterfaceType:
			return name, false, slices.ContainsFunc(t.Methods.List, func(f *ast.Field) bool { return len(f.Names) > 0 && f.Names[0].Name == method }), typ{}
		case *ast.StructType:
			return name, false, false, x
		default:
			return name, false, false, typ{}
		}
		if of == "" {
			continue
		}
		own := x.in.has(of, method)
		made = method != "" && x.in == p.own && p.made[of] == method
		if name == "" || made {
			name = called
		}
		if !defined && (own || made) {
			return name, made, true, typ{}
		}
		spec := x.in.types[of]
		if spec.TypeSpec == nil {
			return name, false, false, typ{}
		}
		defined = defined || !spec.Assign.IsValid()
		x.Expr, x.imports = spec.Type, spec.imports
	}
	return name, false, false, typ{}
}
