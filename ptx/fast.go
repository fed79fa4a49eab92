package ptx

import (
	"math/bits"
	"strings"
)

// This file is the fast path: it reads statements as compilers write them, byte by
// byte and without tokens. It leaves to the tokens every statement that is anything
// else, or that may be wrong, and reports no errors. TestFast holds it to what the
// tokens read. What it is worth, tokens against fast path:
//
//	go test ./ptx -run xxx -bench FastPath
//
// A function that reads a part of a statement returns the offset after it, and the
// length of the text where something else stands, which makes those that follow
// fail too. One that reads a whole statement returns -1 for that.

// A fastPath is what the fast path remembers of a text.
type fastPath struct {
	off     bool // it is left out, as tests want
	left    int  // how many statements the tokens had to read, and ends of bodies
	shift   uint8
	opcodes []opcode // by a hash of their bytes, or in a place after it
	base    string   // of the last address
}

// A form says what reads the statements that begin with a word.
type form uint8

const (
	formOther   form = iota // the fast path does not
	formInstr               // an instruction with operands
	formBare                // one without, whose semicolon ends the word
	formAccess              // ld.param or st.param
	formCall                // call
	formDecl                // .reg, .param and .local
	formOpen                // {
	formClose               // }
	formComment             // //
)

// An opcode is what is known of the word that a statement begins with. The zero
// opcode is that of no text.
type opcode struct {
	word   [2]uint64 // its bytes; of a long one, the first ones and a hash of the others
	text   string    // without the semicolon of a bare one
	form   form
	kind   OpKind
	space  Space // of a declaration
	store  bool  // of an access, as all that follow
	qual   ParamQual
	typ    Type
	vec    uint8
	volume uint8
	bare   bool
}

const (
	opcodeWays = 8 // places that an opcode may be in
	// A word of fewer bytes than longOpcode fits two words of the processor.
	longOpcode = 16
	// maxOpcode bounds how far the end of a word is looked for: a text need not have
	// blanks.
	maxOpcode = 64
)

// remember makes room for opcodes: a large text has more of them.
func (t *fastPath) remember(size int) {
	n := min(max(bits.Len(uint(size)/1024), 5), 9)
	if len(t.opcodes) < 1<<n {
		t.opcodes, t.shift = make([]opcode, 1<<n), uint8(64-n)
	}
}

