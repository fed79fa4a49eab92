package cdecl

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/layout"
)

// A partial is a partial specialisation of a class template.
type partial struct {
	*template // whose why says that it is not known whether it fits: the pattern then has what is known of it
	pattern   []templateArg
	holders   map[*layout.Record]int // the types that stand for its parameters
}

// A templateArg is an argument of a template. In a pattern it may be a parameter of the specialisation.
type templateArg struct {
	text  string
	o     *object // nil: any argument may fit here
	param *int    // the index of the value that stands for itself, or nil
}

// addPartial reads the pattern of a partial specialisation t of a template; open is the token after its bracket.
func (p *parser) addPartial(of, t *template, open int) {
	s := &partial{template: t, holders: map[*layout.Record]int{}}
	of.partials = append(of.partials, s)
	if t.limits {
		t.why = "it has constraints"
	}
	names := newScope(t.scope)
	for i, a := range t.params {
		if a.name != "" && !a.value { // a type of its own, whose name nothing else has
			rec := &layout.Record{Name: a.name + "#" + strconv.Itoa(open) + "." + strconv.Itoa(i), Incomplete: true}
			names.names[a.name] = &object{kind: typeObj, typ: rec, subst: true}
			s.holders[rec] = i
		}
	}
	own := newScope(of.scope) // of the template's own parameters, which the types of its values may have
	errs := len(p.errs)
	ok := s.why == "" && p.try(func() {
		p.elsewhere(open, p.in(names), func() {
			for !p.at(">") {
				if len(s.pattern) == len(of.params) {
					p.fail(p.tok.pos, BadType, "it has more arguments than the template")
				}
				s.pattern = append(s.pattern, p.patternArg(s, own, &of.params[len(s.pattern)], s.params))
				p.accept(",")
			}
		})
		for i := len(s.pattern); i < len(of.params); i++ {
			if of.params[i].def == 0 {
				p.fail(t.pos, BadType, "it has fewer arguments than the template")
			}
			p.elsewhere(of.params[i].def, p.in(own), func() { s.pattern = append(s.pattern, p.patternArg(s, own, &of.params[i], of.params)) })
		}
	})
	if p.errs = p.errs[:errs]; !ok {
		s.pattern = nil
		if s.why == "" {
			s.why = p.why
		}
	}
}

// patternArg reads an argument of a pattern, for the parameter a. One that mentions parameters may fit everything
// if it is computed from them.
func (p *parser) patternArg(s *partial, own *scope, a *templateParam, params []templateParam) templateArg {
	index := func(t token) int {
		return slices.IndexFunc(params, func(q templateParam) bool { return t.kind == ident && q.name == t.text })
	}
	if own := len(params) > 0 && len(s.params) > 0 && &params[0] == &s.params[0]; own {
		if arg, ok := p.ownValue(s, a); ok {
			return arg
		}
	}
	start, mentioned, computed := p.i, false, a.value || len(s.params) > 0 && len(params) > 0 && &params[0] != &s.params[0]
	p.skipArgument(p.tok, func(t token, _ int) {
		computed = computed || t.is("(") || t.is("typename") || t.is("decltype") || t.is("...")
		mentioned = mentioned || index(t) >= 0
	})
	end := p.i
	p.seek(start)
	if !mentioned {
		return p.argument(own, a)
	}
	var arg templateArg
	p.pattern = s
	computed = computed || !p.try(func() { arg = p.argument(own, a) })
	if p.pattern = nil; computed {
		s.why = "an argument of it is computed"
		p.seek(end)
		return templateArg{}
	}
	return arg
}

// ownValue reads an argument that is a value among the parameters of s, and nothing else; ok is false where it is not.
func (p *parser) ownValue(s *partial, a *templateParam) (arg templateArg, ok bool) {
	next := p.peek(1)
	i := slices.IndexFunc(s.params, func(q templateParam) bool { return q.value && p.tok.kind == ident && q.name == p.tok.text })
	if !a.value || i < 0 || !next.is(",") && !next.is(">") {
		return templateArg{}, false
	}
	p.advance()
	return templateArg{text: "#" + strconv.Itoa(i), param: &i}, true
}

