package gotypes

import (
	"go/ast"
	"go/token"
)

// maxSteps is how many steps the type checker may take to see that no type contains itself.
const maxSteps = 1 << 26

// TooMuch returns the first name that takes the type checker too long, and why; nil if none does.
func TooMuch(files []*ast.File) (*ast.Ident, string) {
	if name := tooNested(files); name != nil {
		return name, "types nest too deeply, or too often in each other; a file with fewer of them is read"
	}
	if name := tooManyLookups(files); name != nil {
		return name, "fields are selected too often beside so many embedded ones; a file with fewer of them is read"
	}
	if name := tooLong(files); name != nil {
		return name, "constants are too long: strings that are joined from each other, or expressions that are repeated; a file with shorter ones is read"
	}
	return nil, ""
}

// tooNested returns the first type that takes too long. For each type of a package, go/types looks into
// all types in it by value, as often as they are in it, with all those around each: n structs of which
// each has two fields of the one before take 2^n steps.
func tooNested(files []*ast.File) *ast.Ident {
	n := &nested{decls: make(map[string]*ast.TypeSpec), known: make(map[*ast.TypeSpec]extents), names: make(map[ast.Node]int64)}
	var all []*ast.TypeSpec
	total, nodes := int64(0), int64(0)
	for _, f := range files {
		ast.Inspect(f, func(x ast.Node) bool {
			nodes++
			_, body := x.(*ast.BlockStmt)
			return !body // which is not checked
		})
		for _, d := range f.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					spec := s.(*ast.TypeSpec)
					all, n.decls[spec.Name.Name] = append(all, spec), spec
				}
			}
		}
	}
	for _, spec := range all {
		e := n.spec(spec)
		if total += e.count * e.depth; total > maxSteps || n.alias(spec)*nodes > maxSteps {
			return spec.Name
		}
	}
	return nil
}

// stepsOfLookup is how many steps go/types takes for one embedded field where a field is selected.
const stepsOfLookup = 256

// tooManyLookups returns the first selected field that takes too long. Where one is selected outside of a body, in the
// value of a variable or a length, go/types may look into every embedded field.
func tooManyLookups(files []*ast.File) *ast.Ident {
	embedded, variables := int64(0), make(map[string]bool)
	var selectors []*ast.SelectorExpr
	values := func(x ast.Node) {
		ast.Inspect(x, func(x ast.Node) bool {
			if s, ok := x.(*ast.SelectorExpr); ok {
				selectors = append(selectors, s)
			}
			return true
		})
	}
	for _, f := range files {
		ast.Inspect(f, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.BlockStmt:
				return false // it is not checked
			case *ast.StructType:
				for _, field := range x.Fields.List {
					if len(field.Names) == 0 {
						embedded++
					}
				}
			case *ast.ArrayType:
				if x.Len != nil {
					values(x.Len)
				}
			case *ast.ValueSpec:
				for _, name := range x.Names {
					variables[name.Name] = true
				}
				for _, v := range x.Values {
					values(v)
				}
			}
			return true
		})
	}
	var selected []*ast.Ident
	for _, s := range selectors {
		if of, ok := s.X.(*ast.Ident); !ok || variables[of.Name] { // the name of a package else
			selected = append(selected, s.Sel)
		}
	}
	if most := maxSteps / stepsOfLookup / max(embedded, 1); int64(len(selected)) > most {
		return selected[most]
	}
	return nil
}

// nested finds what is in types.
type nested struct {
	decls map[string]*ast.TypeSpec
	known map[*ast.TypeSpec]extents
	names map[ast.Node]int64 // of aliases and arguments, once they are counted
}

// alias is how many names a type takes where its name is written: those of what an alias stands for, 1 for another type.
// It is at most maxSteps. go/types takes so many steps to compare two types.
func (n *nested) alias(s *ast.TypeSpec) int64 {
	if s == nil || !s.Assign.IsValid() {
		return 1
	}
	if n.names[s] == 0 {
		n.names[s] = 1 // for those that contain themselves
		n.names[s] = n.written(s.Type)
	}
	return n.names[s]
}

// written is how many names are written in a node, with those that aliases stand for.
func (n *nested) written(x ast.Node) (names int64) {
	ast.Inspect(x, func(x ast.Node) bool {
		if known := n.names[x]; known > 0 {
			names = min(names+known, maxSteps)
			return false
		}
		switch x := x.(type) {
		case *ast.Ident:
			names = min(names+n.alias(n.decls[x.Name]), maxSteps)
		case *ast.Field: // of several names
			names = min(names+n.written(x.Type)*int64(max(0, len(x.Names)-1)), maxSteps)
		}
		return true
	})
	return max(names, 1)
}

// extents are how many types are in a type by value, and how deep, with itself. They are not larger
// than maxSteps.
type extents struct{ count, depth int64 }

// beside takes up a type beside others.
func (e *extents) beside(o extents) {
	e.count, e.depth = min(e.count+o.count, maxSteps), max(e.depth, o.depth)
}

func (n *nested) spec(s *ast.TypeSpec) extents {
	if e, ok := n.known[s]; ok {
		return e
	}
	n.known[s] = extents{1, 1} // for those that contain themselves, which are reported otherwise
	e := n.expr(s.Type)
	e = extents{min(e.count+1, maxSteps), min(e.depth+1, maxSteps)}
	n.known[s] = e
	return e
}

func (n *nested) expr(x ast.Expr) extents {
	e := extents{1, 1}
	switch x := x.(type) {
	case *ast.Ident:
		if s := n.decls[x.Name]; s != nil {
			return n.spec(s)
		}
	case *ast.ParenExpr:
		return n.expr(x.X)
	case *ast.ArrayType:
		if x.Len != nil {
			return n.expr(x.Elt)
		}
	case *ast.StructType:
		n.fields(&e, x.Fields)
	case *ast.InterfaceType:
		n.fields(&e, x.Methods)
	case *ast.UnaryExpr:
		return n.expr(x.X)
	case *ast.BinaryExpr:
		e.beside(n.expr(x.X))
		e.beside(n.expr(x.Y))
	case *ast.IndexExpr:
		return n.instance(x.X, x.Index)
	case *ast.IndexListExpr:
		return n.instance(x.X, x.Indices...)
	}
	return e
}

func (n *nested) fields(e *extents, list *ast.FieldList) {
	for _, f := range list.List {
		one := n.expr(f.Type)
		one.count = min(one.count*int64(max(1, len(f.Names))), maxSteps)
		e.beside(one)
	}
}

// instance is a generic type, each part of which may be an argument.
func (n *nested) instance(of ast.Expr, args ...ast.Expr) extents {
	e := n.expr(of)
	inner := extents{1, 0}
	for _, a := range args {
		one := n.expr(a)
		n.names[a] = n.written(a)
		one.count = max(one.count, n.names[a])
		inner.beside(one)
	}
	return extents{min(e.count*inner.count, maxSteps), min(e.depth+inner.depth, maxSteps)}
}
