package assign

import (
	"fmt"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/tool/images"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// The form of assign -format json. Fields are added to it and never taken away;
// docs/schemas/assign.schema.json describes it.
type (
	assignedParam struct {
		Name     string          `json:"name"`
		Space    string          `json:"space"`
		Type     string          `json:"type"`
		Size     int             `json:"size"`
		Align    int             `json:"align"`
		Offset   *int            `json:"offset,omitempty"` // of a kernel's parameter, from the beginning of its block
		Location images.Location `json:"location"`
		Why      []assignedRule  `json:"why,omitempty"`
	}
	assignedRule struct {
		Name  string   `json:"rule"`
		Text  string   `json:"text"`
		Facts []string `json:"facts"`
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
		Sret       int             `json:"sret,omitempty"`
	}
)

// JSONHead is what stands before the functions.
func (w *Writer) JSONHead() []byte {
	dst := jsonline.Append([]byte(`{"format": "ptxabi.assign/1", "target": `), w.Target.Name)
	if w.Target.AssumedFrom != "" {
		dst = append(dst, `, "assumed": true`...)
	}
	return append(dst, ",\n \"functions\": ["...)
}

// AppendJSON appends a function, a parameter a line.
func (w *Writer) AppendJSON(dst []byte, f resolve.Assigned, why abi.Explanation) []byte {
	dst = append(dst, "\n  {\"name\": "...)
	dst = jsonline.Append(dst, f.Name)
	dst = append(dst, `, "kind": `...)
	dst = jsonline.Append(dst, f.Kind().String())
	dst = append(dst, `, "line": `...)
	dst = strconv.AppendUint(dst, uint64(f.Pos.Line), 10)
	if f.Aliasee != nil {
		dst = append(dst, `, "alias": `...)
		dst = jsonline.Append(dst, f.Aliasee.Name)
	}
	if p := resolve.Preserve(f.Directive(resolve.PreserveName)); p.N >= 0 && p.Given {
		dst = fmt.Appendf(dst, `, "abiPreserve": %d`, p.N)
	}
	if p := resolve.Preserve(f.Directive(resolve.PreserveControlName)); p.N >= 0 && p.Given {
		dst = fmt.Appendf(dst, `, "abiPreserveControl": %d`, p.N)
	}
	if f.Directive(".noreturn") != nil {
		dst = append(dst, `, "noreturn": true`...)
	}
	if reason := f.Outside(); reason != "" {
		dst = append(dst, `, "outside": `...)
		dst = jsonline.Append(dst, reason)
	}
	dst = append(dst, ",\n   \"params\": ["...)
	dst = w.appendPlaces(dst, f.Params, f.Places.Params, f.Places.Block.Base, why.Params)
	dst = append(dst, "],\n   \"returns\": ["...)
	dst = w.appendPlaces(dst, f.Results, f.Places.Results, 0, why.Results)
	dst = append(dst, "],\n   \"stackBytes\": "...)
	dst = strconv.AppendInt(dst, int64(f.Places.StackBytes), 10)
	if f.Kind() == resolve.Entry {
		dst = append(dst, `, "block": `...)
		dst = jsonline.Append(dst, images.Block{Base: f.Places.Block.Base, Size: f.Places.Block.Size})
	}
	dst = appendSret(dst, &f.Places)
	if w.Table != nil && f.Decl != nil && f.Decl.HasBody && f.Aliasee == nil {
		dst = appendCalls(dst, w.Table.Calls(f.Decl), w.Target)
	}
	return append(dst, '}')
}

// appendSret appends the register with the address of a result in memory.
func appendSret(dst []byte, a *abi.Assignment) []byte {
	if a.Sret.Kind == abi.InReg {
		dst = fmt.Appendf(dst, `, "sret": %d`, a.Sret.Reg)
	}
	return dst
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
		one := assignedCall{Line: int(c.Call.Pos.Line), Callee: c.Call.Callee.Text, Args: locations(a.Params), Returns: locations(a.Results), StackBytes: a.StackBytes}
		if c.Callee.Name != one.Callee {
			one.Like = c.Callee.Name
		}
		if a.Sret.Kind == abi.InReg {
			one.Sret = int(a.Sret.Reg)
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
		p, place := &formals[i], places[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, "\n    "...)
		var rules []assignedRule
		if i < len(why) {
			for _, r := range why[i] {
				rules = append(rules, assignedRule(r))
			}
		}
		var offset *int
		if place.Loc.Kind == abi.InConst {
			offset = new(place.Loc.Off - base)
		}
		dst = jsonline.Append(dst, assignedParam{
			Name: p.Name, Space: images.SpaceOf(p), Type: w.typeOf(p, ""),
			Size: place.Size, Align: place.Align, Offset: offset, Location: images.LocationOf(place.Loc), Why: rules,
		})
	}
	return dst
}
