//go:build !explorer

package cxxname

import (
	"regexp"
	"sync"

	"github.com/ianlancetaylor/demangle"
)

// The parts that a name is read without.
const (
	noEnclosing = demangle.NoEnclosingParams
	noParams    = demangle.NoParams
	noTemplates = demangle.NoTemplateParams
)

type option = demangle.Option

// maxLength bounds a name, as a power of two: a mangled one of a kilobyte may stand for
// gigabytes.
const maxLength = 16

// unresolved matches a name of a scope in an expression of a template. Compilers of CUDA and the reader of names disagree on
// which number such a part has where a later type refers to it, so that types of parameters would be wrong.
var unresolved = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`X.*sr\d.*E.*S\d*_`) })

// text demangles a symbol; "" stands for one that is not mangled.
func text(symbol string, options ...option) string {
	symbol, _, _ = static(symbol)
	if unresolved().MatchString(symbol) {
		options = append(options, noParams)
	}
	out, err := demangle.ToString(symbol, append(options, demangle.MaxLength(maxLength))...)
	if err != nil {
		return ""
	}
	return out
}

// Params are the types of a function's parameters by its symbol, such as "float*"; nil where that is not mangled,
// or says nothing of them.
func Params(symbol string) []string {
	symbol, _, _ = static(symbol)
	if unresolved().MatchString(symbol) {
		return nil
	}
	ast, err := demangle.ToAST(symbol)
	if err != nil {
		return nil
	}
	typed, ok := ast.(*demangle.Typed)
	if !ok {
		return nil
	}
	f, ok := typed.Type.(*demangle.FunctionType)
	if !ok {
		return nil
	}
	all := []string{}
	for _, arg := range f.Args {
		list := []demangle.AST{arg}
		switch arg := arg.(type) {
		case *demangle.ExprList: // a pack has as many parameters as arguments of the template
			list = arg.Exprs
		case *demangle.PackExpansion:
			return nil
		}
		for _, one := range list {
			all = append(all, demangle.ASTToString(one, demangle.MaxLength(maxLength)))
		}
	}
	return all
}
