package cdecl

import (
	"cmp"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// external reads declarations up to the end of the input, or of the block.
func (p *parser) external(block bool) {
	for p.tok.kind != eof {
		if p.at("}") {
			if block {
				return
			}
			p.report(p.tok.pos, Syntax, "unexpected }")
			p.advance()
			continue
		}
		if p.accept(";") {
			continue
		}
		p.declare(p.externalDeclaration)
	}
}

func (p *parser) externalDeclaration() {
	t := p.tok
	switch {
	case t.is("static_assert"), t.is("_Static_assert"):
		p.staticAssert()
	case t.is("__extension__"):
		p.advance()
		p.externalDeclaration()
	case t.is("extern") && p.peek(1).kind == str:
		p.advance()
		defer func(old bool) { p.linkageC = old }(p.linkageC)
		p.linkageC = p.tok.text == `"C"`
		p.advance()
		if p.at("{") {
			p.block()
			return
		}
		p.externalDeclaration()
	case t.is("asm"), t.is("__asm__"), t.is("__asm"):
		var a attrs
		p.attributes(&a)
		p.expect(";", "after asm")
	case p.cxx && t.is("template"):
		p.template()
	case p.cxx && t.is("extern") && p.peek(1).is("template"):
		p.skipTo(";")
	case p.cxx && t.is("namespace"), p.cxx && t.is("inline") && p.peek(1).is("namespace"):
		p.namespace()
	case p.cxx && t.is("using"):
		p.using()
	case p.cxx && t.is("concept"):
		p.fail(t.pos, Unsupported, "concepts are not supported")
	case p.cxx && p.memberOutside():
		p.skipDeclaration()
	default:
		p.simpleOrUnread()
	}
}

// memberOutside reports whether the declaration is a constructor or an operator outside of its class: nothing is laid
// out by it.
func (p *parser) memberOutside() bool {
	for i := p.i; i+1 < len(p.toks); i++ {
		switch t := &p.toks[i]; {
		case t.is("("):
			if i == p.i || p.toks[i-1].kind != ident || !isAttribute(p.toks[i-1].text) {
				return false
			}
			i = closing(p.toks, i)
		case t.is("::"):
			if next := &p.toks[i+1]; next.is("operator") || i > p.i && next.kind == ident && next.text == p.toks[i-1].text && i+2 < len(p.toks) && p.toks[i+2].is("(") {
				return true
			}
		case t.is(";"), t.is("{"), t.is("}"), t.is("="), t.is(","), t.kind == eof:
			return false
		}
	}
	return false
}

// block reads a braced list of declarations in the current scope.
func (p *parser) block() {
	defer p.nest()()
	open := p.tok
	p.advance()
	p.external(true)
	if !p.accept("}") {
		p.fail(open.pos, Syntax, "{ is not closed")
	}
}

// simple reads a declaration made of specifiers and declarators.
func (p *parser) simple() {
	if p.deductionGuide() {
		return
	}
	s := p.specifiers()
	if s.has("virtual", "friend") {
		p.fail(s.pos, Syntax, "only members can be virtual or friends")
	}
	if p.accept(";") {
		if !s.any {
			p.warn(s.pos, Ignored, "declaration declares nothing")
		}
		if s.attrs.align != 0 || s.attrs.packed {
			p.warn(s.pos, Ignored, "attribute before the keyword does not apply to the type")
		}
		return
	}
	for {
		pos := p.tok.pos
		typ := s.typ
		if typ == nil {
			if !s.any && !p.at("~") && !(p.cxx && p.tok.kind == ident) {
				p.fail(p.tok.pos, Syntax, "expected a declaration, found %s", p.tok.describe())
			}
			typ = layout.Scalar{Kind: layout.Int} // constructors outside their class
		}
		d := p.declarator(typ, false)
		if d.spelt == "" {
			p.fail(pos, Syntax, "expected a name, found %s", p.tok.describe())
		}
		if s.typ == nil && d.params == nil {
			p.fail(pos, Undeclared, "%s has no type", d.spelt)
		}
		p.bind(s, d)
		if d.params != nil && p.functionBody() {
			return
		}
		p.initialiser(s, d)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";", "after the declaration")
}

// deductionGuide skips Vec(int) -> Vec<int>, which is about templates that need no arguments.
func (p *parser) deductionGuide() bool {
	i := p.i
	if p.toks[i].is("explicit") {
		i++
	}
	if !p.cxx || i+1 >= len(p.toks) || !p.toks[i+1].is("(") || !p.toks[min(p.shut(i+1)+1, len(p.toks)-1)].is("->") {
		return false
	}
	o := p.lookup(p.toks[i].text)
	is := o != nil && o.kind == templObj
	if is {
		p.skipDeclaration()
	}
	return is
}

// functionBody skips a function's body, and reports whether there was one.
func (p *parser) functionBody() bool {
	if p.at("try") {
		p.fail(p.tok.pos, Unsupported, "function try blocks are not supported")
	}
	if p.cxx && p.accept(":") {
		p.memberInitialisers()
	}
	if !p.at("{") {
		return false
	}
	p.skipBalanced()
	return true
}

// memberInitialisers skips what stands between a constructor's parameters and
// its body.
func (p *parser) memberInitialisers() {
	for {
		for !p.at("(") && !p.at("{") {
			if p.tok.kind == eof || p.at(";") {
				p.fail(p.tok.pos, Syntax, "expected a member initialiser, found %s", p.tok.describe())
			}
			if p.at("<") {
				p.skipTemplate()
				continue
			}
			p.advance()
		}
		p.skipBalanced()
		p.accept("...")
		if !p.accept(",") {
			return
		}
	}
}

// initialiser reads or skips what initialises a variable. Constants are
// remembered in C++, where array bounds may name them.
func (p *parser) initialiser(s *specs, d *declarator) {
	if !p.at("=") && !p.at("{") && !(p.at("(") && p.cxx) {
		return
	}
	o := p.scope.names[d.name.text]
	q, isConst := s.typ.(*layout.Qualified)
	fixed := s.has("constexpr", "constinit") || isConst && q.Const
	scalar, isScalar := layout.Unalias(d.typ).(layout.Scalar)
	_, isEnum := layout.Unalias(d.typ).(*layout.Enum)
	if o != nil && o.kind == varObj {
		auto := scalar.Kind == layout.Void
		if fixed && (isEnum || isScalar && (auto || scalar.Integer())) && p.constantVariable(o, d.typ, auto) {
			return
		}
		if fixed && o.why == "" {
			o.why = "is not computed"
		}
		p.count(o)
	}
	for p.at("=") {
		p.advance()
	}
	p.skipInitialiser()
}

// constantVariable evaluates the initialiser of a constant, and reports whether it could. One that cannot be
// evaluated is an error where it is used, not here.
func (p *parser) constantVariable(o *object, typ layout.Type, auto bool) bool {
	return p.attempt(func() {
		brace := !p.accept("=") || p.at("{")
		if brace {
			p.advance()
		}
		v := p.conditional()
		if brace && !p.accept("}") && !p.accept(")") {
			p.fail(p.tok.pos, Syntax, "expected } after the initialiser")
		}
		if auto {
			typ, o.typ = v.typ, v.typ
		}
		if v.known && typ != nil {
			o.kind = constObj
			o.val = p.convert(v, typ)
		} else if v.why != "" {
			o.why = "is not computed: " + v.why
		}
		if !p.at(",") && !p.at(";") {
			p.fail(p.tok.pos, Syntax, "expected ; after the initialiser")
		}
	})
}

// bind declares the name of d at the scope's level.
func (p *parser) bind(s *specs, d *declarator) {
	a := s.attrs
	a.merge(d.attrs)
	typ := p.apply(d.typ, &d.attrs, d.name.pos)
	if s.has("typedef") {
		p.bindTypedef(s, d, typ, a.align)
		return
	}
	if d.params != nil {
		p.bindFunc(s, d, typ, a)
		return
	}
	if d.spelt != d.name.text {
		return // a member defined outside its class
	}
	if !s.has("extern") && !p.tok.sys {
		p.complete(typ)
	}
	p.strict(&a, typ)
	if old := p.scope.names[d.name.text]; old == nil || old.kind == varObj {
		p.scope.names[d.name.text] = &object{kind: varObj, typ: typ, pos: d.name.pos}
	}
}

// bindTypedef declares another name for typ.
func (p *parser) bindTypedef(s *specs, d *declarator, typ layout.Type, align int64) {
	name := d.name.text
	alias := &layout.Alias{Name: name, Type: p.flatten(typ, d.name.pos), Align: align}
	p.nameRecord(s, d, typ, alias)
	p.declareType(name, d.name.pos, alias)
	if !p.inPrelude {
		p.unit.Typedefs = append(p.unit.Typedefs, &TypedefDecl{
			Name: p.scope.prefix + name, Pos: d.name.pos, Type: alias, System: p.tok.sys,
		})
	}
}

// nameRecord gives a record without a name that of the first typedef.
func (p *parser) nameRecord(s *specs, d *declarator, typ layout.Type, alias *layout.Alias) {
	if s.record == nil || s.record.Name != "" {
		return
	}
	if rec, ok := typ.(*layout.Record); ok && rec == s.record.Type && d.name.text != "" {
		rec.TypedefName = p.scope.prefix + d.name.text
		s.record.Name, s.record.Typedef = rec.TypedefName, alias
		if l := p.unit.leftOut[rec]; l.why != "" && p.opts.Partial {
			at := l.at
			if !at.IsValid() {
				at = s.record.Pos
			}
			p.unit.lose(rec.TypedefName, at, l.why)
		}
	}
}

// declareType declares a type name; the same declaration twice is allowed.
func (p *parser) declareType(name string, pos Pos, t *layout.Alias) {
	old := p.scope.names[name]
	known := old != nil && !old.pos.IsValid() // of the prelude, which the input goes before
	if old != nil && old.kind != badObj && !known && !old.lost && !p.sameType(old.typ, t) {
		p.report(pos, Redefined, "%s is declared differently at %s", name, old.pos)
		return
	}
	p.scope.names[name] = &object{kind: typeObj, typ: t, pos: pos}
}

// sameType reports whether two declarations of a name mean the same type. It
// compares spellings: that is enough to catch a mistake.
func (p *parser) sameType(a, b layout.Type) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := layout.Unalias(a), layout.Unalias(b)
	if x == y {
		return true
	}
	la, errA := p.memo.Of(x)
	lb, errB := p.memo.Of(y)
	switch {
	case errA != nil || errB != nil:
		return x.String() == y.String()
	case la.Size != lb.Size:
		return false
	}
	_, recA := x.(*layout.Record)
	_, recB := y.(*layout.Record)
	return !recA && !recB
}

