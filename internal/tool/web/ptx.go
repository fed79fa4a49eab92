package web

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/tool/diff"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// undefined is the code of functions that are declared and not defined, which a
// signature on its own always is.
const undefined = "UndefinedFunction"

// ptx answers about a PTX module, or signatures on their own.
func (a *answer) ptx() {
	m, list := parse(a.req.Text)
	a.report(list)
	a.res.Own = m.Target
	if !a.choose(m) {
		return
	}
	read := half.Of(m, list)
	all := resolve.Functions(read.Heads)
	if a.res.Broken = list.Err() != nil && len(all) == 0; a.res.Broken {
		return
	}
	diagnostics := check.Module(m, check.Options{Compile: true})
	if m.Version == (ptx.Version{}) && m.Target == "" {
		diagnostics = slices.DeleteFunc(diagnostics, func(d *diag.Diagnostic) bool { return d.Code == undefined })
	}
	a.report(diagnostics)

	near := a.at(len(all), func(i int) uint32 { return all[i].Pos.Line })
	if a.req.Part && a.req.Only == "" && len(all) > 0 {
		a.res.Part = all[near].Name
		a.req.Only = a.res.Part
	}
	shown, placed := resolve.AssignAll(a.only(all, near), a.target)
	a.report(placed)
	if len(shown) > 0 {
		a.picture(a.size().Assigned(a.target, shown))
	}
	a.formals(shown)
	a.packsOf(shown)
	if list.Err() != nil {
		a.half("function", len(all), len(read.Lost))
	}
	read.Drop(diagnostics)
	a.lower(read, diagnostics, a.link(read.Heads, shown))
	if !a.beside && a.res.Part == "" {
		a.groups(read.Heads, all)
		a.compare(read.Heads)
	}
	a.finish()
}

// parse reads a module. A signature may do without the semicolon that makes it
// a declaration.
func parse(src string) (*ptx.Module, diag.List) {
	m, err := ptx.Parse("input.ptx", []byte(src))
	if err != nil && strings.HasSuffix(strings.TrimSpace(src), ")") {
		if m2, err2 := ptx.Parse("input.ptx", []byte(src+";")); err2 == nil {
			return m2, nil
		}
	}
	return m, listOf(err)
}

// choose settles the target, and reports whether there is one.
func (a *answer) choose(m *ptx.Module) bool {
	name := a.req.Target
	if name == "" && m.Target == "" {
		name = defaultTarget
	}
	t, note, err := resolve.Target(m, name, false)
	if note != nil {
		a.report(diag.List{note})
	}
	if err != nil {
		a.res.Refused = reason(err)
		a.report(diag.List{{Pos: m.TargetPos, Code: "BadTarget", Msg: err.Error()}})
		if t, _, err = resolve.Target(m, "", false); err != nil {
			t, err = abi.Lookup(defaultTarget)
		}
		if a.beside || err != nil {
			return false
		}
		a.res.Instead = true // what is shown is half an answer
	}
	a.facts(t)
	return true
}

// only returns the functions to show: where that are too many, those from near on.
func (a *answer) only(all []*resolve.Function, near int) []*resolve.Function {
	shown, choices := all, make([]choice, len(all))
	for i, f := range all {
		choices[i] = choice{f.Name, int(f.Pos.Line)}
	}
	a.choices(choices)
	if a.req.Only != "" {
		shown, near = nil, 0
		for _, f := range all {
			if f.Name == a.req.Only {
				shown = append(shown, f)
			}
		}
	}
	return a.drawnOf(shown, near)
}

