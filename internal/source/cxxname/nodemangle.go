//go:build explorer

package cxxname

// The explorer's smaller build compares a module with itself, whose symbols pair as
// they are: it leaves the demangler out, and shows symbols as the module has them.
const (
	noEnclosing option = iota
	noParams
	noTemplates
)

type option int

func text(string, ...option) string { return "" }

// Params are not known.
func Params(string) []string { return nil }

// Unit is none: no unit is compiled again.
func Unit(symbol string) (name, unit string) { return symbol, "" }
