package gen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A claim is a name that the generated code declares.
type claim struct {
	by string // for which type or kernel
	at place
}

// claims are the names that a run declares.
type claims struct {
	g       *generator
	u       *unit
	names   map[string]claim
	clashes map[[2]string]bool // reported
}

// take notes a name, and reports whether it is free. Two that claim one name
// often claim more, which is said once.
func (c *claims) take(by claim, name string) bool {
	if other, ok := c.u.declared[name]; ok {
		c.g.report(other, taken, "%s is declared here, and would be by the generated code%s", name, together(other))
		return false
	}
	other, ok := c.names[name]
	if !ok {
		c.names[name] = by
		return true
	}
	if pair := [2]string{other.by, by.by}; !c.clashes[pair] {
		c.clashes[pair] = true
		where := ""
		if other.at.IsValid() {
			where = fmt.Sprintf(" at %s:%d", c.g.shown(other.at.File), other.at.Line)
		}
		c.g.report(by.at, taken, "%s would be declared twice, for %s and for %s%s; runs into two packages, or another name, keep them apart",
			name, by.by, other.by, where)
	}
	return false
}

// method reports a method that a type has already.
func (c *claims) method(typ, name string) {
	if at, ok := c.u.methods[typ+"."+name]; ok {
		c.g.report(at, taken, "%s has the method %s here, and would have it from the generated code%s", typ, name, together(at))
	}
}

// accessors are the methods that accessors become.
func accessors(list []accessor) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.name, "Set"+a.name)
	}
	return out
}

// collisions reports names that the package or a type has already.
func (g *generator) collisions(u *unit) {
	c := &claims{g, u, map[string]claim{}, map[[2]string]bool{}}
	for _, r := range u.records {
		c.record(r)
	}
	for _, x := range u.inner {
		for _, m := range accessors(x.access) {
			c.method(x.name, m)
		}
	}
	for _, s := range u.stores {
		if c.take(claim{"bytes of a union or of bit-fields", place{File: g.Input}}, s.name) {
			for _, m := range accessors(s.access) {
				c.method(s.name, m)
			}
		}
	}
	for _, k := range u.kernels {
		c.kernel(k)
	}
}

func (c *claims) record(r *record) {
	by := claim{"struct " + r.name, r.at}
	if r.declare {
		by.by = r.source
		if !c.take(by, r.name) {
			return
		}
	}
	for _, v := range r.constants() {
		c.take(by, v.name)
	}
	if c.g.Test {
		c.take(by, testName(r.name, "PutParam"))
	}
	have := map[string]bool{}
	for _, f := range r.val.fields {
		have[f.name] = true
		if r.declare {
			c.method(r.name, f.name)
		}
	}
	for _, m := range append([]string{"PutParam", "AppendParam", "MarshalParam", "UnmarshalParam", "ParamBytes"}, accessors(r.access)...) {
		if have[m] {
			c.g.report(r.at, taken, "%s has two of the name %s: a field and a method, or two methods", r.name, m)
		}
		c.method(r.name, m)
		have[m] = true
	}
}

func (c *claims) kernel(k *kernel) {
	by := claim{"kernel " + k.name, k.at}
	if !c.take(by, k.goName+"Args") {
		return
	}
	for _, v := range k.constants() {
		c.take(by, v.name)
	}
	launch, memory := k.launchNames()
	c.take(by, launch)
	c.take(by, memory)
	c.take(by, "Check"+k.goName+"Params")
	if c.g.Test && k.size > 0 {
		c.take(by, testName(k.goName+"Args", "PutParams"))
	}
	for _, f := range k.val.fields {
		c.method(k.goName+"Args", f.name)
	}
	for _, m := range kernelMethods {
		c.method(k.goName+"Args", m)
	}
	for _, m := range []string{"Pin", "KernelParams", "Extra", "Unpin"} {
		c.method(k.goName+"Launch", m)
	}
}

// together is the remedy where what stands in the way is of another run.
func together(at place) string {
	if !generatedHere(at.File) {
		return ""
	}
	return "; that is of another run of ptxparam: one that is asked for both declares it once"
}

// locals are the names of variables in generated functions.
var locals = strings.Fields("v d s b n a x u t i e src dst got want rnd err query index offset size")

// hidden reports names by which the generated code means something of
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

// hides reports a name of Go's that the package declares.
func (g *generator) hides(u *unit, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok || types.Universe.Lookup(id.Name) == nil {
		return
	}
	if at, ok := u.declared[id.Name]; ok {
		g.report(at, taken, "%s is declared here, and the generated code means Go's own; another name is needed", id.Name)
	}
}

// shadowed reports a conversion to a type that has the name of a variable
// there.
func (g *generator) shadowed(u *unit, call *ast.CallExpr) {
	id, ok := call.Fun.(*ast.Ident)
	if !ok || !slices.Contains(locals, strings.TrimRight(id.Name, "0123456789")) {
		return
	}
	if at, ok := u.declared[id.Name]; ok {
		g.report(at, taken, "%s is declared here, and is a variable in the generated code; another name is needed", id.Name)
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
