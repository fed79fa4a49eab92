package web

import (
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
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

// What an example value can be edited of.
const (
	maxExampleBytes  = 1024
	maxExampleFields = 64
	maxElements      = 64 // of one field
)

// A Record is a type of which the page packs an example value.
type Record struct {
	Name   string        `json:"name"`
	Size   int64         `json:"size"` // bytes
	Fields []RecordField `json:"fields"`
}

// A RecordField is a field with what is needed to write a value into its bits.
type RecordField struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Start int64  `json:"start"` // the first bit, counted from the lowest of byte 0
	Bits  int64  `json:"bits"`  // of one element
	Step  int64  `json:"step"`  // bits from one element to the next
	Count int64  `json:"count"`
	// Kind is "int", "uint" or "float", or "" for what the page writes no values of.
	Kind string `json:"kind"`
}

// packable lists the records that are small enough for an example value.
func (a *answer) packable(r *layoutcmd.Result) {
	for i, rec := range r.Records {
		size := rec.Layout.Size
		if size < 1 || size > maxExampleBytes {
			continue
		}
		ids := fieldIDs(rec, i)
		out := Record{Name: rec.Name, Size: size, Fields: []RecordField{}}
		for f := range rec.Layout.Fields() {
			if len(out.Fields) == maxExampleFields {
				out.Fields = nil
				break
			}
			if f.Start()+f.Size*8 > size*8 && f.BitWidth == 0 {
				continue // an array without extent has nothing here
			}
			out.Fields = append(out.Fields, fieldOf(&f, cdecl.TypeText(f.Type, rec.Layout.Rules.Lang), ids[f.Path]))
		}
		if len(out.Fields) > 0 {
			a.res.Records = append(a.res.Records, out)
		}
	}
}

func fieldOf(f *layout.Leaf, typ, id string) RecordField {
	out := RecordField{ID: id, Name: f.Path, Type: typ, Start: f.Start(), Bits: f.Size * 8, Count: 1}
	t := layout.Unalias(f.Type)
	for done := false; !done; t = layout.Unalias(t) {
		switch x := t.(type) {
		case *layout.Array:
			out.Count, t = out.Count*max(x.Len, 0), x.Elem
		case *layout.Vector:
			out.Count, t = out.Count*max(x.Len, 0), x.Elem
		default:
			done = true
		}
		if out.Count < 1 || out.Count > maxElements {
			return out
		}
	}
	out.Bits /= out.Count
	out.Step = out.Bits
	if f.BitWidth > 0 {
		out.Bits = f.BitWidth
	}
	if e, ok := t.(*layout.Enum); ok {
		t = layout.Unalias(e.Underlying)
	}
	switch t := t.(type) {
	case *layout.Pointer:
		out.Kind = "uint"
	case layout.Scalar:
		switch {
		case t.Complex || t.Kind == layout.BFloat16 || t.Kind == layout.LongDouble || t.Bits > 0:
		case t.Integer() || t.Kind == layout.Bool:
			out.Kind = map[bool]string{true: "int", false: "uint"}[t.Signed()]
			if t.Kind == layout.Bool && f.BitWidth == 0 {
				out.Bits = 1 // the others are 0
			}
		case t.Kind == layout.Float || t.Kind == layout.Double:
			out.Kind = "float"
		}
	}
	return out
}
