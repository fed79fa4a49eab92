package link

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

// AddDeclared adds the functions and kernels that a C or CUDA file declares, by the names that the linker has for them.
// The notes say what is left out.
func (s *Set) AddDeclared(res *layoutcmd.Result) (notes diag.List) {
	res.Producer = layout.NVCC
	declared := make(map[string][]*ptx.Func) // by file, those that it includes among them
	for _, f := range res.Unit.Funcs {
		if f.System {
			continue
		}
		name, known := layoutcmd.LinkerName(f, res.Rules.Lang)
		if !known {
			notes.Add(&diag.Diagnostic{File: f.Pos.File, Pos: f.Pos.Pos, Severity: diag.Note, Code: LeftOut, Msg: fmt.Sprintf("left out: what the linker calls %s is not known", f.Name)})
			continue
		}
		d, why := res.Declare(f, name)
		if why != nil {
			notes.Add(&diag.Diagnostic{File: f.Pos.File, Pos: f.Pos.Pos, Severity: diag.Note, Code: LeftOut, Msg: "left out: " + why.Msg})
			continue
		}
		declared[f.Pos.File] = append(declared[f.Pos.File], d.Func)
	}
	for _, file := range slices.Sorted(maps.Keys(declared)) {
		s.AddHeader(Place{Name: file, File: file}, declared[file])
	}
	return notes
}
