package ptx

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// A broken statement is reported once, and must hide nothing that
// follows it. The functions of this file find the place to go on. All of them
// leave the parser before a token that it has not refused yet. They stop early rather than late: a statement that they
// skip is missing in the tree, with all that it declares.
//
// In a module of a later version, text in an unknown form is no error but counted (errorAt). The statement or the item
// in which the count has grown (failed) is read once more from its first token, and becomes one node with its text.

// passTo moves to the first token at which stop reports true, given how many brackets are open before it, or to the end.
func (p *scanner) passTo(stop func(depth int) bool) {
	for depth := 0; p.tok != tEOF && !stop(depth); p.next() {
		if p.tok == tPunct && lex.Class[p.ch] == lex.Open {
			depth++
		} else if p.tok == tPunct && lex.Class[p.ch] == lex.Close {
			depth = max(depth-1, 0)
		}
	}
}

// advance recovers within a body: it skips to after the next semicolon, or to
// a closing brace, a token that can only begin a statement, or the end.
func (p *scanner) advance() {
	for depth := 0; p.tok != tEOF && !p.beginsStatement(); p.next() {
		if p.tok != tPunct {
			continue
		}
		switch p.ch {
		case ';':
			p.errLine = 0
			p.next()
			return
		case '{':
			depth++
		case '}':
			// The brace of a vector is followed by a comma or a semicolon.
			if depth--; depth < 0 && !operandBrace(p.src, p.start) {
				return
			}
		}
	}
}

// operandBrace reports whether the closing brace at offset i ends an operand: a comma or a semicolon follows it in
// its line.
func operandBrace(src string, i int) bool {
	i = blanks(src, i+1)
	return i < len(src) && (src[i] == ',' || src[i] == ';')
}

// beginsStatement reports whether the current token is the first of its line
// and can only begin a statement.
func (p *scanner) beginsStatement() bool {
	if !p.firstOfLine() {
		return false
	}
	switch p.tok {
	case tIdent: // an opcode with modifiers
		return p.off < len(p.src) && p.src[p.off] == '.' && p.src[p.start] != '%'
	case tDot:
		return beginsDotStatement(p.lit())
	case tPunct:
		return p.ch == '@' || p.ch == '{'
	}
	return false
}

// unreadStatement reads a statement in an unknown form once more, from before on, where kept statements stood before it.
// It becomes an instruction, or a Raw if it begins with a dot. It ends with a semicolon or with braces that end their
// line, or before a token that can only begin a statement. A prototype stays as it was read, since calls need it.
func (p *bodyParser) unreadStatement(before *scanner, kept int) {
	if len(p.nodes.stmtStack) > kept {
		if _, ok := p.nodes.stmtStack[kept].(*Prototype); ok {
			return
		}
	}
	p.nodes.stmtStack = p.nodes.stmtStack[:kept]
	pos, start := p.goBack(before)
	p.passForm(func(depth int) bool { return depth == 0 && p.start > start && (p.is('}') || p.beginsStatement()) })
	text := p.src[start:p.end]
	if text[0] == '.' {
		p.add(&Raw{Pos: pos, Text: text})
	} else { // it may be an instruction, which may read and write the names in it
		n := max(through(text, 0, lex.Dot), 1)
		if lex.Class[text[0]] != lex.Ident {
			n = max(strings.IndexAny(text, " \t\r\n"), 1)
		}
		in, at := &Instr{Pos: pos, Op: text[:n]}, before.place
		at.off = start + n
		p.operands().args(in, at, start+len(strings.TrimRight(strings.TrimSuffix(text, ";"), " \t\r\n")))
		in.Args = strings.TrimSpace(in.Args)
		p.add(in)
	}
	p.restart()
}

