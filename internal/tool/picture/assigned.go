package picture

import (
	"bytes"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Assigned draws functions of PTX that have their places on t.
func (s Size) Assigned(t *abi.Target, list []resolve.Assigned) []byte {
	var out []Function
	for i := range list {
		f := &list[i]
		out = append(out, Function{
			Name: f.Name, Kind: f.Kind().String(), Signature: declaration(&f.Function), Line: int(f.Pos.Line),
			Params: drawn(f.Params), Results: drawn(f.Results), Places: f.Places, Outside: f.About(),
		})
	}
	return s.Assignments(t, out)
}

func drawn(formals []ptx.Formal) []Formal {
	var out []Formal
	for i := range formals {
		out = append(out, Formal{Name: formals[i].Name, Type: formals[i].Spec.TypeText() + prose.Extents(formals[i].Dims)})
	}
	return out
}

// declaration is the function's as PTX text, without its body, linkage and
// directives, on one line.
func declaration(f *resolve.Function) string {
	var item ptx.Item = &ptx.Func{
		Entry: f.Kind() == resolve.Entry, Name: f.Name, Params: f.Params, HasParams: len(f.Params) > 0, Results: f.Results,
	}
	if f.Kind() == resolve.Prototype {
		item = &ptx.Prototype{Name: f.Name, Params: f.Params, HasParams: len(f.Params) > 0, Results: f.Results}
	}
	text := (&ptx.Module{Items: []ptx.Item{item}}).AppendText(nil)
	return strings.Join(strings.Fields(string(bytes.TrimRight(text, ";\n"))), " ")
}
