package ptx

import (
	"math/bits"
	"strings"
)

// quick reads statements as compilers write them, from the current token on:
// instructions, accesses, calls, labels, blocks and declarations of one name. It leaves
// the first one that is anything else, or that may be wrong, to be read by tokens. The
// body's statements stand on stmtStack from base on. It reports whether it has come to the
// brace that closes the body, which is at pos then.
func (p *parser) quick(base int) (closed bool) {
	src, known := p.src, p.opcodes
	i, end := p.start, -1 // end: behind the last statement that was read
	for {
		first, word, next := i, i, -1 // word: behind the first word
		var op *opcode
		if i+longOpcode <= len(src) {
			// What quickOpcode mostly does, in place, which saves a quarter of it.
			text := src[i : i+longOpcode]
			a, b := eight(text, 0), uint64(0)
			blank := blanksIn(a)
			if blank != 0 {
				a = bytesBefore(a, blank)
			} else {
				word += 8
				b = eight(text, 8)
				blank = blanksIn(b)
				b = bytesBefore(b, blank)
			}
			word += bits.TrailingZeros64(blank) >> 3
			if op = &known[opcodePlace(a, b)]; blank == 0 || op.word[0] != a || op.word[1] != b {
				op, word = p.quickOpcode(first)
			}
		}
		if op == nil {
			next = p.quickOther(first, word)
		} else if op.as == asInstr {
			next = p.quickInstr(op, first, word)
		} else if op.as == asAccess {
			next = p.quickAccess(op, first, word)
		} else if op.as == asDecl {
			next = p.quickDecl(op, first, word)
		} else if op.as == asComment {
			if n := strings.IndexByte(src[word:], '\n'); n >= 0 {
				i = p.lineStart(word + n)
				continue
			}
		} else {
			next = p.quickRest(op, first, word, base)
		}
		if next < 0 {
			if op != nil && op.as == asClose {
				p.pos = p.posAt(first)
				return true
			}
			if end >= 0 {
				p.errLine, p.end, p.off = 0, end, first
				p.stmtToken()
			}
			return false
		}
		end, i = next, next
		if i+3 <= len(src) { // in place what lineStart mostly does
			if s := src[i : i+3]; s[0] == '\n' && s[1] == '\t' && s[2] > ' ' {
				p.line++
				p.bol = i + 1
				i += 2
				continue
			}
		}
		i = p.lineStart(i)
	}
}

// gap skips the blanks between an opcode and its operands: mostly one, or one and a tab.
// It is small enough to be compiled in place, in functions that are small themselves.
func gap(src string, i int) int {
	if i+3 <= len(src) && src[i] == ' ' {
		if src[i+1] == '\t' {
			i++
		}
		if src[i+1] > ' ' {
			return i + 1
		}
	}
	return blanks(src, i)
}

// lineStart moves over blanks and line ends.
func (p *parser) lineStart(i int) int {
	src := p.src
	for ; uint(i) < uint(len(src)); i++ {
		if c := class[src[i]]; c == cLine {
			p.line++
			p.bol = i + 1
		} else if c != cSpace {
			break
		}
	}
	return i
}

// quickRest reads what is not in every other line. Apart from the loop of quick, it leaves
// that more registers of the processor.
func (p *parser) quickRest(op *opcode, first, word, base int) int {
	switch op.as {
	case asCall:
		return p.quickCall(op, first, word)
	case asOpen, asClose:
		if p.quickBlock(op.as, first, base) {
			return word
		}
	case asBare:
		return p.quickInstr(op, first, word-1)
	}
	return -1
}

// quickBlock reads a brace at first. It reports false if that closes the body.
func (p *parser) quickBlock(as reading, first, base int) bool {
	if as == asOpen {
		p.open(p.posAt(first))
		return true
	}
	if p.blocks == 0 {
		return false
	}
	p.close(p.posAt(first))
	return true
}

