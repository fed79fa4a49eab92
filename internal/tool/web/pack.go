package web

import (
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Pack is a type or a kernel for which code is generated that packs its values. Its
// zero value is none.
type Pack struct {
	Lang   string `json:"lang"`   // "go", "rust", "python" or "c"
	Type   string `json:"type"`   // of the text; "" for a kernel
	Kernel string `json:"kernel"` // "" for a type
}

// Code is what was generated.
type Code struct {
	Missing string     `json:"missing"` // why there is none; "" if there is some
	Files   []CodeFile `json:"files"`
}

// A CodeFile is a file of it.
type CodeFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// maxPacked is how many fields a type or the parameters of a kernel have at most for
// which code is generated here.
const maxPacked = 1000

// packs lists the types and kernels of declarations, and generates what is asked for.
func (a *answer) packs(r *layoutcmd.Result) {
	if a.beside {
		return
	}
	fields := map[Pack]int{}
	count := func(p Pack, l *layout.Layout) {
		for range l.Fields() {
			if fields[p]++; fields[p] > maxPacked {
				return
			}
		}
	}
	for _, rec := range r.Records {
		p := Pack{Type: rec.Name}
		if t, ok := layout.Unalias(rec.Layout.Type).(*layout.Record); ok && t.Kind == layout.Union {
			continue // which are members alone
		}
		a.res.Packs = append(a.res.Packs, p)
		count(p, rec.Layout)
	}
	for _, k := range r.Kernels {
		p := Pack{Kernel: k.Name}
		a.res.Packs = append(a.res.Packs, p)
		for _, param := range k.Params {
			count(p, param.Layout)
		}
	}
	a.generate(fields)
}

// packsOf lists the kernels of a module, likewise.
func (a *answer) packsOf(shown []resolve.Assigned) {
	if a.beside {
		return
	}
	fields := map[Pack]int{}
	for _, f := range shown {
		if f.Kind() == resolve.Entry {
			p := Pack{Kernel: f.Name}
			fields[p] = len(f.Params)
			a.res.Packs = append(a.res.Packs, p)
		}
	}
	a.generate(fields)
}

// generate generates the code that is asked for, of something that has so many fields.
func (a *answer) generate(fields map[Pack]int) {
	asked := a.req.Pack
	if asked.Lang == "" {
		return
	}
	a.res.Code = &Code{Files: []CodeFile{}}
	of := Pack{Type: asked.Type, Kernel: asked.Kernel}
	switch n, ok := fields[of]; {
	case !ok:
		a.res.Code.Missing = "no type and no kernel of the text is chosen"
	case n > maxPacked:
		a.res.Code.Missing = "it has more fields than code is generated for here; ptxparam has no such limit"
	default:
		a.code(asked)
	}
}
