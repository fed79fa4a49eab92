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
	var name token
	var o *object
	spelled := ""
	for p.tok.kind == ident && p.peek(1).kind == ident && !p.peek(1).is("final") &&
		(p.peek(2).is("{") || p.peek(2).is(":") || p.peek(2).is("final")) {
		p.advance() // an export macro that was not defined
	}
	switch {
	case p.tok.kind == ident && p.cxx && p.peek(1).is("::"), p.cxx && p.at("::"):
		name, o, spelled = p.qualified()
		if o == nil {
			p.fail(name.pos, Undeclared, "%s is not declared", spelled)
		}
	case p.tok.kind == ident:
		name = p.tok
		spelled = name.text
		p.advance()
	}
	if p.cxx && p.at("<") {
		p.fail(p.tok.pos, Unsupported, "%s<…>: templates are not supported", spelled)
	}
	p.attributes(&a)
	if p.cxx && p.at("final") {
		p.advance()
	}
	if p.at("{") || p.at(":") && p.cxx && s != nil && !p.bitFieldFollows() {
		p.define(s, kind, key, name, o, a)
		return
	}
	if name.text == "" {
		p.fail(p.tok.pos, Syntax, "expected a name or { after %s, found %s", key.text, p.tok.describe())
	}
	s.typ = p.useTag(kind, key, name, spelled, o, s.friend)
}

// bitFieldFollows tells `struct S : 3` apart from a base clause. Only an
// enumeration could be a bit-field, so it is always a base clause.
func (p *parser) bitFieldFollows() bool { return p.peek(1).kind == number }

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
		}
	}
	if o != nil && o.kind == badObj {
		p.refuse(name, o)
	}
	if o == nil {
		sc := p.tagScope()
		rec := &layout.Record{Kind: kind, Name: p.tagPrefix() + name.text, At: key.pos.String(), Incomplete: true}
		o = &object{kind: typeObj, typ: rec, pos: name.pos}
		sc.tags[name.text] = o
	}
	rec, ok := layout.Unalias(o.typ).(*layout.Record)
	if !ok || (rec.Kind == layout.Union) != (kind == layout.Union) {
		p.fail(name.pos, Redefined, "%s is not a %s (declared at %s)", name.text, key.text, o.pos)
	}
	if p.cxx {
		return &layout.Alias{Name: key.text + " " + spelled, Type: rec}
	}
	return rec
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
	s.typ = rec
	if p.cxx && rec.Name != "" {
		s.typ = &layout.Alias{Name: key.text + " " + name.text, Type: rec}
	}
	rec.Incomplete = true
	rec.Pack = p.pack.now
	b := &body{p: p, rec: rec, decl: decl, private: kind == layout.Class}
	around, outerScope := p.around, p.scope
	p.around = rec
	if p.cxx {
		p.openScope(b, rec)
	}
	if p.accept(":") {
		b.bases()
	}
	open := p.tok
	if !p.at("{") {
		p.fail(p.tok.pos, Syntax, "expected { after %s, found %s", key.text, p.tok.describe())
	}
	rec.Pack = p.pack.now
	p.advance()
	b.members()
	p.around, p.scope = around, outerScope
	if !p.accept("}") {
		rec.Unsupported = "is not closed"
		p.fail(open.pos, Syntax, "{ is not closed")
	}
	p.attributes(&a)
	b.finish(a)
}

// newRecord finds the record that is being defined, or makes it.
func (p *parser) newRecord(kind layout.RecordKind, key, name token, o *object) *layout.Record {
	if name.text == "" {
		r := &layout.Record{Kind: kind, Parent: p.around, At: key.pos.String()}
		if p.around == nil {
			r.Scope = p.scope.prefix
		}
		return r
	}
	if o == nil {
		o = p.findTag(name.text, false)
		if !p.cxx {
			o = p.global().tags[name.text]
		}
	}
	if o != nil {
		rec, ok := layout.Unalias(o.typ).(*layout.Record)
		if ok && rec.Incomplete && rec.Unsupported == "" && (rec.Kind == layout.Union) == (kind == layout.Union) {
			rec.Kind, rec.At = kind, key.pos.String()
			o.pos = name.pos
			return rec
		}
		if o.kind != badObj {
			p.fail(name.pos, Redefined, "%s is defined at %s already", name.text, o.pos)
		}
	}
	rec := &layout.Record{Kind: kind, Name: p.tagPrefix() + name.text, At: key.pos.String()}
	p.tagScope().tags[name.text] = &object{kind: typeObj, typ: rec, pos: name.pos}
	return rec
}

