package ptx

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// body parses a function's body; the current token is its opening brace. If
// the body is not closed before the definition of another function, it returns
// that function with the parser before its body. Blocks that are not closed are closed at the end, so that every Open of
// a tree has its Close.
func (p *bodyParser) body(f *Func) (next *Func, closed bool) {
	unread := p.newer.first
	f.HasBody, f.BodyPos, p.newer.first = true, p.pos, Pos{}
	p.inBody = true
	base := len(p.nodes.stmtStack)
	next = p.statements(f)
	if closed = p.blocks < 0; next != nil && p.known == 0 {
		p.moveOut()
	}
	for p.blocks > 0 {
		p.close(f.EndPos)
	}
	body := p.nodes.stmtStack[base:]
	if p.alone {
		f.Body = body
	} else {
		f.Body = append(make([]Stmt, 0, len(body)), body...)
		p.nodes.stmtStack = p.nodes.stmtStack[:base]
	}
	f.Unread, p.newer.first = p.newer.first, unread
	p.inBody = false
	return next, closed
}

func (p *bodyParser) add(s Stmt) { p.nodes.stmtStack = append(p.nodes.stmtStack, s) }

// statements parses a body up to and with its closing brace, and appends its statements
// to stmtStack.
func (p *bodyParser) statements(f *Func) (next *Func) {
	p.blocks = 0
	p.stmtStart()
	for done := false; !done; {
		if !p.newer.later {
			next, done = p.anyStatement(f)
			continue
		}
		before, kept := p.scanner, len(p.nodes.stmtStack)
		if next, done = p.anyStatement(f); p.failed(&before) {
			p.unreadStatement(&before, kept)
			done = false
		}
	}
	return next
}

// anyStatement parses one statement of a body. It reports done at the end of the body.
func (p *bodyParser) anyStatement(f *Func) (next *Func, done bool) {
	switch p.tok {
	case tIdent:
		p.statement(nil)
		return nil, false
	case tDot:
		if next := p.dotStatement(); next != nil {
			f.EndPos = next.Pos
			return next, true
		}
		return nil, false
	case tEOF:
		if p.known == 0 {
			f.EndPos = p.pos
		}
		return nil, true
	case tPunct:
		switch p.ch {
		case '@':
			p.guarded()
			return nil, false
		case '{':
			p.open(p.pos)
			goOn(&p.scanner)
			return nil, false
		case '}':
			switch {
			case p.blocks > 0:
				p.close(p.pos)
			case p.off < p.known:
				p.errorAt(p.pos, "'}' ends nothing here; remove it")
			default:
				f.EndPos, p.blocks = p.pos, -1
				p.next()
				return nil, true
			}
			goOn(&p.scanner)
			return nil, false
		case ';':
			p.errorAt(p.pos, "';' ends nothing here; remove it")
			p.stmtStart()
			return nil, false
		}
	}
	p.unexpected("an instruction, a declaration or '}'")
	p.advance()
	p.restart()
	return nil, false
}

// moveOut moves the declarations at the end of an unclosed body to module level, if they may stand there. They are likely
// to stand before the function that begins, and not in the body before it.
func (p *bodyParser) moveOut() {
	n := len(p.nodes.stmtStack)
	for ; n > 0; n-- {
		switch s := p.nodes.stmtStack[n-1].(type) {
		case *Func:
			continue
		case *Decl:
			if s.Space != RegSpace && s.Space != LocalSpace && s.Space != ParamSpace {
				continue
			}
		}
		break
	}
	for _, s := range p.nodes.stmtStack[n:] {
		p.moved = append(p.moved, s.(Item))
	}
	p.nodes.stmtStack = p.nodes.stmtStack[:n]
}

// open begins a nested block.
func (p *bodyParser) open(pos Pos) {
	p.blocks++
	o := p.nodes.opens.next()
	o.Pos = pos
	p.add(o)
}

// close ends the innermost block.
func (p *bodyParser) close(pos Pos) {
	p.blocks--
	c := p.nodes.closes.next()
	c.Pos = pos
	p.add(c)
}

// stmtStart makes the first token of a statement the current one. It differs
// from next in that an opcode is one token with all its modifiers.
func (p *scanner) stmtStart() {
	p.errLine = 0
	p.end = p.off
	p.skip()
	if p.off < len(p.src) && lex.InName(p.src[p.off]) && !digit(p.src[p.off]) {
		p.start, p.pos, p.tok = p.off, p.posAt(p.off), tIdent
		p.opcode()
		return
	}
	p.token()
}

// goOn is stmtStart within a statement, or after the brace of a block. It keeps errLine, since a second error in the line
// may follow from the first.
func goOn(p *scanner) {
	line := p.errLine
	if p.stmtStart(); p.errLine == 0 {
		p.errLine = line
	}
}

// restart scans the current token again as the first of a statement.
func (p *scanner) restart() {
	if p.tok == tIdent || p.tok == tPunct && p.ch == '$' {
		p.off = p.start + 1 // the first byte may be %
		p.opcode()
		p.tok = tIdent
	}
}

// opcode moves off after an opcode with its modifiers, or a name.
func (p *scanner) opcode() {
	src, i := p.src, p.off
	for {
		i = through(src, i, lex.Dot)
		if i+2 < len(src) && src[i] == ':' && src[i+1] == ':' && lex.Class[src[i+2]] == lex.Ident {
			i += 2
		} else if i > 1 && i+1 < len(src) && src[i] == ':' && digit(src[i-1]) && src[i-2] == ':' && digit(src[i+1]) {
			i++ // .sp::2:4
		} else {
			break
		}
	}
	p.off = i
}

