package ptx

import "math/bits"

// quick reads statements as compilers write them, from the current token on:
// instructions without guards, accesses, labels and declarations of one name, each
// within a line. It leaves the first one that is anything else, or that may be wrong, to
// be read by tokens, and reports whether it has read any. A body is read in an eighth to
// a quarter less time.
func (p *parser) quick() bool {
	src, t := p.src, classes
	_ = *t // else each use of it is a test for nil
	i := p.start
	off, line, bol := -1, p.line, p.bol // behind the last statement that was read
	for {
		first := i
		op, end := p.quickOpcode(first)
		if op == nil && end == first {
			end = p.quickDecl(first)
		} else if op == nil {
			end = p.quickLabel(first, end)
		} else {
			for i = end; uint(i) < uint(len(src)) && t[src[i]] == cSpace; {
				i++
			}
			if op.param {
				end = p.quickAccess(op, first, i)
			} else {
				end = p.quickInstr(op, first, i)
			}
		}
		if end < 0 {
			break
		}
		i = end
		off, line, bol = i, p.line, p.bol
		for ; uint(i) < uint(len(src)); i++ {
			if c := t[src[i]]; c == cLine {
				p.line++
				p.bol = i + 1
			} else if c != cSpace {
				break
			}
		}
	}
	if off < 0 {
		return false
	}
	p.off, p.line, p.bol = off, line, bol
	p.stmtStart()
	return true
}

// quickOpcode returns the opcode at offset i, nil if there is none that quick has a
// use for, and the offset behind the bytes up to the next blank. It takes eight bytes
// at a time: which they are is seen when the opcode is known or learnt.
func (p *parser) quickOpcode(i int) (op *opcode, end int) {
	const ones = 0x0101010101010101
	src, first, hash := p.src, i, uint64(0)
	if i >= len(src) || class[src[i]] != cIdent {
		return nil, i
	}
	for {
		if i+8 > len(src) || i-first > longOpcode {
			return nil, len(src)
		}
		w := eight(src, i)
		if blank := (w - (' '+1)*ones) &^ w & (0x80 * ones); blank != 0 {
			n := bits.TrailingZeros64(blank) &^ 7
			hash = (hash + w&(1<<(n&63)-1)) * 0x9E3779B97F4A7C15
			i += n / 8
			break
		}
		hash = (hash + w) * 0x9E3779B97F4A7C15
		i += 8
	}
	if src[i-1] == ':' {
		return nil, i
	}
	place := hash >> (64 - opcodeBits)
	op = &p.opcodes[place]
	if op.text != src[first:i] {
		was := *op
		if other := &p.opcodes[place^1]; other.text == src[first:i] {
			*op = *other
			*other = was
		} else {
			*other = was
			op.learn(src[first:i])
		}
	}
	if op.kind == 0 {
		return nil, i
	}
	return op, i
}

// longOpcode bounds how far the end of an opcode is looked for, since a text need not
// have blanks.
const longOpcode = 64

