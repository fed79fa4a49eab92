package cdecl

import (
	"math"

	"github.com/ptxabi/ptxabi/layout"
)

// A declarator is what surrounds one declared name.
type declarator struct {
	name   token  // its text is empty for an abstract declarator
	spelt  string // the name with its qualification; operator names included
	typ    layout.Type
	attrs  attrs
	params *paramList // where the name is that of a function
}

// paramList is what stands in the parentheses of a function.
type paramList struct {
	params   []Param
	variadic bool
	noProto  bool
	requires bool // there are constraints after it
}

func (l *paramList) types() []layout.Type {
	var t []layout.Type
	for _, p := range l.params {
		t = append(t, p.Type)
	}
	return t
}

// declarator reads a declarator around a name, or an abstract one, and gives
// its name the type that it makes of base. In parameters, array bounds do not
// matter and are skipped.
func (p *parser) declarator(base layout.Type, param bool) *declarator {
	d := &declarator{}
	d.typ = p.declare1(d, base, param)
	return d
}

func (p *parser) declare1(d *declarator, base layout.Type, param bool) layout.Type {
	defer p.nest()()
	base = p.pointers(d, base)
	if p.at("(") && p.nestedDeclarator() {
		inner := p.i
		p.skipBalanced()
		// What follows the parentheses binds more loosely than what is in
		// them, so it is read first.
		outer := &declarator{}
		base = p.suffixes(outer, base, false)
		end := p.i
		p.seek(inner)
		p.expect("(", "before the declarator")
		typ := p.declare1(d, base, param)
		p.expect(")", "after the declarator")
		p.seek(end)
		if d.params == nil && typ == base {
			d.params = outer.params
		}
		p.typeAttributes(&d.attrs)
		return typ
	}
	p.declaredName(d)
	p.attributes(&d.attrs)
	base = p.suffixes(d, base, param)
	p.typeAttributes(&d.attrs)
	return base
}

// pointers reads the stars in front of a declarator.
func (p *parser) pointers(d *declarator, base layout.Type) layout.Type {
	for n := 0; ; n++ {
		if n > maxDepth {
			p.fail(p.tok.pos, Syntax, "more than %d levels of indirection", maxDepth)
		}
		p.typeAttributes(&d.attrs)
		ptr := &layout.Pointer{Elem: base}
		switch {
		case p.at("*"):
		case p.cxx && p.at("&"):
			ptr.Kind = layout.LvalueReference
		case p.cxx && p.at("&&"):
			ptr.Kind = layout.RvalueReference
		case n > 0 && p.keyword(p.tok.text) == "storage", p.at("__cdecl"), p.at("__stdcall"), p.at("CUDART_CB"):
			p.advance()
			continue
		default:
			class, ok := p.memberPointer()
			if !ok {
				return base
			}
			ptr.Kind, ptr.Class = layout.MemberPointer, class
		}
		p.advance()
		var q layout.Qualified
		for p.tok.kind == ident {
			if p.at("_Atomic") || p.keyword(p.tok.text) == "qualifier" {
				addQualifier(&q, p.tok.text)
			} else if !p.at("__ptr64") && !p.at("_Nonnull") && !p.at("_Nullable") && !p.at("_Null_unspecified") {
				break
			}
			p.advance()
		}
		base = qualify(ptr, q)
	}
}

// memberPointer reads `C::` before the star of a pointer to member.
func (p *parser) memberPointer() (class string, ok bool) {
	n := 0
	if p.at("::") {
		n = 1
	}
	if n = p.memberStar(n); n < 0 {
		return "", false
	}
	for range n + 1 {
		class += p.tok.text
		p.advance()
	}
	var rec *layout.Record
	if r := p.lookup(class); r != nil && r.kind == typeObj {
		if rec, _ = layout.Unalias(r.typ).(*layout.Record); rec != nil {
			class = rec.String()
		}
	}
	if p.opts.Rules.ABI == layout.Microsoft && !oneBase(rec) {
		p.fail(p.tok.pos, Unsupported, "pointers to members of %s, which is not known to have one base at most, are not supported by Microsoft's rules", class)
	}
	p.advance()
	return class, true
}

