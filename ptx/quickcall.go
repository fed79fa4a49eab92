package ptx

// quickCall reads a call as compilers write it, mostly over several lines: with names
// alone, and without comments. The opcode begins at first, and i is where its operands may.
// It returns the offset behind the semicolon, and -1 if it is not for quick. That takes a
// third of the time that the tokens take.
func (p *parser) quickCall(op *opcode, first, i int) int {
	line, bol := p.line, p.bol
	end := p.callOf(op, first, i)
	if end < 0 {
		p.line, p.bol = line, bol
	}
	return end
}

func (p *parser) callOf(op *opcode, first, i int) int {
	src := p.src
	c := p.calls.spare(&p.scanner)
	*c = Call{Instr: Instr{Pos: p.posAt(first), Op: op.text}, Uni: op.text != "call"}
	i = p.lineStart(i)
	from, line := i, p.line
	if p.at(i, '(') {
		if c.Results, i = p.quickNames(i + 1); i < 0 {
			return -1
		}
		if i = p.lineStart(i); !p.at(i, ',') {
			return -1
		}
		i = p.lineStart(i + 1)
	}
	if i = p.nameOperand(&c.Callee, i); i == len(src) {
		return -1
	}
	end, endLine := i, p.line
	if i = p.lineStart(i); p.at(i, ',') {
		i = p.lineStart(i + 1)
		more := !p.at(i, '(')
		if !more {
			if c.Params, i = p.quickNames(i + 1); i < 0 {
				return -1
			}
			end, endLine = i, p.line
			if i = p.lineStart(i); p.at(i, ',') {
				i, more = p.lineStart(i+1), true
			}
		}
		if more {
			if i = p.nameOperand(&c.Proto, i); i == len(src) {
				return -1
			}
			end, endLine = i, p.line
			i = p.lineStart(i)
		}
	}
	if !p.at(i, ';') {
		return -1
	}
	c.Args, c.Ragged = src[from:end], line != endLine
	p.calls.take(1)
	p.add(c)
	return i + 1
}

// at reports whether the byte at i is c.
func (p *parser) at(i int, c byte) bool { return uint(i) < uint(len(p.src)) && p.src[i] == c }

// nameOperand reads a name that is an operand. Like quickName, it returns the length of
// the text where there is none.
func (p *parser) nameOperand(o *Operand, i int) int {
	end := p.quickName(i)
	if end < len(p.src) {
		o.Pos, o.Kind, o.Text = p.posAt(i), KindName, p.src[i:end]
	}
	return end
}

// quickNames reads names up to and with the closing parenthesis, and returns -1 if
// anything else is among them.
func (p *parser) quickNames(i int) ([]Operand, int) {
	src := p.src
	i = p.lineStart(i)
	list := p.operandStack[:0]
	for !p.at(i, ')') || len(list) > 0 {
		list = append(list, Operand{})
		if i = p.nameOperand(&list[len(list)-1], i); i == len(src) {
			return nil, -1
		}
		i = p.lineStart(i)
		if p.at(i, ')') {
			break
		} else if !p.at(i, ',') {
			return nil, -1
		}
		i = p.lineStart(i + 1)
	}
	p.operandStack = list[:0]
	return p.operands.keep(&p.scanner, list), i + 1
}
