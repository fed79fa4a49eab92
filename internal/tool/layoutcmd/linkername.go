//go:build !explorer && !nopack

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

// LoadEither reads a file as C++, which CUDA is, or as C where that alone has no errors.
func LoadEither(name string, text []byte, opts Options) (*Result, error) {
	opts.Lang = "c++"
	res, err := Load(name, text, opts)
	if err != nil || len(res.Errors) == 0 {
		return res, err
	}
	opts.Lang = "c"
	if c, err := Load(name, text, opts); err == nil && len(c.Errors) == 0 {
		return c, nil
	}
	return res, nil
}
