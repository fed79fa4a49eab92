package gen

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// collisions complains of names that the package or a type has already.
func (g *generator) collisions(u *unit) {
	seen := map[string]bool{}
	take := func(at place, name string) {
		if other, ok := u.declared[name]; ok {
			g.complain(other, taken, "%s is declared here, and would be by the generated code%s", name, together(other))
		} else if seen[name] {
			g.complain(at, taken, "%s would be declared twice", name)
		}
		seen[name] = true
	}
	method := func(typ, name string) {
		if at, ok := u.methods[typ+"."+name]; ok {
			g.complain(at, taken, "%s has the method %s here, and would have it from the generated code%s", typ, name, together(at))
		}
	}
	for _, r := range u.records {
		if r.declare {
			take(r.at, r.name)
		}
		for _, c := range r.constants() {
			take(r.at, c.name)
		}
		if g.Test {
			take(r.at, testName(r.name, "PutParam"))
		}
		methods := []string{"PutParam", "AppendParam", "MarshalParam", "UnmarshalParam", "ParamBytes"}
		for _, a := range r.access {
			methods = append(methods, a.name, "Set"+a.name)
		}
		have := map[string]bool{}
		for _, f := range r.val.fields {
			have[f.name] = true
			if r.declare {
				method(r.name, f.name)
			}
		}
		for _, m := range methods {
			if have[m] {
				g.complain(r.at, taken, "%s has two of the name %s: a field and a method, or two methods", r.name, m)
			}
			method(r.name, m)
			have[m] = true
		}
	}
	for _, x := range u.inner {
		for _, a := range x.access {
			method(x.name, a.name)
			method(x.name, "Set"+a.name)
		}
	}
	for _, s := range u.stores {
		take(place{file: g.Input}, s.name)
		for _, a := range s.access {
			method(s.name, a.name)
			method(s.name, "Set"+a.name)
		}
	}
	for _, k := range u.kernels {
		for _, c := range k.constants() {
			take(k.at, c.name)
		}
		take(k.at, k.goName+"Args")
		take(k.at, k.goName+"Launch")
		take(k.at, "Check"+k.goName+"Params")
		if g.Test && k.size > 0 {
			take(k.at, testName(k.goName+"Args", "PutParams"))
		}
		for _, f := range k.val.fields {
			method(k.goName+"Args", f.name)
		}
		for _, m := range kernelMethods {
			method(k.goName+"Args", m)
		}
		for _, m := range []string{"Pin", "KernelParams", "Extra", "Unpin"} {
			method(k.goName+"Launch", m)
		}
	}
}

// together is the remedy where what stands in the way is of another run.
func together(at place) string {
	if !generatedHere(at.file) {
		return ""
	}
	return "; that is of another run of ptxparam: one that is asked for both declares it once"
}

// locals are the names of variables in generated functions.
var locals = strings.Fields("v d s b n a x u t i e src dst got want rnd err query index offset size")

// hidden complains of names by which the generated code means something of
// Go's, or a variable, and which the package declares or uses otherwise.
func (g *generator) hidden(u *unit, files []File) {
	for _, f := range files {
		if filepath.Ext(f.Path) != ".go" || len(u.declared) == 0 {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), "", f.Data, parser.SkipObjectResolution)
		if err != nil {
			continue // it has been formatted
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				ast.Inspect(n.X, func(n ast.Node) bool { g.hides(u, n); return true })
				return false
			case *ast.CallExpr:
				g.shadowed(u, n)
			}
			g.hides(u, n)
			return true
		})
	}
}

// hides complains of a name of Go's that the package declares.
func (g *generator) hides(u *unit, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok || types.Universe.Lookup(id.Name) == nil {
		return
	}
	if at, ok := u.declared[id.Name]; ok {
		g.complain(at, taken, "%s is declared here, and the generated code means Go's own; another name is needed", id.Name)
	}
}

// shadowed complains of a conversion to a type that has the name of a variable
// there.
func (g *generator) shadowed(u *unit, call *ast.CallExpr) {
	id, ok := call.Fun.(*ast.Ident)
	if !ok || !slices.Contains(locals, strings.TrimRight(id.Name, "0123456789")) {
		return
	}
	if at, ok := u.declared[id.Name]; ok {
		g.complain(at, taken, "%s is declared here, and is a variable in the generated code; another name is needed", id.Name)
	}
}

// leftovers are files of an earlier run that this one has not got: they would
// be compiled, and tell of a type that has changed since.
func (g *generator) leftovers(o outputSet, files []File) []File {
	var out []File
	for _, path := range append([]string{o.launch}, o.layouts...) {
		if slices.ContainsFunc(files, func(f File) bool { return f.Path == path }) {
			continue
		}
		if old, err := os.ReadFile(g.path(path)); err == nil && bytes.HasPrefix(old, []byte(strings.TrimSpace(firstLine))) {
			out = append(out, File{Path: path, Remove: true})
		}
	}
	return out
}
