package web

import (
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
)

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
