//go:build !explorer

package cxxname

import "github.com/ianlancetaylor/demangle"

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

// text demangles a symbol; "" stands for one that is not mangled.
func text(symbol string, options ...option) string {
	out, err := demangle.ToString(symbol, append(options, demangle.MaxLength(maxLength))...)
	if err != nil {
		return ""
	}
	return out
}
