package ptx

import "strings"

// raw takes the operands of an instruction as they stand, up to and with the
// semicolon. The opcode ends at end, off stands at the first byte after it
// that belongs to a token.
func (p *parser) raw(in *Instr) {
	src := p.src
	start, end := p.off, p.end // end: after the last token so far
	if p.firstOfLine() && p.opcodeAlone(in.Op) {
		in.Args, in.Operands, in.End = "", nil, p.posBetween(end, p.off)
		p.noSemicolon(end)
		return
	}
	at, depth := p.place, 0
	var openers [8]byte
	i := start
loop:
	for {
		if i > end && end > start && class[src[end-1]] == cIdent && nameAt(src, i) {
			p.args(in, at, end)
			p.end, p.off = end, i
			p.twoNames()
			return
		}
		from := i
		if i = through(src, i, cPercent); i > from {
			end = i
			if i == from+1 && src[from] == '$' {
				p.errorAt(p.posAt(from), "found '$', expected an operand")
			}
		}
		if i == len(src) {
			break // body reports it
		}
		switch c := src[i]; class[c] {
		case cPunct:
			i++
			end = i
			if i < len(src) && src[i] == ' ' {
				i++
			}
		case cSpace:
			for i++; i < len(src) && class[src[i]] == cSpace; i++ {
			}
		case cSemi:
			if depth > 0 {
				p.errorAt(p.posAt(i), "'"+string(rune(openers[min(depth, len(openers))-1]))+"' is not closed in this instruction")
			}
			i++
			break loop
		case cOpen:
			if depth < len(openers) {
				openers[depth] = c
			}
			depth++
			i++
			end = i
		case cClose:
			if depth == 0 || depth <= len(openers) && !matches(openers[depth-1], c) {
				p.strayClose(in, at, end, i)
				return
			}
			depth--
			i++
			end = i
		case cQuote:
			p.start, p.off = i, i+1
			p.str()
			i = p.off
			end = i
		case cLine:
			p.end, p.off = end, i
			p.skip()
			i = p.off
			if i < len(src) && p.semicolonMissing() {
				p.args(in, at, end)
				p.noSemicolon(end)
				return
			}
		case cSlash:
			p.off = i
			if p.comment() {
				i = p.off
				continue
			}
			i++
			end = i
		case cAt:
			p.off = i
			p.args(in, at, end)
			p.noSemicolon(end)
			return
		case cBad:
			p.end, p.off = end, i
			p.skip()
			i = p.off
		}
	}
	p.off = i
	p.args(in, at, end)
	in.End = p.posAt(i)
	p.stmtStart()
}

// args takes the text from a place on up to offset end as operands.
func (p *parser) args(in *Instr, at place, end int) {
	end = max(at.off, end)
	in.End = p.posBetween(end, max(end, p.off))
	in.Args = p.src[at.off:end]
	p.anyOperands(in, at, end)
}

// noSemicolon reports that none stands at offset end, and goes on at off.
func (p *parser) noSemicolon(end int) {
	before, pos := len(p.errs), p.posBetween(end, p.off)
	p.errorAt(pos, "expected ';' after the instruction")
	if p.off >= len(p.src) || p.src[p.off] == '}' || strings.Contains(p.src[end:p.off], "\n") {
		p.insertSemicolon(before, pos)
	}
	p.stmtStart()
	p.end = end
}

// strayClose ends an instruction at a closing bracket at offset i that has not
// been opened in it. A brace is that of the block: the semicolon is missing.
func (p *parser) strayClose(in *Instr, at place, end, i int) {
	p.off = i
	p.args(in, at, end)
	if p.src[i] == '}' && !operandBrace(p.src, i) {
		p.noSemicolon(end)
		return
	}
	p.errorAt(p.posAt(i), "'"+p.src[i:i+1]+"' closes nothing here")
	p.end = end
	p.token()
	p.advance()
	p.restart()
}

// twoNames reports a name or a number at off that follows another one: as
// an opcode, of the semicolon before it.
func (p *parser) twoNames() {
	end := p.end
	p.token()
	if p.tok == tIdent && p.src[p.start] != '%' && p.off < len(p.src) && p.src[p.off] == '.' {
		p.off = p.start
		p.noSemicolon(end)
		return
	}
	p.unexpected("',' or ';'")
	p.advance()
	p.restart()
}

// nameAt reports whether a name or a number begins at offset i.
func nameAt(src string, i int) bool {
	if i < len(src) && src[i] == '%' {
		i++
	}
	return i < len(src) && class[src[i]] == cIdent
}

// semicolonMissing reports whether the instruction whose last token ends at
// end has ended without its semicolon: a new line at off begins with what can
// only begin a statement. Two names in a row, or a name after a bracket,
// stand in no operand list.
func (p *parser) semicolonMissing() bool {
	last, c := class[p.src[p.end-1]], p.src[p.off]
	if last != cIdent && last != cClose {
		return false
	}
	return c == '@' || c == '.' || c == '{' || nameAt(p.src, p.off)
}

// opcodeAlone reports whether the instruction op, after which the line ended,
// has no operands in the next one either: its semicolon is missing.
func (p *parser) opcodeAlone(op string) bool {
	if p.off == len(p.src) {
		return false
	}
	switch c := p.src[p.off]; {
	case c == '@', c == '.':
		return true
	case c == '{', class[c] == cIdent:
		switch op {
		case "ret", "ret.uni", "exit", "trap", "brkpt":
			return true
		}
		// A name with dots is an opcode, unless it is an element of a vector.
		dot := p.off
		for dot < len(p.src) && class[p.src[dot]] == cIdent {
			dot++
		}
		return dot > p.off && dot+2 < len(p.src) && p.src[dot] == '.' && class[p.src[dot+2]] == cIdent
	}
	return false
}

func matches(open, c byte) bool {
	switch open {
	case '(':
		return c == ')'
	case '[':
		return c == ']'
	}
	return c == '}'
}
