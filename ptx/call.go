package ptx

import "strings"

func isCall(op string) bool {
	return len(op) >= 4 && op[:4] == "call" && (len(op) == 4 || op[4] == '.')
}

// call parses the operands of a call; off stands at their first byte.
func (p *parser) call(c *Call) {
	p.token()
	first := p.start
	ok := p.callOperands(c)
	if p.finish(&c.Instr, first, ok) {
		p.add(c)
	}
}

// finish ends an instruction whose operands, from offset first on, the parser
// has read as tokens, and reports whether to keep it.
func (p *parser) finish(in *Instr, first int, ok bool) bool {
	in.setArgs(p.src, first, p.end)
	if in.Args != "" {
		in.Ragged = strings.IndexByte(in.Args, '\n') >= 0 || strings.IndexByte(in.Args, '/') >= 0
	}
	if ok && p.is(';') {
		p.stmtStart()
		return true
	}
	if ok {
		p.missing("';' behind the instruction")
		ok = p.tok == tEOF || p.firstOfLine() || p.is('}')
	}
	if !ok {
		p.advance()
	}
	p.restart()
	return ok
}

func (p *parser) callOperands(c *Call) bool {
	for mods := c.Op[len("call"):]; mods != ""; {
		m, rest, _ := strings.Cut(mods[1:], ".")
		if m != "uni" {
			p.errorAt(c.Pos, "unknown modifier ."+short(m)+" of call; .uni is the only one")
			return false
		}
		c.Uni = true
		if mods = rest; mods != "" {
			mods = "." + mods
		}
	}
	var ok bool
	if p.got('(') {
		if c.Results, ok = p.operandList(')'); !ok {
			return false
		}
		if !p.want(',', "behind the results of the call") {
			return false
		}
	}
	if p.tok != tIdent {
		p.unexpected("the function or register to call")
		return false
	}
	if !p.operand(&c.Callee) {
		return false
	}
	if !p.got(',') {
		return true
	}
	if p.got('(') {
		if c.Params, ok = p.operandList(')'); !ok {
			return false
		}
		if !p.got(',') {
			return true
		}
	}
	if p.tok != tIdent {
		p.unexpected("arguments in parentheses, a prototype or a list of targets")
		return false
	}
	return p.operand(&c.Proto)
}

// operandList parses a list up to and with the closing bracket, the opening one
// already read.
func (p *parser) operandList(closing byte) ([]Operand, bool) {
	if p.got(closing) {
		return nil, true
	}
	base := len(p.operandStack)
	defer func() { p.operandStack = p.operandStack[:base] }()
	for {
		var o Operand
		if !p.operand(&o) {
			return nil, false
		}
		p.operandStack = append(p.operandStack, o)
		if !p.got(',') {
			break
		}
	}
	if !p.want(closing, "behind the operands") {
		return nil, false
	}
	return p.operands.keep(&p.scanner, p.operandStack[base:]), true
}

// operand parses one operand.
//
//	operand = name [ ".x" ] | "_" | constant expression | "{" operands "}" .
func (p *parser) operand(o *Operand) bool {
	o.Pos = p.pos
	first := p.start
	switch {
	case p.tok == tIdent && p.lit() == "_":
		o.Kind = KindSink
		p.next()
	case p.tok == tIdent && p.lit() != "WARP_SZ":
		o.Kind = KindName
		p.next()
		if p.tok == tDot && !p.firstOfLine() {
			if e := elemOf(p.lit()); e != 0 {
				o.Elem = e
				p.next()
			}
		}
	case p.is('{') && !p.inVector:
		p.next()
		o.Kind = KindVector
		p.inVector = true
		var ok bool
		o.Elems, ok = p.operandList('}')
		p.inVector = false
		if !ok {
			return false
		}
	default:
		v, ok := p.value()
		if !ok {
			return false
		}
		o.Kind, o.Bits = KindInt, v.bits
		if v.float {
			o.Kind, o.FloatSize = KindFloat, v.size
		}
	}
	o.Text = p.src[first:p.end]
	return true
}

// elemOf returns the element that a suffix of a vector register selects.
func elemOf(name string) byte {
	if len(name) == 2 {
		switch name[1] {
		case 'x', 'y', 'z', 'w':
			return name[1]
		case 'r', 'g', 'b', 'a':
			return "xyzw"[strings.IndexByte("rgba", name[1])]
		}
	}
	return 0
}

// isParamAccess reports whether op is an ld or st with .param among its
// modifiers.
func isParamAccess(op string) bool {
	if len(op) < len("ld.param") || op[2] != '.' || op[:2] != "ld" && op[:2] != "st" {
		return false
	}
	if op[2:8] == ".param" && (len(op) == 8 || op[8] == '.') {
		return true // nearly all
	}
	for rest := op[2:]; ; {
		i := strings.Index(rest, ".param")
		if i < 0 {
			return false
		}
		rest = rest[i+len(".param"):]
		if rest == "" || rest[0] == '.' || rest[0] == ':' {
			return true
		}
	}
}