// memberStar returns which token from the n-th on is the last name before the :: and the star of a pointer to member; -1 if
// none is.
func (p *parser) memberStar(n int) int {
	for ; p.cxx && p.peek(n).kind == ident && p.peek(n+1).is("::"); n += 2 {
		if p.peek(n + 2).is("*") {
			return n
		}
	}
	return -1
}

// oneBase reports whether rec is defined and neither it nor its base has more
// than one base, which makes Microsoft's pointers to members larger.
func oneBase(rec *layout.Record) bool {
	for rec != nil && !rec.Incomplete && len(rec.Bases) <= 1 {
		if len(rec.Bases) == 0 {
			return true
		}
		rec, _ = layout.Unalias(rec.Bases[0].Type).(*layout.Record)
	}
	return false
}

// nestedDeclarator reports whether a parenthesis opens a declarator and not a
// parameter list.
func (p *parser) nestedDeclarator() bool {
	t := p.peek(1)
	switch {
	case t.is("*"), t.is("&"), t.is("&&"), t.is("("), t.is("^"):
		return true
	case t.is("["):
		return p.peek(2).is("[")
	case t.is("__cdecl"), t.is("__stdcall"), t.is("CUDART_CB"), t.is("__attribute__"):
		return true
	case t.kind != ident || t.is("operator"):
		return false
	}
	return p.memberStar(1) > 0 || !p.isTypeAt(t)
}

// declaredName reads the name being declared, if there is one.
func (p *parser) declaredName(d *declarator) {
	if p.cxx && p.at("requires") || p.tok.kind != ident && !(p.cxx && (p.at("::") || p.at("~")) && p.peek(1).kind == ident) {
		return
	}
	if p.tok.kind == ident && p.keyword(p.tok.text) != "" && !floatNames[p.tok.text] {
		if p.at("auto") {
			return
		}
		p.fail(p.tok.pos, Syntax, "expected a name, found %s", p.tok.text)
	}
	for {
		if p.at("::") {
			d.spelt += "::"
			p.advance()
		}
		if p.cxx && p.at("operator") {
			p.operatorName(d)
			return
		}
		if p.at("~") {
			d.spelt += "~"
			p.advance()
		}
		d.name = p.identifier("a name")
		d.spelt += d.name.text
		if !p.cxx || !p.at("::") || p.peek(1).is("*") {
			return
		}
	}
}

// operatorName reads operator+, operator new[], operator int and the like.
func (p *parser) operatorName(d *declarator) {
	d.name = p.tok
	d.spelt += "operator"
	p.advance()
	if p.at("(") && p.peek(1).is(")") {
		d.spelt += "()"
		p.advance()
		p.advance()
		return
	}
	for !p.at("(") {
		if p.tok.kind == eof || p.at(";") || p.at("{") {
			p.fail(p.tok.pos, Syntax, "expected ( after operator, found %s", p.tok.describe())
		}
		d.spelt += p.tok.text
		p.advance()
	}
}

// suffixes reads array bounds and parameter lists after a name.
func (p *parser) suffixes(d *declarator, base layout.Type, param bool) layout.Type {
	defer p.nest()()
	switch {
	case p.at("[") && !p.peek(1).is("["):
		n := p.bound(param)
		elem := p.suffixes(&declarator{}, base, false)
		if _, ok := elem.(*layout.Func); ok {
			p.fail(p.tok.pos, BadType, "array of functions")
		}
		return &layout.Array{Elem: elem, Len: n}
	case p.at("(") && !(p.cxx && p.valueFollows()):
		d.params = p.parameters()
		l := d.params
		f := &layout.Func{Result: base, Params: l.types(), Variadic: l.variadic, NoProto: l.noProto}
		l.requires = p.afterParameters(f)
		return f
	}
	return base
}

