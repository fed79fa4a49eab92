package images

import (
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
)

// Of describes an image of a file: the functions that chosen leaves, at most limit unless that is 0.
func Of(f *compiled.File, i int, chosen func(name string, kernel bool) bool, limit int) (*Image, error) {
	m := &f.Images[i]
	out := &Image{Name: f.Where(i), Kind: m.Kind.String(), Target: m.Arch}
	switch m.Kind {
	case cubin.PTX:
		mod, t, err := f.Module(i)
		if err != nil {
			return nil, err
		}
		out.Target, out.Assumed = t.Name, t.AssumedFrom
		out.Functions, out.More = OfPTX(mod.Module, t, chosen, limit)
	case cubin.Cubin:
		b, err := f.Cubin(i)
		if err != nil {
			return nil, err
		}
		r := NewCubin(b.File, f.Target, f.Host(m.Host), func() []string { return beside(f, i) })
		if out.Target = b.Arch; r.target != nil {
			out.Assumed = r.target.AssumedFrom
		}
		out.Functions, out.More = r.Functions(chosen, limit)
	}
	return out, nil
}

// beside is the PTX of the module that an image is of.
func beside(f *compiled.File, i int) []string {
	var all []string
	for k := range f.Images {
		m := &f.Images[k]
		if m.Kind != cubin.PTX || m.Container != f.Images[i].Container {
			continue
		}
		if text, err := m.Contents(); err == nil {
			all = append(all, string(text))
		}
	}
	return all
}
