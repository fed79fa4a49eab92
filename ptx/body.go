package ptx

import "strings"

// body parses a function's body; the current token is its opening brace.
func (p *parser) body(f *Func) {
	body := make([]Stmt, 0, 16)
	var open []int // indices of the *Open of the blocks that are open
	p.stmtStart()
	for {
		switch p.tok {
		case tEOF:
			p.errorAt(p.pos, "the body of "+f.Name+" is not closed; add '}'")
			for len(open) > 0 {
				body, open = closeBlock(body, open, p.pos)
			}
			f.Body, f.EndPos = body, p.pos
			return
		case tIdent:
			p.statement(&body, nil)
			continue
		case tDot:
			p.dotStatement(&body)
			continue
		case tPunct:
			switch p.ch {
			case '@':
				p.guarded(&body)
				continue
			case '{':
				open = append(open, len(body))
				body = append(body, &Open{Pos: p.pos, Match: -1})
				p.stmtStart()
				continue
			case '}':
				if len(open) == 0 {
					f.Body, f.EndPos = body, p.pos
					p.next()
					return
				}
				body, open = closeBlock(body, open, p.pos)
				p.stmtStart()
				continue
			case ';':
				p.stmtStart()
				continue
			}
		}
		p.unexpected("an instruction, a declaration or '}'")
		p.advance()
		p.restart()
	}
}

func closeBlock(body []Stmt, open []int, pos Pos) ([]Stmt, []int) {
	at := open[len(open)-1]
	body[at].(*Open).Match = len(body)
	return append(body, &Close{Pos: pos, Match: at}), open[:len(open)-1]
}

// stmtStart makes the first token of a statement the current one. It differs
// from next in what it takes for a name: an opcode with all its modifiers.
func (p *parser) stmtStart() {
	p.end = p.off
	p.skip()
	p.start = p.off
	p.pos = p.posAt(p.off)
	if p.off < len(p.src) && class[p.src[p.off]] == cIdent && !digit(p.src[p.off]) {
		p.opcode()
		p.tok = tIdent
		return
	}
	p.next()
}

// restart scans the current token again as the first of a statement.
func (p *parser) restart() {
	if p.tok == tIdent {
		p.off = p.start
		p.opcode()
	}
}

// opcode moves off behind an opcode with its modifiers, or a name.
func (p *parser) opcode() {
	src, i := p.src, p.off
	for i < len(src) {
		switch c := src[i]; {
		case class[c] == cIdent, c == '.':
			i++
			continue
		case c == ':' && i+2 < len(src) && src[i+1] == ':' && class[src[i+2]] == cIdent:
			i += 2
			continue
		case c == '%' && i == p.off:
			i++
			continue
		}
		break
	}
	p.off = i
}

// guarded parses an instruction behind '@'.
func (p *parser) guarded(body *[]Stmt) {
	if strings.HasPrefix(p.src[p.start:], "@@DWARF") {
		*body = append(*body, p.dwarfLine())
		p.restart()
		return
	}
	if len(p.guards) == 0 {
		p.guards = make([]Guard, 32)
	}
	g := &p.guards[0]
	*g = Guard{Pos: p.pos}
	p.next()
	if p.got('!') {
		g.Neg = true
	}
	if p.tok != tIdent {
		p.unexpected("a predicate behind '@'")
		p.advance()
		p.restart()
		return
	}
	g.Name = p.lit()
	p.guards = p.guards[1:]
	p.stmtStart()
	if p.tok != tIdent {
		p.unexpected("an instruction behind the guard")
		p.advance()
		p.restart()
		return
	}
	p.statement(body, g)
}

// statement parses a label or an instruction; the current token is a name or
// an opcode.
func (p *parser) statement(body *[]Stmt, g *Guard) {
	pos, start, name := p.pos, p.start, p.lit()
	end := p.off
	p.skip()
	if g == nil && p.off < len(p.src) && p.src[p.off] == ':' {
		p.off++
		if strings.IndexByte(name, '.') >= 0 {
			p.errorAt(pos, "'"+name+"' is no label; names hold no dots")
		}
		p.stmtStart()
		if p.tok == tDot && p.labelled(pos, name, start, func(s Stmt) { *body = append(*body, s) }) {
			p.restart()
			return
		}
		*body = append(*body, &Label{Pos: pos, Name: name})
		return
	}
	if g != nil {
		pos = g.Pos
	}
	in := Instr{Pos: pos, Guard: g, Op: name}
	switch {
	case strings.HasPrefix(name, "call") && (len(name) == 4 || name[4] == '.'):
		p.call(body, in)
	case len(name) > 7 && (name[:3] == "ld." || name[:3] == "st.") && isParamAccess(name):
		p.paramAccess(body, in)
	default:
		p.raw(&in, end)
		if len(p.instrs) == 0 {
			p.instrs = make([]Instr, 64)
		}
		p.instrs[0] = in
		*body = append(*body, &p.instrs[0])
		p.instrs = p.instrs[1:]
	}
}