func (p *parser) openScope(b *body, rec *layout.Record) {
	sc := newScope(p.scope)
	sc.record = rec
	sc.prefix = p.scope.prefix
	if rec.Name != "" {
		sc.prefix = rec.Name + "::"
		p.recordScopes[rec] = sc
		for s := p.scope; s != nil; s = s.parent {
			if o := s.tags[lastName(rec.Name)]; o != nil && o.typ == rec {
				o.inner = sc
				break
			}
		}
	}
	b.scope = sc
	p.scope = sc
}

// A body is the inside of a record while it is read.
type body struct {
	p       *parser
	rec     *layout.Record
	decl    *RecordDecl
	scope   *scope // in C++
	private bool
	broken  bool // a member had an error: there is no layout
	special specials
}

func (b *body) members() {
	p := b.p
	for !p.at("}") && p.tok.kind != eof {
		if p.accept(";") {
			continue
		}
		if !p.declare(b.member) {
			b.broken = true
		}
	}
}

// member reads one declaration within a record.
func (b *body) member() {
	p := b.p
	t := p.tok
	if t.is("static_assert") || t.is("_Static_assert") {
		p.staticAssert()
		return
	}
	for p.accept("__extension__") {
	}
	if p.cxx && b.cxxMember() {
		return
	}
	s := p.specifiers()
	if s.typedef {
		b.memberTypedef(s)
		return
	}
	if s.virtual {
		b.unsupported(s.pos, "virtual functions")
	}
	if s.typ == nil && !p.cxx {
		p.fail(p.tok.pos, Syntax, "expected a member, found %s", p.tok.describe())
	}
	if p.at(";") {
		b.anonymous(s)
		p.advance()
		return
	}
	for {
		if b.declarator(s) {
			return
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";", "after the member")
}

// unsupported records why the record has no layout, and complains once.
func (b *body) unsupported(pos Pos, what string) {
	if b.rec.Unsupported == "" {
		b.rec.Unsupported = what + " are not supported"
		b.p.complain(pos, Unsupported, "%s are not supported", what)
	}
}

func (b *body) memberTypedef(s *specs) {
	p := b.p
	for {
		d := p.declarator(s.typ, false)
		if d.name.text == "" {
			p.fail(p.tok.pos, Syntax, "expected a name, found %s", p.tok.describe())
		}
		p.bind(s, d)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";", "after the typedef")
}

// anonymous adds a member without a declarator: an anonymous struct or union,
// or nothing but a tag.
func (b *body) anonymous(s *specs) {
	rec, ok := layout.Unalias(s.typ).(*layout.Record)
	switch {
	case !ok && s.tagged, s.friend:
		return
	case !ok:
		b.p.warn(s.pos, Ignored, "declaration declares nothing")
		return
	case rec.Name != "" || s.record == nil:
		return // declares a tag
	}
	b.adopt(rec)
	f := layout.Field{Type: s.typ, Align: s.attrs.align, Packed: s.attrs.packed}
	b.initialised(f)
	b.add(f, s.record.Pos)
}

// adopt makes the members of an anonymous record known as constants and types
// of the record around it.
func (b *body) adopt(rec *layout.Record) {
	if inner := b.p.recordScopes[rec]; inner != nil {
		b.scope.also = append(b.scope.also, inner)
	}
}

func (b *body) add(f layout.Field, pos Pos) {
	b.rec.Fields = append(b.rec.Fields, f)
	b.decl.FieldPos = append(b.decl.FieldPos, pos)
}

// declarator reads one member declarator. It reports whether it was a
// function, whose body ends the declaration.
func (b *body) declarator(s *specs) (done bool) {
	p := b.p
	pos := p.tok.pos
	a := s.attrs
	d := &declarator{}
	typ := s.typ
	if !p.at(":") {
		if typ == nil {
			typ = layout.Scalar{Kind: layout.Void}
		}
		d = p.declarator(typ, false)
		if d.name.pos.Valid() {
			pos = d.name.pos
		}
		typ = p.apply(d.typ, &d.attrs, pos)
	}
	a.merge(d.attrs)
	if d.params != nil {
		if d.spelt == "" {
			p.fail(pos, Syntax, "expected a member name before the parameters")
		}
		return b.function(s, d)
	}
	if s.typ == nil {
		p.fail(pos, Undeclared, "%s has no type", d.spelt)
	}
	if s.static || s.friend {
		b.static(s, d, typ)
		return false
	}
	f := layout.Field{Name: d.name.text, Type: typ, Align: a.align, Packed: a.packed, NoUniqueAddress: a.noUnique}
	if p.accept(":") {
		f.BitField = true
		width := p.tok.pos
		v := p.conditional()
		n, ok := v.int64()
		switch {
		case !v.known:
			p.fail(width, Constant, "bit-field width is not a constant")
		case !ok:
			p.fail(width, BadType, "bit-field of %s bits", v)
		}
		f.Bits = n
		p.attributes(&a)
		f.Align, f.Packed = a.align, a.packed
	} else if f.Name == "" {
		p.fail(p.tok.pos, Syntax, "expected a member name, found %s", p.tok.describe())
	}
	b.initialised(f)
	b.checkName(f.Name, pos)
	b.add(f, pos)
	return false
}

// initialised skips a default member initialiser, and notes what it and the
// member's access make of the class.
func (b *body) initialised(f layout.Field) {
	p := b.p
	if !p.cxx {
		return
	}
	if p.at("=") || p.at("{") {
		b.rec.NonPOD = true
		p.accept("=")
		p.skipInitialiser()
	}
	if b.private && (f.Name != "" || !f.BitField) {
		b.rec.NonPOD = true
	}
}

func (b *body) checkName(name string, pos Pos) {
	if name == "" || len(b.rec.Fields) > 1000 {
		return
	}
	for i := range b.rec.Fields {
		if b.rec.Fields[i].Name == name {
			b.p.fail(pos, Redefined, "member %s is declared at %s already", name, b.decl.FieldPos[i])
		}
	}
}

// finish lays the record out.
func (b *body) finish(a attrs) {
	p, rec := b.p, b.rec
	rec.Incomplete = false
	rec.Packed = a.packed
	rec.Align = a.align
	if a.msStruct.Valid() {
		b.unsupported(a.msStruct, "ms_struct records")
	}
	if b.broken && rec.Unsupported == "" {
		rec.Unsupported = "has errors"
		if p.tok.sys {
			rec.Unsupported = "uses what is not supported"
		}
	}
	if p.cxx {
		b.special.judge(rec)
	}
	if rec.Unsupported != "" {
		return
	}
	l, err := p.memo.Of(rec)
	if err != nil {
		p.complain(b.errPos(err), BadType, "%s", err)
		return
	}
	b.decl.Layout = l
	if l.NonTrivial && rec.NonTrivial {
		p.warn(b.decl.Pos, NonTrivial, "%s is not copied as bytes: results of it are returned through a pointer", rec)
	}
}

// errPos returns the position of the member that a layout error is about.
func (b *body) errPos(err error) Pos {
	e, ok := err.(*layout.Error)
	if !ok {
		return b.decl.Pos
	}
	path := e.Path
	if b.rec.Name != "" {
		path = strings.TrimPrefix(strings.TrimPrefix(path, b.rec.Name), ".")
	}
	name, _, _ := strings.Cut(path, ".")
	name, _, _ = strings.Cut(name, "[")
	for i := range b.rec.Fields {
		if f := &b.rec.Fields[i]; f.Name == name && name != "" || f.BitField && strings.HasPrefix(name, "(bit-field "+itoa(i)+")") {
			return b.decl.FieldPos[i]
		}
	}
	return b.decl.Pos
}
