package ptx

import (
	"iter"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// An OperandKind is the kind of an Operand.
type OperandKind uint8

const (
	KindNone    OperandKind = iota
	KindName                // a register, variable, function or label
	KindInt                 // an integer or a constant expression: Bits
	KindFloat               // a floating-point literal: Bits, FloatSize
	KindVector              // { a, b, … }: Elems
	KindSink                // _
	KindOther               // anything else: Text, and the names in it as Elems
	KindAddress             // [ a, b, … ]: Elems
	KindSum                 // a name and a constant that is added to it: Bits; Text has both, or in a tree built by hand the name alone
	KindIndexed             // name[ a, b, … ]: Elems begins with the name
	KindPair                // p|q or {…}|q: Elems has both
)

// An Operand is an operand of an instruction. The operands of calls and of accesses of parameters have
// the grammar below; a scalar store may have the sum of a name and a constant too. Those of other instructions may be of
// all kinds, and a name may have a sign.
//
//	Operand = Element | "{" Element { "," Element } "}" .
//	Element = Register | "_" | [ "-" ] float | Expr .
type Operand struct {
	Pos  Pos
	Kind OperandKind
	// Elem is the element of a vector register, such as 'x' of "%v.x"; 0 for
	// the whole. Name returns Text without it.
	Elem byte
	// Neg reports that '!' or '-' stands before the name.
	Neg bool
	// Wrapped reports that an integer in it is 2^64 or more. ptxas takes it modulo 2^64.
	Wrapped bool
	// FloatSize is 4 for 0f… literals, 8 for 0d… literals, and 0 for decimal
	// ones, whose Bits are those of the nearest double.
	FloatSize uint8
	// Text is the operand as written, with the blanks and comments between its tokens.
	// If it is "", printing makes it from the other fields.
	Text string
	// Bits is the value: an integer modulo 2^64, or the bits of a float.
	Bits  uint64
	Elems []Operand
}

// named reports whether the operand is a name or a sum, and so has a name of its own.
func (o *Operand) named() bool { return o.Kind == KindName || o.Kind == KindSum }

// Name returns the name that the operand mentions, without a sign, a vector element and a constant that
// is added; "" if it is neither a name nor a sum.
func (o *Operand) Name() string {
	o = zero.Or(o)
	if !o.named() || o.Text == "" {
		return ""
	}
	text := o.Text
	if o.Neg && (text[0] == '!' || text[0] == '-') {
		text = text[1+blanks(text[1:], 0):]
	}
	for i := 1; i < len(text); i++ {
		if !lex.InName(text[i]) {
			return text[:i]
		}
	}
	return text
}

// Names returns an iterator over the operands that are names or sums, among those of a list and
// the elements of these, in the order of the text.
func Names(list []Operand) iter.Seq[*Operand] {
	return func(yield func(*Operand) bool) { eachName(list, yield) }
}

func eachName(list []Operand, yield func(*Operand) bool) bool {
	for i := range list {
		if o := &list[i]; o.named() && !yield(o) || len(o.Elems) > 0 && !eachName(o.Elems, yield) {
			return false
		}
	}
	return true
}

// operandList parses the operands of a call up to and with the closing parenthesis; the opening one has been read.
func (p *operandParser) operandList() ([]Operand, bool) {
	if p.got(')') {
		return nil, true
	}
	p.trial.strict = true
	list, ok := p.collected(len(p.nodes.operandStack), ')')
	p.trial.strict = false
	return list, ok && p.got(')')
}

// collected parses operands up to the closing byte, and returns them after those that are on operandStack from base on,
// which it removes from there.
func (p *operandParser) collected(base int, closing byte) ([]Operand, bool) {
	ok := p.anyList(closing)
	return p.taken(base), ok
}

// taken removes the operands from base on from operandStack, and returns them.
func (p *operandParser) taken(base int) []Operand {
	list := p.nodes.operands.keep(p.nodes.operandStack[base:])
	p.nodes.operandStack = p.nodes.operandStack[:base]
	return list
}

// operand parses one operand of a call or of an access to a parameter.
func (p *operandParser) operand(o *Operand) bool {
	n := len(p.nodes.operandStack)
	p.nodes.operandStack = append(p.nodes.operandStack, Operand{})
	p.trial.strict = true
	ok := p.anyForm(n, ')')
	p.trial.strict = false
	*o = p.nodes.operandStack[n]
	p.nodes.operandStack = p.nodes.operandStack[:n]
	return ok
}

// elemOf returns the element that a suffix of a vector register selects.
func elemOf(name string) byte {
	if i := strings.IndexByte("xyzwrgba", name[len(name)-1]); len(name) == 2 && i >= 0 {
		return "xyzw"[i%4]
	}
	return 0
}

// selects reports whether a word with a dot selects a part of a register: an element, or bytes or halves. Video instructions
// select one to four of those.
func selects(word string) bool {
	lanes := len(word) > 2 && len(word) <= 6 && (word[1] == 'b' || word[1] == 'h') && strings.Trim(word[2:], "01234567") == ""
	return lanes || elemOf(word) != 0
}

// ParseOperands parses the operands of an instruction that is neither a call nor an access of a parameter, from a text
// such as [Instr.Args]. An operand in no known form has [KindOther].
func ParseOperands(text string) []Operand {
	p := parser{scanner: scanner{src: text, place: place{line: 1}}}
	var in Instr
	(*operandParser)(&p).anyOperands(&in, p.place, len(text))
	return in.Operands
}

// ReplaceNames returns text, such as that of operands, with each name, and the suffix right after it, such as ".x",
// replaced by the result of to.
func ReplaceNames(text string, to func(name, suffix string) string) string {
	var b strings.Builder
	s, from := scanner{src: text, place: place{line: 1}}, 0
	for s.next(); s.tok != tEOF; {
		if s.tok != tIdent {
			s.next()
			continue
		}
		start, end, suffix := s.start, s.off, ""
		if s.next(); s.tok == tDot && s.start == end {
			suffix = s.lit()
			end = s.off
		}
		b.WriteString(text[from:start])
		b.WriteString(to(text[start:end-len(suffix)], suffix))
		from = end
	}
	return b.String() + text[from:]
}

// TextNames returns an iterator over the names in a text of PTX, such as an initialiser.
func TextNames(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := scanner{src: text, place: place{line: 1}}
		for s.next(); s.tok != tEOF; s.next() {
			if s.tok == tIdent && !yield(s.lit()) {
				return
			}
		}
	}
}

