package assign

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/tool/images"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The form of assign -format json. Fields are added to it and never taken away;
// docs/schemas/assign.schema.json describes it.
type (
	assignedHead struct {
		Name            string `json:"name"`
		Kind            string `json:"kind"`
		Line            uint32 `json:"line"`
		Alias           string `json:"alias,omitempty"`
		Preserve        *int   `json:"abiPreserve,omitempty"`
		PreserveControl *int   `json:"abiPreserveControl,omitempty"`
		NoReturn        bool   `json:"noreturn,omitempty"`
		Outside         string `json:"outside,omitempty"`
	}
	assignedTail struct {
		StackBytes int           `json:"stackBytes"`
		Block      *images.Block `json:"block,omitempty"`
		Sret       sass.Reg      `json:"sret,omitempty"`
	}
	assignedPlace struct {
		Size     int             `json:"size"`
		Location images.Location `json:"location"`
	}
	assignedCall struct {
		Line       int             `json:"line"`
		Callee     string          `json:"callee"`
		Like       string          `json:"like,omitempty"`
		Args       []assignedPlace `json:"args"`
		Returns    []assignedPlace `json:"returns"`
		StackBytes int             `json:"stackBytes"`
		Sret       sass.Reg        `json:"sret,omitempty"`
	}
)

// appendFields appends the fields of an object.
func appendFields(dst []byte, v any) []byte {
	text := jsonline.Append(nil, v)
	return append(dst, text[1:len(text)-1]...)
}

// appendJSON appends a function, a parameter a line.
func (w *Writer) appendJSON(dst []byte, f resolve.Assigned, why abi.Explanation) []byte {
	head := assignedHead{
		Name: f.Name, Kind: f.Kind().String(), Line: f.Pos.Line, Preserve: given(f, resolve.PreserveName), PreserveControl: given(f, resolve.PreserveControlName),
		NoReturn: f.Directive(".noreturn") != nil, Outside: f.Outside(),
	}
	if f.Aliasee != nil {
		head.Alias = f.Aliasee.Name
	}
	tail := assignedTail{StackBytes: f.Places.StackBytes, Sret: sretOf(&f.Places)}
	if block := f.Places.Block; f.Kind() == resolve.Entry {
		tail.Block = &images.Block{Base: block.Base, Size: block.Size}
	}
	dst = appendFields(append(dst, "\n  {"...), head)
	dst = append(dst, ",\n   \"params\": ["...)
	dst = w.appendPlaces(dst, f.Params, f.Places.Params, f.Places.Block.Base, why.Params)
	dst = append(dst, "],\n   \"returns\": ["...)
	dst = w.appendPlaces(dst, f.Results, f.Places.Results, 0, why.Results)
	dst = appendFields(append(dst, "],\n   "...), tail)
	if w.Table != nil && f.Decl != nil && f.Decl.HasBody && f.Aliasee == nil {
		dst = appendCalls(dst, w.Table.Calls(f.Decl), w.Target)
	}
	return append(dst, '}')
}

// sretOf is the register with the address of a result in memory; 0: there is none.
func sretOf(a *abi.Assignment) sass.Reg {
	if a.Sret.Kind != abi.InReg {
		return 0
	}
	return a.Sret.Reg
}

// given is the number of a directive; nil without it.
func given(f resolve.Assigned, directive string) *int {
	if p := resolve.Preserve(f.Directive(directive)); p.N >= 0 && p.Given {
		return &p.N
	}
	return nil
}

// appendCalls appends the calls in a body, one a line: those with places.
func appendCalls(dst []byte, calls []resolve.CallSite, t *abi.Target) []byte {
	before := ",\n   \"calls\": ["
	for _, c := range calls {
		if c.Err != nil {
			continue
		}
		var a abi.Assignment
		if errs := c.Callee.AssignTo(&a, c.Signature, t); errs.Err() != nil || len(a.Params) != len(c.Signature.Params) {
			continue
		}
		one := assignedCall{Line: int(c.Call.Pos.Line), Callee: c.Call.Callee.Text, Args: locations(a.Params), Returns: locations(a.Results), StackBytes: a.StackBytes, Sret: sretOf(&a)}
		if c.Callee.Name != one.Callee {
			one.Like = c.Callee.Name
		}
		dst = append(append(dst, before...), "\n    "...)
		dst, before = jsonline.Append(dst, one), ","
	}
	if before == "," {
		dst = append(dst, ']')
	}
	return dst
}

func locations(list []abi.Placement) []assignedPlace {
	out := make([]assignedPlace, len(list))
	for i, p := range list {
		out[i] = assignedPlace{p.Size, images.LocationOf(p.Loc)}
	}
	return out
}

// appendPlaces appends parameters or results; base is where the block of a kernel begins.
func (w *Writer) appendPlaces(dst []byte, formals []ptx.Formal, places []abi.Placement, base int, why [][]abi.Rule) []byte {
	for i := range formals {
		if i > 0 {
			dst = append(dst, ',')
		}
		v := images.ValueOf(&formals[i], places[i], base)
		v.Type = w.typeOf(&formals[i], "")
		if i < len(why) {
			for _, r := range why[i] {
				v.Why = append(v.Why, images.Rule(r))
			}
		}
		dst = jsonline.Append(append(dst, "\n    "...), v)
	}
	return dst
}
