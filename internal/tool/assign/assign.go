// Package assign writes where the values of functions are, as text and as JSON.
package assign

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/tool/images"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Writer writes functions with their places.
type Writer struct {
	Target   *abi.Target
	Table    *resolve.Table // of the module; nil if there is none
	Explains bool           // the rules that place each value are written too
	// Signature is set where the functions were made of signatures, which say opaque of a handle: of which type is not known.
	Signature bool

	facts map[string]bool // that those rules use
}

// AppendText appends the table of a function.
func (w *Writer) AppendText(dst []byte, f resolve.Assigned, why abi.Explanation) []byte {
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
		if p := resolve.Preserve(f.Directive(name)); p.N >= 0 && p.Given {
			dst = fmt.Appendf(dst, ", %s %d", name, p.N)
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

// Facts are those that rules use, in the target's order; "" without -why.
func (w *Writer) Facts() string {
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
		if p.Opaque() {
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
