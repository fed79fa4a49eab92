package verify

import "github.com/ptxabi/ptxabi/layout"

// Match is what a kernel that a C or C++ file calls name, with parameters of
// those types, may go by among the names of a cubin or listing: its own name if
// that is there, otherwise its mangled one, otherwise every one that has this name
// in it, arguments left out. Empty: none. Of several the file does not tell which
// is meant. Nil params are not known.
func Match(names []string, name string, params []layout.Type) []string {
	return MatchAll(names, []Declared{{Name: name, Params: params}})[0]
}