// paramAccess parses the operands of an ld.param or st.param; off stands at
// their first byte.
func (p *parser) paramAccess(a *Access) {
	a.Store = a.Op[0] == 's'
	p.token()
	first := p.start
	ok := p.accessModifiers(a) && p.accessOperands(a)
	if p.finish(&a.Instr, first, ok) {
		p.add(a)
	}
}

func (p *parser) accessModifiers(a *Access) bool {
	op := a.Op
	for i := 2; i < len(op); {
		n := i + 1
		for n < len(op) && op[n] != '.' {
			n++
		}
		m := op[i:n] // with its dot
		i = n
		switch m {
		case ".param":
			continue
		case ".param::entry":
			a.Qual = EntryParam
			continue
		case ".param::func":
			a.Qual = FuncParam
			continue
		}
		if strings.HasPrefix(m, ".param") {
			p.errorAt(a.Pos, "unknown qualifier "+short(m)+"; .param::entry and .param::func are the ones there are")
			return false
		}
		if v := vectorOf(m); v != 0 {
			a.Vec = v
		} else if t := TypeOf(m); t != NoType {
			a.Type = t
		}
	}
	if a.Type == NoType {
		p.errorAt(a.Pos, short(a.Op)+" says no type to access; add one such as .b32")
		return false
	}
	a.Volume = a.Type.Size() * max(a.Vec, 1)
	return true
}

func (p *parser) accessOperands(a *Access) bool {
	if a.Store {
		return p.address(&a.Addr) && p.want(',', "behind the address") && p.accessRegs(a)
	}
	if !p.accessRegs(a) || !p.want(',', "behind the destination") || !p.address(&a.Addr) {
		return false
	}
	// Cache policies and the like may follow.
	for p.got(',') {
		var o Operand
		if !p.operand(&o) {
			return false
		}
	}
	return true
}

func (p *parser) accessRegs(a *Access) bool {
	if !p.is('{') {
		regs := append(p.operands.open(&p.scanner), Operand{})
		ok := p.operand(&regs[0])
		a.Regs = p.operands.close(regs)
		a.Whole = a.Vec != 0
		return ok
	}
	var o Operand
	if !p.operand(&o) {
		return false
	}
	a.Regs = o.Elems
	if n, want := len(a.Regs), max(a.Vec, 1); n != want {
		p.errorAt(o.Pos, countOf(n, "element")+" for "+short(a.Op)+", expected "+countOf(want, "element"))
		return false
	}
	return true
}

// address parses [base], [base+off], [base-off], [base+-off], [off] and
// base[index].
func (p *parser) address(a *Address) bool {
	if p.tok == tIdent {
		a.Pos, a.Base, a.Indexed = p.pos, p.lit(), true
		p.next()
		return p.want('[', "behind the name") && p.offset(a)
	}
	if p.is('[') && p.plainAddress(a) {
		return true
	}
	if !p.want('[', "before the address") {
		return false
	}
	a.Pos = p.pos
	if p.tok == tIdent && p.lit() != "WARP_SZ" {
		a.Base = p.lit()
		p.next()
		if p.is(']') {
			p.next()
			return true
		}
		if a.Minus = p.is('-'); !a.Minus && !p.got('+') {
			p.unexpected("'+', '-' or ']' in the address")
			return false
		}
	}
	return p.offset(a)
}

// plainAddress parses the addresses that compilers write, [base] and [base+off]
// with a decimal number and no blanks; the current token is the bracket. It reports
// false, and has parsed nothing, where another address stands.
func (p *parser) plainAddress(a *Address) bool {
	src, i := p.src, p.off
	if i < len(src) && src[i] == '%' {
		i++
	}
	if i == len(src) || class[src[i]] != cIdent || digit(src[i]) {
		return false
	}
	for i < len(src) && class[src[i]] == cIdent {
		i++
	}
	base, off := src[p.off:i], int64(0)
	if i < len(src) && src[i] == '+' {
		i++
		first := i
		for i < len(src) && digit(src[i]) {
			off = 10*off + int64(src[i]-'0')
			i++
		}
		if n := i - first; n == 0 || n > 9 || n > 1 && src[first] == '0' {
			return false // what is octal begins with 0
		}
	}
	if i == len(src) || src[i] != ']' || base == "WARP_SZ" {
		return false
	}
	a.Pos, a.Base, a.Off = p.posAt(p.off), base, off
	p.off = i + 1
	p.next()
	return true
}

// offset parses the constant in an address and the closing bracket.
func (p *parser) offset(a *Address) bool {
	v, ok := p.value()
	if !ok {
		return false
	}
	if v.float {
		p.errorAt(a.Pos, "an offset is an integer number of bytes")
		return false
	}
	a.Off = int64(v.bits)
	return p.want(']', "behind the address")
}
