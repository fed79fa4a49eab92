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
	of    map[*ptx.Func]*indirect
}

// indirect is the signature of a function's indirect calls, and of those of all
// functions of the module that it calls by name, which the assembler may have
// made a part of it.
type indirect struct {
	only *Func // nil for none
	// unknown says that there is a call that nothing is known of, or that two are not placed alike.
	unknown bool
}

// add adds what calls are, and reports whether that was not known yet.
func (in *indirect) add(f *Func, unknown bool) bool {
	switch {
	case in.unknown:
		return false
	case unknown || f != nil && in.only != nil && !in.only.placedAs(f):
		in.only, in.unknown = nil, true
		return true
	case f == nil:
		return false
	case in.only == nil:
		in.only = f.clone()
		return true
	}
	return in.only.merge(f)
}

// placedAs reports whether two signatures put everything at the same place.
func (f *Func) placedAs(g *Func) bool {
	same := func(a, b Formal) bool { return a.Placement == b.Placement }
	return f.Hidden == g.Hidden && f.StackBytes == g.StackBytes &&
		slices.EqualFunc(f.Params, g.Params, same) && slices.EqualFunc(f.Results, g.Results, same)
}

// merge takes the names away that two signatures do not share, and reports whether there are any.
func (f *Func) merge(g *Func) (changed bool) {
	forget := func(have *string, other, word string) {
		if *have != other && *have != word {
			*have, changed = word, true
		}
	}
	forget(&f.Name, g.Name, "indirect")
	for _, pair := range []struct {
		a, b []Formal
		name string
	}{{f.Params, g.Params, "arg"}, {f.Results, g.Results, "result"}} {
		for i := range pair.a {
			forget(&pair.a[i].Name, pair.b[i].Name, fmt.Sprint(pair.name, i))
		}
	}
	return changed
}

// newResolver returns one for a module: what is known of a function is passed on to its callers until nothing is new.
func newResolver(m *ptx.Module, t *abi.Target, table *resolve.Table) *resolver {
	r := &resolver{m: m, t: t, table: table, named: make(map[string]any), of: make(map[*ptx.Func]*indirect)}
	for _, it := range m.Items {
		list(r.named, it)
	}
	callers := make(map[*ptx.Func][]*ptx.Func)
	var work []*ptx.Func
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok {
			r.of[f] = &indirect{}
			r.calls(f, callers)
			work = append(work, f)
		}
	}
	for len(work) > 0 {
		callee := r.of[work[len(work)-1]]
		list := callers[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, f := range list {
			if r.of[f].add(callee.only, callee.unknown) {
				work = append(work, f)
			}
		}
	}
	return r
}

// only is the one signature of all indirect calls of a function; nil if there is none or several.
func (r *resolver) only(f *ptx.Func) *Func {
	if in := r.of[f]; in != nil {
		return in.only
	}
	return nil
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

func (f *Func) clone() *Func {
	g := *f
	g.Params, g.Results = slices.Clone(f.Params), slices.Clone(f.Results)
	return &g
}

// calls adds a function's own calls, and it to the callers of what it calls by name.
func (r *resolver) calls(f *ptx.Func, callers map[*ptx.Func][]*ptx.Func) {
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
			callers[callee.Func] = append(callers[callee.Func], f)
			continue
		}
		named := inner[c.Proto.Name()]
		if named == nil {
			named = r.named[c.Proto.Name()]
		}
		one := r.signature(c, named)
		r.of[f].add(one, one == nil)
	}
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
