package ptx

// What follows reads accesses as compilers write them, byte by byte and without
// tokens: in one line, to or from registers, with a decimal offset. It takes a third
// of the time. Each function returns the offset behind what it has read, and the
// length of the text where something else stands, which makes those that follow
// fail too.

// plainAccess parses the operands of an access up to and with the semicolon; off
// stands at their first byte. A register that is no vector goes into one. It reports false, and may have changed a's operands,
// where they are none that this file is for.
func (p *parser) plainAccess(a *Access, one *[1]Operand) bool {
	n := max(a.Vec, 1)
	if n > minBlock {
		return false
	}
	regs, i := one[:], p.off
	if a.Store {
		i = p.plainComma(p.plainAddress(&a.Addr, i))
	}
	vector := i < len(p.src) && p.src[i] == '{'
	if vector {
		regs = p.operands.peek(&p.scanner, n)
		i = p.plainVector(regs, i+1)
	} else {
		i = p.plainReg(&regs[0], i)
	}
	if !a.Store {
		i = p.plainAddress(&a.Addr, p.plainComma(i))
	}
	end := i
	i = p.blanks(i)
	if i == len(p.src) || p.src[i] != ';' {
		return false
	}
	if vector {
		p.operands.take(n)
	}
	a.Regs, a.Whole, a.Args = regs, a.Vec != 0 && !vector, p.src[p.off:end]
	p.off = i + 1
	return true
}

// blanks skips blanks within a line.
func (p *parser) blanks(i int) int { return blanks(p.src, i) }

func blanks(src string, i int) int {
	for i < len(src) && class[src[i]] == cSpace {
		i++
	}
	return i
}

// plainComma reads a comma, and the blanks before and behind it.
func (p *parser) plainComma(i int) int {
	i = p.blanks(i)
	if i == len(p.src) || p.src[i] != ',' {
		return len(p.src)
	}
	return p.blanks(i + 1)
}

// plainName reads a name that stands for no number and no sink.
func (p *parser) plainName(i int) int {
	src := p.src
	from := i
	if i < len(src) && src[i] == '%' {
		i++
		from++
	} else if i < len(src) && digit(src[i]) {
		return len(src)
	}
	i = through(src, i, cIdent)
	if i == from || src[from] == '_' && i == from+1 || src[from:i] == "WARP_SZ" {
		return len(src)
	}
	return i
}

// plainReg reads a name that is an operand.
func (p *parser) plainReg(o *Operand, i int) int {
	end := p.plainName(i)
	if end < len(p.src) {
		o.Pos, o.Kind, o.Elem, o.Text, o.Bits, o.FloatSize = p.posAt(i), KindName, 0, p.src[i:end], 0, 0
		if o.Elems != nil {
			o.Elems = nil
		}
	}
	return end
}

// plainVector reads as many names as there are regs, and the brace behind them.
func (p *parser) plainVector(regs []Operand, i int) int {
	for k := range regs {
		i = p.blanks(p.plainReg(&regs[k], p.blanks(i)))
		if i == len(p.src) || p.src[i] != ',' && k+1 < len(regs) {
			return len(p.src)
		}
		i++
	}
	if p.src[i-1] != '}' {
		return len(p.src)
	}
	return i
}

// plainAddress reads [base] and [base+off].
func (p *parser) plainAddress(a *Address, i int) int {
	src := p.src
	if i == len(src) || src[i] != '[' {
		return len(src)
	}
	first := i + 1
	i = p.plainName(first)
	if i == len(src) {
		return i
	}
	a.Pos, a.Base, a.Off, a.Indexed, a.Minus = p.posAt(first), src[first:i], 0, false, false
	if src[i] == '+' {
		a.Off, i = p.plainNumber(i + 1)
	}
	return p.plainByte(']', i)
}