// valueFollows reports whether a parenthesis opens an initialiser, const int n(4), and not a parameter list.
func (p *parser) valueFollows() bool {
	next := p.peek(1)
	if next.kind == ident && p.keyword(next.text) != "" {
		return false
	}
	if o := p.lookup(next.text); next.kind == ident && o != nil {
		return o.kind == constObj || o.kind == varObj || o.kind == funcObj
	}
	return next.kind == number || next.kind == str || next.kind == char || next.is("-") || next.is("true") || next.is("false")
}

// bound reads one array bound.
func (p *parser) bound(param bool) int64 {
	open := p.tok.pos
	if param {
		p.skipBalanced()
		return layout.Unbounded
	}
	p.advance()
	for p.at("static") || p.at("const") || p.at("volatile") || p.at("restrict") {
		p.advance()
	}
	if p.accept("]") {
		return layout.Unbounded
	}
	pos := p.tok.pos
	v := p.constant("array bound")
	p.expect("]", "after the array bound")
	n, ok := v.int64()
	switch {
	case !ok:
		p.fail(pos, BadType, "array is too large")
	case n < 0:
		p.fail(open, BadType, "array of negative length %d", n)
	case n == math.MaxInt64:
		p.fail(pos, BadType, "array is too large")
	}
	return n
}

// parameters reads a parameter list.
func (p *parser) parameters() *paramList {
	defer p.nest()()
	l := &paramList{}
	p.advance()
	if p.accept(")") {
		l.noProto = !p.cxx
		return l
	}
	if p.at("void") && p.peek(1).is(")") {
		p.advance()
		p.advance()
		return l
	}
	for {
		if p.accept("...") {
			l.variadic = true
			break
		}
		p.accept("this")
		s := p.specifiers()
		if s.typ == nil {
			p.fail(p.tok.pos, Undeclared, "expected a parameter, found %s", p.tok.describe())
		}
		pos := p.tok.pos
		d := p.declarator(s.typ, true)
		if p.accept("...") {
			p.fail(pos, Unsupported, "parameter packs are not supported")
		}
		if p.at("=") {
			p.skipInitialiser()
		}
		typ := p.apply(d.typ, &d.attrs, pos)
		l.params = append(l.params, Param{Name: d.name.text, Pos: pos, Type: decay(typ)})
		if !p.accept(",") {
			if p.accept("...") {
				l.variadic = true
			}
			break
		}
	}
	p.expect(")", "after the parameters")
	return l
}

// decay turns arrays and functions into the pointers they are passed as.
func decay(t layout.Type) layout.Type {
	switch u := layout.Unalias(t).(type) {
	case *layout.Array:
		return &layout.Pointer{Elem: u.Elem}
	case *layout.Func:
		return &layout.Pointer{Elem: t}
	}
	return t
}

// afterParameters reads what C++ allows after a parameter list, and reports whether constraints are among it.
func (p *parser) afterParameters(f *layout.Func) bool {
	for p.cxx {
		switch {
		case p.at("const"):
			f.Const = true
			p.advance()
		case p.at("volatile"), p.at("&"), p.at("&&"), p.at("override"), p.at("final"), p.at("__restrict__"), p.at("__restrict"):
			p.advance()
		case p.at("noexcept"), p.at("throw"):
			p.advance()
			if p.at("(") {
				p.skipBalanced()
			}
		case p.at("->"):
			p.advance()
			f.Result = p.typeName()
		case p.at("requires"):
			p.skipConstraint()
			return true
		default:
			return false
		}
	}
	return false
}

// typeName reads a type without a declared name, as in a cast.
func (p *parser) typeName() layout.Type {
	defer p.nest()()
	s := p.specifiers()
	if s.typ == nil {
		p.fail(p.tok.pos, Undeclared, "expected a type, found %s", p.tok.describe())
	}
	pos := p.tok.pos
	d := p.declarator(s.typ, false)
	if d.name.text != "" {
		p.fail(d.name.pos, Syntax, "unexpected name %s", d.name.text)
	}
	return p.apply(d.typ, &d.attrs, pos)
}
