package gotypes

import (
	"go/ast"
	"go/token"
)

// maxLength is how many bytes of constants, and parts of repeated expressions, the type checker may read.
const maxLength = 1 << 22

// tooLong returns the first constant that takes the type checker too long, or what is declared with such an
// expression. Numbers have a limit of their own; a string that joins the one before it with itself, n times, has 2^n bytes. A
// constant without an expression repeats the one before, however long that is.
func tooLong(files []*ast.File) *ast.Ident {
	l := &lengths{values: make(map[string]ast.Expr), known: make(map[ast.Expr]int64)}
	specs(files, func(spec *ast.ValueSpec, values []ast.Expr, _ bool) {
		for i, name := range spec.Names {
			if i < len(values) {
				l.values[name.Name] = values[i]
			}
		}
	})
	var first *ast.Ident
	total := int64(0)
	take := func(name *ast.Ident, n int64) {
		if total += n; total > maxLength && first == nil {
			first = name
		}
	}
	specs(files, func(spec *ast.ValueSpec, values []ast.Expr, repeated bool) {
		for _, x := range values {
			if first != nil {
				return
			}
			n := l.joined(x)
			if repeated { // its parts are read again
				ast.Inspect(x, func(ast.Node) bool {
					n++
					return true
				})
			}
			take(spec.Names[0], n)
		}
	})
	if first != nil {
		return first
	}
	for _, f := range files {
		name := f.Name
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return n.Tok != token.CONST
			case *ast.BlockStmt:
				return false // it is not checked
			case *ast.ValueSpec:
				name = n.Names[0]
			case *ast.TypeSpec:
				name = n.Name
			case *ast.FuncDecl:
				name = n.Name
			case *ast.BinaryExpr:
				take(name, l.own(n))
			}
			return true
		})
	}
	return first
}

// specs visits the constants of a package with their expressions, which may be those of constants before.
func specs(files []*ast.File, visit func(spec *ast.ValueSpec, values []ast.Expr, repeated bool)) {
	for _, f := range files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			var values []ast.Expr
			for _, s := range d.Specs {
				spec := s.(*ast.ValueSpec)
				if repeated := spec.Values == nil; repeated {
					visit(spec, values, true)
				} else {
					values = spec.Values
					visit(spec, values, false)
				}
			}
		}
	}
}

// lengths finds how long strings may be. A number has no length.
type lengths struct {
	values map[string]ast.Expr // of constants
	known  map[ast.Expr]int64
}

// joined is how many bytes of other constants are joined in an expression.
func (l *lengths) joined(x ast.Expr) (n int64) {
	ast.Inspect(x, func(x ast.Node) bool {
		if x, ok := x.(*ast.BinaryExpr); ok {
			n = min(n+l.own(x), maxLength+1)
		}
		return true
	})
	return n
}

// own is how many of these are operands of an operator itself.
func (l *lengths) own(x *ast.BinaryExpr) (n int64) {
	for _, operand := range []ast.Expr{x.X, x.Y} {
		switch operand := ast.Unparen(operand).(type) {
		case *ast.BasicLit, *ast.BinaryExpr:
		default:
			n += l.of(operand)
		}
	}
	return n
}

// of is how long a constant is at most. It is not larger than maxLength+1, and an empty string has one byte.
func (l *lengths) of(x ast.Expr) int64 {
	if n, ok := l.known[x]; ok {
		return n
	}
	l.known[x] = 0 // for those that contain themselves, which are reported otherwise
	n := int64(0)
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			n = int64(len(x.Value))
		}
	case *ast.Ident:
		if value := l.values[x.Name]; value != nil {
			n = l.of(value)
		}
	case *ast.ParenExpr:
		n = l.of(x.X)
	case *ast.BinaryExpr:
		n = l.of(x.X) + l.of(x.Y)
	case *ast.SelectorExpr:
		n = 1
	case *ast.CallExpr:
		n = 1
		for _, arg := range x.Args {
			n += l.of(arg)
		}
	}
	n = min(n, maxLength+1)
	l.known[x] = n
	return n
}
