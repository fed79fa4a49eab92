package layoutcmd

import (
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/layout"
)

// LinkerName is what the linker calls a function, if that is known.
func LinkerName(f *cdecl.FuncDecl, lang layout.Lang) (string, bool) {
	if f.Label != "" {
		return f.Label, true
	}
	if f.C || lang != layout.CXX {
		return f.Name, true
	}
	var types []layout.Type
	for _, p := range f.Params {
		types = append(types, p.Type)
	}
	return cxxname.Mangle(f.Name, types)
}