// place is the index of a word in opcodes.
func (t *fastPath) place(a, b uint64) uint64 {
	return (a ^ b*0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15 >> (t.shift & 63)
}

// fastStatements reads statements from the current token on, up to one that it
// leaves, which the current token then begins.
func (p *parser) fastStatements() {
	if p.fast.off {
		return
	}
	p.fast.remember(len(p.src)) // a Reader may have read smaller texts before
	src, base := p.src, len(p.stmtStack)
	i, end := p.start, -1 // end: after the last statement that was read
	for {
		first := i
		next := -1
		op, word := p.opcodeAt(first) // word: after the first word
		if op == nil {
			next = p.fastOther(first, word)
		} else if op.form == formInstr {
			next = p.fastInstr(op, first, word)
		} else if op.form == formAccess {
			next = p.fastAccess(op, first, word)
		} else if op.form == formDecl {
			next = p.fastDecl(op, first, word)
		} else if op.form == formComment {
			if n := strings.IndexByte(src[word:], '\n'); n >= 0 && strings.IndexByte(src[word:word+n], 0) < 0 {
				i = p.lineStart(word + n)
				continue
			}
		} else {
			next = p.fastRest(op, first, word)
		}
		if next < 0 {
			if end >= 0 {
				p.end, p.off = end, first
				p.leaveTo(base)
			}
			p.fast.left++
			return
		}
		end, i = next, next
		p.off = next         // by which arenas tell what the rest of the text needs
		if i+3 <= len(src) { // what lineStart mostly does
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

// leaveTo makes the token at off the current one, after the statements of stmtStack
// from base on. It does what the tokens do after the last of them, which shows where
// errors follow in its line.
func (p *parser) leaveTo(base int) {
	switch last := len(p.stmtStack) - 1; p.stmtStack[last].(type) {
	case *Decl:
		if last > base {
			p.errLine = 0
		}
		p.stmtToken()
		p.errLine = 0
		p.restart()
	case *Prototype:
		p.errLine = 0
		p.stmtToken()
		p.restart()
	default:
		p.errLine = 0
		p.stmtToken()
	}
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

// gap skips the blanks after an opcode: mostly one, or one and a tab.
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

// blanks skips blanks within a line.
func blanks(src string, i int) int {
	for i < len(src) && class[src[i]] == cSpace {
		i++
	}
	return i
}

// at reports whether the byte at i is c.
func (p *parser) at(i int, c byte) bool { return uint(i) < uint(len(p.src)) && p.src[i] == c }

// byte reads c.
func (p *parser) byte(c byte, i int) int {
	if p.at(i, c) {
		return i + 1
	}
	return len(p.src)
}

// comma reads a comma, and the blanks before and after it.
func (p *parser) comma(i int) int {
	src := p.src
	if uint(i+2) < uint(len(src)) && src[i] == ',' && src[i+1] == ' ' && src[i+2] > ' ' {
		return i + 2
	}
	if i = blanks(src, i); p.at(i, ',') {
		return blanks(src, i+1)
	}
	return len(src)
}

// semicolon reads the blanks before a semicolon, and returns its offset.
func (p *parser) semicolon(i int) int {
	if p.at(i, ' ') {
		i = blanks(p.src, i)
	}
	if p.at(i, ';') {
		return i
	}
	return len(p.src)
}

// name reads a name that stands for no number and no sink.
func (p *parser) name(i int) int {
	src, from := p.src, i
	if p.at(i, '%') {
		from++
	} else if uint(i) < uint(len(src)) && digit(src[i]) {
		return len(src)
	}
	i = through(src, from, cIdent)
	if i == from || i == from+1 && (src[from] == '_' || src[from] == '$') || src[from] == 'W' && src[from:i] == warpName {
		return len(src)
	}
	return i
}

// decimal reads a decimal number that is not large.
func (p *parser) decimal(i int) (n int64, end int) {
	src, first := p.src, i
	for uint(i) < uint(len(src)) && src[i]-'0' <= 9 {
		n = 10*n + int64(src[i]-'0')
		i++
	}
	if digits := i - first; digits != 1 && (digits == 0 || digits > 9 || src[first] == '0') { // an octal number begins with 0
		return 0, len(src)
	}
	return n, i
}

// set makes o the name src[at:end].
func (p *parser) set(o *Operand, at, end int) {
	o.Pos, o.Kind, o.Elem, o.Text, o.Bits, o.FloatSize, o.Wrapped = p.posAt(at), KindName, 0, p.src[at:end], 0, 0, false
	if o.Elems != nil {
		o.Elems = nil
	}
}

// fastRest reads what is rare. Apart from the loop of fastStatements, it leaves that
// more registers of the processor.
func (p *parser) fastRest(op *opcode, first, word int) int {
	switch op.form {
	case formCall:
		line, bol := p.line, p.bol
		end := p.fastCall(op, first, word)
		if end < 0 {
			p.line, p.bol = line, bol
		}
		return end
	case formBare:
		return p.fastInstr(op, first, word-1)
	case formOpen:
		p.open(p.posAt(first))
		return word
	case formClose:
		if p.blocks > 0 {
			p.close(p.posAt(first))
			return word
		}
	}
	return -1
}

// fastOther reads an instruction with a guard, a label or a prototype: src[first:i] is
// the guard, the label with its colon, or the name of the prototype.
func (p *parser) fastOther(first, i int) int {
	src := p.src
	if !p.at(first, '@') {
		return p.fastLabel(first, i)
	}
	name := first + 1
	if p.at(name, '!') {
		name++
	}
	if name+1 >= i || src[name] != '%' || through(src, name+1, cIdent) != i {
		return -1
	}
	at := gap(src, i)
	op, end := p.opcodeAt(at)
	switch {
	case op == nil:
		return -1
	case op.form == formInstr:
		end = p.fastInstr(op, at, end)
	case op.form == formBare:
		end = p.fastInstr(op, at, end-1)
	default:
		return -1
	}
	if end >= 0 {
		g := p.guards.next(&p.scanner)
		g.Pos, g.Name, g.Neg = p.posAt(first), src[name:i], name-first == 2
		in := p.stmtStack[len(p.stmtStack)-1].(*Instr)
		in.Pos, in.Guard = g.Pos, g
	}
	return end
}

// fastLabel reads a label, unless what follows may be a list that it is the name of.
func (p *parser) fastLabel(first, i int) int {
	src := p.src
	if strings.HasPrefix(src[i:], prototypeWord) {
		return p.fastPrototype(first, i)
	}
	colon := i - 1
	if colon <= first || colon == first+1 && (src[first] == '_' || src[first] == '$') || src[colon] != ':' || digit(src[first]) || through(src, first, cIdent) != colon {
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

// fastInstr reads the operands of an instruction, whose opcode is src[first:i].
func (p *parser) fastInstr(op *opcode, first, i int) int {
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
	if !percent && loneDollar(src[i:end]) {
		return -1
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

// loneDollar reports whether one of the words of a text, which are of names and numbers, is $.
func loneDollar(text string) bool {
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], '$')
		if n < 0 {
			return false
		}
		i += n
		if (i == 0 || class[text[i-1]] > cPercent) && (i+1 == len(text) || class[text[i+1]] > cPercent) {
			return true
		}
	}
}

// fastAccess reads the operands of an access of names, and of one that stores a number.
func (p *parser) fastAccess(op *opcode, first, i int) int {
	src := p.src
	room := p.accesses.spare(&p.scanner)
	a, regs := &room.Access, room.one[:]
	i = gap(src, i)
	from := i
	if op.store {
		i = p.comma(p.fastAddress(&a.Addr, i))
	}
	if uint(i+1) >= uint(len(src)) {
		return -1
	}
	whole, taken := op.vec != 0, 0
	switch c := src[i]; {
	case c == '%' && class[src[i+1]] == cIdent:
		at := i
		i = through(src, i+1, cIdent)
		p.set(&room.one[0], at, i)
	case c == '{':
		regs, whole = p.operands.peek(&p.scanner, max(int(op.vec), 1)), false
		i, taken = p.fastVector(regs, i+1), len(regs)
	case op.store && !whole && (digit(c) || c == '-'):
		i = p.fastNumber(&room.one[0], i)
	default:
		at := i
		if i = p.name(i); i < len(src) {
			p.set(&room.one[0], at, i)
		}
	}
	if !op.store {
		i = p.fastAddress(&a.Addr, p.comma(i))
	}
	end := i
	if i = p.semicolon(i); i == len(src) {
		return -1
	}
	a.Pos, a.Op, a.Args, a.Ragged, a.Regs = p.posAt(first), op.text, src[from:end], false, regs
	if a.Guard != nil {
		a.Guard = nil
	}
	a.Store, a.Whole, a.Qual, a.Type, a.Vec, a.Volume, a.Bare = op.store, whole, op.qual, op.typ, int(op.vec), int(op.volume), op.bare
	p.accesses.take(1)
	p.operands.take(taken)
	p.add(a)
	return i + 1
}

// fastVector reads as many names as there are regs, and the brace after them.
func (p *parser) fastVector(regs []Operand, i int) int {
	src := p.src
	for k := range regs {
		at := blanks(src, i)
		if i = p.name(at); i == len(src) {
			return i
		}
		p.set(&regs[k], at, i)
		i = blanks(src, i)
		if k < len(regs)-1 {
			i = p.byte(',', i)
		}
	}
	return p.byte('}', i)
}

// fastNumber reads a number that is stored: a decimal one, or a float.
func (p *parser) fastNumber(o *Operand, i int) int {
	at, minus := i, p.src[i] == '-'
	if minus {
		i++
	}
	n, i := p.decimal(i)
	if i == len(p.src) {
		return i
	}
	if class[p.src[i]] == cIdent {
		end := through(p.src, i, cIdent)
		v, ok := floatValue(p.src[at:end])
		if !ok {
			return len(p.src)
		}
		p.set(o, at, end)
		o.Kind, o.Bits, o.FloatSize = KindFloat, v.bits, v.size
		return end
	}
	p.set(o, at, i)
	if o.Kind, o.Bits = KindInt, uint64(n); minus {
		o.Bits = -o.Bits
	}
	return i
}

// fastAddress reads [base] and [base+off]. The base is mostly that of the last access,
// which is compared with first.
func (p *parser) fastAddress(a *Address, i int) int {
	src, base := p.src, p.fast.base
	first := i + 1
	if !p.at(i, '[') {
		return len(src)
	}
	i = first + len(base)
	if i >= len(src) || class[src[i]] == cIdent || src[first:i] != base || base == "" {
		if i = p.name(first); uint(i) >= uint(len(src)) {
			return i
		}
		p.fast.base = src[first:i]
	}
	a.Pos, a.Base, a.Off, a.Indexed, a.Minus, a.Wrapped = p.posAt(first), p.fast.base, 0, false, false, false
	if src[i] == '+' {
		a.Off, i = p.decimal(i + 1)
	}
	return p.byte(']', i)
}

// fastCall reads a call with names alone and without comments, mostly over several
// lines. It leaves the line to be set back where it fails.
func (p *parser) fastCall(op *opcode, first, i int) int {
	src := p.src
	c := p.calls.spare(&p.scanner)
	*c = Call{Instr: Instr{Pos: p.posAt(first), Op: op.text}, Uni: op.text != "call"}
	i = p.lineStart(i)
	from, line := i, p.line
	if p.at(i, '(') {
		if c.Results, i = p.fastNames(i + 1); i < 0 {
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
			if c.Params, i = p.fastNames(i + 1); i < 0 {
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

// nameOperand reads a name that is an operand.
func (p *parser) nameOperand(o *Operand, i int) int {
	end := p.name(i)
	if end < len(p.src) {
		o.Pos, o.Kind, o.Text = p.posAt(i), KindName, p.src[i:end]
	}
	return end
}

// fastNames reads names up to and with the closing parenthesis. It returns -1 if
// anything else is among them.
func (p *parser) fastNames(i int) ([]Operand, int) {
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

const prototypeWord = " : .callprototype "

// fastPrototype reads a prototype in one line, with .param formals and without
// directives. Its name is src[first:i].
func (p *parser) fastPrototype(first, i int) int {
	src := p.src
	if digit(src[first]) || i == first+1 && (src[first] == '_' || src[first] == '$') || through(src, first, cIdent) != i {
		return -1
	}
	pr := p.protos.spare(&p.scanner)
	*pr = Prototype{Pos: p.posAt(first), Name: src[first:i], HasParams: true}
	i += len(prototypeWord)
	if p.at(i, '(') {
		if pr.Results, i = p.fastFormals(i + 1); i < 0 {
			return -1
		}
		i = blanks(src, i)
	}
	if !p.at(i, '_') {
		return -1
	}
	if i = blanks(src, i+1); !p.at(i, '(') {
		return -1
	}
	if pr.Params, i = p.fastFormals(i + 1); !p.at(i, ';') {
		return -1
	}
	pr.Text = src[first:i]
	p.protos.take(1)
	p.add(pr)
	return i + 1
}

// fastFormals reads formals up to and with the closing parenthesis. It returns -1 if
// it leaves them to the tokens.
func (p *parser) fastFormals(i int) ([]Formal, int) {
	const space = ".param"
	if p.at(i, ')') {
		return nil, i + 1
	}
	src, list := p.src, p.formalStack[:0]
	for {
		end := i + len(space)
		if end > len(src) || src[i:end] != space {
			return nil, -1
		}
		list = append(list, Formal{Pos: p.posAt(i)})
		f := &list[len(list)-1]
		if i = p.fastVariable(&f.Spec, &f.Var, ParamSpace, f.Pos, end); p.at(i, ')') {
			break
		}
		if i = p.comma(i); i == len(src) {
			return nil, -1
		}
	}
	p.formalStack = list
	return p.formals.keep(&p.scanner, list), i + 1
}

// fastFormal reads a formal whose first token is the current one, and the token after
// it. It returns false, and has read nothing, where the tokens have to.
func (p *parser) fastFormal(f *Formal) bool {
	space := spaceOf(p.lit())
	if p.fast.off || space != RegSpace && space != ParamSpace {
		return false
	}
	end := p.fastVariable(&f.Spec, &f.Var, space, p.pos, p.off)
	if end == len(p.src) {
		return false
	}
	p.off = end
	p.next()
	return true
}

// fastDecl reads the declaration that begins at first with a space, after which i is.
func (p *parser) fastDecl(op *opcode, first, i int) int {
	src := p.src
	d, v := p.decls.spare(&p.scanner), p.vars.spare(&p.scanner)
	if d.Linkage != 0 || d.AlignLate || d.Bank != 0 || d.Vec != 0 || d.Ptr != nil || d.Attr != "" || v.Init != "" {
		*d, *v = Decl{}, Var{} // all else is set below, or by fastVariable
	} else if v.Dims != nil {
		v.Dims = nil
	}
	d.Pos = p.posAt(first)
	end := p.fastVariable(&d.Spec, v, op.space, d.Pos, i)
	if i = p.semicolon(end); i == len(src) {
		return -1
	}
	if len(d.Vars) != 1 || &d.Vars[0] != v { // mostly it was that one before
		d.Vars = p.vars.array[p.vars.at:][:1:1]
	}
	d.Text = src[first:end]
	p.decls.take(1)
	p.vars.take(1)
	p.add(d)
	return i + 1
}

// fastVariable reads a variable in one line: an alignment perhaps, a type, a name, and
// a count or an extent. Its space is at pos, and i is after that.
func (p *parser) fastVariable(s *Spec, v *Var, space Space, pos Pos, i int) int {
	src := p.src
	align, alignPos := int64(0), Pos{}
	at := gap(src, i)
	if uint(at+7) < uint(len(src)) && src[at:at+7] == ".align " {
		alignPos = p.posAt(at)
		align, i = p.decimal(blanks(src, at+7))
		if at = gap(src, i); at == i { // 8.b8 is not a number
			return len(src)
		}
	}
	if !p.at(at, '.') {
		return len(src)
	}
	i = through(src, at+1, cIdent)
	t := TypeOf(src[at:i])
	if t == NoType {
		return len(src)
	}
	first := gap(src, i)
	if i = p.name(first); i == len(src) && p.at(first, '_') {
		i = first + 1 // formals of prototypes have no other name
	}
	if uint(i) >= uint(len(src)) {
		return len(src)
	}
	name, count, extent := src[first:i], int64(0), int64(NoExtent)
	switch src[i] {
	case '<':
		if count, i = p.decimal(i + 1); count == 0 {
			count = ZeroCount
		}
		i = p.byte('>', i)
	case '[':
		extent, i = p.decimal(i + 1)
		i = p.byte(']', i)
	}
	next := i
	if next < len(src) && src[next] <= ' ' {
		next = blanks(src, i)
	}
	if next == len(src) || src[next] != ',' && src[next] != ';' && src[next] != ')' {
		return len(src)
	}
	s.Space, s.SpacePos, s.Align, s.AlignPos, s.Type, s.TypePos = space, pos, align, alignPos, t, p.posAt(at)
	v.Pos, v.Name, v.Count = p.posAt(first), name, count
	if extent != NoExtent {
		*p.dims.spare(&p.scanner) = extent
		v.Dims = p.dims.array[p.dims.at:][:1:1]
		p.dims.take(1)
	}
	return i
}

// opcodeAt returns what is known of the word at offset first, nil if it is none to
// remember, and the offset after it. It takes eight bytes a step.
func (p *parser) opcodeAt(first int) (op *opcode, end int) {
	src := p.src
	if first+longOpcode > len(src) {
		return nil, first
	}
	text := src[first : first+longOpcode]
	end = first
	a, b := eight(text, 0), uint64(0)
	blank := blanksIn(a)
	if blank != 0 {
		a = bytesBefore(a, blank)
	} else {
		end += 8
		b = eight(text, 8)
		if blank = blanksIn(b); blank == 0 {
			return p.longOpcode(first, a, b)
		}
		b = bytesBefore(b, blank)
	}
	end += bits.TrailingZeros64(blank) >> 3
	op = &p.fast.opcodes[p.fast.place(a, b)]
	if op.word[0] != a || op.word[1] != b {
		op = p.otherOpcode(a, b, first, end)
	}
	return op, end
}

// longOpcode is opcodeAt for a word of sixteen bytes and more, the first of which are
// a and b.
func (p *parser) longOpcode(first int, a, b uint64) (op *opcode, end int) {
	src := p.src
	for end = first + longOpcode; end-first <= maxOpcode && end+8 <= len(src); end += 8 {
		w := eight(src, end)
		blank := blanksIn(w)
		if blank != 0 {
			w = bytesBefore(w, blank)
		}
		b = (b + w) * 0x9E3779B97F4A7C15
		if blank == 0 {
			continue
		}
		end += bits.TrailingZeros64(blank) >> 3
		b |= 1 << 63 // no short word has that
		op = &p.fast.opcodes[p.fast.place(a, b)]
		if op.word[0] != a || op.word[1] != b || op.text != src[first:end] {
			op = p.otherOpcode(a, b, first, end)
		}
		return op, end
	}
	return nil, len(src)
}

// otherOpcode is opcodeAt for the word src[first:end], which is not in its place: it is
// in one of those after it, or new. A new one goes where none is yet; where all places
// are taken, the first one goes. Labels, guards and names of prototypes are not kept,
// since there are many.
func (p *parser) otherOpcode(a, b uint64, first, end int) *opcode {
	text := p.src[first:end]
	if text == "" || text[0] == '@' || text[len(text)-1] == ':' || strings.HasPrefix(p.src[end:], " :") {
		return nil
	}
	known, place := p.fast.opcodes, p.fast.place(a, b)
	op := &known[place]
	for k := range uint64(opcodeWays) {
		o := &known[(place+k)%uint64(len(known))]
		if o.text == "" {
			op = o
			break
		}
		if o.word == [2]uint64{a, b} && (b>>63 == 0 || o.text == text) {
			return o
		}
	}
	*op = opcode{word: [2]uint64{a, b}, text: text}
	op.learn(text)
	return op
}

// learn sets o for a word.
func (o *opcode) learn(name string) {
	switch name {
	case "call", "call.uni":
		o.form = formCall
	case ".reg", ".param", ".local":
		o.form, o.space = formDecl, spaceOf(name)
	case "{":
		o.form = formOpen
	case "}":
		o.form = formClose
	case "//":
		o.form = formComment
	}
	core := strings.TrimSuffix(name, ";")
	s := scanner{src: core}
	if s.opcode(); core == "" || class[core[0]] != cIdent || digit(core[0]) || s.off < len(core) || noOpcode(core) || isCall(core) {
		return
	}
	switch param := isParamOp(core); {
	case !param && len(core) == len(name):
		o.form = formInstr
	case !param && len(name) < longOpcode: // else text would have to be all of it
		o.form, o.text = formBare, core
	case param && len(core) == len(name):
		m, bad := paramOpOf(name)
		if bad != "" || m.typ == NoType || max(m.vec, 1) > minBlock {
			return
		}
		o.form, o.store = formAccess, name[0] == 's'
		o.qual, o.typ, o.vec, o.volume, o.bare = m.qual, m.typ, uint8(m.vec), uint8(m.volume), m.bare
	}
	o.kind = kindOf(core)
}

// operandsEnd is a machine of states, which takes a step for each byte and decides
// nothing before the semicolon: the processor has nothing to guess. A step looks a
// word up by the byte, and shifts it by the present state, which gives the next one.
// Odd states follow the beginning of a name without a percent sign.
const (
	opStop   = 0  // it may be wrong, and is not read here
	opFresh  = 6  // after what separates, and at the beginning
	opName   = 12 // after a byte of a name or a number
	opGap    = 18 // after a name and a blank
	opInside = 24 // opFresh between brackets
	opIndex  = 30 // opName between brackets
	opEnd    = 36 // after the semicolon, whatever follows
	opBare   = 43 // after a byte of a name without a percent sign
	opBareAt = 49 // opBare between brackets

	bareBit = 1
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
		step(c, opEnd, opEnd)
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
	step(';', opFresh, opEnd, opName, opEnd, opGap, opEnd, opBare, opEnd)
	return &t
}()

// operandsEnd reads the operands of an instruction from i on. It returns the offset of the
// semicolon, and -1 if they are left to the tokens, and reports whether the names among
// them begin with a percent sign. It takes eight steps at a time, as the bytes after the
// semicolon do no harm.
func operandsEnd(src string, i int) (end int, percent bool) {
	t := operandSteps
	_ = *t // else each eight steps have a test for nil
	state, seen := uint64(opFresh), uint64(0)
	for ; i+8 <= len(src); i += 8 {
		b := src[i : i+8]
		state = t[b[0]] >> (state & 63)
		seen |= state
		state = t[b[1]] >> (state & 63)
		seen |= state
		state = t[b[2]] >> (state & 63)
		seen |= state
		state = t[b[3]] >> (state & 63)
		seen |= state
		state = t[b[4]] >> (state & 63)
		seen |= state
		state = t[b[5]] >> (state & 63)
		seen |= state
		state = t[b[6]] >> (state & 63)
		seen |= state
		state = t[b[7]] >> (state & 63)
		seen |= state
		if state &= 63; state == opEnd {
			// The first one is what counts, before which there is nothing but ASCII. To
			// look for it takes one step and no guess.
			w := eight(b, 0) ^ ';'*ones
			return i + bits.TrailingZeros64((w-ones)&high)>>3, seen&bareBit == 0
		} else if state == opStop {
			break
		}
	}
	return -1, false
}

// Words of eight bytes.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones // the highest bit of each
)

// eight returns the eight bytes of text at i as a number, the first one lowest.
func eight(text string, i int) uint64 {
	b := text[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// blanksIn marks the first byte of a word that is a blank or a control, and perhaps others
// after it; 0 if there is none.
func blanksIn(w uint64) uint64 { return (w - (' '+1)*ones) &^ w & high }

// bytesBefore keeps the bytes of a word before the first one that is marked.
func bytesBefore(w, marked uint64) uint64 { return w & (((marked - 1) &^ marked) >> 7) }
