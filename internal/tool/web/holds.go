package web

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Hold says that bytes of a value that is passed are a field of its type.
type Hold struct {
	ID    string `json:"id"`    // of what is passed
	First int64  `json:"first"` // its bytes
	End   int64  `json:"end"`
	Of    string `json:"of"` // the field
}

// maxHolds is how many fields of parameters are looked at.
const maxHolds = 4000

// holds links the bytes of the i-th function's parameters and result to the fields of
// the records that they are.
func (a *answer) holds(r *layoutcmd.Result, i int, f *function) {
	for j := range f.as.Formals {
		if p := &f.as.Formals[j]; p.Layout != nil && !p.Indirect && p.C >= 0 {
			a.hold(r, fmt.Sprintf("f%d.p%d", i, j), p.Layout)
		}
	}
	if p := &f.as.Result; p.Layout != nil && !p.Indirect {
		a.hold(r, fmt.Sprintf("f%d.r0", i), p.Layout)
	}
}

// hold links the bytes of a value to the fields of the record that it is, where that
// is drawn and lies as it is drawn.
func (a *answer) hold(r *layoutcmd.Result, id string, l *layout.Layout) {
	rec := layout.Unalias(l.Type)
	for i, drawn := range r.Records {
		if layout.Unalias(drawn.Layout.Type) != rec || drawn.Layout.Size != l.Size {
			continue
		}
		for n, f := range numbered(drawn.Layout) {
			if len(a.res.Holds) == maxHolds {
				return
			}
			first, end := f.Offset, f.Offset+f.Size
			if f.BitWidth > 0 {
				first, end = f.Start()/8, (f.Start()+f.BitWidth+7)/8
			}
			if end > first {
				a.res.Holds = append(a.res.Holds, Hold{id, first, end, fmt.Sprintf("t%d.f%d", i, n)})
			}
		}
		return
	}
}

// kernelRules adds to the parameters of kernels, which are drawn field by field, the
// rules that put them where they are, and links their fields to those of their types.
func (a *answer) kernelRules(r *layoutcmd.Result, list []*resolve.Function, byName map[string]*function) {
	shown, _ := resolve.AssignAll(list, a.target)
	for i := range shown {
		f := byName[shown[i].Name]
		for k, kernel := range r.Kernels {
			if kernel.Name != f.Name || kernel.Pos != f.Pos || len(kernel.Params) != len(f.as.Formals) || shown[i].Places.Kind != abi.Entry {
				continue
			}
			why := shown[i].Explain(a.target)
			for j, p := range kernel.Params {
				own := fmt.Sprintf("k%d.p%d", k, j)
				for v := range a.res.Values {
					if strings.HasPrefix(a.res.Values[v].ID, own+".") {
						a.res.Values[v].Rules = rulesAt(why.Params, j)
					}
				}
				before := len(a.res.Holds)
				a.hold(r, own, p.Layout)
				for h := range a.res.Holds[before:] { // each field is a value of its own here
					one := &a.res.Holds[before+h]
					one.ID += one.Of[strings.IndexByte(one.Of, '.'):]
					one.First, one.End = 0, one.End-one.First
				}
			}
		}
	}
}