// eight returns the eight bytes of text at i as a number, the first one lowest.
func eight(text string, i int) uint64 {
	b := text[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// quickLabel reads a label, whose name and colon are src[first:i]. It returns the
// offset behind it, and -1 if there is none: what a directive follows may be a list.
func (p *parser) quickLabel(first, i int) int {
	src := p.src
	colon := i - 1
	if colon <= first || src[colon] != ':' || digit(src[first]) || through(src, first, cIdent) != colon {
		return -1
	}
	for i < len(src) && (class[src[i]] == cSpace || src[i] == '\n') {
		i++
	}
	if i == len(src) || class[src[i]] != cIdent && src[i] != '@' {
		return -1
	}
	l := p.labels.next(&p.scanner)
	l.Pos, l.Name = p.posAt(first), src[first:colon]
	p.add(l)
	return colon + 1
}

// quickDecl reads the declaration that begins at first. It returns the offset behind
// its semicolon, and -1 if there is none that plainVariable reads; the current token is
// then as it was.
func (p *parser) quickDecl(first int) int {
	src := p.src
	if first >= len(src) || src[first] != '.' {
		return -1
	}
	start, off, pos := p.start, p.off, p.pos
	p.start, p.off, p.pos = first, through(src, first+1, cIdent), p.posAt(first)
	d, vars := &p.decls.peek(&p.scanner, 1)[0], p.vars.peek(&p.scanner, 1)
	*d, vars[0] = Decl{Pos: p.pos}, Var{}
	ok := p.plainVariable(&d.Spec, &vars[0])
	end := p.off
	p.start, p.off, p.pos = start, off, pos
	if !ok {
		return -1
	}
	i := p.blanks(end)
	if src[i] != ';' {
		return -1
	}
	d.Vars, d.Text = vars, src[first:end]
	p.decls.take(1)
	p.vars.take(1)
	p.add(d)
	return i + 1
}

// What the operands of an instruction are read by is a machine of eight states, which
// takes a step for each byte. Nothing is decided before the semicolon, so that the
// processor has nothing to guess. A step looks a word up by the byte, and the next state in it,
// by shifting it by the present one. States that follow the beginning of a name
// without a percent sign are those from opBare on.
const (
	opStop   = 6 * iota // it may be wrong, and is not read here
	opFresh             // behind what separates, and at the beginning
	opName              // behind a byte of a name or a number
	opGap               // behind a name and a blank
	opInside            // opFresh between brackets
	opIndex             // opName between brackets
	opBare              // behind a byte of a name without a percent sign
	opBareAt            // opBare between brackets

	bareBit          = 32                                            // of the states from opBare on, and of no others
	opOutside uint64 = 1<<opFresh | 1<<opName | 1<<opGap | 1<<opBare // where a semicolon may stand
)

var operandSteps = func() *[256]uint64 {
	var t [256]uint64
	step := func(c byte, fromTo ...int) {
		for i := 0; i < len(fromTo); i += 2 {
			t[c] |= uint64(fromTo[i+1]) << fromTo[i]
		}
	}
	for i := range t {
		c := byte(i)
		switch class[c] {
		case cIdent, cDot, cPercent:
			name, index := opName, opIndex
			if c-'%' > '9'-'%' { // else it is % or a digit, or a dot
				name, index = opBare, opBareAt
			}
			step(c, opFresh, name, opName, opName, opBare, opBare, opInside, index, opIndex, opIndex, opBareAt, opBareAt)
		case cPunct:
			step(c, opFresh, opFresh, opName, opFresh, opGap, opFresh, opBare, opFresh, opInside, opInside, opIndex, opInside, opBareAt, opInside)
		case cSpace:
			step(c, opFresh, opFresh, opName, opGap, opGap, opGap, opBare, opGap, opInside, opInside)
		}
	}
	step('[', opFresh, opInside, opName, opInside, opGap, opInside, opBare, opInside)
	step(']', opInside, opFresh, opIndex, opFresh, opBareAt, opFresh)
	return &t
}()

// quickInstr reads the operands of an instruction from i on, whose opcode begins at
// first. It returns the offset behind its semicolon, and -1 if it is not for quick.
func (p *parser) quickInstr(op *opcode, first, i int) int {
	src, steps := p.src, operandSteps
	from := i
	if i < len(src) && (src[i] == '.' || src[i] == ':') {
		return -1 // more of the opcode, or a label
	}
	state, seen := uint64(opFresh), uint64(0)
	_ = *steps // as in quick
	for uint(i) < uint(len(src)) {
		w := steps[src[i]]
		if w == 0 {
			break
		}
		state = w >> (state & 63)
		seen |= state
		i++
	}
	if i >= len(src) || src[i] != ';' || opOutside>>(state&63)&1 == 0 {
		return -1
	}
	end := i
	for end > from && class[src[end-1]] == cSpace {
		end--
	}
	in := p.instrs.next(&p.scanner)
	in.Pos, in.Op, in.Args, in.Ragged = p.posAt(first), op.text, src[from:end], false
	in.percent, in.kind = seen&bareBit == 0, op.kind
	if in.Guard != nil {
		in.Guard = nil
	}
	p.add(in)
	return i + 1
}

// quickAccess is quickInstr for an access of registers whose names begin with a
// percent sign.
func (p *parser) quickAccess(op *opcode, first, i int) int {
	src, m := p.src, op.memOp
	a := &p.accesses.peek(&p.scanner, 1)[0]
	regs := p.operands.peek(&p.scanner, max(m.vec, 1))
	from := i
	if op.store {
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
	if !op.store {
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
	a.Store, a.Qual, a.Type, a.Vec, a.Volume = op.store, m.qual, m.typ, m.vec, m.volume
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
