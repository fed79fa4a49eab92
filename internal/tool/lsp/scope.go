package lsp

import (
	"slices"
	"sort"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A meaning is what a name stands for at one place.
type meaning struct {
	kind meaningKind
	decl int    // offset of the name where it is declared; -1 if that is not in the text
	name string // as it stands there
	// stem says that the name is that of a range, %r of %r<8>, which stands for all of its registers.
	stem bool
	spec *ptx.Spec // of a formal or variable; nil for all else
}

type meaningKind uint8

const (
	unknown meaningKind = iota
	function
	global // a variable of the module
	formal
	local // a variable or register of a body
	label // a label, a prototype or a list of targets
	special
)

// same reports whether two names mean the same. %r1 and %r2 of one range do not.
func (m meaning) same(n meaning) bool {
	switch {
	case m.kind != n.kind:
		return false
	case m.kind == function, m.kind == global:
		return m.name == n.name
	}
	return m.decl >= 0 && m.decl == n.decl && (m.name == n.name || m.stem || n.stem)
}

// A namedBody is a function with its statements and what their names mean.
type namedBody struct {
	of     *analysis
	fn     *ptx.Func // with its statements
	names  *body.Body
	offs   []int              // of each statement
	labels map[string][]place // and lists
}

// A place is where a label is declared.
type place struct{ block, off int }

// label returns where the label or list of a name is that a block sees.
func (b *namedBody) label(block int, name string) (off int, ok bool) {
	if b.labels == nil {
		b.labels = make(map[string][]place)
		add := func(block int, name string, pos diag.Pos) {
			b.labels[name] = append(b.labels[name], place{block, b.of.text.where(pos)})
		}
		for _, l := range b.names.Labels {
			add(l.Block, l.Name, l.Pos)
		}
		for _, l := range b.names.Lists {
			name, pos := l.Name()
			add(l.Block, name, pos)
		}
	}
	for all := b.labels[name]; len(all) > 0 && block >= 0; block = b.names.Around(block) {
		if i := slices.IndexFunc(all, func(p place) bool { return p.block == block }); i >= 0 {
			return all[i].off, true
		}
	}
	return 0, false
}

// body reads the body of a function.
func (a *analysis) body(f *ptx.Func) *namedBody {
	b := &namedBody{of: a}
	b.fn, _ = new(ptx.Reader).Func(a.outline, f) // as far as it could be read
	b.names = body.New(b.fn, b.fn.Body, resolve.ParamsInBody(a.module, b.fn))
	for _, s := range b.fn.Body {
		from, _ := s.Span()
		b.offs = append(b.offs, a.text.where(from))
	}
	return b
}

// span returns where a function begins and ends.
func (a *analysis) span(f *ptx.Func) (from, to int) {
	from = a.text.where(f.Pos)
	to = max(a.text.where(f.EndPos), a.text.where(f.NamePos)+len(f.Name))
	return from, min(to+1, len(a.text.src))
}

// at returns the index of the statement that an offset is in, -1 in the head.
func (b *namedBody) at(off int) int {
	return sort.SearchInts(b.offs, off+1) - 1
}

// meaning returns what the name that stands at an offset of the function means.
func (b *namedBody) meaning(off int, name string) meaning {
	i := b.at(off)
	if i < 0 || off < b.of.text.where(b.fn.BodyPos) || !b.fn.HasBody {
		return b.inHead(b.fn, off, name)
	}
	switch s := b.fn.Body[i].(type) {
	case *ptx.Decl:
		for j := range s.Vars {
			if v := &s.Vars[j]; b.of.text.where(v.Pos) == off {
				k := slices.IndexFunc(b.names.Syms, func(sym *body.Symbol) bool { return sym.Var == v })
				if k < 0 {
					return meaning{kind: unknown, decl: -1, name: name}
				}
				return b.symbol(b.names.Syms[k], name, v.Ranged())
			}
		}
	case *ptx.Prototype:
		if off != b.offs[i] {
			return inFormals(b.of, off, name, s.Params, s.Results)
		}
	case *ptx.Func:
		return b.inHead(s, off, name)
	case *ptx.Directive:
		return meaning{kind: unknown, decl: -1, name: name}
	}
	if sym := b.names.Lookup(i, name); sym != nil && sym.Label == nil { // one that follows may be meant
		return b.symbol(sym, name, false)
	}
	if decl, ok := b.label(b.names.Block(i), name); ok {
		return meaning{kind: label, decl: decl, name: name}
	}
	if m := b.of.global(name); m.kind != unknown {
		return m
	}
	for _, s := range b.fn.Body { // a function that only this body declares
		if f, ok := s.(*ptx.Func); ok && f.Name == name {
			return meaning{kind: function, decl: b.of.text.where(f.NamePos), name: name}
		}
	}
	if strings.HasPrefix(name, "%") || name == "WARP_SZ" {
		return meaning{kind: special, decl: -1, name: name}
	}
	return meaning{kind: unknown, decl: -1, name: name}
}

// symbol is the meaning of a symbol of the function.
func (b *namedBody) symbol(sym *body.Symbol, name string, stem bool) meaning {
	switch {
	case sym.Proto != nil:
		return meaning{kind: label, decl: b.of.text.where(sym.Proto.Pos), name: name}
	case sym.Targets != nil:
		return meaning{kind: label, decl: b.of.text.where(sym.Targets.Pos), name: name}
	}
	kind := local
	if sym.Role != body.Local {
		kind = formal
	}
	return meaning{kind, b.of.text.where(sym.Var.Pos), name, stem, sym.Spec}
}

// inHead is the meaning of a name in the head of a function.
func (b *namedBody) inHead(f *ptx.Func, off int, name string) meaning {
	if off == b.of.text.where(f.NamePos) {
		if m := b.of.global(name); m.kind == function {
			return m
		}
		return meaning{kind: function, decl: off, name: name}
	}
	return inFormals(b.of, off, name, f.Params, f.Results)
}

// inFormals is the meaning of a name among formals, where those of one declaration are seen.
func inFormals(a *analysis, off int, name string, lists ...[]ptx.Formal) meaning {
	for _, list := range lists {
		for i := range list {
			if a.text.where(list[i].Var.Pos) == off {
				return meaning{kind: formal, decl: off, name: name, spec: &list[i].Spec}
			}
		}
	}
	return meaning{kind: unknown, decl: -1, name: name}
}

// global is the meaning of a name at module level.
func (a *analysis) global(name string) meaning {
	if c := a.symbolTable().Lookup(name); c != nil {
		return meaning{kind: function, decl: a.text.where(c.Func.NamePos), name: name}
	}
	if d := a.symbolTable().Var(name); d != nil {
		i := slices.IndexFunc(d.Vars, func(v ptx.Var) bool { return v.Name == name })
		return meaning{kind: global, decl: a.text.where(d.Vars[i].Pos), name: name, spec: &d.Spec}
	}
	return meaning{kind: unknown, decl: -1, name: name}
}

// symbolTable is that of the module.
func (a *analysis) symbolTable() *resolve.Table {
	if a.table == nil {
		a.table = resolve.NewTable(a.module)
	}
	return a.table
}
