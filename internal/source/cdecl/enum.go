package cdecl

import (
	"math"

	"github.com/ptxabi/ptxabi/layout"
)

// enum reads an enumeration specifier.
func (p *parser) enum(s *specs) {
	defer p.nest()()
	key := p.tok
	p.advance()
	scoped := p.cxx && (p.accept("class") || p.accept("struct"))
	var a attrs
	p.attributes(&a)
	name, o, spelled := p.tagName()
	var after attrs
	p.typeAttributes(&after)
	var fixed layout.Type
	if p.at(":") && (name.text != "" || p.peek(1).kind == ident) && p.isTypeAt(p.peek(1)) {
		p.advance()
		fs := p.specifiers()
		fixed = fs.typ
		u, ok := layout.Unalias(fixed).(layout.Scalar)
		if !ok || !u.Integer() {
			p.fail(key.pos, BadType, "enumeration of type %s", fixed)
		}
		fixed = u // without the alignment of a typedef
	}
	if !p.at("{") {
		s.typ = p.useEnum(name, spelled, o, fixed, scoped)
		if e, ok := layout.Unalias(s.typ).(*layout.Enum); ok && p.at(";") {
			e.Align = max(e.Align, a.align, after.align)
		} else {
			s.attrs.merge(after)
		}
		return
	}
	a.merge(after)
	e, inner := p.newEnum(key, name, o, scoped)
	p.advance()
	least, most := p.enumerators(e, inner, fixed)
	e.AlignAfter = p.attributesAfter(s, &a) > e.Align && e.Name != ""
	e.Align = max(e.Align, a.align)
	if e.Underlying = p.underlying(e, least, most, fixed, a.packed); a.mode != "" {
		e.Underlying = p.mode(e.Underlying, a.mode, key.pos)
	}
	s.typ = p.elaborated("enum", name.text, e)
}

func (p *parser) useEnum(name token, spelled string, o *object, fixed layout.Type, scoped bool) layout.Type {
	if name.text == "" {
		p.fail(p.tok.pos, Syntax, "expected a name or { after enum, found %s", p.tok.describe())
	}
	if o == nil {
		o = p.findTag(name.text, fixed == nil)
	}
	if b := p.runtimeEnum(name.text); o == nil && b != nil {
		return b
	}
	if scoped && fixed == nil {
		fixed = layout.Scalar{Kind: layout.Int}
	}
	o = p.tagged(name, o, &layout.Enum{Name: p.tagPrefix() + name.text, Underlying: fixed, Scoped: scoped})
	e, ok := layout.Unalias(o.typ).(*layout.Enum)
	if !ok {
		p.fail(name.pos, Redefined, "%s is not an enumeration (declared at %s)", name.text, o.pos)
	}
	return p.elaborated("enum", spelled, e)
}

// newEnum finds the enumeration that is being defined, or makes it, and makes its scope.
func (p *parser) newEnum(key, name token, o *object, scoped bool) (*layout.Enum, *scope) {
	e := &layout.Enum{At: key.pos.String(), Scoped: scoped}
	if name.text == "" {
		return e, nil
	}
	if o == nil {
		o = p.ownTag(name.text)
	}
	if o == nil {
		e.Name = p.tagPrefix() + name.text
		o = p.tagged(name, nil, e)
	}
	old, ok := layout.Unalias(o.typ).(*layout.Enum)
	if !ok || o.inner != nil {
		p.fail(name.pos, Redefined, "%s is declared at %s already", name.text, o.pos)
	}
	o.inner = newScope(o.in)
	return old, o.inner
}

// enumerators reads the list of an enumeration, whose scope inner is, nil of one without a name. It returns the range of the values.
func (p *parser) enumerators(e *layout.Enum, inner *scope, fixed layout.Type) (least int64, most uint64) {
	if e.Scoped && inner != nil { // whose enumerators are names in the list alone
		around := p.scope
		defer func() { p.scope = around }()
		p.scope = &scope{parent: around, prefix: around.prefix, names: inner.names, tags: inner.tags, cxx: true}
	}
	next := value{typ: layout.Scalar{Kind: layout.Int}, known: true}
	for !p.at("}") {
		name := p.identifier("an enumerator")
		var a attrs
		p.attributes(&a)
		v := next
		if p.accept("=") {
			v = p.constant("enumerator")
		}
		if fixed != nil {
			v = p.convert(v, fixed)
		}
		negative := p.signed(v.typ) && int64(v.bits) < 0
		if negative {
			least = min(least, int64(v.bits))
		} else {
			most = max(most, v.bits)
		}
		if v.known {
			e.Enumerators = append(e.Enumerators, layout.Enumerator{Name: name.text, Bits: v.bits, Negative: negative})
		}
		if fixed == nil && (p.opts.Rules.ABI == layout.Microsoft || !p.cxx && (v.bits < 1<<31 || negative && int64(v.bits) >= -1<<31)) {
			v = p.convert(v, layout.Scalar{Kind: layout.Int})
		}
		o := &object{kind: constObj, typ: e, val: v, pos: name.pos}
		if inner != nil {
			inner.names[name.text] = o
		}
		if !e.Scoped {
			sc := p.tagScope()
			if inner != nil {
				sc = inner.parent
			}
			if old := sc.names[name.text]; old != nil && old.kind != badObj {
				p.fail(name.pos, Redefined, "%s is declared at %s already", name.text, old.pos)
			}
			sc.names[name.text] = o
		}
		next = p.successor(v)
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the enumerators")
	return least, most
}

// successor returns v+1, in a wider type if v's is exhausted.
func (p *parser) successor(v value) value {
	n := v
	n.bits++
	size := p.sizeOf(v.typ)
	switch {
	case size == 4 && p.signed(v.typ) && int64(v.bits) == math.MaxInt32,
		size == 4 && !p.signed(v.typ) && v.bits == math.MaxUint32:
		n.typ = layout.Scalar{Kind: layout.LongLong}
	case size == 8 && v.bits == math.MaxInt64 && p.signed(v.typ):
		n.typ = layout.Scalar{Kind: layout.ULongLong}
	}
	return n
}

// underlying chooses the type of an enumeration as clang and GCC do.
func (p *parser) underlying(e *layout.Enum, least int64, most uint64, fixed layout.Type, packed bool) layout.Type {
	switch {
	case fixed != nil:
		return fixed
	case e.Scoped, p.opts.Rules.ABI == layout.Microsoft:
		return layout.Scalar{Kind: layout.Int}
	}
	kinds := []layout.Kind{layout.UChar, layout.UShort, layout.UInt, layout.ULong, layout.ULongLong} // signed ones stand before them
	if !packed {
		kinds = kinds[2:]
	}
	for _, k := range kinds {
		bits := uint(p.sizeOf(layout.Scalar{Kind: k}) * 8)
		switch {
		case least < 0 && least >= -1<<(bits-1) && most < 1<<(bits-1):
			return layout.Scalar{Kind: k - 1}
		case least >= 0 && (bits >= 64 || most < 1<<bits):
			return layout.Scalar{Kind: k}
		}
	}
	return layout.Scalar{Kind: layout.LongLong}
}
