package cdecl

import (
	"slices"

	"github.com/ptxabi/ptxabi/layout"
)

// namespace reads a namespace, or an alias of one.
func (p *parser) namespace() {
	defer p.nest()()
	outer := p.scope
	inline := p.accept("inline")
	p.advance()
	var a attrs
	p.attributes(&a)
	if p.tok.kind == ident && p.peek(1).is("=") {
		name := p.tok
		p.advance()
		p.advance()
		_, o, _ := p.qualified()
		if o == nil || o.kind != spaceObj {
			p.fail(name.pos, Undeclared, "%s stands for no namespace", name.text)
		}
		outer.names[name.text] = o
		p.expect(";", "after the namespace")
		return
	}
	names := 0
	for p.tok.kind == ident || p.at("inline") {
		inline = p.accept("inline") || inline && names == 0
		p.openNamespace(p.tok, inline)
		names++
		p.advance()
		p.attributes(&a)
		if !p.accept("::") {
			break
		}
	}
	if names == 0 {
		p.openNamespace(token{text: "(anonymous namespace)", pos: p.tok.pos}, true)
	}
	if !p.at("{") {
		p.fail(p.tok.pos, Syntax, "expected { after namespace, found %s", p.tok.describe())
	}
	p.block()
	p.scope = outer
}

// maxPrefix is the size, in bytes, of the longest qualifier of names: every name
// that is declared within has a copy.
const maxPrefix = 4096

// qualifier is what qualifies the names that are declared in something of that
// name.
func (p *parser) qualifier(pos Pos, name string) string {
	if len(name) > maxPrefix {
		p.fail(pos, Syntax, "names are qualified by %d bytes here, more than %d; shorten the name or nest less", len(name), maxPrefix)
	}
	return name + "::"
}

func (p *parser) openNamespace(name token, inline bool) {
	o := p.scope.names[name.text]
	if o == nil || o.kind != spaceObj {
		sc := newScope(p.scope)
		sc.prefix = p.qualifier(name.pos, p.scope.prefix+name.text)
		o = &object{kind: spaceObj, inner: sc, pos: name.pos}
		p.scope.names[name.text] = o
		if inline {
			p.see(name.pos, p.scope, sc)
		}
	}
	p.scope = o.inner
}

// using reads a using declaration, directive or alias.
func (p *parser) using() {
	p.advance()
	if p.accept("namespace") {
		name, o, spelled := p.qualified()
		if o != nil && o.kind == spaceObj {
			p.see(name.pos, p.scope, o.inner)
		} else if spelled != "std" {
			p.fail(p.tok.pos, Undeclared, "%s is not a namespace", spelled)
		}
		p.expect(";", "after using namespace")
		return
	}
	if p.accept("enum") {
		name, o, spelled := p.qualified()
		if o == nil || o.inner == nil {
			p.fail(name.pos, Undeclared, "%s is not an enumeration", spelled)
		}
		p.see(name.pos, p.scope, o.inner)
		p.expect(";", "after using enum")
		return
	}
	p.accept("typename")
	var a attrs
	if p.tok.kind == ident && (p.peek(1).is("=") || p.peek(1).is("[") || p.peek(1).is("__attribute__")) {
		name := p.tok
		p.advance()
		p.attributes(&a)
		p.expect("=", "in the alias")
		pos := p.tok.pos
		s := p.specifiers()
		if s.typ == nil {
			p.fail(pos, Undeclared, "expected a type, found %s", p.tok.describe())
		}
		d := p.declarator(s.typ, false)
		s.attrs.merge(d.attrs)
		p.disputed(&s.attrs, pos)
		a.merge(s.attrs)
		d.name = name
		p.bindTypedef(s, d, p.apply(d.typ, &a, pos), a.align)
		p.expect(";", "after the alias")
		return
	}
	name, o, _ := p.qualified()
	if o == nil {
		p.obscure(name)
	}
	if p.at("operator") || o == nil && p.scope.record != nil {
		p.skipTo(";")
	}
	if o != nil {
		p.scope.names[name.text] = o
	}
	p.expect(";", "after using")
}

// skipTo skips to one of some tokens.
func (p *parser) skipTo(ends ...string) {
	for p.tok.kind != eof && !slices.ContainsFunc(ends, p.at) {
		p.advance()
	}
}

// skipDeclaration skips to the end of the current declaration.
func (p *parser) skipDeclaration() {
	p.pass(p.endOfDeclaration(p.i))
}

// bases reads a base clause, after its colon. What one base declares is not looked for by the names of those after it.
func (b *body) bases() {
	p := b.p
	var see []func()
	for {
		var a attrs
		p.attributes(&a)
		for p.at("public") || p.at("private") || p.at("protected") || p.at("virtual") {
			if p.at("virtual") {
				b.unsupported(p.tok.pos, "virtual bases")
			}
			p.advance()
		}
		p.accept("typename")
		pos, from := p.tok.pos, p.i
		name, o, spelled := p.qualified()
		depends := slices.ContainsFunc(p.toks[from:p.i], func(t token) bool { // on a parameter of a template
			o := p.lookup(t.text)
			return o != nil && o.subst
		})
		switch {
		case p.at("<"):
			p.fail(pos, Unsupported, "%s<…>: no template of that name is known", spelled)
		case o == nil:
			p.fail(name.pos, Undeclared, "unknown base class %s", spelled)
		case o.kind == badObj:
			p.refuse(name, o)
		}
		p.complete(o.typ)
		rec, ok := layout.Unalias(o.typ).(*layout.Record)
		switch {
		case !ok || rec.Kind == layout.Union:
			p.fail(name.pos, BadType, "%s is not a class", spelled)
		case rec.Incomplete && rec.Unsupported == "":
			p.fail(name.pos, BadType, "base %s is not defined", spelled)
		}
		b.rec.Bases = append(b.rec.Bases, layout.Base{Type: rec})
		if sc := p.recordScopes[rec]; sc != nil {
			see = append(see, func() {
				if p.see(name.pos, p.scope, sc); depends {
					p.scope.hidden = append(p.scope.hidden, sc)
				}
			})
		}
		if !p.accept(",") {
			break
		}
	}
	for _, base := range see {
		base()
	}
}