// formals lists the parameters and results of functions.
func (a *answer) formals(list []resolve.Assigned) {
	for i := range list {
		f := &list[i]
		why := f.Explain(a.target)
		add := func(role, letter string, formals []ptx.Formal, places []abi.Placement, rules [][]abi.Rule) {
			for j := range places {
				if j >= len(formals) {
					return
				}
				p := places[j]
				name := formals[j].Name
				if name == "" || name == "_" {
					name = fmt.Sprintf("%s %d", role, j)
				}
				a.value(Value{
					ID: fmt.Sprintf("f%d.%s%d", i, letter, j), Of: f.Name, Role: role, Name: name,
					Type: formals[j].Spec.TypeText(), Size: strconv.Itoa(p.Size), Align: strconv.Itoa(p.Align), Where: p.String(),
					Rules: rulesAt(rules, j),
				})
			}
		}
		add("parameter", "p", f.Params, f.Places.Params, why.Params)
		add("result", "r", f.Results, f.Places.Results, why.Results)
		if h := f.Places.Sret; h.Kind == abi.InReg {
			a.value(Value{
				ID: fmt.Sprintf("f%d.h", i), Of: f.Name, Role: "address", Name: "&" + f.Results[0].Name,
				Type: "address of the result", Size: "4", Align: "4", Where: h.String(), Rules: rulesAt([][]abi.Rule{why.Sret}, 0),
			})
		}
	}
}

// lower lists the module as pseudo-SASS: of one with errors, what these leave.
func (a *answer) lower(read *half.Module, wrong diag.List, names *names) {
	a.res.Listing.Title = "Pseudo-SASS"
	opts := lower.Options{}
	for _, it := range read.Heads.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody && f.Name == a.req.Only {
			opts.Func = f.Name
		}
	}
	if a.req.Only != "" && opts.Func == "" {
		a.res.Listing.Missing = brief(a.req.Only + " has no body here")
		return
	}
	var more diag.List
	opts.Diags = &more
	prog, err := lower.Module(read.Sound, a.target, opts)
	list := listOf(err)
	for ; list != nil && len(read.Open)+len(read.Lost) > 0 && read.Drop(list); list = listOf(err) { // of what calls something that is left out
		more = nil
		prog, err = lower.Module(read.Sound, a.target, opts)
	}
	switch {
	case list != nil:
		if wrong.Err() == nil && a.res.Half == nil {
			a.report(list)
		}
		a.res.Listing.Missing = "a module with errors is not lowered"
		return
	case err != nil:
		a.res.Listing.Missing = reason(err)
		return
	case opts.Func != "" && slices.Contains(read.Open, opts.Func):
		a.res.Listing.Missing = brief(opts.Func + " has errors, or calls a function that has: it is not lowered")
		return
	case len(prog.Funcs) == 0 && len(read.Open) > 0:
		a.res.Listing.Missing = "no body is without errors"
		return
	case len(prog.Funcs) == 0:
		a.res.Listing.Missing = "nothing here has a body"
		return
	}
	if n := len(read.Open); n > 0 {
		a.note("not listed, because of errors in %s: %s", map[bool]string{true: "it or in what it calls", false: "them or in what they call"}[n == 1], strings.Join(read.Open[:min(n, 20)], ", "))
	}
	a.report(more)
	a.listing(prog, names)
	a.walks(prog, names)
}

// listOf are the errors that an error is; nil if it is another.
func listOf(err error) diag.List {
	var list diag.List
	errors.As(err, &list)
	return list
}

// groups says on which targets everything lies alike.
func (a *answer) groups(m *ptx.Module, all []*resolve.Function) {
	formals := 0
	for _, f := range all {
		formals += 1 + len(f.Params) + len(f.Results)
	}
	if formals > maxGrouped {
		a.note("targets are compared with all others for up to %d functions and formals; here are %d", maxGrouped, formals)
		return
	}
	own, err := resolve.ParseArch(m.Target)
	var targets []*abi.Target
	refused := Group{Targets: []string{}}
	for _, t := range abi.Targets() {
		if m.Target != "" && err == nil {
			if why := own.RunsOn(resolve.ArchOf(t)); why != nil {
				refused.Targets, refused.Refused = append(refused.Targets, t.Name), "the module does not run there: its .target is "+own.Name
				continue
			}
		}
		targets = append(targets, t)
	}
	if refused.Refused != "" {
		a.res.Groups = append(a.res.Groups, refused)
	}
	for _, g := range diff.NewMatrix(m, targets).Groups {
		a.res.Groups = append(a.res.Groups, Group{g.Targets, g.Refused})
	}
}
