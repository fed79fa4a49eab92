package layoutcmd

import (
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
)

// SVG draws the records and kernels.
func (r *Result) SVG(size picture.Size) []byte {
	var records []picture.Record
	for _, rec := range r.Records {
		records = append(records, picture.Record{
			Name: rec.Name, Kind: kindOf(rec.Layout), Layout: rec.Layout, Param: declaration(rec.Param), Notes: rec.Notes,
		})
	}
	var kernels []picture.Kernel
	for _, k := range r.Kernels {
		kernels = append(kernels, r.drawn(k))
	}
	return size.Layouts(r.Target, records, kernels)
}

// drawn is a kernel as it is drawn: where not all of a parameter's bytes are
// passed, nothing says which fields are.
func (r *Result) drawn(k *Kernel) picture.Kernel {
	out := picture.Kernel{Name: k.Name, Block: k.Block}
	for _, p := range k.Params {
		size, _ := p.Param.Extent()
		one := picture.KernelParam{
			Name: p.Name, Loc: p.Loc, Size: size, Notes: p.Notes, Layout: p.Layout, Type: cdecl.TypeText(p.Layout.Type, p.Layout.Rules.Lang),
		}
		if !p.known(r.Producer) {
			one.Layout = nil
		}
		out.Params = append(out.Params, one)
	}
	return out
}