// cxxMember reads the kinds of members that C does not have, and reports
// whether it did.
func (b *body) cxxMember() bool {
	p := b.p
	t := p.tok
	switch t.text {
	case "public", "private", "protected":
		p.advance()
		p.expect(":", "after "+t.text)
		b.private = t.text != "public"
	case "friend":
		p.skipDeclaration()
	case "using":
		if p.peek(1).is("namespace") {
			return false
		}
		p.using()
	case "template":
		if p.isConstructorTemplate(lastName(b.rec.Name)) {
			deleted := p.toks[max(p.endOfDeclaration(p.i)-2, 0)].is("delete")
			b.rec.NonPOD, b.rec.Disputed = b.rec.NonPOD || !deleted, b.rec.Disputed || deleted
		}
		p.template()
	default:
		return false
	}
	return true
}

// isConstructorTemplate reports whether a member template is a constructor of
// the class name.
func (p *parser) isConstructorTemplate(name string) bool {
	for i := p.i + 1; i < len(p.toks)-1; i++ {
		switch t := p.toks[i]; {
		case t.is("<"):
			i = closing(p.toks, i)
		case t.is(";"), t.is("{"), t.is("("):
			return false
		case t.is(name) && p.toks[i+1].is("("):
			return true
		}
	}
	return false
}

// static declares a static data member, which takes no room.
func (b *body) static(s *specs, d *declarator, typ layout.Type) {
	p := b.p
	p.declareMember(d.name.text, &object{kind: varObj, typ: typ, pos: d.name.pos})
	d.typ = typ
	p.initialiser(s, d)
}

// function reads the rest of a member function and notes what it makes of the
// class. It reports whether a body ended the declaration.
func (b *body) function(s *specs, d *declarator) bool {
	p := b.p
	if !p.cxx {
		p.fail(d.name.pos, BadType, "member %s is a function", d.spelt)
	}
	f := userProvided
	for p.at("=") {
		p.advance()
		switch {
		case p.at("delete"):
			f = deletedF
		case p.at("default"):
			f = defaultedF
		case p.tok.text == "0":
			b.virtual(d.name.pos)
		}
		p.advance()
		if p.at("(") {
			p.skipBalanced()
		}
	}
	if d.params.requires && (s.typ == nil || d.spelt == "operator=") {
		p.fail(d.name.pos, Unsupported, "constraints of constructors, destructors and assignments are not supported")
	}
	b.special.note(b.rec, s, d, f)
	if s.typ != nil && d.spelt == d.name.text {
		p.declareMember(d.spelt, &object{kind: funcObj, typ: d.typ, pos: d.name.pos})
	}
	if p.functionBody() {
		p.accept(";")
		return true
	}
	return false
}

// specials are what a class declares of its special member functions.
type specials struct {
	copy, move, dtor     fate
	copyAssign, moveAsgn fate
	constructor          fate // of any
}

// A fate is what a declaration says of a special member function.
type fate uint8

const (
	undeclared fate = iota
	defaultedF
	deletedF
	userProvided
)

// note records a member function if it is a special one.
func (sp *specials) note(rec *layout.Record, s *specs, d *declarator, f fate) {
	class := lastName(rec.Name)
	kind := layout.PointerKind(255)
	if len(d.params.params) > 0 {
		if ptr, ok := d.params.params[0].Type.(*layout.Pointer); ok && layout.Unalias(ptr.Elem) == layout.Type(rec) {
			kind = ptr.Kind
		} else if layout.Unalias(d.params.params[0].Type) == layout.Type(rec) {
			kind = layout.LvalueReference // T &operator=(T)
		}
	}
	switch {
	case d.spelt == "~"+class:
		sp.dtor = max(sp.dtor, f)
	case d.spelt == class && s.typ == nil:
		sp.constructor = max(sp.constructor, f)
		switch kind {
		case layout.LvalueReference:
			sp.copy = max(sp.copy, f)
		case layout.RvalueReference:
			sp.move = max(sp.move, f)
		}
	case d.spelt == "operator=" && kind == layout.LvalueReference:
		sp.copyAssign = max(sp.copyAssign, f)
	case d.spelt == "operator=" && kind == layout.RvalueReference:
		sp.moveAsgn = max(sp.moveAsgn, f)
	}
}

// judge sets what the special members make of the class: C++03's POD, and
// whether the Itanium ABI (3.1.1) passes it as bytes.
func (sp *specials) judge(rec *layout.Record) {
	if slices.Contains([]fate{sp.constructor, sp.dtor, sp.copyAssign}, userProvided) {
		rec.NonPOD = true
	}
	rec.Disputed = rec.Disputed || sp.constructor != undeclared || sp.moveAsgn == userProvided
	copies := sp.copy == defaultedF || sp.copy == undeclared && sp.move == undeclared && sp.moveAsgn == undeclared
	moves := sp.move == defaultedF || sp.move == undeclared && sp.copy == undeclared &&
		sp.copyAssign == undeclared && sp.moveAsgn == undeclared && sp.dtor == undeclared
	if sp.copy == userProvided || sp.move == userProvided || sp.dtor == userProvided || sp.dtor == deletedF || !copies && !moves {
		rec.NonTrivial = true
	}
}
