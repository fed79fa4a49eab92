package main

import (
	"bytes"
	"strings"

	"github.com/ptxabi/ptxabi/internal/picture"
	"github.com/ptxabi/ptxabi/ptx"
)

// assignSVG draws the functions.
func assignSVG(t target, list []*function) []byte {
	var out []picture.Function
	for _, f := range list {
		out = append(out, picture.Function{
			Name: f.name, Kind: f.kind, Signature: f.declaration(), Line: int(f.pos.Line),
			Params: drawn(f.params), Results: drawn(f.results), Places: f.places, Outside: f.outside(),
		})
	}
	return picture.Assignments(t.Target, out)
}

func drawn(formals []ptx.Formal) []picture.Formal {
	var out []picture.Formal
	for i := range formals {
		out = append(out, picture.Formal{Name: formals[i].Name, Type: typeText(&formals[i])})
	}
	return out
}

// declaration is the function's as PTX text, without its body, linkage and
// directives, on one line.
func (f *function) declaration() string {
	var item ptx.Item = &ptx.Func{
		Entry: f.kind == "entry", Name: f.name, Params: f.params, HasParams: len(f.params) > 0, Results: f.results,
	}
	if f.kind == "prototype" {
		item = &ptx.Prototype{Name: f.name, Params: f.params, HasParams: len(f.params) > 0, Results: f.results}
	}
	text := (&ptx.Module{Items: []ptx.Item{item}}).AppendText(nil)
	return strings.Join(strings.Fields(string(bytes.TrimRight(text, ";\n"))), " ")
}