// knownOperands parses the operands of an instruction that is neither a call nor an access, up to and with its
// semicolon; off is at their first byte. If one is in no known form, or anything else is wrong, it goes back
// and reports false, with the first error. Then raw reads them, and reports it.
func (p *operandParser) knownOperands(in *Instr) (why trial, ok bool) {
	at, cut := p.place, p.cut
	p.trial = trial{quiet: true, strict: true}
	p.token()
	base := len(p.nodes.operandStack)
	ok = (p.is(';') || p.anyList(';')) && p.trial.msg == ""
	why, p.trial = p.trial, trial{}
	if !ok {
		p.nodes.operandStack = p.nodes.operandStack[:base]
		p.place, p.cut = at, cut
		return why, false
	}
	in.Args = p.src[at.off:max(p.end, at.off)]
	in.End = p.posAt(p.off)
	in.Operands = p.taken(base)
	p.stmtStart()
	return why, true
}

// anyOperands parses the text from a place up to offset end as operands of any form. It reports no errors.
func (p *operandParser) anyOperands(in *Instr, at place, end int) {
	after, src, cut := p.place, p.src, p.cut
	p.place, p.src, p.trial = at, p.src[:end], trial{quiet: true}
	p.skip()
	p.end = p.off
	p.token()
	if in.Operands = nil; p.tok != tEOF {
		in.Operands, _ = p.collected(len(p.nodes.operandStack), 0)
	}
	p.place, p.src, p.cut, p.trial = after, src, cut, trial{}
}

// anyList parses operands onto operandStack, up to the closing byte, or to the end of the text if closing is 0. It reports
// whether that follows them. In a strict trial, an operand in no known form ends the list; otherwise it has KindOther.
func (p *operandParser) anyList(closing byte) bool {
	for {
		n := len(p.nodes.operandStack)
		p.nodes.operandStack = append(p.nodes.operandStack, Operand{})
		if p.trial.strict {
			if !p.anyForm(n, closing) {
				return false
			}
		} else if before := p.place; !p.anyForm(n, closing) || !p.is(',') && !p.ends(closing) {
			p.place = before
			p.otherForm(n)
		}
		if !p.got(',') {
			return p.ends(closing) || p.trial.strict && closing != ';' && p.want(closing, "after the operands")
		}
	}
}

func (p *operandParser) ends(closing byte) bool {
	if closing == 0 {
		return p.tok == tEOF
	}
	return p.is(closing)
}

