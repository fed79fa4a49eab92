package verify

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
)

// Mismatch is the code of a difference between a compiled file and its source.
const Mismatch diag.Code = "KernelMismatch"

// Diagnostics are the differences of reports, each at the line of the source, if it stands in one, with the
// line of PTX that was compared, where that is a file of its own. Name is what messages call a symbol.
func Diagnostics(reports []*Report, name func(symbol string) string) diag.List {
	var list diag.List
	for _, r := range reports {
		add := func(line, ptxLine int, format string, args ...any) {
			d := &diag.Diagnostic{File: r.Source, Code: Mismatch, Msg: r.Cubin + ": " + fmt.Sprintf(format, args...)}
			ownFile := r.Kind != "" && r.Image == 0
			switch {
			case line > 0:
				d.Pos = diag.Pos{Line: uint32(line), Col: 1}
				if ownFile && ptxLine > 0 {
					d.Related = []diag.Related{{File: r.Cubin, Pos: diag.Pos{Line: uint32(ptxLine), Col: 1}, Msg: "in the PTX"}}
				}
			case ownFile && ptxLine > 0:
				d.File, d.Pos = r.Cubin, diag.Pos{Line: uint32(ptxLine), Col: 1}
			}
			list.Add(d)
		}
		for _, g := range r.General {
			add(0, 0, "%s", g)
		}
		for i := range r.Kernels {
			k := &r.Kernels[i]
			for _, d := range k.Differences {
				add(cmp.Or(d.Line, k.Line), cmp.Or(d.PTXLine, k.PTXLine), "kernel %s: %s", name(k.Name), d.Msg)
			}
		}
		for i := range r.Functions {
			line := 0
			if r.ptx != nil {
				line = r.ptx.lines[r.Functions[i].Name]
			}
			for _, d := range r.Functions[i].Differences {
				add(r.Functions[i].Line, line, "function %s: %s", name(r.Functions[i].Name), d.Msg)
			}
		}
	}
	return list
}

// lacks is what is unknown of a parameter, or of a field.
func (k *Kernel) lacks(name string) string {
	if k.Source != nil && !slices.ContainsFunc(k.Source.Params, func(p Param) bool { return p.label() == name }) {
		return "kind"
	}
	return "inside"
}

// Settle takes from reports of one file what another of them knows: a cubin says nothing of what is inside of
// a parameter, and PTX beside it may. What stays unknown is a difference if strict is set, and so is a kernel that
// is not compared, whose status stays.
func Settle(reports []*Report, strict bool) {
	type param struct{ kernel, name string }
	known := make(map[param]bool)
	for _, r := range reports {
		for i := range r.Kernels {
			k := &r.Kernels[i]
			if r.ptx == nil || k.Source == nil || k.Cubin == nil {
				continue
			}
			for j := range k.Source.Params {
				if p := &k.Source.Params[j]; len(p.Fields) > 0 && !slices.Contains(k.Unknown, p.label()) {
					known[param{k.Name, p.label()}] = true
				}
			}
		}
	}
	for _, r := range reports {
		for i := range r.Kernels {
			k := &r.Kernels[i]
			k.Unknown = slices.DeleteFunc(k.Unknown, func(name string) bool { return known[param{k.Name, name}] })
			if !strict {
				continue
			}
			if k.Status == NotCompared {
				k.Differences = append(k.Differences, Difference{What: "kernel", Param: -1, Msg: "not compared, " + k.Note})
			}
			for _, name := range k.Unknown {
				k.Status = Differs
				k.Differences = append(k.Differences, Difference{What: "inside", Param: -1, Msg: fmt.Sprintf("the %s of %s is unknown", k.lacks(name), name)})
			}
		}
	}
}
