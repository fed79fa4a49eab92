package ptx

// paramAccess parses an ld.param or st.param after its opcode; off is at the
// first byte of its operands.
func (p *bodyParser) paramAccess(pos Pos, g *Guard, op string) {
	m, bad := paramOpOf(op)
	if bad != "" || m.typ == NoType { // its opcode has an unknown qualifier, or no type
		p.instruction(pos, g, op)
		return
	}
	a := p.nodes.accesses.one()
	a.Pos, a.Guard, a.Op = pos, g, op
	a.Store, a.Qual, a.Type, a.Vec = op[0] == 's', m.qual, m.typ, m.vec
	before := p.place
	p.token()
	first := p.start
	ok := p.accessOperands(a)
	if ok && !a.Store && p.is(',') { // more operands than a load of a parameter has
		p.place = before
		p.instruction(pos, g, op)
		return
	}
	if p.finish(&a.Instr, first, ok) {
		p.add(a)
	}
}

func (p *bodyParser) accessOperands(a *Access) bool {
	if a.Store {
		return p.operands().address(&a.Addr) && p.want(',', "after the address") && p.accessRegs(a) && p.operands().sum(a)
	}
	return p.accessRegs(a) && p.want(',', "after the destination") && p.operands().address(&a.Addr)
}

// sum parses the constant that a scalar store may add to the name of its operand.
func (p *operandParser) sum(a *Access) bool {
	if a.Vec != 0 || !p.is('+') || a.Regs[0].Kind != KindName || a.Regs[0].Elem != 0 || a.Regs[0].Text != p.src[p.end-len(a.Regs[0].Text):p.end] {
		return true
	}
	o := &a.Regs[0]
	first := p.end - len(o.Text)
	p.next()
	v, ok := p.bytes(o.Pos)
	if !ok {
		return false
	}
	o.Kind, o.Text, o.Bits, o.Wrapped = KindSum, p.src[first:p.end], v.bits, v.wrapped
	return true
}

func (p *bodyParser) accessRegs(a *Access) bool {
	var o Operand
	list := p.is('{')
	ok := p.operands().operand(&o)
	switch {
	case !list:
		a.Regs, a.Whole = p.nodes.operands.keep([]Operand{o}), a.Vec != 0
		return ok
	case !ok:
		return false
	}
	a.Regs = o.Elems
	if n, want := len(a.Regs), max(a.Vec, 1); n != want {
		p.errorAt(o.Pos, countOf(n, "element")+" for "+short(a.Op)+", expected "+countOf(want, "element"))
		return false
	}
	return true
}

// address parses [base], [base+off], [base-off], [base+-off], [off] and
// base[index].
func (p *operandParser) address(a *Address) bool {
	if p.tok == tIdent {
		a.Pos, a.Base, a.Indexed = p.pos, p.lit(), true
		p.next()
		return p.want('[', "after the name") && p.offset(a)
	}
	if !p.want('[', "before the address") {
		return false
	}
	a.Pos, a.Minus = p.pos, p.is('-')
	if p.tok == tIdent && p.lit() != "WARP_SZ" {
		a.Base = p.lit()
		p.next()
		if p.is(']') {
			p.next()
			return true
		}
		if a.Minus = p.is('-'); !a.Minus && !p.got('+') {
			p.unexpected("'+', '-' or ']' in the address")
			return false
		}
	}
	return p.offset(a)
}

// offset parses the constant in an address and the closing bracket.
func (p *operandParser) offset(a *Address) bool {
	v, ok := p.bytes(a.Pos)
	a.Off, a.Wrapped = int64(v.bits), v.wrapped
	return ok && p.want(']', "after the address")
}

// bytes parses the offset of an address that begins at pos.
func (p *operandParser) bytes(pos Pos) (v value, ok bool) {
	if v, ok = p.value(); ok && v.float {
		p.errorAt(pos, "an offset is an integer number of bytes")
		ok = false
	}
	return v, ok
}
