// Package cxxname has the names of C++ functions: what a person calls a symbol, of Rust too, and the
// symbol of a declaration.
package cxxname

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxLength bounds a name, as a power of two: a mangled one of a kilobyte may stand for
// gigabytes.
const maxLength = 16

// Full returns the declaration that a symbol stands for, such as "ns::saxpy<float>(int, float*)":
// without the type of the result, which instances of templates have. It is the symbol itself where
// that is not mangled, or not as compilers do it.
func Full(symbol string) string {
	text, err := demangle.ToString(symbol, demangle.NoEnclosingParams, demangle.MaxLength(maxLength))
	if err != nil || text == "" {
		return symbol
	}
	name := Name(symbol)
	if i := strings.Index(text, name+"("); i > 0 { // behind the result
		text = text[i:]
	}
	return text
}

// Name is Full without the parameters: "ns::saxpy<float>".
func Name(symbol string) string { return read(symbol, demangle.NoParams) }

// Plain is Name without the arguments of templates: "ns::saxpy".
func Plain(symbol string) string { return read(symbol, demangle.NoParams, demangle.NoTemplateParams) }

// read is what remains of a name with options that leave parts out. These do not look at the
// parts, so that a symbol which is no name has to be found out before.
func read(symbol string, options ...demangle.Option) string {
	if _, err := demangle.ToString(symbol, demangle.MaxLength(maxLength)); err != nil {
		return symbol
	}
	text, err := demangle.ToString(symbol, append(options, demangle.MaxLength(maxLength))...)
	if err != nil || text == "" {
		return symbol
	}
	return text
}
