package web

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cdecl"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A function is one of C, with the PTX declaration that nvcc makes of it.
type function struct {
	*cdecl.FuncDecl
	name   string // in PTX
	text   string
	why    string // text is "": why there is none
	params []int  // of C, by the index of the parameter in PTX; -1 for one that C does not name
	shown  bool
}

// functionsOf declares the functions of a unit in PTX: those that run on the
// device, or all where nothing is said of that.
func functionsOf(unit *cdecl.Unit, rules layout.Rules) []*function {
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
		f := &function{FuncDecl: d, name: identifier(d.Name)}
		if taken[f.name]++; taken[f.name] > 1 {
			f.name = fmt.Sprintf("%s$%d", f.name, taken[f.name]) // an overload; C++ would mangle them all
		}
		f.declare(rules)
		all = append(all, f)
	}
	return all
}

// identifier makes a name that PTX can have of a qualified C++ one.
func identifier(name string) string {
	return strings.Map(func(c rune) rune {
		if c < 0x80 && isWord(byte(c)) && c != '.' && c != '%' {
			return c
		}
		return '_'
	}, strings.ReplaceAll(name, "::", "_"))
}

// declare writes the declaration.
func (f *function) declare(rules layout.Rules) {
	if f.Variadic {
		f.why = "it takes any number of arguments"
		return
	}
	param, result := layout.Argument, layout.Result
	if f.Kernel {
		param = layout.KernelArgument
	}
	var args []string
	head := ".visible .entry "
	if !f.Kernel {
		head = ".visible .func "
		p, ok := f.formal(f.Result, rules, result, "result")
		switch {
		case !ok:
			return
		case p.Indirect:
			args, f.params = append(args, p.String()), append(f.params, -1)
		case p.Bytes != 0 && p.Type != "":
			head += "(" + p.String() + ") "
		}
	}
	for i, c := range f.Params {
		name := identifier(c.Name)
		if name == "" {
			name = fmt.Sprintf("%s_param_%d", f.name, i)
		}
		p, ok := f.formal(c.Type, rules, param, name)
		if !ok {
			return
		}
		args, f.params = append(args, p.String()), append(f.params, i)
	}
	f.text = head + f.name + " (" + strings.Join(args, ", ") + ");"
}

// formal declares one parameter or result; the zero Param is that of void.
func (f *function) formal(t layout.Type, rules layout.Rules, role layout.Role, name string) (p layout.Param, ok bool) {
	if s, void := layout.Unalias(t).(layout.Scalar); t == nil || void && s.Kind == layout.Void {
		return layout.Param{}, true
	}
	own := rules.NVCC()
	if _, record := layout.Unalias(t).(*layout.Record); !record {
		own.LongDouble = rules.LongDouble
	}
	l, err := layout.Of(t, own)
	if err == nil {
		p = l.ParamOf(layout.NVCC, role, name)
		if p.Bytes >= 0 && p.Bytes < l.Size {
			err = errLongDouble
		}
	}
	if err != nil {
		f.why = fmt.Sprintf("%s: %v", name, err)
		return p, false
	}
	return p, true
}

// passing draws where the functions that are no kernels find their parameters,
// and compares the targets for all of them.
func (a *answer) passing(funcs []*function) {
	var b strings.Builder
	b.WriteString(".version 8.5\n") // large kernel parameters came with 8.1
	byName := map[string]*function{}
	declared := 0
	for _, f := range funcs {
		if f.text == "" {
			a.note("%s has no picture: %s", f.Name, f.why)
			continue
		}
		declared++
		byName[f.name] = f
		b.WriteString(f.text + "\n")
	}
	if declared == 0 {
		return
	}
	m, err := ptx.Parse("input.ptx", []byte(b.String()))
	if err != nil {
		a.note("no picture of the functions: %v", err)
		return
	}
	var chosen []*resolve.Function
	all := resolve.Functions(m)
	for _, f := range all {
		if c := byName[f.Name]; c != nil && c.shown {
			f.Pos.Line = c.Pos.Line
			chosen = append(chosen, f)
		}
	}
	shown, list := resolve.AssignAll(cut(a, chosen, "functions"), a.target)
	for _, e := range list {
		a.note("%s", e.Msg)
	}
	if len(shown) > 0 {
		a.picture(a.size().Assigned(a.target, shown))
		a.formals(shown)
		for i, f := range shown {
			a.linkC(i, byName[f.Name])
		}
	}
	a.groups(m, all)
	a.compare(m)
}

func (a *answer) linkC(i int, f *function) {
	for j, c := range f.params {
		if c >= 0 && f.Params[c].Name != "" {
			p := f.Params[c]
			a.spanOf(a.text.at(int(p.Pos.Line), int(p.Pos.Col)), p.Name, fmt.Sprintf("f%d.p%d", i, j))
		}
	}
	a.spanOf(a.text.at(int(f.Pos.Line), int(f.Pos.Col)), lastName(f.Name), fmt.Sprintf("f%d.r0", i))
}

// lastName is a name without its qualifiers.
func lastName(name string) string {
	if i := strings.LastIndex(name, "::"); i >= 0 {
		return name[i+2:]
	}
	return name
}
