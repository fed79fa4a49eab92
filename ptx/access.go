package ptx

import "strings"

// A memOp is what an opcode that begins with ld or st says. The zero memOp is that
// of no opcode.
type memOp struct {
	op     string
	param  bool   // .param is among its modifiers
	bad    string // a qualifier of .param that there is not; "" if there is none
	qual   ParamQual
	typ    Type
	vec    int
	volume int // bytes of the access; modifiers sets it
}

// memOps holds opcodes by a hash. A module has few of them, and taking one apart
// costs as much as all else that reading an access does.
type memOps [32]memOp

// of returns what op says, which begins with "ld." or "st.". That is good until the
// next call.
func (t *memOps) of(op string) *memOp {
	n := len(op)
	m := &t[(uint(n)+uint(op[0])+3*uint(op[n-1])+5*uint(op[n-2])+7*uint(op[n-3]))%uint(len(t))]
	if m.op != op {
		*m = memOp{op: op, param: hasParam(op)}
		if m.param {
			m.modifiers()
		}
	}
	return m
}

// isMemOp reports whether op is an ld or st with modifiers.
func isMemOp(op string) bool {
	return len(op) > 2 && op[2] == '.' && (op[:2] == "ld" || op[:2] == "st")
}

// hasParam reports whether .param is among the modifiers of an ld or st.
func hasParam(op string) bool {
	for rest := op[2:]; ; {
		i := strings.Index(rest, ".param")
		if i < 0 {
			return false
		}
		rest = rest[i+len(".param"):]
		if rest == "" || rest[0] == '.' || rest[0] == ':' {
			return true
		}
	}
}

// modifiers reads those of m.op, up to one that is wrong.
func (m *memOp) modifiers() {
	mods := m.op[2:]
	for i := 0; i < len(mods) && m.bad == ""; {
		n := i + 1
		for n < len(mods) && mods[n] != '.' {
			n++
		}
		one := mods[i:n] // with its dot
		i = n
		switch {
		case one == ".param":
		case one == ".param::entry":
			m.qual = EntryParam
		case one == ".param::func":
			m.qual = FuncParam
		case strings.HasPrefix(one, ".param"):
			m.bad = one
		default:
			if v := vectorOf(one); v != 0 {
				m.vec = v
			} else if t := TypeOf(one); t != NoType {
				m.typ = t
			}
		}
	}
	m.volume = m.typ.Size() * max(m.vec, 1)
}

// paramAccess parses an ld.param or st.param behind its opcode, which m is of; off
// stands at the first byte of its operands.
func (p *parser) paramAccess(pos Pos, g *Guard, m *memOp) {
	room := p.accesses.next(&p.scanner)
	a := &room.Access
	a.Pos, a.Op, a.Ragged = pos, m.op, false
	if a.Guard != g { // mostly both are nil
		a.Guard = g
	}
	a.Store, a.Whole, a.Qual, a.Type, a.Vec = m.op[0] == 's', false, m.qual, m.typ, m.vec
	a.Volume = m.volume
	if m.bad == "" && m.typ != NoType && p.plainAccess(a, &room.one) {
		p.stmtStart()
		p.add(a)
		return
	}
	a.Args, a.Regs, a.Addr = "", nil, Address{}
	p.token()
	first := p.start
	ok := p.accessModifiers(a, m) && p.accessOperands(a)
	if p.finish(&a.Instr, first, ok) {
		p.add(a)
	}
}

// accessModifiers complains of modifiers that are wrong.
func (p *parser) accessModifiers(a *Access, m *memOp) bool {
	switch {
	case m.bad != "":
		p.errorAt(a.Pos, "unknown qualifier "+short(m.bad)+"; .param::entry and .param::func are the ones there are")
	case m.typ == NoType:
		p.errorAt(a.Pos, short(a.Op)+" says no type to access; add one such as .b32")
	default:
		return true
	}
	return false
}

func (p *parser) accessOperands(a *Access) bool {
	if a.Store {
		return p.address(&a.Addr) && p.want(',', "behind the address") && p.accessRegs(a) && p.sum(a)
	}
	if !p.accessRegs(a) || !p.want(',', "behind the destination") || !p.address(&a.Addr) {
		return false
	}
	// Cache policies and the like may follow.
	for p.got(',') {
		var o Operand
		if !p.operand(&o) {
			return false
		}
	}
	return true
}

// sum parses what may follow a name that a scalar store takes: an offset. The sum is
// an operand of no kind.
func (p *parser) sum(a *Access) bool {
	if a.Vec != 0 || !p.is('+') || a.Regs[0].Kind != KindName || a.Regs[0].Elem != 0 || a.Regs[0].Text != p.src[p.end-len(a.Regs[0].Text):p.end] {
		return true
	}
	o := &a.Regs[0]
	first := p.end - len(o.Text)
	p.next()
	v, ok := p.value()
	if !ok {
		return false
	}
	if v.float {
		p.errorAt(o.Pos, "an offset is an integer number of bytes")
		return false
	}
	o.Kind, o.Text = KindOther, p.src[first:p.end]
	return true
}

func (p *parser) accessRegs(a *Access) bool {
	if !p.is('{') {
		regs := append(p.operands.open(&p.scanner), Operand{})
		ok := p.operand(&regs[0])
		a.Regs = p.operands.close(regs)
		a.Whole = a.Vec != 0
		return ok
	}
	var o Operand
	if !p.operand(&o) {
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
func (p *parser) offset(a *Address) bool {
	v, ok := p.value()
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