// passForm moves after the semicolon, or the braces that end their line, of text in an unknown form; or to the first token
// at which begins reports that something else begins, given how many braces are open before it.
func (p *scanner) passForm(begins func(depth int) bool) {
	for depth := 0; p.tok != tEOF && (p.is('{') || !begins(depth)); p.next() {
		switch {
		case p.is('{'):
			depth++
			continue
		case p.is('}'):
			if depth--; depth > 0 || !p.endsLine() {
				continue
			}
		case depth > 0 || !p.is(';'):
			continue
		}
		p.next()
		return
	}
}

// unreadItem does at module level what unreadStatement does in a body: kept items stood before it. A function stays as it
// was read.
func (p *parser) unreadItem(before *scanner, kept int) {
	for _, it := range p.mod.Items[kept:] {
		if _, ok := it.(*Func); ok {
			return
		}
	}
	p.mod.Items = p.mod.Items[:kept]
	pos, start := p.goBack(before)
	p.passForm(func(depth int) bool { return p.start > start && p.beginsItem(depth) })
	p.mod.Items = append(p.mod.Items, &Raw{Pos: pos, Text: p.src[start:p.end]})
}

// failed reports whether some text from before up to the current token is in an unknown form. The current token does not
// count: if it has been refused, it belongs to the next statement.
func (p *scanner) failed(before *scanner) bool {
	return p.newer.forms > before.newer.forms && p.newer.last.Before(p.posAfter())
}

// goBack sets the scanner back to before, and returns the position and the offset of its token. It keeps the errors, which
// are errors in every version, and the count of unknown forms.
func (p *scanner) goBack(before *scanner) (pos Pos, start int) {
	forms, unread, errs := p.newer.forms, p.newer.first, p.errs
	*p = *before
	p.newer.forms, p.newer.first, p.errs = forms, unread, errs
	return p.pos, p.start
}

// endsLine reports whether nothing follows the current token in its line.
func (p *scanner) endsLine() bool {
	i := blanks(p.src, p.off)
	return i == len(p.src) || lex.Class[p.src[i]] == lex.Line || p.src[i] == '/'
}

// beginsDotStatement reports whether a word with a dot begins a declaration or a directive.
func beginsDotStatement(name string) bool {
	info := infoOf(name)
	return info != nil && info.Places&^(InDecl|InAttribute) != 0 || beginsSpec(name)
}

// advanceItem recovers at module level, in an item that began at offset start:
// it skips to after the item's semicolon or closing brace, or to a token that
// begins an item on a line of its own.
func (p *parser) advanceItem(start int) {
	for depth := 0; p.tok != tEOF; p.next() {
		if p.start > start && p.beginsItem(depth) {
			return
		}
		if p.tok != tPunct {
			continue
		}
		switch p.ch {
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 && !operandBrace(p.src, p.start) {
				p.next()
				return
			}
		case ';':
			if depth <= 0 {
				p.next()
				return
			}
		}
	}
}

// beginsItem reports whether the current token is the first of its line and
// begins an item of a module. Within braces, where depth is not 0, only a
// function or a directive of the head of a module counts.
func (p *scanner) beginsItem(depth int) bool {
	if p.tok != tDot || !p.firstOfLine() {
		return false
	}
	switch p.lit() {
	case ".func", ".entry", ".extern", ".visible", ".weak", ".common", ".version", ".target", ".address_size":
		return true
	case ".global", ".const", ".shared", ".local", ".tex", ".file", ".section", ".alias", ".pragma":
		return depth == 0
	}
	return false
}

// advanceLine recovers in a directive that is unknown or broken: it
// skips to after the next semicolon in the line, or to the next line, unless
// the line ends with a comma.
func (p *scanner) advanceLine() {
	for p.tok != tEOF && !p.is('}') {
		if p.firstOfLine() && (p.end == 0 || p.src[p.end-1] != ',') {
			return
		}
		if p.is(';') {
			p.errLine = 0
			p.next()
			return
		}
		p.next()
	}
}

// toBody recovers in a function's head: to its body, its semicolon, or the
// next item.
func (p *scanner) toBody() {
	for p.tok != tEOF && !p.is('{') && !p.is(';') && !p.is('}') && !p.beginsItem(0) {
		p.next()
	}
}
