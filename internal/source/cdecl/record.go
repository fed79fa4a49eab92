package cdecl

import (
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// record reads a struct, union or class specifier: a use, a declaration or a
// definition.
func (p *parser) record(s *specs) {
	key := p.tok
	kind := map[string]layout.RecordKind{"struct": layout.Struct, "union": layout.Union, "class": layout.Class}[key.text]
	p.advance()
	var a attrs
	p.attributes(&a)
	for p.tok.kind == ident && p.peek(1).kind == ident && !p.peek(1).is("final") &&
		(p.peek(2).is("{") || p.peek(2).is(":") || p.peek(2).is("final")) {
		p.advance() // an export macro that was not defined
	}
	name, o, spelled := p.tagName()
	if o == nil && spelled != name.text {
		p.fail(name.pos, Undeclared, "%s is not declared", spelled)
	}
	if p.cxx && p.at("<") && o == nil && name.text != "" {
		o = p.lookup(name.text)
	}
	if p.cxx && p.at("<") && o != nil && o.tmpl != nil {
		o = p.templateID(name, o.tmpl)
	}
	if p.cxx && o != nil && o.subst {
		rec, ok := layout.Unalias(o.typ).(*layout.Record)
		if !ok {
			p.fail(name.pos, BadType, "%s is not a record", spelled)
		}
		if !p.special || !p.at("{") && !p.at(":") && !p.at("final") {
			s.typ = rec
			return
		}
		in := p.made[rec]
		if in == nil || in.read {
			p.fail(name.pos, Redefined, "%s is defined already, or in use", rec)
		}
		in.read, p.making = true, rec
	}
	if p.cxx && p.at("<") {
		p.fail(p.tok.pos, Unsupported, "%s<…>: no template of that name is known", spelled)
	}
	var after attrs
	p.typeAttributes(&after)
	if p.cxx && p.at("final") {
		p.advance()
	}
	if p.at("{") || p.at(":") && p.cxx && p.peek(1).kind != number {
		a.merge(after)
		p.define(s, kind, key, name, o, a)
		return
	}
	s.attrs.merge(after)
	if name.text == "" {
		p.fail(p.tok.pos, Syntax, "expected a name or { after %s, found %s", key.text, p.tok.describe())
	}
	s.typ = p.useTag(kind, key, name, spelled, o, s.has("friend"))
	if rec, ok := layout.Unalias(s.typ).(*layout.Record); ok && rec.Incomplete && p.at(";") { // for its definition
		rec.Packed, rec.Align = rec.Packed || a.packed, max(rec.Align, a.align, s.attrs.takeDeclspec())
	}
}

// tagName reads the name of a tag, which may be qualified, and looks that up; it is empty where there is none.
func (p *parser) tagName() (name token, o *object, spelled string) {
	if p.cxx && (p.at("::") || p.tok.kind == ident && p.peek(1).is("::")) {
		return p.qualified()
	}
	if p.tok.kind == ident {
		name = p.tok
		p.advance()
	}
	return name, nil, name.text
}

// ownTag finds a tag that is declared where one would be defined.
func (p *parser) ownTag(name string) *object {
	if !p.cxx {
		return p.global().tags[name]
	}
	return p.findTag(name, false)
}

// useTag returns the record that a tag names, declaring it if need be.
func (p *parser) useTag(kind layout.RecordKind, key, name token, spelled string, o *object, friend bool) layout.Type {
	forward := p.at(";")
	if o == nil {
		o = p.findTag(name.text, !forward || friend)
	}
	if o == nil && !forward {
		if b := p.prelude(name.text); b != nil && b.kind == typeObj {
			if _, ok := layout.Unalias(b.typ).(*layout.Record); ok {
				o = b
			}
		} else if t := p.preludeTag(key.text + " " + name.text); t != nil {
			o = &object{kind: typeObj, typ: t}
		}
	}
	o = p.tagged(name, o, &layout.Record{Kind: kind, Name: p.tagPrefix() + name.text, At: key.pos.String(), Incomplete: true})
	rec, ok := layout.Unalias(o.typ).(*layout.Record)
	if !ok || (rec.Kind == layout.Union) != (kind == layout.Union) {
		p.fail(name.pos, Redefined, "%s is not a %s (declared at %s)", name.text, key.text, o.pos)
	}
	return p.elaborated(key.text, spelled, rec)
}

// tagged is what a tag that is used stands for, or what it declares where nothing has declared it.
func (p *parser) tagged(name token, o *object, fresh layout.Type) *object {
	if o != nil && o.kind == badObj {
		p.refuse(name, o)
	}
	if o == nil {
		o = &object{kind: typeObj, typ: fresh, pos: name.pos, in: p.tagScope()}
		o.in.tags[name.text] = o
	}
	return o
}

// elaborated is a type as it is printed when its keyword stands before its name.
func (p *parser) elaborated(keyword, name string, t layout.Type) layout.Type {
	if p.cxx && name != "" {
		return &layout.Alias{Name: keyword + " " + name, Type: t}
	}
	return t
}

// tagPrefix qualifies the name of a tag declared here.
func (p *parser) tagPrefix() string {
	if p.cxx {
		return p.scope.prefix
	}
	return ""
}

// define reads the definition of a record.
func (p *parser) define(s *specs, kind layout.RecordKind, key, name token, o *object, a attrs) {
	defer p.nest()()
	rec := p.newRecord(kind, key, name, o)
	decl := &RecordDecl{Name: rec.Name, Pos: key.pos, Type: rec, System: p.tok.sys}
	if !p.inPrelude {
		p.unit.Records = append(p.unit.Records, decl)
	}
	s.record = decl
	s.typ = p.elaborated(key.text, name.text, rec)
	rec.Incomplete = true
	p.open[rec] = true
	defer delete(p.open, rec)
	rec.Pack = p.pack.now
	b := &body{p: p, rec: rec, decl: decl, private: kind == layout.Class, doubt: p.pack.why}
	around, outerScope := p.body, p.scope
	p.body = b
	if p.cxx {
		p.openScope(rec, o)
	}
	if p.accept(":") {
		b.inherit()
	}
	open := p.tok
	if !p.at("{") {
		p.fail(p.tok.pos, Syntax, "expected { after %s, found %s", key.text, p.tok.describe())
	}
	rec.Pack = p.pack.now
	p.advance()
	b.members()
	p.body, p.scope = around, outerScope
	if !p.accept("}") {
		rec.Unsupported = "is not closed"
		p.fail(open.pos, Syntax, "{ is not closed")
	}
	p.attributesAfter(s, &a)
	b.finish(a)
}

// newRecord finds the record that is being defined, or makes it.
func (p *parser) newRecord(kind layout.RecordKind, key, name token, o *object) *layout.Record {
	if r := p.making; r != nil {
		p.making = nil
		r.Kind, r.At = kind, key.pos.String()
		return r
	}
	if name.text == "" {
		r := &layout.Record{Kind: kind, At: key.pos.String()}
		if p.body != nil {
			r.Parent = p.body.rec
		} else {
			r.Scope = p.scope.prefix
		}
		return r
	}
	if o == nil {
		o = p.ownTag(name.text)
	}
	if o != nil {
		rec, ok := layout.Unalias(o.typ).(*layout.Record)
		if ok && rec.Incomplete && rec.Unsupported == "" && !p.open[rec] && (rec.Kind == layout.Union) == (kind == layout.Union) {
			rec.Kind, rec.At = kind, key.pos.String()
			o.pos = name.pos
			return rec
		}
		if o.kind != badObj {
			if ok && !rec.Incomplete {
				p.twice(rec, name.pos)
			}
			p.fail(name.pos, Redefined, "%s is defined at %s already", name.text, o.pos)
		}
	}
	rec := &layout.Record{Kind: kind, Name: p.tagPrefix() + name.text, At: key.pos.String()}
	p.tagged(name, nil, rec)
	return rec
}

// openScope begins the scope of a record of C++, which is within that of o where the name is qualified.
func (p *parser) openScope(rec *layout.Record, o *object) {
	sc := newScope(p.scope)
	if o != nil && o.in != nil {
		sc.parent = o.in
	}
	sc.record = rec
	sc.prefix = p.scope.prefix
	if rec.Name != "" {
		sc.prefix = p.qualifier(p.tok.pos, rec.Name)
	}
	p.recordScopes[rec] = sc
	if name := lastName(rec.Name); strings.HasSuffix(rec.Name, ">") {
		o := &object{kind: typeObj, typ: rec, subst: true}
		if t := p.lookup(name); t != nil {
			o.tmpl = t.tmpl
		}
		sc.names[name] = o
	}
	p.scope = sc
}
