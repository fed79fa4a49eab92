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
	g       *generator
	fset    *token.FileSet
	types   map[string]*ast.TypeSpec // of the package
	methods map[string]place         // "T.M"
	lines   string                   // //go:generate that run ptxparam
	made    map[string]string        // the generated types, by the method that they have
	theirs  *promotion               // the package of the generated types, where that is another one
}

// promoted warns of structs in the package of the output, whatever they are generated from, and in those packages of the
// session that import it.
func (g *generator) promoted(u *unit) {
	if g.Warn == nil || g.output != golang {
		return
	}
	p := &promotion{g: g, fset: token.NewFileSet(), types: map[string]*ast.TypeSpec{}, methods: u.methods, made: map[string]string{}}
	for _, r := range u.records {
		p.made[r.name] = "MarshalParam"
	}
	for _, k := range u.kernels {
		p.made[k.goName+"Args"] = "AppendParams"
	}
	dir := filepath.Dir(g.path(g.outputs().code))
	var files []*ast.File
	if g.Source != nil {
		if tree, err := parser.ParseFile(p.fset, g.Input, g.Source, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			files = append(files, tree)
		}
	} else {
		for _, n := range g.neighbours(p.fset, dir) {
			if n.tree.Name.Name == u.pkg {
				files = append(files, n.tree)
			}
		}
	}
	for _, f := range files {
		p.declare(f)
	}
	for _, f := range files {
		if len(f.Comments) == 0 || f.Comments[0].List[0].Text+"\n" != firstLine {
			p.structs(f, "")
		}
	}
	for _, pkg := range g.session.tree {
		p.importing(pkg, dir)
	}
}

// declare notes the types of a file, and its lines that run ptxparam.
func (p *promotion) declare(f *ast.File) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					p.types[s.Name.Name] = s
				}
			}
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:generate") && strings.Contains(c.Text, "ptxparam") {
				p.lines += c.Text + "\n"
			}
		}
	}
}

// importing looks at the structs of a package that imports the one in a folder.
func (p *promotion) importing(pkg *packages.Package, dir string) {
	var name, ipath string
	for at, dep := range pkg.Imports {
		if len(dep.GoFiles) > 0 && sameFolder(filepath.Dir(dep.GoFiles[0]), dir) {
			name, ipath = dep.Name, at
		}
	}
	if ipath == "" {
		return
	}
	other := &promotion{g: p.g, fset: p.fset, types: map[string]*ast.TypeSpec{}, methods: map[string]place{}, theirs: p, made: p.made}
	var files []*ast.File
	for _, path := range pkg.GoFiles {
		tree, err := parser.ParseFile(p.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		files = append(files, tree)
		other.declare(tree)
		funcs := &loaded{funcs: map[string]token.Pos{}, methods: map[string]token.Pos{}}
		funcs.noteFuncs(tree)
		for m := range funcs.methods {
			other.methods[m] = place{}
		}
	}
	for _, f := range files {
		for _, i := range f.Imports {
			if strings.Trim(i.Path.Value, "\"`") != ipath {
				continue
			}
			as := name
			if i.Name != nil {
				as = i.Name.Name
			}
			other.structs(f, as)
		}
	}
}

// has reports whether a type has a method of its own, or a line that generates it.
func (p *promotion) has(name, method string) bool {
	_, own := p.methods[name+"."+method]
	return own || name != "" && method == "MarshalParam" && regexp.MustCompile(`\b`+name+`\b`).MatchString(p.lines)
}

// structs looks at all structs of a file. The generated types are of the package that it imports as that name; "" is its own.
func (p *promotion) structs(f *ast.File, imported string) {
	named := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			named[n.Type] = true
			if s := p.structOf(n.Type); s == n.Type || s != nil && !n.Assign.IsValid() {
				p.look(s, n, imported)
			}
		case *ast.StructType:
			if !named[n] {
				p.look(n, nil, imported)
			}
		}
		return true
	})
}

// structOf is the struct that a type of the package is defined by; nil where it is another type.
func (p *promotion) structOf(x ast.Expr) *ast.StructType {
	for range 100 { // definitions may be of each other
		switch t := x.(type) {
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			spec := p.types[t.Name]
			if spec == nil {
				return nil
			}
			x = spec.Type
		default:
			s, _ := x.(*ast.StructType)
			return s
		}
	}
	return nil
}

// look warns of a struct, once. It has no declaration where it has no name.
func (p *promotion) look(s *ast.StructType, spec *ast.TypeSpec, imported string) {
	name := ""
	if spec != nil {
		name = spec.Name.Name
	}
	if name != "" && imported == "" && p.made[name] != "" {
		return
	}
	for _, method := range []string{"MarshalParam", "AppendParams"} {
		field, of := p.from(s, method, imported)
		if field == nil || p.has(name, method) {
			continue
		}
		pos := field.Pos()
		if spec != nil && spec.Type != s {
			pos = spec.Pos()
		}
		at := gotypes.Pos(p.fset.Position(pos))
		at.File = p.g.shown(at.File)
		fix := "a field with a name has none"
		if method == "MarshalParam" && spec != nil && p.types[name] == spec && spec.TypeParams == nil {
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
func (p *promotion) from(s *ast.StructType, method, imported string) (*ast.Field, string) {
	type step struct {
		field *ast.Field // of s
		typ   ast.Expr   // that is embedded
	}
	next := []step{}
	embed := func(field *ast.Field, s *ast.StructType) {
		for _, f := range s.Fields.List {
			if len(f.Names) == 0 {
				top := field
				if top == nil {
					top = f
				}
				next = append(next, step{top, f.Type})
			}
		}
	}
	embed(nil, s)
	seen := map[string]bool{}
	for len(next) > 0 {
		level := next
		next = nil
		var found []step
		var names []string
		for _, st := range level {
			name, made, has, under := p.embedded(st.typ, method, imported)
			switch {
			case seen[name]:
			case has:
				found = append(found, st)
				if !made {
					name = ""
				}
				names = append(names, name)
			case under != nil:
				seen[name] = true
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
// struct it is.
func (p *promotion) embedded(x ast.Expr, method, imported string) (name string, made, has bool, under *ast.StructType) {
	defined := false // by another type, whose methods it does not have
	for range 100 {  // aliases and definitions may be of each other
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.SelectorExpr:
			of, ok := t.X.(*ast.Ident)
			if !ok || defined || of.Name != imported {
				return name, false, false, nil
			}
			own := p.theirs.has(t.Sel.Name, method)
			made = p.made[t.Sel.Name] == method
			return imported + "." + t.Sel.Name, made, made || own, nil
		case *ast.Ident:
			own := p.has(t.Name, method)
			made = imported == "" && p.made[t.Name] == method
			if name == "" || made {
				name = t.Name
			}
			if !defined && (own || made) {
				return name, made, true, nil
			}
			spec := p.types[t.Name]
			if spec == nil {
				return name, false, false, nil
			}
			defined = defined || !spec.Assign.IsValid()
			x = spec.Type
		case *ast.InterfaceType:
			return name, false, slices.ContainsFunc(t.Methods.List, func(f *ast.Field) bool { return len(f.Names) > 0 && f.Names[0].Name == method }), nil
		case *ast.StructType:
			return name, false, false, t
		default:
			return name, false, false, nil
		}
	}
	return name, false, false, nil
}