// raw takes the operands of an instruction as they stand, up to and with the
// semicolon; behind is the offset behind the opcode, off stands at the first
// byte of the operands.
func (p *parser) raw(in *Instr, behind int) {
	src := p.src
	start, end := p.off, behind // end: behind the last token so far
	i := start
	depth := 0
	var openers [8]byte
loop:
	for i < len(src) {
		c := src[i]
		switch class[c] {
		case cIdent, cPunct:
			i++
			end = i
		case cSpace:
			i++
		case cSemi:
			break loop
		case cLine:
			in.Ragged = true
			p.off = i
			p.skip()
			i = p.off
			if i < len(src) && p.missingSemi(end) {
				p.errorAt(in.Pos, "expected ';' behind the instruction")
				p.finishRaw(in, start, end)
				p.stmtStart()
				return
			}
		case cSlash:
			p.off = i
			if p.comment() {
				in.Ragged = true
				i = p.off
				continue
			}
			i++
			end = i
		case cQuote:
			p.start = i
			p.off = i + 1
			p.str()
			i = p.off
			end = i
		case cOpen:
			if depth < len(openers) {
				openers[depth] = c
			}
			depth++
			i++
			end = i
		case cClose:
			depth--
			if depth < 0 || depth < len(openers) && !matches(openers[depth], c) {
				p.off = i
				if c == '}' && depth < 0 {
					p.errorAt(in.Pos, "expected ';' behind the instruction")
				} else {
					p.errorAt(p.posAt(i), "'"+string(rune(c))+"' closes nothing here")
				}
				p.finishRaw(in, start, end)
				p.stmtStart()
				if c != '}' {
					p.advance()
					p.restart()
				}
				return
			}
			i++
			end = i
		default:
			p.off = i
			in.Ragged = true
			p.skip() // complains
			i = p.off
		}
	}
	p.off = i
	if i >= len(src) {
		p.errorAt(in.Pos, "expected ';' behind the instruction")
	} else {
		if depth > 0 {
			p.errorAt(p.posAt(i), "'"+string(rune(openers[min(depth, len(openers))-1]))+"' is not closed in this instruction")
		}
		p.off++
	}
	p.finishRaw(in, start, end)
	p.stmtStart()
}

func (p *parser) finishRaw(in *Instr, start, end int) {
	if end > start {
		in.Args = p.src[start:end]
	}
}

// missingSemi reports whether the instruction whose last token ends at end
// has ended without its semicolon: a new line at off begins with what can
// only begin a statement. Two names in a row, or a name behind a bracket,
// stand in no operand list.
func (p *parser) missingSemi(end int) bool {
	last, c := p.src[end-1], p.src[p.off]
	if class[last] != cIdent && class[last] != cClose {
		return false
	}
	return class[c] == cIdent || c == '@' || c == '.' || c == '%' || c == '$'
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

// isParamAccess reports whether the opcode has .param among its modifiers.
func isParamAccess(op string) bool {
	for i := 2; i < len(op); {
		i++ // the dot
		n := strings.IndexByte(op[i:], '.')
		if n < 0 {
			n = len(op) - i
		}
		if m := op[i : i+n]; strings.HasPrefix(m, "param") && (len(m) == 5 || m[5] == ':') {
			return true
		}
		i += n
	}
	return false
}

// dotStatement parses a declaration or a directive in a body.
func (p *parser) dotStatement(body *[]Stmt) {
	pos, start, name := p.pos, p.start, p.lit()
	link := linkageOf(name)
	if link != NoLinkage {
		p.next()
		name = ""
		if p.tok == tDot {
			name = p.lit()
		}
	}
	if name == ".func" || name == ".entry" {
		if f := p.localFunc(pos, start, link); f != nil {
			*body = append(*body, f)
		}
		p.restart()
		return
	}
	if link != NoLinkage || spaceOf(name) != NoSpace || name == ".align" || name == ".attribute" {
		if d := p.decl(pos, start, link); d != nil {
			*body = append(*body, d)
		} else {
			p.advance()
		}
		p.restart()
		return
	}
	switch s := p.directive(); s := s.(type) {
	case *Directive:
		*body = append(*body, s)
	case *Raw:
		*body = append(*body, s)
	default:
		p.advance()
	}
	p.restart()
}

// labelled parses what may stand behind a label and take its name: a
// prototype or a list of targets. It reports false, at the same token, if
// there is none of them.
func (p *parser) labelled(pos Pos, name string, start int, add func(Stmt)) bool {
	if p.tok != tDot {
		return false
	}
	switch p.lit() {
	case ".callprototype":
		p.next()
		pr := &Prototype{Pos: pos, Name: name}
		if !p.prototype(pr) {
			p.advance()
			return true
		}
		pr.Text = p.src[start:p.end]
		p.semi("the prototype")
		add(pr)
		return true
	case ".calltargets", ".branchtargets":
		list := &TargetList{Pos: pos, Name: name, Branch: p.lit() == ".branchtargets"}
		p.next()
		for {
			if p.tok != tIdent {
				p.unexpected("a name in the list of targets")
				p.advance()
				return true
			}
			list.Names = append(list.Names, Operand{Pos: p.pos, Kind: KindName, Text: p.lit()})
			p.next()
			if !p.got(',') {
				break
			}
		}
		list.Text = p.src[start:p.end]
		p.semi("the list of targets")
		add(list)
		return true
	}
	return false
}

// semi skips the semicolon behind what, or complains and recovers.
func (p *parser) semi(what string) {
	if p.got(';') {
		return
	}
	p.errorAt(p.posBehind(), "found "+p.found()+", expected ';' behind "+what)
	if !p.prevOnOtherLine() {
		p.advance()
	}
}

func (p *parser) prototype(pr *Prototype) bool {
	var ok bool
	if p.got('(') {
		if pr.Results, ok = p.formals(); !ok {
			return false
		}
	}
	if p.tok != tIdent {
		p.unexpected("'_' in place of the name of the function")
		return false
	}
	p.next()
	if p.got('(') {
		pr.HasParams = true
		if pr.Params, ok = p.formals(); !ok {
			return false
		}
	}
	return p.funcDirectives(&pr.Directives, nil)
}
