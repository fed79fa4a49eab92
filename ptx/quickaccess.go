package ptx

// quickAccess is quickInstr for an access of registers whose names begin with a
// percent sign, and for one that stores a number.
func (p *parser) quickAccess(op *opcode, first, i int) int {
	src, m := p.src, op.memOp
	room := p.accesses.spare(&p.scanner)
	a, regs := &room.Access, room.one[:]
	i = gap(src, i)
	from := i
	if op.store {
		i = p.quickComma(p.quickAddress(&a.Addr, i))
	}
	if uint(i+1) >= uint(len(src)) {
		return -1
	}
	whole, taken := m.vec != 0, 0
	switch c := src[i]; {
	case c == '%' && class[src[i+1]] == cIdent:
		at := i
		i = through(src, i+1, cIdent)
		p.register(&room.one[0], at, i)
	case c == '{':
		regs, whole = p.operands.peek(&p.scanner, max(m.vec, 1)), false
		i, taken = p.quickVector(regs, i+1), len(regs)
	case op.store && !whole:
		i = p.quickNumber(&room.one[0], i)
	default:
		return -1
	}
	if !op.store {
		i = p.quickAddress(&a.Addr, p.quickComma(i))
	}
	end := i
	if uint(i) < uint(len(src)) && src[i] == ' ' {
		i = p.blanks(i)
	}
	if uint(i) >= uint(len(src)) || src[i] != ';' {
		return -1
	}
	a.Pos, a.Op, a.Args, a.Ragged, a.Regs = p.posAt(first), op.text, src[from:end], false, regs
	if a.Guard != nil {
		a.Guard = nil
	}
	a.Store, a.Whole, a.Qual, a.Type, a.Vec, a.Volume = op.store, whole, m.qual, m.typ, m.vec, m.volume
	p.accesses.take(1)
	p.operands.take(taken)
	p.add(a)
	return i + 1
}

// register sets o for the name src[at:end].
func (p *parser) register(o *Operand, at, end int) {
	o.Pos, o.Kind, o.Elem, o.Text, o.Bits, o.FloatSize = p.posAt(at), KindName, 0, p.src[at:end], 0, 0
	if o.Elems != nil {
		o.Elems = nil
	}
}

// quickVector reads as many registers as there are regs, and the brace behind them.
func (p *parser) quickVector(regs []Operand, i int) int {
	src := p.src
	for k := range regs {
		i = p.blanks(i)
		at := i
		if uint(i+1) >= uint(len(src)) || src[i] != '%' || class[src[i+1]] != cIdent {
			return len(src)
		}
		i = through(src, i+1, cIdent)
		p.register(&regs[k], at, i)
		i = p.blanks(i)
		want := byte(',')
		if k == len(regs)-1 {
			want = '}'
		}
		if i == len(src) || src[i] != want {
			return len(src)
		}
		i++
	}
	return i
}

// quickNumber reads a number that is stored.
func (p *parser) quickNumber(o *Operand, i int) int {
	at, minus := i, p.src[i] == '-'
	if minus {
		i++
	}
	n, i := p.plainNumber(i)
	if i == len(p.src) {
		return i
	}
	if class[p.src[i]] == cIdent {
		end := through(p.src, i, cIdent)
		v, ok := floatValue(p.src[at:end])
		if !ok {
			return len(p.src)
		}
		p.register(o, at, end)
		o.Kind, o.Bits, o.FloatSize = KindFloat, v.bits, v.size
		return end
	}
	p.register(o, at, i)
	if o.Kind, o.Bits = KindInt, uint64(n); minus {
		o.Bits = -o.Bits
	}
	return i
}

// quickComma is plainComma, and sees a comma and one blank at once.
func (p *parser) quickComma(i int) int {
	src := p.src
	if uint(i+2) < uint(len(src)) && src[i] == ',' && src[i+1] == ' ' && src[i+2] > ' ' {
		return i + 2
	}
	return p.plainComma(i)
}

// quickAddress is plainAddress. Mostly the base is that of the access before, which is
// seen in half of the time.
func (p *parser) quickAddress(a *Address, i int) int {
	src := p.src
	first := i + 1
	if uint(first) >= uint(len(src)) || src[i] != '[' {
		return len(src)
	}
	i = first + len(p.base)
	if i >= len(src) || class[src[i]] == cIdent || src[first:i] != p.base || p.base == "" {
		if i = p.quickName(first); uint(i) >= uint(len(src)) {
			return i
		}
		p.base = src[first:i]
	}
	a.Pos, a.Base, a.Off, a.Indexed, a.Minus = p.posAt(first), p.base, 0, false, false
	if src[i] == '+' {
		if uint(i+2) < uint(len(src)) && src[i+1]-'0' <= 9 && src[i+2] == ']' {
			a.Off = int64(src[i+1] - '0')
			return i + 3
		}
		a.Off, i = p.plainNumber(i + 1)
	}
	return p.plainByte(']', i)
}

// quickName is plainName, and takes half of the time.
func (p *parser) quickName(i int) int {
	src := p.src
	if uint(i+8) >= uint(len(src)) {
		return p.plainName(i)
	}
	if c := src[i]; c == '%' {
		i++
	} else if digit(c) || c == 'W' || c == '_' {
		return p.plainName(i)
	}
	t := classes
	b := src[i : i+8]
	switch {
	case t[b[0]] != cIdent:
		return len(src)
	case t[b[1]] != cIdent:
		return i + 1
	case t[b[2]] != cIdent:
		return i + 2
	case t[b[3]] != cIdent:
		return i + 3
	case t[b[4]] != cIdent:
		return i + 4
	case t[b[5]] != cIdent:
		return i + 5
	case t[b[6]] != cIdent:
		return i + 6
	case t[b[7]] != cIdent:
		return i + 7
	}
	return through(src, i+8, cIdent)
}
