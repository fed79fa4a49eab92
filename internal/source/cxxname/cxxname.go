// Package cxxname has the names of C++ functions: what a person calls a symbol, of Rust too, and the
// symbol of a declaration.
package cxxname

import "strings"

// Full returns the declaration that a symbol stands for, such as "ns::saxpy<float>(int, float*)":
// without the type of the result, which instances of templates have. It is the symbol itself where
// that is not mangled, or not as compilers do it.
func Full(symbol string) string {
	text := text(symbol, noEnclosing)
	if text == "" {
		return symbol
	}
	name := Name(symbol)
	if i := strings.Index(text, name+"("); i > 0 { // after the result
		text = text[i:]
	}
	return text
}

// Name is Full without the parameters: "ns::saxpy<float>".
func Name(symbol string) string { return read(symbol, noParams) }

// Plain is Name without the arguments of templates: "ns::saxpy".
func Plain(symbol string) string { return read(symbol, noParams, noTemplates) }

// read is what remains of a name with options that leave parts out. These do not look at the
// parts, so that a symbol which is no name has to be found out before.
func read(symbol string, options ...option) string {
	if text(symbol) == "" {
		return symbol
	}
	if text := text(symbol, options...); text != "" {
		return text
	}
	return symbol
}
