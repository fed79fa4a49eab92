package cdecl

import (
	"cmp"

	"github.com/ptxabi/ptxabi/layout"
)

// nameOrCall reads what begins with a name: constants, variables, functional
// casts, offsetof.
func (p *parser) nameOrCall(t token) value {
	if p.prep {
		return p.prepName(t)
	}
	switch t.text {
	case "true", "false":
		p.advance()
		return p.truth(t.text == "true", true)
	case "nullptr":
		p.advance()
		return value{typ: layout.Scalar{Kind: layout.NullPtr}, known: true}
	case "offsetof", "__builtin_offsetof":
		if p.peek(1).is("(") {
			return p.offsetof(t)
		}
	case "static_cast", "reinterpret_cast", "const_cast":
		p.advance()
		p.expect("<", "after "+t.text)
		typ := p.typeName()
		p.expect(">", "after the type")
		p.expect("(", "after the type")
		v := p.expression()
		p.expect(")", "after the expression")
		return p.convert(v, typ)
	case "noexcept", "dynamic_cast", "typeid", "new", "delete", "throw", "requires", "co_await":
		p.fail(t.pos, Unsupported, "%s in a constant is not supported", t.text)
	}
	if role := p.keyword(t.text); role == "word" || role != "" && (t.is("typename") || t.is("decltype")) {
		s := p.specifiers()
		return p.functionalCast(s.typ)
	}
	return p.name()
}

// prepName is a name in the condition of an #if that is no macro.
func (p *parser) prepName(t token) value {
	p.advance()
	if p.at("(") {
		p.skipBalanced()
	}
	v := value{typ: layout.Scalar{Kind: layout.LongLong}, known: true}
	if t.text == "true" {
		v.bits = 1
	}
	return v
}

func (p *parser) name() value {
	name, o, spelled := p.qualified()
	if o == nil {
		if v, ok := p.limit(name.text); ok {
			return v
		}
	}
	switch {
	case p.at("<") && (o == nil || o.kind == badObj):
		p.fail(name.pos, Unsupported, "%s<…>: no template of that name is known", spelled)
	case o == nil:
		p.fail(name.pos, Undeclared, "%s is not declared", spelled)
	case o.kind == badObj:
		p.refuse(name, o)
	case o.kind == constObj:
		if e, ok := o.typ.(*layout.Enum); ok && e.Underlying != nil && (p.cxx || o.val.typ != layout.Type(layout.Scalar{Kind: layout.Int})) {
			return p.convert(o.val, e)
		}
		return o.val
	case o.kind == typeObj:
		return p.functionalCast(o.typ)
	}
	if o.kind == varObj {
		return value{typ: o.typ, why: spelled + " " + cmp.Or(o.why, "is a variable")}
	}
	return value{why: spelled + " is not a constant"}
}

// functionalCast reads the operand of T(x) or T{x}.
func (p *parser) functionalCast(t layout.Type) value {
	closing := map[string]string{"(": ")", "{": "}"}[p.tok.text]
	if closing == "" {
		// A type name by itself, as in offsetof-like macros.
		p.fail(p.tok.pos, Syntax, "expected ( after the type %s", t)
	}
	p.advance()
	v := value{typ: t, known: true}
	if !p.at(closing) {
		v = p.expression()
	}
	p.expect(closing, "after the expression")
	return p.convert(v, t)
}

// offsetof reads the operands of offsetof.
func (p *parser) offsetof(op token) value {
	p.advance()
	p.advance()
	pos := p.tok.pos
	t := p.typeName()
	p.expect(",", "in "+op.text)
	v := value{typ: t, known: true, lvalue: true}
	if rec, ok := layout.Unalias(t).(*layout.Record); !ok {
		p.fail(pos, BadType, "%s is not a record", t)
	} else {
		p.layoutOf(rec, pos)
	}
	v = p.postfix(p.member(v))
	p.expect(")", "after the member")
	if !v.known {
		p.fail(pos, Constant, "offset is not a constant")
	}
	return value{typ: p.sizeType(), bits: v.bits, known: true}
}

// postfix reads member accesses, subscripts and calls.
func (p *parser) postfix(v value) value {
	for n := 0; ; n++ {
		if n > 4*maxDepth {
			p.fail(p.tok.pos, Syntax, "expression is too long")
		}
		switch t := p.tok; {
		case t.is("."):
			p.advance()
			v = p.member(v)
		case t.is("->"):
			p.advance()
			v = p.member(p.dereference(v, t.pos))
		case t.is("["):
			p.advance()
			i := p.expression()
			p.expect("]", "after the subscript")
			v = p.subscript(v, i, t.pos)
		case t.is("("):
			p.skipBalanced()
			f, _ := layout.Unalias(v.typ).(*layout.Func)
			v = value{why: "calls are not computed"}
			if f != nil {
				v.typ = f.Result
			}
		case t.is("++"), t.is("--"):
			p.advance()
			v.known = false
		default:
			return v
		}
	}
}

func (p *parser) subscript(v, i value, pos Pos) value {
	elem := p.dereference(v, pos)
	if elem.typ == nil {
		return elem
	}
	l := p.layoutOf(elem.typ, pos)
	elem.bits += i.bits * uint64(l.Size)
	elem.known = elem.known && i.known
	return elem
}

// member reads a member's name after a dot.
func (p *parser) member(v value) value {
	name := p.identifier("a member")
	rec, ok := layout.Unalias(v.typ).(*layout.Record)
	if !ok {
		if v.typ == nil {
			return value{}
		}
		p.fail(name.pos, BadType, "%s is not a record", v.typ)
	}
	l := p.layoutOf(rec, name.pos)
	typ, off, bit, found := findMember(l, name.text, map[*layout.Layout]bool{})
	switch {
	case !found:
		p.fail(name.pos, Undeclared, "%s has no member %s", rec, name.text)
	case bit:
		return value{typ: typ, why: "a bit-field has no address"}
	}
	return value{typ: typ, bits: v.bits + uint64(off), known: v.known, lvalue: true}
}

// findMember finds a member by name, in anonymous records and bases too.
// Lacking are the layouts that were seen not to have it.
func findMember(l *layout.Layout, name string, lacking map[*layout.Layout]bool) (t layout.Type, off int64, bit, ok bool) {
	for i := range l.Members {
		m := &l.Members[i]
		switch {
		case m.Base || m.Anonymous():
			if lacking[m.Layout] {
				continue
			}
			if t, off, bit, ok := findMember(m.Layout, name, lacking); ok {
				return t, m.Offset + off, bit, true
			}
			lacking[m.Layout] = true
		case m.Field.Name == name:
			return m.Field.Type, m.Offset, m.Field.BitField, true
		}
	}
	return nil, 0, false, false
}