// anyForm parses an operand of any known form into operand n of operandStack, the last one. closing ends its list: ')' for
// calls and accesses of parameters, whose operands have fewer forms.
func (p *operandParser) anyForm(n int, closing byte) bool {
	o, first, ok := &p.nodes.operandStack[n], p.start, true
	top := closing == ';' || closing == 0
	o.Pos = p.pos
	switch {
	case p.tok == tIdent && p.lit() == "_":
		o.Kind = KindSink
		p.next()
		ok = !top || p.anyPair(o, first)
	case p.tok == tIdent && p.lit() != warpName:
		p.anyName(o, top)
		if p.tok != tPunct || p.ch == ',' {
			break
		}
		switch {
		case p.ch == '|' && top:
			ok = p.anyPair(o, first)
		case p.ch == '+' && (top || closing == ']'):
			p.next()
			var v value
			v, ok = p.value()
			ok = ok && !v.float
			o.Kind, o.Bits, o.Wrapped = KindSum, v.bits, v.wrapped
		case p.ch == '-':
			p.errorAt(p.pos, "nothing is subtracted from a name; write +- instead of -")
			return false
		case p.ch == '[' && top:
			o.Text = p.src[first:p.end]
			p.next()
			ok = p.anyElems(n, KindIndexed, ']')
			o = &p.nodes.operandStack[n]
		}
	case p.is('[') && top:
		p.next()
		ok = p.anyElems(n, KindAddress, ']')
		o = &p.nodes.operandStack[n]
		if p.tok == tDot && p.lit() == ".unified" {
			p.next()
		}
	case p.is('{') && closing != '}':
		p.next()
		ok = p.anyElems(n, KindVector, '}')
		o = &p.nodes.operandStack[n]
		ok = ok && (!top || p.anyPair(o, first))
	case top && (p.is('!') || p.is('-')) && nameFollows(p.scanner):
		p.next()
		p.anyName(o, top)
		o.Neg = true
	case p.tok == tEOF:
		return false
	default:
		var v value
		v, ok = p.value()
		o.Kind, o.Bits, o.Wrapped = KindInt, v.bits, v.wrapped
		if v.float {
			o.Kind, o.FloatSize = KindFloat, uint8(v.size)
		}
	}
	o.Text = p.src[first:max(first, p.end)]
	return ok
}

// anyElems parses the elements of operand n of operandStack, the last one, up to and with the closing bracket. Of an
// indexed operand, the first element is the name before the bracket, and there is one index.
func (p *operandParser) anyElems(n int, kind OperandKind, closing byte) bool {
	if kind == KindIndexed {
		p.nodes.operandStack = append(p.nodes.operandStack, p.nodes.operandStack[n])
	}
	elems, ok := p.collected(n+1, closing)
	p.nodes.operandStack[n] = Operand{Pos: p.nodes.operandStack[n].Pos, Kind: kind, Elems: elems}
	return ok && p.got(closing) && (kind != KindIndexed || len(elems) == 2)
}

// anyName parses a name with the word that selects a part of it: an element, or if top is set, bytes or halves too.
func (p *operandParser) anyName(o *Operand, top bool) {
	o.Kind = KindName
	if p.next(); p.tok == tDot && (elemOf(p.lit()) != 0 || top && selects(p.lit())) {
		o.Elem = elemOf(p.lit())
		p.next()
	}
}

// anyPair parses the second of a pair, if '|' follows the first one, which began at offset first.
func (p *operandParser) anyPair(o *Operand, first int) bool {
	if !p.is('|') {
		return true
	}
	o.Text = p.src[first:p.end]
	p.next()
	both := [2]Operand{*o, {Pos: p.pos, Kind: KindSink}}
	from := p.start
	switch {
	case p.tok != tIdent:
		return false
	case p.lit() == "_":
		p.next()
	default:
		p.anyName(&both[1], true)
	}
	both[1].Text = p.src[from:p.end]
	*o = Operand{Pos: o.Pos, Kind: KindPair, Elems: p.nodes.operands.keep(both[:])}
	return true
}

// nameFollows reports whether a name follows the current token of a scanner. It has a copy of the scanner.
func nameFollows(ahead scanner) bool {
	ahead.next()
	return ahead.tok == tIdent && ahead.lit() != warpName
}

// otherForm reads operand n of operandStack, the last one, as an operand in no known form: the text up to a comma outside
// of brackets, to a bracket that closes one around it, or to the end, with the names in it as elements.
func (p *operandParser) otherForm(n int) {
	first, base, pos := p.start, n+1, p.pos
	p.nodes.operandStack = p.nodes.operandStack[:base]
	for depth := 0; p.tok != tEOF && (depth > 0 || !p.is(',')); {
		if p.tok == tIdent && p.lit() != "_" && p.lit() != warpName {
			name, from := Operand{Pos: p.pos}, p.start
			p.anyName(&name, true)
			name.Text = p.src[from:p.end]
			p.nodes.operandStack = append(p.nodes.operandStack, name)
			continue
		}
		if p.tok == tPunct && strings.IndexByte("([{", p.ch) >= 0 {
			depth++
		} else if p.tok == tPunct && strings.IndexByte(")]}", p.ch) >= 0 {
			if depth--; depth < 0 {
				break
			}
		}
		p.next()
	}
	elems := p.taken(base)
	p.nodes.operandStack[n] = Operand{Pos: pos, Kind: KindOther, Text: p.src[first:max(p.end, first)], Elems: elems}
}