// bindFunc declares a function.
func (p *parser) bindFunc(s *specs, d *declarator, typ layout.Type, a attrs) {
	f, ok := typ.(*layout.Func)
	if !ok {
		return
	}
	if d.spelt == d.name.text && p.scope.names[d.name.text] == nil {
		p.scope.names[d.name.text] = &object{kind: funcObj, typ: typ, pos: d.name.pos}
	}
	if p.inPrelude || s.typ == nil || p.scope.record != nil {
		return
	}
	fd := &FuncDecl{
		Name: p.scope.prefix + d.spelt, Pos: d.name.pos,
		Kernel: s.has("__global__") || a.kernel, Device: s.has("__device__") || a.device,
		Result: f.Result, Params: d.params.params, Variadic: d.params.variadic, NoProto: d.params.noProto, System: p.tok.sys, C: p.linkageC,
		Static: s.has("static"), Bounds: a.bounds, Label: d.attrs.label,
	}
	var key strings.Builder
	key.WriteString(fd.Name)
	for _, a := range fd.Params {
		key.WriteString("\x00" + a.Type.String())
	}
	if old := p.funcs[key.String()]; old != nil {
		old.Kernel, old.C, old.Static = old.Kernel || fd.Kernel, old.C || fd.C, old.Static || fd.Static
		old.NoProto = old.NoProto && fd.NoProto
		if old.Bounds == nil {
			old.Bounds = fd.Bounds
		}
		old.Label = cmp.Or(old.Label, fd.Label)
		for j := range old.Params {
			old.Params[j].Name = cmp.Or(old.Params[j].Name, fd.Params[j].Name)
		}
		return
	}
	p.funcs[key.String()] = fd
	p.unit.Funcs = append(p.unit.Funcs, fd)
}

