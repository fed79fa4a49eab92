package ptx

import "strings"

// call parses the operands of a call; off is at their first byte.
func (p *bodyParser) call(c *Call) {
	p.token()
	first := p.start
	ok := p.callOperands(c)
	if p.finish(&c.Instr, first, ok) {
		p.add(c)
	}
}

// finish ends an instruction whose operands, from offset first on, have been
// read without an error if ok is set. It reports whether to keep the instruction.
func (p *bodyParser) finish(in *Instr, first int, ok bool) bool {
	in.Args = p.src[first:max(first, p.end)]
	in.End = p.posAfter()
	if ok && p.is(';') {
		in.End = p.posAt(p.off)
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

func (p *bodyParser) callOperands(c *Call) bool {
	c.Uni = strings.HasSuffix(c.Op, ".uni") || strings.Contains(c.Op, ".uni.")
	var ok bool
	if p.got('(') {
		if c.Results, ok = p.operands().operandList(); !ok {
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
	if !p.operands().operand(&c.Callee) {
		return false
	}
	if !p.got(',') {
		return true
	}
	if c.Listed = p.got('('); c.Listed {
		if c.Params, ok = p.operands().operandList(); !ok {
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
	return p.operands().operand(&c.Proto)
}
