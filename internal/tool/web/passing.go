package web

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A function is one of C, with the PTX declaration that nvcc makes of it.
type function struct {
	*cdecl.FuncDecl
	name  string           // in PTX
	ptx   *ptx.Func        // nil if there is none
	why   *diag.Diagnostic // why there is none
	as    *layoutcmd.Declaration
	shown bool
}

// text is the declaration as PTX; "" if there is none.
func (f *function) text() string {
	if f.ptx == nil {
		return ""
	}
	return string(ptx.AppendStmt(nil, f.ptx))
}

// functionsOf declares the functions of a unit in PTX: those that run on the
// device, or all where nothing is said of that.
func functionsOf(r *layoutcmd.Result) []*function {
	unit := r.Unit
	if unit == nil { // of Go
		return nil
	}
	var all []*function
	marked := false
	for _, d := range unit.Funcs {
		marked = marked || d.Kernel || d.Device
	}
	taken := map[string]int{}
	for _, d := range unit.Funcs {
		if d.System || marked && !d.Kernel && !d.Device {
			continue
		}
		f := &function{FuncDecl: d, name: layoutcmd.Identifier(d.Name)}
		if taken[f.name]++; taken[f.name] > 1 {
			f.name = fmt.Sprintf("%s$%d", f.name, taken[f.name]) // an overload; C++ would mangle them all
		}
		if declared, why := r.Declare(d, f.name); why != nil {
			f.why = why
		} else {
			f.ptx, f.as = declared.Func, declared
		}
		all = append(all, f)
	}
	return all
}

// moduleOf is a module of the functions that have a declaration.
func moduleOf(funcs []*function) *ptx.Module {
	m := &ptx.Module{Name: "input.ptx", Version: ptx.Version{Major: 8, Minor: 5}} // large kernel parameters came with 8.1
	for _, f := range funcs {
		if f.ptx != nil {
			m.Items = append(m.Items, f.ptx)
		}
	}
	return m
}

// passing draws where the functions that are no kernels find their parameters,
// and compares the targets for all of them.
func (a *answer) passing(r *layoutcmd.Result, funcs []*function) {
	m := moduleOf(funcs)
	byName := map[string]*function{}
	for _, f := range funcs {
		if f.ptx == nil {
			continue
		}
		byName[f.name] = f
	}
	if len(m.Items) == 0 {
		return
	}
	var chosen, kernels []*resolve.Function
	all := resolve.Functions(m)
	for _, f := range all {
		switch c := byName[f.Name]; {
		case c == nil:
		case c.shown:
			chosen = append(chosen, f)
		case c.Kernel:
			kernels = append(kernels, f)
		}
	}
	a.kernelRules(r, kernels, byName)
	near := a.at(len(chosen), func(i int) uint32 { return byName[chosen[i].Name].Pos.Line })
	shown, list := resolve.AssignAll(a.drawnOf(chosen, near), a.target)
	for _, e := range list {
		a.note("%s", e.Msg)
	}
	if len(shown) > 0 {
		a.picture(a.size().Assigned(a.target, shown))
		a.formals(shown)
		for i, f := range shown {
			a.linkC(i, byName[f.Name])
			a.holds(r, i, byName[f.Name])
		}
	}
	if !a.beside {
		a.groups(m, all)
		if !a.againstProducer() {
			a.compare(m)
		}
	}
}

func (a *answer) linkC(i int, f *function) {
	for j := range f.as.Formals {
		c := f.as.Formals[j].C
		if c >= 0 && c < len(f.Params) && f.Params[c].Name != "" {
			p := f.Params[c]
			a.spanOf(a.text.at(int(p.Pos.Line), int(p.Pos.Col)), p.Name, fmt.Sprintf("f%d.p%d", i, j))
		}
	}
	a.spanOf(a.text.at(int(f.Pos.Line), int(f.Pos.Col)), f.Name[strings.LastIndexByte(f.Name, ':')+1:], fmt.Sprintf("f%d.r0", i))
}