// quickOther reads a label, or an instruction with a guard: src[first:i] is the label with
// its colon, or the guard.
func (p *parser) quickOther(first, i int) int {
	src := p.src
	if first >= len(src) || src[first] != '@' {
		return p.quickLabel(first, i)
	}
	name := first + 1
	if name < len(src) && src[name] == '!' {
		name++
	}
	if name+1 >= i || src[name] != '%' || through(src, name+1, cIdent) != i {
		return -1
	}
	at := gap(src, i)
	op, end := p.quickOpcode(at)
	switch {
	case op == nil:
		return -1
	case op.as == asInstr:
		if end = p.quickInstr(op, at, end); end < 0 {
			return -1
		}
	case op.as == asBare:
		if end = p.quickInstr(op, at, end-1); end < 0 {
			return -1
		}
	default:
		return -1
	}
	g := p.guards.next(&p.scanner)
	g.Pos, g.Name, g.Neg = p.posAt(first), src[name:i], name-first == 2
	in := p.stmtStack[len(p.stmtStack)-1].(*Instr)
	in.Pos, in.Guard = g.Pos, g
	return end
}

// quickLabel reads a label, whose name and colon are src[first:i]. It returns the
// offset behind it, and -1 if there is none: what a directive follows may be a list.
func (p *parser) quickLabel(first, i int) int {
	src := p.src
	if end := i + len(prototypeWord); end <= len(src) && src[i:end] == prototypeWord {
		return p.quickPrototype(first, i)
	}
	colon := i - 1
	if colon <= first || src[colon] != ':' || digit(src[first]) || through(src, first, cIdent) != colon {
		return -1
	}
	for i < len(src) && (class[src[i]] == cSpace || src[i] == '\n') {
		if i++; i < len(src) && src[i] == '/' && strings.HasPrefix(src[i:], "//") {
			i = indexFrom(src, i, '\n')
		}
	}
	if i+1 >= len(src) {
		return -1
	}
	if c := src[i]; c == '/' || class[c] == cBad || c == '.' && (src[i+1] == 'b' || src[i+1] == 'c') {
		return -1
	}
	l := p.labels.next(&p.scanner)
	l.Pos, l.Name = p.posAt(first), src[first:colon]
	p.add(l)
	return colon + 1
}

// quickDecl reads the declaration that begins at first with a space, behind which i is. It
// returns the offset behind its semicolon, and -1 if there is none that plainVariable
// reads, or another name.
func (p *parser) quickDecl(op *opcode, first, i int) int {
	src := p.src
	d, v := p.decls.spare(&p.scanner), p.vars.spare(&p.scanner)
	if d.Linkage != 0 || d.AlignLate || d.Bank != 0 || d.Vec != 0 || d.Ptr != nil || d.Attr != "" || v.Init != "" {
		*d, *v = Decl{}, Var{} // all else is set below, or by variableAt
	} else if v.Dims != nil {
		v.Dims = nil
	}
	d.Pos = p.posAt(first)
	end := p.variableAt(&d.Spec, v, op.space, d.Pos, i)
	i = end
	if uint(i) < uint(len(src)) && src[i] == ' ' {
		i = p.blanks(i)
	}
	if uint(i) >= uint(len(src)) || src[i] != ';' {
		return -1
	}
	if len(d.Vars) != 1 || &d.Vars[0] != v { // mostly it has been that one before
		d.Vars = p.vars.array[p.vars.at:][:1:1]
	}
	d.Text = src[first:end]
	p.decls.take(1)
	p.vars.take(1)
	p.add(d)
	return i + 1
}

// quickInstr reads the operands of an instruction from i on, whose opcode begins at
// first. It returns the offset behind its semicolon, and -1 if it is not for quick.
func (p *parser) quickInstr(op *opcode, first, i int) int {
	src := p.src
	i = gap(src, i)
	semi, percent := operandsEnd(src, i)
	if semi < 0 || src[i] == '.' || src[i] == ':' { // more of the opcode, or a label
		return -1
	}
	end := semi
	for end > i && src[end-1] <= ' ' {
		end--
	}
	in := p.instrs.spare(&p.scanner)
	p.instrs.take(1)
	in.Pos, in.Op, in.Args, in.Ragged, in.percent, in.kind = p.posAt(first), op.text, src[i:end], false, percent, op.kind
	if in.Guard != nil {
		in.Guard = nil
	}
	p.add(in)
	return semi + 1
}
