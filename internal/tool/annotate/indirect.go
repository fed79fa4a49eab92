package annotate

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

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

// indirectCalls returns the one signature of all indirect calls of each function of a module, nil if there is none or
// several: what is known of a function is passed on to its callers until nothing is new.
func indirectCalls(m *ptx.Module, t *abi.Target, table *resolve.Table) map[*ptx.Func]*Func {
	of, callers := make(map[*ptx.Func]*indirect), make(map[*ptx.Func][]*ptx.Func)
	var work []*ptx.Func
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		of[f] = &indirect{}
		work = append(work, f)
		for _, c := range table.Calls(f) {
			if callee := table.Lookup(c.Call.Callee.Name()); c.Call.Proto.Kind == ptx.KindNone && callee != nil {
				callers[callee.Func] = append(callers[callee.Func], f)
				continue
			}
			one := signature(c, t)
			of[f].add(one, one == nil)
		}
	}
	for len(work) > 0 {
		callee := of[work[len(work)-1]]
		list := callers[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, f := range list {
			if of[f].add(callee.only, callee.unknown) {
				work = append(work, f)
			}
		}
	}
	only := make(map[*ptx.Func]*Func)
	for f, in := range of {
		only[f] = in.only
	}
	return only
}

func (f *Func) clone() *Func {
	g := *f
	g.Params, g.Results = slices.Clone(f.Params), slices.Clone(f.Results)
	return &g
}

// signature is what an indirect call says of its callee, nil if nothing is known: by its prototype, or by the first of the
// list of its targets, which are all alike.
func signature(c resolve.CallSite, t *abi.Target) *Func {
	if c.Callee == nil {
		return nil
	}
	a, list := c.Callee.Assign(t)
	if len(list) > 0 {
		return nil
	}
	out := &Func{
		Name: c.Call.Proto.Name(), Hidden: a.Sret, StackBytes: a.StackBytes,
		Params: formals(c.Callee.Params, a.Params), Results: formals(c.Callee.Results, a.Results),
	}
	nameless(out.Params, c.Call.Params, "arg")
	nameless(out.Results, c.Call.Results, "result")
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