// staticAssert evaluates an assertion against the layouts.
func (p *parser) staticAssert() {
	pos := p.tok.pos
	p.advance()
	open, errs := p.i, len(p.errs)
	p.expect("(", "after static_assert")
	var v value
	ok := p.try(func() {
		v = p.constant("assertion")
		if !p.at(",") && !p.at(")") {
			p.fail(p.tok.pos, Syntax, "expected , or ) after the assertion, found %s", p.tok.describe())
		}
	})
	if !ok {
		// Assertions in terms of templates say nothing of the layout.
		if len(p.errs) == errs || p.errs[errs].Code != Unsupported {
			panic(bailout{})
		}
		e := p.errs[errs]
		p.errs = p.errs[:errs]
		p.warn(pos, Unsupported, "static assertion is not evaluated: %s", e.Msg)
		p.seek(open)
		p.skipBalanced()
		p.expect(";", "after static_assert")
		return
	}
	text := ""
	if p.accept(",") && p.tok.kind == str {
		text = ": "
	}
	for ; p.tok.kind == str; p.advance() {
		text += p.tok.text
	}
	p.expect(")", "after static_assert")
	p.expect(";", "after static_assert")
	if v.bits == 0 {
		p.report(pos, Assert, "static assertion does not hold%s", text)
	}
}