// guarded parses an instruction after '@'.
func (p *bodyParser) guarded() {
	if p.dwarfLineHere() {
		p.add(p.directives().dwarfLine())
		p.restart()
		return
	}
	g := Guard{Pos: p.pos}
	p.next()
	g.Neg = p.got('!')
	if p.tok != tIdent || p.lit() == "_" {
		p.unexpected("a predicate after '@'")
		p.advance()
		p.restart()
		return
	}
	g.Name = p.lit()
	goOn(&p.scanner)
	if p.tok != tIdent {
		p.unexpected("an instruction after the guard")
		p.advance()
		p.restart()
		return
	}
	kept := p.nodes.guards.one()
	*kept = g
	p.statement(kept)
}

// statement parses a label or an instruction; the current token is a name or
// an opcode.
func (p *bodyParser) statement(g *Guard) {
	pos, start, name := p.pos, p.start, p.lit()
	p.end = p.off
	p.skip()
	if p.off < len(p.src) && p.src[p.off] == '.' {
		name = p.spacedOpcode(name)
	}
	if p.off < len(p.src) && p.src[p.off] == ':' {
		p.label(pos, start, name, g)
		return
	}
	if name[0] == '%' || noOpcode(name) {
		p.errorAt(pos, "found '"+short(name)+"', expected an instruction, a declaration or '}'")
		p.next()
		p.advance()
		p.restart()
		return
	}
	if g != nil {
		pos = g.Pos
	}
	switch {
	case isCall(name):
		c := p.nodes.calls.one()
		c.Pos, c.Guard, c.Op = pos, g, name
		p.call(c)
		return
	case isParamOp(name):
		p.paramAccess(pos, g, name)
		return
	}
	p.instruction(pos, g, name)
}

// instruction parses the operands of an instruction that is no call and no access.
func (p *bodyParser) instruction(pos Pos, g *Guard, name string) {
	in := p.nodes.instrs.next()
	in.Pos, in.Op = pos, name
	if in.Guard != g { // mostly both are nil
		in.Guard = g
	}
	if p.firstOfLine() {
		p.operands().raw(in, trial{})
	} else if why, ok := p.operands().knownOperands(in); !ok {
		p.operands().raw(in, why)
	}
	p.add(in)
}

// label parses a label after its name; off is at the colon. A prototype or a list of targets may follow.
func (p *bodyParser) label(pos Pos, start int, name string, g *Guard) {
	p.off++
	p.stmtStart()
	if g != nil {
		p.errorAt(g.Pos, "a guard stands before an instruction, not before the label "+short(name))
	}
	switch {
	case name == "_", name == "$":
		p.errorAt(pos, "'"+name+"' is not a label; a name has a letter or a digit, or another '_' or '$'")
	case strings.IndexByte(name, '.') >= 0:
		p.errorAt(pos, "'"+short(name)+"' is not a label; names hold no dots")
	}
	if s, found := p.heads().labelled(pos, name, start); found {
		if s != nil {
			p.add(s)
		}
		p.restart()
		return
	}
	l := p.nodes.labels.one()
	*l = Label{Pos: pos, Name: name}
	p.add(l)
}

// spacedOpcode returns an opcode that begins with name and has blanks between
// its modifiers; off is at a dot. A line that begins with a declaration or
// a directive does not belong to it: the semicolon is missing.
func (p *bodyParser) spacedOpcode(name string) string {
	var b strings.Builder
	for p.off+1 < len(p.src) && p.src[p.off] == '.' && lex.Class[p.src[p.off+1]] == lex.Ident {
		start := p.off
		p.off++
		p.ident()
		piece := p.src[start:p.off]
		if p.firstOfLine() && beginsDotStatement(piece) && !takesSpace(name, piece) || strings.Trim(piece, ".0123456789eE") == "" {
			p.off = start // a statement, or a number such as .5
			break
		}
		p.opcode()
		if b.Len() == 0 {
			b.WriteString(name)
		}
		b.WriteString(p.src[start:p.off])
		p.end = p.off
		p.skip()
	}
	if b.Len() == 0 {
		return name
	}
	return b.String()
}

// takesSpace reports whether a word that begins the next line belongs to an opcode, which has no operands so far: the word
// is a state space, and instructions with the opcode have operands.
func takesSpace(op, word string) bool {
	if spaceOf(word) == NoSpace || word == ".reg" {
		return false
	}
	switch base, _, _ := strings.Cut(op, "."); base {
	case "ret", "exit", "trap", "brkpt", "membar", "griddepcontrol", "wgmma", "barrier", "bar":
		return false
	case "fence":
		return strings.Contains(op, ".proxy.async")
	case "cp", "tcgen05": // some of these have no operands
		return !strings.HasSuffix(op, ".commit_group") && !strings.HasSuffix(op, ".wait_all") && !strings.Contains(op, "::")
	}
	return true
}

// dotStatement parses a declaration or a directive in a body. It returns a
// function whose definition begins there, and nil otherwise.
func (p *bodyParser) dotStatement() (next *Func) {
	pos, start, name := p.pos, p.start, p.lit()
	link, words := p.decls().linkage(&name)
	switch {
	case name == ".func" || name == ".entry":
		if next = p.localFunc(pos, start, link, words); next != nil {
			return next
		}
	case link != NoLinkage || beginsSpec(name) || beginsType(name):
		d, ok := p.decls().decl(pos, start, link, words)
		if d != nil {
			p.add(d)
		}
		if !ok {
			p.advance()
		}
	default:
		switch s := p.directives().directive(InBody).(type) {
		case *Directive:
			p.add(s)
		case *Raw:
			p.add(s)
		default:
			p.advanceLine()
		}
	}
	if p.end > 0 && p.src[p.end-1] == ';' {
		p.errLine = 0
	}
	p.restart()
	return nil
}
