package ptx

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// raw reads the operands of an instruction that knownOperands has refused, up to and with the semicolon; off is at the
// first byte of a token after the opcode. It reports the first error; why has the one that knownOperands found.
//
// The instruction may lack its semicolon. It ends before a guard that begins a line, before a token that begins a line and
// cannot follow the token before (semicolonMissing), before a second name in a row, and before a bracket that closes
// nothing.
func (p *operandParser) raw(in *Instr, why trial) {
	opcode := p.end
	if p.firstOfLine() && p.opcodeAlone(in.Op) {
		in.Args, in.Operands, in.End = "", nil, p.posBetween(opcode, p.off)
		p.noSemicolon(opcode)
		return
	}
	at := p.place
	if p.off < len(p.src) && p.src[p.off] == '{' && strings.IndexByte(in.Op, '.') < 0 {
		p.unknownBlock(in, at)
		return
	}
	var open []byte
	for p.token(); p.tok != tEOF && !p.is(';'); p.next() {
		end := p.end
		switch {
		case p.is('@') && p.firstOfLine(), p.start > at.off && (p.is('@') || p.firstOfLine()) && p.semicolonMissing():
			p.off = p.start
			p.args(in, at, end)
			p.noSemicolon(end)
			return
		case p.start > end && end > opcode && lex.Class[p.src[end-1]] == lex.Ident && nameAt(p.src, p.start):
			p.args(in, at, end)
			p.twoNames(end)
			return
		case p.is('$'):
			p.errorAt(p.pos, "found '$', expected an operand")
		case p.tok == tPunct && lex.Class[p.ch] == lex.Open:
			open = append(open, p.ch)
		case p.tok == tPunct && lex.Class[p.ch] == lex.Close:
			if len(open) == 0 || !matches(open[len(open)-1], p.ch) {
				p.strayClose(in, at)
				return
			}
			open = open[:len(open)-1]
		}
	}
	if p.is(';') && len(open) > 0 {
		p.errorAt(p.pos, "'"+string(open[len(open)-1:])+"' is not closed in this instruction")
	}
	p.args(in, at, p.end)
	in.End = p.posAt(p.off)
	if ops := in.Operands; len(ops) > 0 && ops[0].Kind == KindOther && noSemicolonAfter(in.Op, ops[0].Text) {
		p.errorAt(in.Pos, "found '"+short(in.Op)+"' before an instruction; is a colon or a semicolon missing?")
	} else {
		unknownOperand(&p.scanner, ops, why)
	}
	p.stmtStart()
}

// unknownBlock skips braces after a word without a dot: no instruction has them there.
func (p *operandParser) unknownBlock(in *Instr, at place) {
	p.errorAt(in.Pos, "found '"+short(in.Op)+"' before '{', which begins no block of PTX")
	p.trial.free, p.opened = true, true
	p.token()
	p.passForm(func(depth int) bool { return depth == 0 })
	p.trial.free = false
	p.args(in, at, p.end)
	p.restart()
}

// noSemicolonAfter reports whether op is a word before an ld or st, which was taken for its operand.
func noSemicolonAfter(op, operand string) bool {
	return strings.IndexByte(op, '.') < 0 && (strings.HasPrefix(operand, "st.") || strings.HasPrefix(operand, "ld."))
}

// unknownOperand reports the first operand in no known form, with the message of the trial if that says more.
func unknownOperand(p *scanner, list []Operand, why trial) {
	for i := range list {
		switch o := &list[i]; {
		case o.Kind != KindOther:
			unknownOperand(p, o.Elems, why)
		case why.msg != "" && !strings.HasPrefix(why.msg, "found "):
			p.errorAt(why.pos, why.msg)
		case o.Text == "":
			p.errorAt(o.Pos, "an operand is missing here")
		default:
			p.errorAt(o.Pos, "found '"+short(o.Text)+"', expected an operand")
		}
	}
}

// args sets the operands of an instruction to the text from a place up to offset end, and ends the instruction there.
func (p *operandParser) args(in *Instr, at place, end int) {
	end = max(at.off, end)
	in.End = p.posBetween(end, max(end, p.off))
	in.Args = p.src[at.off:end]
	p.anyOperands(in, at, end)
}

// noSemicolon reports a missing semicolon at offset end, and goes on at off.
func (p *operandParser) noSemicolon(end int) {
	before, pos := len(p.errs), p.posBetween(end, p.off)
	p.errorAt(pos, "expected ';' after the instruction")
	if p.off >= len(p.src) || p.src[p.off] == '}' || strings.Contains(p.src[end:p.off], "\n") {
		p.insertSemicolon(before, pos)
	}
	line := p.errLine // an error in the rest of the line may follow from this one
	p.stmtStart()
	p.errLine, p.end = line, end
}

// strayClose ends an instruction at a closing bracket that has not been opened in it. A brace closes the block, and the
// semicolon is missing; another bracket is an error.
func (p *operandParser) strayClose(in *Instr, at place) {
	end := p.end
	p.args(in, at, end)
	if p.is('}') && !operandBrace(p.src, p.start) {
		p.off = p.start
		p.noSemicolon(end)
		return
	}
	p.errorAt(p.pos, "'"+p.lit()+"' closes nothing here")
	p.advance()
	p.restart()
}

// twoNames reports a name or a number right after another one, which ends at offset end. If the second is an opcode, the
// semicolon before it is missing.
func (p *operandParser) twoNames(end int) {
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
	return i < len(src) && lex.Class[src[i]] == lex.Ident
}

// semicolonMissing reports whether the instruction has ended without its semicolon before the current token, the first of
// a line. After a name, a number or a closing bracket, an operand list goes on with punctuation; another name or number,
// a guard, a word with a dot or an opening brace begins a statement.
func (p *scanner) semicolonMissing() bool {
	last, c := lex.Class[p.src[p.end-1]], p.src[p.start]
	if last != lex.Ident && last != lex.Close {
		return false
	}
	return c == '@' || c == '.' || c == '{' || nameAt(p.src, p.start)
}

// opcodeAlone reports whether the instruction op, after which its line ended, has no operands in the next line either, so
// that its semicolon is missing.
func (p *scanner) opcodeAlone(op string) bool {
	if p.off == len(p.src) {
		return false
	}
	switch c := p.src[p.off]; {
	case c == '@', c == '.':
		return true
	case c == '{', lex.Class[c] == lex.Ident:
		switch op {
		case "ret", "ret.uni", "exit", "trap", "brkpt":
			return true
		}
		// A name with dots is an opcode, unless it is an element of a vector.
		dot := p.off
		for dot < len(p.src) && lex.Class[p.src[dot]] == lex.Ident {
			dot++
		}
		return dot > p.off && dot+2 < len(p.src) && p.src[dot] == '.' && lex.Class[p.src[dot+2]] == lex.Ident
	}
	return false
}

func matches(open, c byte) bool {
	return strings.IndexByte("([{", open) == strings.IndexByte(")]}", c)
}
