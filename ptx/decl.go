package ptx

import "strconv"

// decl parses a declaration, linkage already read; nil after a complaint.
func (p *parser) decl(pos Pos, start int, link Linkage) *Decl {
	d := &Decl{Pos: pos, Linkage: link}
	if !p.spec(&d.Spec) {
		return nil
	}
	for {
		var v Var
		if !p.variable(&v) {
			return nil
		}
		if p.got('=') {
			v.Init = p.initialiser()
		}
		d.Vars = append(d.Vars, v)
		if !p.got(',') {
			break
		}
	}
	d.Text = p.src[start:p.end]
	if !p.got(';') {
		p.errorAt(p.posBehind(), "found "+p.found()+", expected ';' behind the declaration")
		if p.tok == tEOF || p.prevOnOtherLine() {
			return d // go on as if it stood there
		}
		p.advance()
	}
	return d
}

// posBehind is the position behind the token before the current one, where
// something missing would have stood.
func (p *parser) posBehind() Pos {
	if p.end >= p.bol {
		return p.posAt(p.end)
	}
	return p.pos
}

// spec parses what stands before the names of a declaration.
func (p *parser) spec(s *Spec) bool {
	for {
		if p.tok != tDot {
			if s.Type == NoType {
				p.unexpected("a type such as .b32")
				return false
			}
			return true
		}
		name := p.lit()
		switch name {
		case ".align":
			s.AlignLate = s.AlignLate || s.Type != NoType
			s.AlignPos = p.pos
			p.next()
			var ok bool
			if s.Align, ok = p.integer("an alignment in bytes"); !ok {
				return false
			}
			continue
		case ".ptr":
			if s.Type == NoType {
				p.errorAt(p.pos, ".ptr stands behind the type")
				return false
			}
			if !p.ptr(s) {
				return false
			}
			continue
		case ".attribute":
			p.next()
			var ok bool
			if s.Attr, ok = p.parens(".attribute"); !ok {
				return false
			}
			continue
		}
		if space := spaceOf(name); space != NoSpace && s.Type == NoType {
			if s.Space != NoSpace {
				p.errorAt(p.pos, "two state spaces, "+s.Space.String()+" and "+name)
				return false
			}
			s.Space, s.SpacePos = space, p.pos
			p.next()
			if space == ConstSpace && !p.bank(&s.Bank) {
				return false
			}
			continue
		}
		if n := vectorOf(name); n != 0 && s.Vec == 0 && s.Type == NoType {
			s.Vec = n
			p.next()
			continue
		}
		t := TypeOf(name)
		switch {
		case t == NoType:
			p.errorAt(p.pos, "unknown type or attribute "+name)
			return false
		case s.Type != NoType:
			p.errorAt(p.pos, "two types, "+s.Type.String()+" and "+name)
			return false
		}
		s.Type, s.TypePos = t, p.pos
		p.next()
	}
}

