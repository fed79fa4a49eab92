package assigncmd

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/picture"
	"github.com/ptxabi/ptxabi/ptx"
)

// SVG draws functions that have their places on t.
func SVG(size picture.Size, t *abi.Target, list []*Function) []byte {
	var out []picture.Function
	for _, f := range list {
		out = append(out, picture.Function{
			Name: f.Name, Kind: f.Kind, Signature: f.declaration(), Line: int(f.Pos.Line),
			Params: drawn(f.Params), Results: drawn(f.Results), Places: f.Places, Outside: f.Outside(),
		})
	}
	return size.Assignments(t, out)
}

func drawn(formals []ptx.Formal) []picture.Formal {
	var out []picture.Formal
	for i := range formals {
		out = append(out, picture.Formal{Name: formals[i].Name, Type: fullType(&formals[i])})
	}
	return out
}

// fullType is a formal's type with the extents of an array: ".b8[12]", ".b8[]".
func fullType(f *ptx.Formal) string {
	text := TypeText(f)
	for _, n := range f.Dims {
		if n == ptx.NoExtent {
			text += "[]"
			continue
		}
		text += fmt.Sprintf("[%d]", n)
	}
	return text
}

// declaration is the function's as PTX text, without its body, linkage and
// directives, on one line.
func (f *Function) declaration() string {
	var item ptx.Item = &ptx.Func{
		Entry: f.Kind == "entry", Name: f.Name, Params: f.Params, HasParams: len(f.Params) > 0, Results: f.Results,
	}
	if f.Kind == "prototype" {
		item = &ptx.Prototype{Name: f.Name, Params: f.Params, HasParams: len(f.Params) > 0, Results: f.Results}
	}
	text := (&ptx.Module{Items: []ptx.Item{item}}).AppendText(nil)
	return strings.Join(strings.Fields(string(bytes.TrimRight(text, ";\n"))), " ")
}
