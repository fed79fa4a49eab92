package resolve

import (
	"iter"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// Funcs are the functions and kernels of m, which the table is of, in source
// order, each once: at its definition, or where it is declared first, be it in a
// body. An alias is none of them: a call of it is one of its aliasee.
func (t *Table) Funcs(m *ptx.Module) iter.Seq[*ptx.Func] {
	return func(yield func(*ptx.Func) bool) {
		for f, of := range t.Named(m) {
			if of == nil && !yield(f) {
				return
			}
		}
	}
}

// Named are Funcs and, where they are declared first, aliases, each with the
// function that it is another name of; nil of all others.
func (t *Table) Named(m *ptx.Module) iter.Seq2[*ptx.Func, *ptx.Func] {
	return func(yield func(f, of *ptx.Func) bool) {
		one := func(f *ptx.Func) bool {
			switch c := t.Lookup(f.Name); {
			case c == nil || c.Func == f:
				return c == nil || yield(f, nil)
			case c.Func.Name != f.Name && c.First == f.NamePos:
				return yield(f, c.Func)
			}
			return true
		}
		for _, it := range m.Items {
			f, ok := it.(*ptx.Func)
			if !ok {
				continue
			}
			if !one(f) {
				return
			}
			for _, s := range f.Body {
				if inner, ok := s.(*ptx.Func); ok && !one(inner) {
					return
				}
			}
		}
	}
}

// AssignFunc finds the places of a function or kernel of m on t. The parameters
// are those of the assignment; see [Params]. Where there is none the list says why.
func AssignFunc(m *ptx.Module, f *ptx.Func, t *abi.Target) (params []ptx.Formal, a abi.Assignment, list diag.List) {
	s := Func(f)
	params = Params(m, f)
	s.Params = Values(params)
	list = Assign(&a, s, t, Place{
		File: m.Name, Name: f.Name, Pos: f.NamePos, Params: params, Results: f.Results, Version: m.Version,
	})
	return params, a, list
}
