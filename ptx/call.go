package ptx

import "strings"

// call parses the operands of a call; off stands at their first byte.
func (p *parser) call(c *Call) {
	p.token()
	first := p.start
	ok := p.callOperands(c)
	if p.finish(&c.Instr, first, ok) {
		p.add(c)
	}
}

// finish ends an instruction whose operands, from offset first on, the parser
// has read as tokens, and reports whether to keep it.
func (p *parser) finish(in *Instr, first int, ok bool) bool {
	in.setArgs(p.src, first, p.end)
	if in.Args != "" {
		in.Ragged = strings.IndexByte(in.Args, '\n') >= 0 || strings.IndexByte(in.Args, '/') >= 0
	}
	if ok && p.is(';') {
		p.stmtStart()
		return true
	}
	if ok {
		p.missing("';' after the instruction")
		ok = p.tok == tEOF || p.firstOfLine() || p.is('}')
	}
	if !ok {
		p.advance()
	}
	p.restart()
	return ok
}

func (p *parser) callOperands(c *Call) bool {
	c.Uni = strings.HasSuffix(c.Op, ".uni") || strings.Contains(c.Op, ".uni.")
	var ok bool
	if p.got('(') {
		if c.Results, ok = p.operandList(')'); !ok {
			return false
		}
		if !p.want(',', "after the results of the call") {
			return false
		}
	}
	if p.tok != tIdent {
		p.unexpected("the function or register to call")
		return false
	}
	if !p.operand(&c.Callee) {
		return false
	}
	if !p.got(',') {
		return true
	}
	if p.got('(') {
		if c.Params, ok = p.operandList(')'); !ok {
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
	return p.operand(&c.Proto)
}

// operandList parses a list up to and with the closing bracket, the opening one
// already read.
func (p *parser) operandList(closing byte) ([]Operand, bool) {
	if p.got(closing) {
		return nil, true
	}
	base := len(p.operandStack)
	defer func() { p.operandStack = p.operandStack[:base] }()
	for {
		var o Operand
		if !p.operand(&o) {
			return nil, false
		}
		p.operandStack = append(p.operandStack, o)
		if !p.got(',') {
			break
		}
	}
	if !p.want(closing, "after the operands") {
		return nil, false
	}
	return p.operands.keep(&p.scanner, p.operandStack[base:]), true
}

// operand parses one operand.
//
//	operand = name [ ".x" ] | "_" | constant expression | "{" operands "}" .
func (p *parser) operand(o *Operand) bool {
	o.Pos = p.pos
	first := p.start
	switch {
	case p.tok == tIdent && p.lit() == "_":
		o.Kind = KindSink
		p.next()
	case p.tok == tIdent && p.lit() != "WARP_SZ":
		o.Kind = KindName
		p.next()
		if p.tok == tDot && !p.firstOfLine() {
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
		o.Elems, ok = p.operandList('}')
		p.inVector = false
		if !ok {
			return false
		}
	default:
		v, ok := p.value()
		if !ok {
			return false
		}
		o.Kind, o.Bits, o.Wrapped = KindInt, v.bits, v.wrapped
		if v.float {
			o.Kind, o.FloatSize = KindFloat, v.size
		}
	}
	o.Text = p.src[first:p.end]
	return true
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