// vectorOf returns the number in ".v2", ".v4" and the like; 0 if name is none.
func vectorOf(name string) int {
	if len(name) < 3 || len(name) > 4 || name[1] != 'v' {
		return 0
	}
	n, err := strconv.Atoi(name[2:])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (p *parser) ptr(s *Spec) bool {
	ptr := &Ptr{Pos: p.pos}
	s.Ptr = ptr
	p.next()
	for p.tok == tDot {
		if p.lit() == ".align" {
			ptr.AlignPos = p.pos
			p.next()
			var ok bool
			if ptr.Align, ok = p.integer("an alignment in bytes"); !ok {
				return false
			}
			continue
		}
		space, handle := spaceOf(p.lit()), TypeOf(p.lit())
		if ptr.Space != NoSpace || ptr.Handle != NoType || ptr.AlignPos.IsValid() {
			break
		}
		if handle.Class() == Handle {
			ptr.Handle = handle
		} else if ptr.Space = space; space == NoSpace {
			break
		}
		p.next()
		if space == ConstSpace && !p.bank(&ptr.Bank) {
			return false
		}
	}
	return true
}

// bank parses the bank number that may follow .const.
func (p *parser) bank(n *int64) bool {
	if !p.got('[') {
		return true
	}
	var ok bool
	*n, ok = p.integer("the number of a constant bank")
	return ok && p.want(']', "behind the number of the constant bank")
}

// integer parses an integer literal that is not negative.
func (p *parser) integer(what string) (int64, bool) {
	if p.tok == tNumber {
		if v, ok := intLiteral(p.lit()); ok && v <= 1<<62 {
			p.next()
			return int64(v), true
		}
		if _, ok := intLiteral(p.lit()); !ok {
			if _, isInt := intDigits(p.lit()); isInt {
				p.errorAt(p.pos, p.lit()+" is too large")
				return 0, false
			}
		} else {
			p.errorAt(p.pos, p.lit()+" is too large")
			return 0, false
		}
	}
	p.unexpected(what)
	return 0, false
}

// parens takes the text between parentheses.
func (p *parser) parens(behind string) (string, bool) {
	if !p.want('(', "behind "+behind) {
		return "", false
	}
	first := p.start
	for depth := 1; ; p.next() {
		switch {
		case p.is('('):
			depth++
		case p.is(')'):
			depth--
		case p.tok == tEOF, p.is(';'), p.is('{'), p.is('}'):
			p.unexpected("')' behind " + behind)
			return "", false
		}
		if depth == 0 {
			break
		}
	}
	text := ""
	if p.end > first {
		text = p.src[first:p.end]
	}
	p.next()
	return text, true
}

// variable parses a name with its count and its dimensions.
func (p *parser) variable(v *Var) bool {
	v.Count = NoCount
	if p.tok != tIdent {
		p.unexpected("a name")
		return false
	}
	v.Pos, v.Name = p.pos, p.lit()
	p.next()
	if p.got('<') {
		var ok bool
		if v.Count, ok = p.integer("a number of registers"); !ok {
			return false
		}
		if !p.want('>', "behind the number of registers") {
			return false
		}
	}
	for p.got('[') {
		if p.got(']') {
			v.Dims = append(v.Dims, NoExtent)
			continue
		}
		n, ok := p.integer("an extent, a literal number of elements,")
		if !ok {
			return false
		}
		v.Dims = append(v.Dims, n)
		if !p.want(']', "behind the extent") {
			return false
		}
	}
	return true
}

// initialiser takes the text of an initialiser: everything up to a comma or a
// semicolon outside brackets. Tables of megabytes stand here.
func (p *parser) initialiser() string {
	first := p.start
	for depth := 0; p.tok != tEOF; p.next() {
		if p.tok != tPunct {
			if p.tok == tDot && depth == 0 && p.prevOnOtherLine() {
				break // the semicolon is missing
			}
			continue
		}
		switch p.ch {
		case '(', '{', '[':
			depth++
			continue
		case ')', '}', ']':
			if depth--; depth < 0 {
				p.unexpected("';' behind the initialiser")
				return ""
			}
			continue
		case ',':
			if depth > 0 {
				continue
			}
		case ';':
			if depth > 0 {
				p.unexpected("'}' at the end of the initialiser")
			}
		default:
			continue
		}
		break
	}
	if p.end <= first {
		p.unexpected("an initialiser")
		return ""
	}
	return p.src[first:p.end]
}

// formals parses a list of formals, its opening parenthesis already read.
func (p *parser) formals() ([]Formal, bool) {
	if p.got(')') {
		return nil, true
	}
	list := make([]Formal, 0, 4)
	ok := true
	for {
		var f Formal
		if !p.formal(&f) {
			ok = false
			p.toComma()
		} else {
			list = append(list, f)
		}
		if p.got(',') {
			continue
		}
		if p.got(')') {
			return list, ok
		}
		p.unexpected("',' or ')' in the list of formals")
		return list, false
	}
}

// toComma recovers within a list: to a comma or the closing parenthesis.
func (p *parser) toComma() {
	for depth := 0; p.tok != tEOF; p.next() {
		switch {
		case p.is('('), p.is('['):
			depth++
		case p.is(']') && depth > 0:
			depth--
		case p.is(')'):
			if depth == 0 {
				return
			}
			depth--
		case p.is(',') && depth == 0, p.is(';'), p.is('{'), p.is('}'):
			return
		}
	}
}

func (p *parser) formal(f *Formal) bool {
	f.Pos = p.pos
	if p.tok != tDot {
		p.unexpected("a formal such as .param .b32 x")
		return false
	}
	if !p.spec(&f.Spec) {
		return false
	}
	if f.Space != RegSpace && f.Space != ParamSpace {
		at := f.Pos
		if f.SpacePos.IsValid() {
			at = f.SpacePos
		}
		p.errorAt(at, "a formal stands in .reg or .param space")
		return false
	}
	return p.variable(&f.Var)
}

// function parses a .func or .entry, linkage already read; the current token
// is .func or .entry.
func (p *parser) function(pos Pos, start int, link Linkage) {
	f := &Func{Pos: pos, Linkage: link, Entry: p.lit() == ".entry"}
	p.next()
	ok := p.funcHead(f)
	f.Head = p.src[start:max(p.end, start)]
	if f.Name == "" && !p.is('{') {
		p.advanceItem()
		return
	}
	if !ok && !p.is('{') && !p.is(';') {
		p.toBody()
		f.Head = ""
	}
	f.EndPos = p.pos
	switch {
	case p.is('{'):
		f.HasBody, f.BodyPos = true, p.pos
		p.body(f)
	case p.got(';'):
	case ok && p.tok == tEOF, ok && p.tok == tDot && p.prevOnOtherLine():
		p.errorAt(p.posBehind(), "expected ';' or a body behind the head of "+f.Name)
	default:
		p.unexpected("';' or a body behind the head of " + f.Name)
		p.advanceItem()
	}
	if f.Name != "" {
		p.mod.Items = append(p.mod.Items, f)
	}
}

// localFunc parses the declaration of a function within a body; nil after a
// complaint.
func (p *parser) localFunc(pos Pos, start int, link Linkage) *Func {
	f := &Func{Pos: pos, Linkage: link, Entry: p.lit() == ".entry"}
	p.next()
	ok := p.funcHead(f)
	f.Head, f.EndPos = p.src[start:max(p.end, start)], p.pos
	if ok && p.is('{') {
		p.unexpected("';', since a function is not defined within another")
		ok = false
	}
	if !ok {
		p.advance()
		return nil
	}
	p.semi("the declaration of " + f.Name)
	return f
}

// toBody recovers in a function's head: to its body, its semicolon, or the
// next item.
func (p *parser) toBody() {
	for p.tok != tEOF && !p.is('{') && !p.is(';') && !p.is('}') {
		if p.tok == tDot && p.beginsItem() {
			return
		}
		p.next()
	}
}

func (p *parser) funcHead(f *Func) bool {
	ok := p.funcDirectives(&f.Directives, &f.Attr)
	if p.got('(') {
		var listOK bool
		f.Results, listOK = p.formals()
		ok = ok && listOK
		if !listOK && p.tok != tIdent {
			return false
		}
	}
	if p.tok != tIdent {
		p.unexpected("the name of the function")
		return false
	}
	f.Name, f.NamePos = p.lit(), p.pos
	p.next()
	if p.got('(') {
		f.HasParams = true
		var listOK bool
		f.Params, listOK = p.formals()
		ok = ok && listOK
		if !listOK {
			return false
		}
	}
	return p.funcDirectives(&f.Directives, &f.Attr) && ok
}

// funcDirectives parses the directives of a function's head.
func (p *parser) funcDirectives(list *[]Directive, attr *string) bool {
	for p.tok == tDot {
		switch name := p.lit(); {
		case name == ".attribute" && attr != nil:
			p.next()
			text, ok := p.parens(".attribute")
			if !ok {
				return false
			}
			*attr = text
			continue
		case endingOf(name) == 0, name == ".section", name == ".alias":
			return true
		}
		d, ok := p.directive().(*Directive)
		if !ok {
			return false
		}
		*list = append(*list, *d)
	}
	return true
}