// chosen returns the partial specialisation that arguments take, and what its parameters are; nil if they take none,
// and why if that is not known.
func (p *parser) chosen(in *instance) (s *partial, bound []templateArg, why string) {
	if p.uses += len(in.of.partials); p.uses > maxUses {
		return nil, nil, fmt.Sprintf("partial specialisations are tried more than %d times", maxUses)
	}
	var all []*deduction
	for _, s := range in.of.partials {
		d := &deduction{p: p, of: s, bound: make([]templateArg, len(s.params))}
		switch {
		case s.pattern != nil && !d.fits(s.pattern, in.args):
		case s.why != "" || slices.ContainsFunc(d.bound, func(a templateArg) bool { return a.text == "" }):
			return nil, nil, "it has a partial specialisation that is not supported (at " + s.pos.String() + ")"
		default:
			all = append(all, d)
		}
	}
	for _, d := range all {
		if !slices.ContainsFunc(all, func(o *deduction) bool { return o != d && !(d.of.within(p, o.of) && !o.of.within(p, d.of)) }) {
			return d.of, d.bound, ""
		}
	}
	if all != nil {
		return nil, nil, "several partial specialisations fit"
	}
	return nil, nil, ""
}

// within reports whether all arguments that fit s fit another specialisation too.
func (s *partial) within(p *parser, other *partial) bool {
	d := &deduction{p: p, of: other, bound: make([]templateArg, len(other.params))}
	return d.fits(other.pattern, s.pattern)
}

// A deduction is what the parameters of a specialisation stand for.
type deduction struct {
	p     *parser
	of    *partial
	bound []templateArg
}

// bind says that a parameter stands for an argument, unless it stands for another one.
func (d *deduction) bind(i int, a templateArg) bool {
	if d.bound[i].text == "" {
		d.bound[i] = a
	}
	return d.bound[i].text == a.text
}

// fits deduces parameters from arguments.
func (d *deduction) fits(pattern, args []templateArg) bool {
	for i, want := range pattern {
		have := args[i]
		ok := want.text == have.text
		switch {
		case want.param != nil:
			ok = d.bind(*want.param, have)
		case want.o == nil: // anything
			ok = true
		case want.o.kind == typeObj && have.o != nil && have.o.kind == typeObj:
			ok = d.unify(want.o.typ, have.o.typ)
		}
		if !ok {
			return false
		}
	}
	return true
}

// unify deduces parameters from a type.
func (d *deduction) unify(want, have layout.Type) bool {
	switch w := want.(type) {
	case *layout.Qualified:
		h, ok := have.(*layout.Qualified)
		if !ok || w.Const && !h.Const || w.Volatile && !h.Volatile {
			return false
		}
		rest := *h
		rest.Const, rest.Volatile = h.Const && !w.Const, h.Volatile && !w.Volatile
		return d.unify(w.Type, qualify(h.Type, rest))
	case *layout.Pointer:
		h, ok := have.(*layout.Pointer)
		return ok && w.Kind == h.Kind && w.Class == h.Class && d.unify(w.Elem, h.Elem)
	case *layout.Array:
		h, ok := have.(*layout.Array)
		return ok && w.Len == h.Len && d.unify(w.Elem, h.Elem)
	case *layout.Record:
		if i, ok := d.of.holders[w]; ok {
			return d.bind(i, typeArg(have))
		}
		h, _ := layout.Unalias(have).(*layout.Record)
		if a, b := d.p.made[w], d.p.made[h]; a != nil && b != nil && a.of == b.of {
			return d.fits(a.args, b.args)
		}
	}
	return typeArg(want).text == typeArg(have).text
}

// typeArg is a type as an argument.
func typeArg(t layout.Type) templateArg {
	t = canonical(t)
	return templateArg{text: TypeText(t, layout.CXX), o: &object{kind: typeObj, typ: t, subst: true}}
}
