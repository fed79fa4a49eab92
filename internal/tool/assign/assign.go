// Package assign writes where the values of functions are: as text, as JSON and as a picture.
package assign

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/images"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A Writer writes functions with their places, one after the other.
type Writer struct {
	To     io.Writer
	Format string                   // "text", "json" or "svg"
	Shown  func(text []byte) []byte // text as it is shown; nil: as it is
	Target *abi.Target
	Table  *resolve.Table // of the module; nil if there is none
	// Explains says that the rules that place each value are written too.
	Explains bool
	// Signature is set where the functions were made of signatures, which say opaque of a handle: of which type is not known.
	Signature bool
	Written   int // functions

	facts map[string]bool    // that those rules use
	drawn []resolve.Assigned // of a picture
}

// Function writes a function, after the head of the result. The rules are those of the function unless there are others.
func (w *Writer) Function(f resolve.Assigned, rules *abi.Explanation) error {
	dst := w.head()
	w.Written++
	why := abi.Explanation{}
	switch {
	case w.Explains && rules != nil:
		why = *rules
	case w.Explains:
		why = f.Explain(w.Target)
	}
	switch w.Format {
	case "svg":
		w.drawn = append(w.drawn, f)
		return nil
	case "json":
		return w.write(w.appendJSON(dst, f, why))
	}
	return w.write(w.appendText(dst, f, why))
}

// head is what stands before a function.
func (w *Writer) head() []byte {
	switch {
	case w.Format == "svg" || w.Written > 0 && w.Format != "json":
		return nil
	case w.Written > 0:
		return []byte(",")
	case w.Format == "json":
		dst := jsonline.Append([]byte(`{"format": "ptxabi.assign/1", "target": `), w.Target.Name)
		if w.Target.AssumedFrom != "" {
			dst = append(dst, `, "assumed": true`...)
		}
		return append(dst, ",\n \"functions\": ["...)
	}
	return AppendTarget(nil, w.Target.Name, w.Target.AssumedFrom)
}

// AppendTarget appends the lines that name a target, of which the facts may be assumed: those of another.
func AppendTarget(dst []byte, name, assumedFrom string) []byte {
	dst = fmt.Appendf(dst, "target %s\n", name)
	if assumedFrom != "" {
		dst = append(dst, prose.Assumed(name, assumedFrom)+"\n"...)
	}
	return dst
}

// write writes whole lines.
func (w *Writer) write(dst []byte) error {
	if w.Format != "json" {
		dst = []byte(diag.PrintableLines(string(dst)))
		if w.Shown != nil {
			dst = w.Shown(dst)
		}
	}
	_, err := w.To.Write(dst)
	return err
}

// End ends a result.
func (w *Writer) End() error {
	var dst []byte
	if w.Written == 0 {
		dst = w.head()
	}
	switch w.Format {
	case "svg":
		_, err := w.To.Write(picture.Page.Assigned(w.Target, w.drawn))
		return err
	case "json":
		return w.write(append(dst, "]}\n"...))
	}
	return w.write(append(dst, w.factLines()...))
}

// appendText appends the table of a function.
func (w *Writer) appendText(dst []byte, f resolve.Assigned, why abi.Explanation) []byte {
	dst = fmt.Appendf(dst, "\n%s %s: line %d", f.Kind(), f.Name, f.Pos.Line)
	switch block := f.Places.Block; {
	case f.Places.Kind == abi.Entry:
		dst = fmt.Appendf(dst, ", %d bytes of parameters from %s", block.Size, abi.ConstAddr{Bank: block.Bank, Off: block.Base})
	case f.Places.StackBytes > 0:
		dst = fmt.Appendf(dst, ", %d bytes of stack", f.Places.StackBytes)
	}
	if f.Aliasee != nil {
		dst = append(dst, ", alias of "+f.Aliasee.Name...)
	}
	if why := f.About(); why != "" {
		dst = append(dst, ", "+why...)
	}
	for _, name := range [...]string{resolve.PreserveName, resolve.PreserveControlName} {
		if n := given(f, name); n != nil {
			dst = fmt.Appendf(dst, ", %s %d", name, *n)
		}
	}
	if f.Directive(".noreturn") != nil {
		dst = append(dst, ", .noreturn"...)
	}
	dst = append(dst, '\n')
	if len(f.Params)+len(f.Results) == 0 {
		return dst
	}
	rows := [][]string{{"", "name", "where", "size", "align", "space", "type"}}
	rows = w.appendRows(rows, "param", f.Params, f.Places.Params)
	rows = w.appendRows(rows, "result", f.Results, f.Places.Results)
	dst = append(dst, display.Table(rows, "  ", 0, 3, 4)...)
	if w.Explains {
		dst = w.appendWhy(dst, f.Params, why.Params)
		dst = w.appendWhy(dst, f.Results, why.Results)
	}
	return dst
}

// appendWhy appends the rules that place each formal, one a line, and notes the facts that they use.
func (w *Writer) appendWhy(dst []byte, formals []ptx.Formal, rules [][]abi.Rule) []byte {
	for i, list := range rules {
		for _, r := range list {
			text := fmt.Sprintf("%s by %s: %s", formals[i].Name, r.Name, r.Text)
			dst = fmt.Appendf(dst, "  %s\n", strings.Join(display.Wrap(text, display.Columns-4), "\n    "))
			for _, name := range r.Facts {
				if w.facts == nil {
					w.facts = make(map[string]bool)
				}
				w.facts[name] = true
			}
		}
	}
	return dst
}

// factLines are the facts that rules use, in the target's order; "" without them.
func (w *Writer) factLines() string {
	text := ""
	for _, f := range w.Target.Facts() {
		if w.facts[f.Name] {
			text += "\n  " + f.String()
		}
	}
	if text != "" {
		text = "\nfacts" + text + "\n"
	}
	return text
}

func (w *Writer) appendRows(rows [][]string, role string, formals []ptx.Formal, places []abi.Placement) [][]string {
	for i := range formals {
		p, place := &formals[i], places[i]
		row := []string{role, p.Name, place.String(), strconv.Itoa(place.Size), strconv.Itoa(place.Align), "." + images.SpaceOf(p), w.typeOf(p, "opaque")}
		if !p.Known() {
			row[3], row[4], row[5] = "", "", p.Space.String()
		}
		rows = append(rows, row)
	}
	return rows
}

// typeOf is the type of a formal; unknown for the handle of a signature.
func (w *Writer) typeOf(p *ptx.Formal, unknown string) string {
	if w.Signature && p.Spec.Type == ptx.TexRef {
		return unknown
	}
	return p.Spec.TypeText()
}

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
		a, errs := c.Assign(t)
		if errs.Err() != nil || len(a.Params) != len(c.Signature.Params) {
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
