package ptx

import "strings"

// call parses the operands of a call; off stands at their first byte.
func (p *parser) call(body *[]Stmt, in Instr) {
	if len(p.calls) == 0 {
		p.calls = make([]Call, 8)
	}
	c := &p.calls[0]
	*c = Call{Instr: in}
	p.next()
	first := p.start
	ok := p.callOperands(c)
	p.finish(&c.Instr, first, ok, "call")
	if !ok {
		return
	}
	p.calls = p.calls[1:]
	*body = append(*body, c)
}

// finish ends an instruction whose operands the parser has read as tokens.
func (p *parser) finish(in *Instr, first int, ok bool, what string) {
	if ok && !p.is(';') {
		p.errorAt(p.posBehind(), "found "+p.found()+", expected ';' behind the "+what)
		ok = p.prevOnOtherLine() || p.is('}')
		if ok {
			in.Args = p.src[first:max(first, p.end)]
			p.restart()
			return
		}
	}
	if !ok {
		p.advance()
		p.restart()
		return
	}
	if p.end > first {
		in.Args = p.src[first:p.end]
	}
	in.Ragged = ragged(in.Args)
	p.stmtStart()
}

func ragged(s string) bool {
	return strings.IndexByte(s, '\n') >= 0 || strings.Contains(s, "//") || strings.Contains(s, "/*")
}

func (p *parser) callOperands(c *Call) bool {
	for _, m := range strings.Split(c.Op, ".")[1:] {
		if m != "uni" {
			p.errorAt(c.Pos, "unknown modifier ."+m+" of call; .uni is the only one")
			return false
		}
		c.Uni = true
	}
	var ok bool
	if p.got('(') {
		if c.Results, ok = p.operands(')'); !ok {
			return false
		}
		if !p.want(',', "behind the results of the call") {
			return false
		}
	}
	if p.tok != tIdent {
		p.unexpected("the function or register to call")
		return false
	}
	if c.Callee, ok = p.operand(); !ok {
		return false
	}
	if !p.got(',') {
		return true
	}
	if p.got('(') {
		if c.Params, ok = p.operands(')'); !ok {
			return false
		}
		if !p.got(',') {
			return true
		}
	}
	if p.tok != tIdent {
		p.unexpected("arguments in parentheses, a prototype or a list of targets")
		return false
	}
	c.Proto, ok = p.operand()
	return ok
}

// operands parses a list up to and with the closing bracket, the opening one
// already read. Small lists share an array: a module has many of them.
func (p *parser) operands(closing byte) ([]Operand, bool) {
	if p.got(closing) {
		return nil, true
	}
	if cap(p.ops)-len(p.ops) < 8 {
		p.ops = make([]Operand, 0, 64)
	}
	list := p.ops[len(p.ops):]
	for {
		o, ok := p.operand()
		if !ok {
			return nil, false
		}
		list = append(list, o)
		if p.got(',') {
			continue
		}
		if !p.want(closing, "behind the operands") {
			return nil, false
		}
		break
	}
	if len(list) <= cap(p.ops)-len(p.ops) {
		p.ops = p.ops[:len(p.ops)+len(list)]
	}
	return list[:len(list):len(list)], true
}

// operand parses one operand.
//
//	operand = name [ ".x" ] | "_" | constant expression | "{" operands "}" .
func (p *parser) operand() (Operand, bool) {
	o := Operand{Pos: p.pos}
	first := p.start
	switch {
	case p.tok == tIdent && p.lit() == "_":
		o.Kind = KindSink
		p.next()
	case p.tok == tIdent && p.lit() != "WARP_SZ":
		o.Kind = KindName
		p.next()
		if p.tok == tDot && p.start == p.end {
			if e := elemOf(p.lit()); e != 0 {
				o.Elem = e
				p.next()
			}
		}
	case p.is('{') && !p.inVector:
		p.next()
		o.Kind = KindVector
		p.inVector = true
		var ok bool
		o.Elems, ok = p.operands('}')
		p.inVector = false
		if !ok {
			return o, false
		}
	case p.tok == tNumber && floatLiteral(p.lit(), &o):
		p.next()
	default:
		return p.constant(o)
	}
	o.Text = p.src[first:p.end]
	return o, true
}

// elemOf returns the element that a suffix of a vector register selects.
func elemOf(name string) byte {
	if len(name) == 2 {
		switch name[1] {
		case 'x', 'y', 'z', 'w':
			return name[1]
		case 'r', 'g', 'b', 'a':
			return "xyzw"[strings.IndexByte("rgba", name[1])]
		}
	}
	return 0
}

