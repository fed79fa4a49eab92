package cdecl

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// A body is the inside of a record while it is read.
type body struct {
	p       *parser
	rec     *layout.Record
	decl    *RecordDecl
	private bool
	broken  bool   // a member had an error: there is no layout
	doubt   string // why it is not known which members there are
	special specials
}

func (b *body) members() {
	p := b.p
	for !p.at("}") && p.tok.kind != eof {
		if p.accept(";") {
			continue
		}
		if errs := len(p.errs); !p.declare(b.memberOrFunction) {
			b.broken = true
			b.leaveOut(errs)
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
	if s.has("typedef") {
		b.memberTypedef(s)
		return
	}
	if s.has("virtual") {
		b.virtual(s.pos)
	}
	if s.typ == nil && !p.cxx {
		p.fail(p.tok.pos, Syntax, "expected a member, found %s", p.tok.describe())
	}
	if p.at(";") {
		b.anonymous(s, t)
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

// virtual notes that the class has virtual functions. What is passed to kernels
// cannot have them; who only looks at layouts gets one.
func (b *body) virtual(pos Pos) {
	if r := b.p.opts.Rules; b.p.opts.Partial && r.ABI == layout.Itanium && b.rec.Pack == 0 {
		b.rec.Dynamic = true
		return
	}
	b.unsupported(pos, "virtual functions")
}

// unsupported records why the record has no layout, and reports it once.
func (b *body) unsupported(pos Pos, what string) {
	if b.rec.Unsupported != "" {
		return
	}
	why := what + " are not supported"
	if b.rec.Unsupported = why; b.p.tolerant() {
		b.without(pos, Unsupported, why)
		return
	}
	b.p.report(pos, Unsupported, "%s", why)
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

// anonymous adds a member without a declarator, which begins with t: an anonymous struct or union,
// or nothing but a tag.
func (b *body) anonymous(s *specs, t token) {
	rec, ok := layout.Unalias(s.typ).(*layout.Record)
	switch {
	case !ok && s.tagged, s.has("friend"):
		return
	case !ok:
		b.p.warn(s.pos, Ignored, "declaration declares nothing")
		return
	case rec.Name != "" || s.record == nil:
		return // declares a tag
	}
	if inner := b.p.recordScopes[rec]; inner != nil { // whose constants and types are known in the record around it
		b.p.see(b.p.tok.pos, b.p.scope, inner)
	}
	if b.p.standard(t) {
		b.p.disputed(&s.attrs, t.pos)
	}
	f := layout.Field{Type: s.typ, Align: s.attrs.align, Packed: s.attrs.packed}
	b.initialised(f)
	b.add(f, s.record.Pos)
}

func (b *body) add(f layout.Field, pos Pos) {
	b.rec.Fields = append(b.rec.Fields, f)
	b.decl.FieldPos = append(b.decl.FieldPos, pos)
	b.p.declareMember(f.Name, &object{kind: varObj, typ: f.Type, pos: pos})
}

// declareMember declares a member of a record of C++, in the scope of which it is.
func (p *parser) declareMember(name string, o *object) {
	if p.cxx && name != "" && p.scope.names[name] == nil {
		p.scope.names[name] = o
	}
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
		if d.name.pos.IsValid() {
			pos = d.name.pos
		}
		typ = p.apply(d.typ, &d.attrs, pos)
	}
	if !s.has("static", "friend") && d.params == nil {
		p.complete(typ)
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
	if s.has("static", "friend") {
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
	if !f.BitField {
		p.strict(&a, typ)
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
	b.rec.Disputed = b.rec.Disputed || b.private
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
	rec.Packed = rec.Packed || a.packed
	rec.Align = max(rec.Align, a.align)
	rec.EmptyBases = a.emptyBases
	if b.doubt != "" && rec.Unsupported == "" {
		b.without(b.decl.Pos, Unsupported, b.doubt)
	}
	if a.msStruct.IsValid() {
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
	if l := b.lacks(); l.why != "" {
		b.without(l.at, l.code, l.why)
		return
	}
	l, err := p.memo.Of(rec)
	if err != nil {
		b.refuse(b.errPos(err), err.Error())
		return
	}
	if a.alignas.IsValid() && l.Align > a.align {
		of := "the members of " + rec.String()
		if p.opts.Partial { // which names it
			of = "its members"
		}
		b.refuse(a.alignas, fmt.Sprintf("alignas(%d) is less than the alignment of %s, which is %d", a.align, of, l.Align))
		return
	}
	b.decl.Layout = l
	if l.NonTrivial && rec.NonTrivial {
		p.warn(b.decl.Pos, NonTrivial, "%s is not copied as bytes: results of it are returned through a pointer", rec)
	}
}

// refuse reports why the record has no layout, or leaves it out for that.
func (b *body) refuse(pos Pos, why string) {
	if b.p.opts.Partial {
		b.without(pos, BadType, why)
	} else {
		b.p.report(pos, BadType, "%s", why)
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
		if f := &b.rec.Fields[i]; f.Name == name && name != "" || f.BitField && strings.HasPrefix(name, fmt.Sprintf("(bit-field %d)", i)) {
			return b.decl.FieldPos[i]
		}
	}
	return b.decl.Pos
}
