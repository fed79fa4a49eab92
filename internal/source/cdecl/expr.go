package cdecl

import (
	"cmp"

	"github.com/ptxabi/ptxabi/layout"
)

// constant reads a constant expression without commas.
func (p *parser) constant(what string) value {
	pos := p.tok.pos
	v := p.conditional()
	if !v.known || v.lvalue {
		if v.why != "" {
			p.fail(pos, Constant, "%s: %s", what, v.why)
		}
		p.fail(pos, Constant, "%s is not a constant", what)
	}
	return v
}

// expression reads an expression with commas.
func (p *parser) expression() value {
	v := p.conditional()
	for p.accept(",") {
		v = p.conditional()
	}
	return v
}

// conditional reads an expression; assignments are not constants, so their
// operators end it.
func (p *parser) conditional() value {
	defer p.nest()()
	c := p.binary(1)
	if !p.accept("?") {
		return c
	}
	a := p.expression()
	p.expect(":", "in the conditional expression")
	b := p.conditional()
	a2, b2 := p.balance(a, b)
	if c.known && c.bits == 0 {
		return b2
	}
	a2.known = c.known && a.known
	a2.why = cmp.Or(c.why, a.why)
	return a2
}

// precedence is that of binary operators; 0 of other tokens.
var precedence = map[string]int{
	"||": 1, "or": 1, "&&": 2, "and": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (p *parser) binary(least int) value {
	a := p.cast()
	for {
		op := p.tok
		switch {
		case p.angle > 0 && op.is(">"):
			return a
		case p.shifts():
			op.text = ">>"
		}
		prec := precedence[op.text]
		if prec < least || prec == 0 || op.kind != punct && !(op.kind == ident && p.cxx) {
			return a
		}
		if p.shifts() {
			p.advance()
		}
		p.advance()
		b := p.binary(prec + 1)
		r := p.operate(op, a, b)
		r.why = cmp.Or(r.why, a.why, b.why)
		a = r
	}
}

// operate computes a op b.
func (p *parser) operate(op token, a, b value) value {
	switch op.text {
	case "&&", "and", "||", "or":
		decisive := op.text[0] == '|' || op.text[0] == 'o' // what the first operand alone decides
		if a.known && (a.bits != 0) == decisive {
			return p.truth(decisive, true)
		}
		return p.truth(b.bits != 0, a.known && b.known)
	case "<<", ">>":
		return p.shift(op, p.promote(a), p.promote(b))
	}
	if ptr, ok := layout.Unalias(a.typ).(*layout.Pointer); ok && (op.text == "+" || op.text == "-") {
		return p.pointerArithmetic(op, ptr, a, b)
	}
	a, b = p.balance(a, b)
	known := a.known && b.known && !a.lvalue && !b.lvalue
	signed := p.signed(a.typ)
	x, y := int64(a.bits), int64(b.bits)
	order := cmp.Compare(a.bits, b.bits)
	if signed {
		order = cmp.Compare(x, y)
	}
	compared := map[string]bool{"==": order == 0, "!=": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}
	if holds, ok := compared[op.text]; ok {
		return p.truth(holds, known)
	}
	out := value{typ: a.typ, known: known}
	switch op.text {
	case "+":
		out.bits = a.bits + b.bits
	case "-":
		out.bits = a.bits - b.bits
	case "*":
		out.bits = a.bits * b.bits
	case "&":
		out.bits = a.bits & b.bits
	case "|":
		out.bits = a.bits | b.bits
	case "^":
		out.bits = a.bits ^ b.bits
	case "/", "%":
		if b.bits == 0 {
			return value{typ: a.typ, why: "division by zero"}
		}
		quotient, rest := a.bits/b.bits, a.bits%b.bits
		if signed {
			quotient, rest = uint64(x/y), uint64(x%y)
		}
		if out.bits = quotient; op.text == "%" {
			out.bits = rest
		}
	}
	return p.fit(out)
}

// truth is the value of a comparison.
func (p *parser) truth(holds, known bool) value {
	v := value{typ: layout.Scalar{Kind: layout.Int}, known: known}
	if p.cxx {
		v.typ = layout.Scalar{Kind: layout.Bool}
	}
	if holds {
		v.bits = 1
	}
	return v
}

func (p *parser) shift(op token, a, b value) value {
	out := value{typ: a.typ, known: a.known && b.known}
	switch size := p.sizeOf(a.typ); {
	case size > 8, b.bits >= uint64(size*8):
		return value{typ: a.typ, why: "shift out of range"}
	case op.text == "<<":
		out.bits = a.bits << b.bits
	case p.signed(a.typ):
		out.bits = uint64(int64(a.bits) >> b.bits)
	default:
		out.bits = a.bits >> b.bits
	}
	return p.fit(out)
}

// pointerArithmetic is enough for addresses made of constants.
func (p *parser) pointerArithmetic(op token, ptr *layout.Pointer, a, b value) value {
	if _, ok := layout.Unalias(b.typ).(*layout.Pointer); ok {
		return value{typ: layout.Scalar{Kind: layout.Long}}
	}
	l, err := p.memo.Of(ptr.Elem)
	if err != nil {
		return value{typ: a.typ}
	}
	if op.text == "-" {
		b.bits = -b.bits
	}
	return value{typ: a.typ, bits: a.bits + b.bits*uint64(l.Size), known: a.known && b.known}
}

// cast reads a cast or a unary expression.
func (p *parser) cast() value {
	defer p.nest()()
	if p.at("(") && !p.prep && p.typeFrom(1) {
		p.advance()
		t := p.typeName()
		p.expect(")", "after the type")
		if p.at("{") {
			p.skipBalanced() // a compound literal
			return value{typ: t}
		}
		return p.convert(p.cast(), t)
	}
	return p.unary()
}

func (p *parser) unary() value {
	t := p.tok
	switch t.text {
	case "+", "-", "~", "!", "not", "compl":
		if t.kind == ident && !p.cxx || t.kind != ident && t.kind != punct {
			break
		}
		p.advance()
		v := p.cast()
		if t.text == "!" || t.text == "not" {
			return p.operate(token{kind: punct, text: "=="}, v, value{typ: layout.Scalar{Kind: layout.Int}, known: true})
		}
		v = p.promote(v)
		v.lvalue = false
		switch t.text {
		case "-":
			v.bits = -v.bits
		case "~", "compl":
			v.bits = ^v.bits
		}
		return p.fit(v)
	case "&":
		p.advance()
		v := p.cast()
		return value{typ: &layout.Pointer{Elem: v.typ}, bits: v.bits, known: v.known && v.lvalue}
	case "*":
		p.advance()
		return p.dereference(p.cast(), t.pos)
	case "sizeof", "alignof", "_Alignof", "__alignof__", "__alignof":
		if !p.prep {
			return p.sizeof(t)
		}
	case "__extension__":
		p.advance()
		return p.cast()
	}
	return p.postfix(p.primary())
}

func (p *parser) dereference(v value, pos Pos) value {
	switch t := layout.Unalias(v.typ).(type) {
	case *layout.Pointer:
		return value{typ: t.Elem, bits: v.bits, known: v.known, lvalue: true}
	case *layout.Array:
		return value{typ: t.Elem, bits: v.bits, known: v.known, lvalue: true}
	case nil:
		return value{}
	}
	p.fail(pos, BadType, "%s is not a pointer", v.typ)
	return value{}
}

// sizeof reads sizeof or alignof of a type or an expression.
func (p *parser) sizeof(op token) value {
	p.advance()
	pos := p.tok.pos
	var t layout.Type
	if p.at("(") && p.typeFrom(1) {
		p.advance()
		t = p.typeName()
		p.expect(")", "after the type")
	} else {
		if p.at("...") || op.text != "sizeof" { // the alignment of a variable is not that of its type
			p.fail(pos, Unsupported, "%s of this is not supported", op.text)
		}
		t = p.cast().typ
	}
	if t == nil {
		p.fail(pos, Unsupported, "%s of this expression is not supported", op.text)
	}
	if ptr, ok := layout.Unalias(t).(*layout.Pointer); ok && (ptr.Kind == layout.LvalueReference || ptr.Kind == layout.RvalueReference) {
		t = ptr.Elem
	}
	if a, ok := layout.Unalias(t).(*layout.Array); ok && a.Len == layout.Unbounded && op.text == "sizeof" {
		p.fail(pos, BadType, "sizeof of an array without a bound")
	}
	l := p.layoutOf(t, pos)
	n := l.Size
	if op.text != "sizeof" {
		n = l.Align
	}
	return value{typ: p.sizeType(), known: true, bits: uint64(n)}
}

// primary reads names, literals and parentheses.
func (p *parser) primary() value {
	t := p.tok
	switch t.kind {
	case number:
		p.advance()
		return p.number(t)
	case char:
		p.advance()
		return p.char(t)
	case str:
		return p.strings()
	case ident:
		return p.nameOrCall(t)
	}
	switch {
	case t.is("("):
		p.advance()
		if p.at("{") {
			p.fail(t.pos, Unsupported, "statement expressions are not supported")
		}
		angle := p.angle
		p.angle = 0
		v := p.expression()
		p.angle = angle
		p.expect(")", "after the expression")
		return v
	case t.is("::") && p.cxx:
		return p.nameOrCall(t)
	}
	p.fail(t.pos, Syntax, "expected an expression, found %s", t.describe())
	return value{}
}