// constant parses a constant expression, or a negative float.
func (p *parser) constant(o Operand) (Operand, bool) {
	first := p.start
	e := exprParser{p: p}
	v, ok := e.ternary()
	if !ok {
		return o, false
	}
	o.Text = p.src[first:p.end]
	if v.float {
		o.Kind, o.Bits, o.FloatSize = KindFloat, v.bits, v.size
	} else {
		o.Kind, o.Bits = KindInt, v.bits
	}
	return o, true
}

// paramAccess parses the operands of an ld.param or st.param.
func (p *parser) paramAccess(body *[]Stmt, in Instr) {
	if len(p.access) == 0 {
		p.access = make([]Access, 16)
	}
	a := &p.access[0]
	*a = Access{Instr: in, Store: in.Op[0] == 's'}
	p.next()
	first := p.start
	ok := p.accessModifiers(a) && p.accessOperands(a)
	p.finish(&a.Instr, first, ok, a.Op)
	if !ok {
		return
	}
	p.access = p.access[1:]
	*body = append(*body, a)
}

func (p *parser) accessModifiers(a *Access) bool {
	op := a.Op
	for i := 2; i < len(op); {
		n := strings.IndexByte(op[i+1:], '.')
		if n < 0 {
			n = len(op) - i - 1
		}
		m := op[i : i+1+n] // with its dot
		i += 1 + n
		switch m {
		case ".param":
			continue
		case ".param::entry":
			a.Qual = EntryParam
			continue
		case ".param::func":
			a.Qual = FuncParam
			continue
		}
		if strings.HasPrefix(m, ".param") {
			p.errorAt(a.Pos, "unknown qualifier "+m+"; .param::entry and .param::func are the ones there are")
			return false
		}
		if v := vectorOf(m); v != 0 {
			a.Vec = v
		} else if t := TypeOf(m); t != NoType {
			a.Type = t
		}
	}
	if a.Type == NoType {
		p.errorAt(a.Pos, a.Op+" says no type to access; add one such as .b32")
		return false
	}
	a.Volume = a.Type.Size() * max(a.Vec, 1)
	return true
}

func (p *parser) accessOperands(a *Access) bool {
	if a.Store {
		return p.address(&a.Addr) && p.want(',', "behind the address") && p.accessRegs(a)
	}
	if !p.accessRegs(a) || !p.want(',', "behind the destination") || !p.address(&a.Addr) {
		return false
	}
	// Cache policies and the like may follow.
	for p.got(',') {
		if _, ok := p.operand(); !ok {
			return false
		}
	}
	return true
}

func (p *parser) accessRegs(a *Access) bool {
	pos := p.pos
	o, ok := p.operand()
	if !ok {
		return false
	}
	switch {
	case o.Kind == KindVector:
		a.Regs = o.Elems
		if len(a.Regs) != a.Vec {
			if a.Vec == 0 && len(a.Regs) == 1 {
				return true
			}
			p.errorAt(pos, countOf(len(a.Regs), "element")+" for "+a.Op+", expected "+countOf(max(a.Vec, 1), "element"))
			return false
		}
	default:
		if cap(p.ops)-len(p.ops) < 1 {
			p.ops = make([]Operand, 0, 64)
		}
		n := len(p.ops)
		p.ops = append(p.ops, o)
		a.Regs = p.ops[n : n+1 : n+1]
		a.Whole = a.Vec != 0
	}
	return true
}

// address parses [base], [base+off], [base-off], [base+-off], [off] and
// base[index].
func (p *parser) address(a *Address) bool {
	if p.tok == tIdent {
		a.Pos, a.Base, a.Indexed = p.pos, p.lit(), true
		p.next()
		return p.want('[', "behind the name") && p.offset(a)
	}
	if !p.want('[', "before the address") {
		return false
	}
	a.Pos = p.pos
	if p.tok == tIdent {
		a.Base = p.lit()
		p.next()
		if p.is(']') {
			p.next()
			return true
		}
		if !p.is('+') && !p.is('-') {
			p.unexpected("'+', '-' or ']' in the address")
			return false
		}
		if p.is('+') {
			p.next()
		}
	}
	return p.offset(a)
}

// offset parses the constant in an address and the closing bracket.
func (p *parser) offset(a *Address) bool {
	e := exprParser{p: p}
	v, ok := e.ternary()
	if !ok {
		return false
	}
	if v.float {
		p.errorAt(a.Pos, "an offset is an integer number of bytes")
		return false
	}
	a.Off = int64(v.bits)
	return p.want(']', "behind the address")
}
