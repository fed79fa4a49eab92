package annotate

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A resolver finds what the indirect calls of functions have in common.
type resolver struct {
	m     *ptx.Module
	t     *abi.Target
	table *resolve.Table
	named map[string]any // prototypes, lists of targets and tables of functions of the module
	own   map[*ptx.Func]*indirect
}

// maxCallees is how many functions are looked through for one: of a function
// that calls more, nothing is said.
const maxCallees = 1000

// indirect are the signatures of a function's indirect calls, and of those of all
// functions of the module that it calls by name, which the assembler may have
// made a part of it.
type indirect struct {
	funcs []*Func // no two of which are placed alike
	// unknown says that there is a call that nothing is known of.
	unknown bool
	callees []*ptx.Func // called by name; of a function's own calls alone
}

func (in *indirect) add(f *Func) {
	for _, have := range in.funcs {
		if !have.placedAs(f) {
			continue
		}
		have.merge(f)
		return
	}
	in.funcs = append(in.funcs, f)
}

// only is the one signature of all indirect calls; nil if there is none or several.
func (in *indirect) only() *Func {
	if in.unknown || len(in.funcs) != 1 {
		return nil
	}
	return in.funcs[0]
}

// placedAs reports whether two signatures put everything at the same place.
func (f *Func) placedAs(g *Func) bool {
	same := func(a, b Formal) bool { return a.Placement == b.Placement }
	return f.Hidden == g.Hidden && f.StackBytes == g.StackBytes &&
		slices.EqualFunc(f.Params, g.Params, same) && slices.EqualFunc(f.Results, g.Results, same)
}

// merge takes the names away that two signatures do not share.
func (f *Func) merge(g *Func) {
	if f.Name != g.Name {
		f.Name = "indirect"
	}
	for _, pair := range []struct {
		a, b []Formal
		name string
	}{{f.Params, g.Params, "arg"}, {f.Results, g.Results, "result"}} {
		for i := range pair.a {
			if pair.a[i].Name != pair.b[i].Name {
				pair.a[i].Name = fmt.Sprint(pair.name, i)
			}
		}
	}
}

// newResolver returns one for a module.
func newResolver(m *ptx.Module, t *abi.Target, table *resolve.Table) *resolver {
	r := &resolver{m: m, t: t, table: table, named: make(map[string]any), own: make(map[*ptx.Func]*indirect)}
	for _, it := range m.Items {
		list(r.named, it)
	}
	return r
}

// list adds a prototype, a list of targets or a table of functions to those that are
// known by name.
func list(named map[string]any, s any) {
	switch s := s.(type) {
	case *ptx.Decl:
		for i := range s.Vars {
			if t := resolve.CallTable(&s.Spec, &s.Vars[i]); t != nil {
				named[t.Name] = t
			}
		}
	case *ptx.Prototype:
		named[s.Name] = s
	case *ptx.TargetList:
		named[s.Name] = s
	}
}

// of returns the indirect calls of a function, and of what it calls by name.
func (r *resolver) of(f *ptx.Func) *indirect {
	out := &indirect{}
	seen := map[*ptx.Func]bool{f: true}
	for work := []*ptx.Func{f}; len(work) > 0; {
		one := r.calls(work[len(work)-1])
		work = work[:len(work)-1]
		out.unknown = out.unknown || one.unknown || len(seen) > maxCallees
		if out.unknown {
			break
		}
		for _, have := range one.funcs {
			out.add(have.clone())
		}
		for _, g := range one.callees {
			if !seen[g] {
				seen[g] = true
				work = append(work, g)
			}
		}
	}
	return out
}

func (f *Func) clone() *Func {
	g := *f
	g.Params, g.Results = slices.Clone(f.Params), slices.Clone(f.Results)
	return &g
}

// calls returns a function's own calls.
func (r *resolver) calls(f *ptx.Func) *indirect {
	if have, ok := r.own[f]; ok {
		return have
	}
	out := &indirect{}
	r.own[f] = out
	inner := make(map[string]any)
	for _, s := range f.Body {
		list(inner, s)
	}
	for _, s := range f.Body {
		c, ok := s.(*ptx.Call)
		if !ok {
			continue
		}
		if callee := r.table.Lookup(c.Callee.Name()); c.Proto.Kind == ptx.KindNone && callee != nil {
			out.callees = append(out.callees, callee.Func)
			continue
		}
		named := inner[c.Proto.Name()]
		if named == nil {
			named = r.named[c.Proto.Name()]
		}
		if one := r.signature(c, named); one != nil {
			out.add(one)
		} else {
			out.unknown = true
		}
	}
	return out
}

// signature is what an indirect call says of its callee, nil if nothing is
// known: by its prototype, or by the first of the list of its targets, which are
// all alike.
func (r *resolver) signature(c *ptx.Call, named any) *Func {
	var of *resolve.Function
	switch named := named.(type) {
	case *ptx.Prototype:
		of = resolve.NewPrototype(nil, named)
	case *ptx.TargetList:
		if len(named.Names) == 0 || r.table.Lookup(named.Names[0].Text) == nil {
			return nil
		}
		of = resolve.NewFunction(nil, r.table.Lookup(named.Names[0].Text).Func)
	default:
		return nil
	}
	a, list := of.Assign(r.t)
	if len(list) > 0 {
		return nil
	}
	out := &Func{
		Name: c.Proto.Name(), Hidden: a.Sret, StackBytes: a.StackBytes,
		Params: formals(of.Params, a.Params), Results: formals(of.Results, a.Results),
	}
	nameless(out.Params, c.Params, "arg")
	nameless(out.Results, c.Results, "result")
	return out
}

// nameless gives formals that a prototype calls _ the names of what the call
// passes.
func nameless(list []Formal, args []ptx.Operand, word string) {
	for i := range list {
		if list[i].Name != "_" && list[i].Name != "" {
			continue
		}
		list[i].Name = fmt.Sprint(word, i)
		if i < len(args) && args[i].Name() != "" && args[i].Name() != "_" {
			list[i].Name = args[i].Name()
		}
	}
}
