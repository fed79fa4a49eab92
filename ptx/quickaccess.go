package ptx

// quickAccess is quickInstr for an access of registers whose names begin with a
// percent sign.
func (p *parser) quickAccess(op *opcode, first, i int) int {
	src, m := p.src, op.memOp
	store := m.op[0] == 's'
	a := &p.accesses.peek(&p.scanner, 1)[0]
	regs := p.operands.peek(&p.scanner, max(m.vec, 1))
	from := i
	if store {
		if i = p.plainComma(p.quickAddress(&a.Addr, i)); i == len(src) {
			return -1
		}
	}
	vector := i < len(src) && src[i] == '{'
	if vector {
		i++
	} else {
		regs = regs[:1]
	}
	for k := range regs {
		if vector {
			i = p.blanks(i)
		}
		at := i
		if uint(i+1) >= uint(len(src)) || src[i] != '%' || class[src[i+1]] != cIdent {
			return -1
		}
		i = through(src, i+1, cIdent)
		o := &regs[k]
		o.Pos, o.Kind, o.Elem, o.Text, o.Bits, o.FloatSize = p.posAt(at), KindName, 0, src[at:i], 0, 0
		if o.Elems != nil {
			o.Elems = nil
		}
		if vector {
			i = p.blanks(i)
			want := byte(',')
			if k == len(regs)-1 {
				want = '}'
			}
			if i == len(src) || src[i] != want {
				return -1
			}
			i++
		}
	}
	if !store {
		i = p.quickAddress(&a.Addr, p.plainComma(i))
	}
	end := i
	if i = p.blanks(i); i >= len(src) || src[i] != ';' {
		return -1
	}
	a.Pos, a.Op, a.Args, a.Ragged = p.posAt(first), op.text, src[from:end], false
	if a.Guard != nil {
		a.Guard = nil
	}
	a.Store, a.Qual, a.Type, a.Vec, a.Volume = store, m.qual, m.typ, m.vec, m.volume
	a.Regs, a.Whole = regs[:len(regs):len(regs)], m.vec != 0 && !vector
	p.accesses.take(1)
	p.operands.take(len(regs))
	p.add(a)
	return i + 1
}

// quickAddress is plainAddress for a base that begins with a letter or a percent sign.
// Mostly it is that of the access before, which is seen in half of the time.
func (p *parser) quickAddress(a *Address, i int) int {
	src := p.src
	first := i + 1
	if i >= len(src) || src[i] != '[' {
		return len(src)
	}
	i = first + len(p.base)
	if i >= len(src) || src[first:i] != p.base || class[src[i]] == cIdent || p.base == "" {
		if i = p.quickBase(first); i == len(src) {
			return i
		}
		p.base = src[first:i]
	}
	a.Pos, a.Base, a.Off, a.Indexed, a.Minus = p.posAt(first), p.base, 0, false, false
	if src[i] == '+' {
		a.Off, i = p.plainNumber(i + 1)
	}
	return p.plainByte(']', i)
}

// quickBase returns the offset behind the name at i, and the length of the text where
// it may be none, or a sink or WARP_SZ.
func (p *parser) quickBase(i int) int {
	src := p.src
	if i == len(src) || src[i] == '_' || src[i] == 'W' || digit(src[i]) {
		return len(src)
	}
	if src[i] == '%' {
		i++
	}
	first := i
	if i = through(src, i, cIdent); i == first {
		return len(src)
	}
	return i
}
