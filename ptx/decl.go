package ptx

import (
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// decl parses a declaration whose linkage, and the unknown words after that, have been read. It returns the declaration as
// far as it could be read, nil if it declares no name, as .param .b32 ; does. It returns false after
// an error from which the parser has not recovered.
func (p *declParser) decl(pos Pos, start int, link Linkage, words []UnknownWord) (*Decl, bool) {
	d := p.nodes.decls.one()
	d.Pos, d.Linkage, d.Unknown = pos, link, words
	vars := append(p.nodes.varStack[:0], Var{})
	defer func() { p.nodes.varStack = vars }()
	if !p.spec(&d.Spec) {
		return nil, false
	}
	if d.Space == NoSpace && len(d.Unknown) == 0 && (!p.is(';') || link != NoLinkage) {
		p.errorAt(pos, "the declaration names no state space such as .global or .reg")
		return nil, false
	}
	if p.got(';') { // it declares nothing, and assemblers accept it
		raw := &Raw{Pos: pos, Text: p.src[start:p.end]}
		if p.inBody {
			p.nodes.stmtStack = append(p.nodes.stmtStack, raw)
		} else {
			p.mod.Items = append(p.mod.Items, raw)
		}
		return nil, true
	}
	ok := p.declared(&d.Spec, &vars[0])
	for {
		v := &vars[len(vars)-1]
		if ok && p.got('=') {
			v.Init = p.initialiser()
			ok = v.Init != ""
		}
		if !ok {
			if d.Vars = p.nodes.vars.keep(vars[:len(vars)-1]); d.Vars == nil {
				return nil, false
			}
			return d, false
		}
		if !p.got(',') {
			break
		}
		vars = append(vars, Var{})
		ok = p.declared(&d.Spec, &vars[len(vars)-1])
	}
	d.Vars = p.nodes.vars.keep(vars)
	if !p.inBody {
		for i := range d.Vars {
			if d.Vars[i].Name == "_" {
				p.errorAt(d.Vars[i].Pos, "found '_', expected a name")
			}
		}
	}
	d.Text = p.src[start:p.end]
	p.semi("the declaration")
	return d, true
}

// spec parses the words before the names of a declaration.
func (p *declParser) spec(s *Spec) bool {
	for p.tok == tDot {
		name := p.lit()
		if space := spaceOf(name); space != NoSpace && s.Type == NoType {
			if s.Space != NoSpace {
				p.errorAt(p.pos, "two state spaces, "+s.Space.String()+" and "+name)
				return false
			}
			s.Space, s.SpacePos = space, p.pos
			p.next()
			if p.is(':') && p.off+1 < len(p.src) && p.src[p.off] == ':' && lex.InName(p.src[p.off+1]) { // such as .shared::cta
				p.off++
				p.ident()
				s.Unknown = append(s.Unknown, UnknownWord{Pos: s.SpacePos, Text: name + p.src[p.end:p.off]})
				p.next()
			}
			if space == ConstSpace && !p.bank(&s.Bank) {
				return false
			}
			continue
		}
		if t := TypeOf(name); t != NoType {
			if s.Type != NoType {
				p.errorAt(p.pos, "two types, "+s.Type.String()+" and "+name)
				return false
			}
			s.Type, s.TypePos = t, p.pos
			p.next()
			continue
		}
		if !p.specAttribute(s, name) {
			return false
		}
	}
	if s.Type == NoType && len(s.Unknown) == 0 {
		p.unexpected("a type such as .b32")
		return false
	}
	return true
}

// specAttribute parses a word of a declaration that is neither its space nor its type.
func (p *declParser) specAttribute(s *Spec, name string) bool {
	var ok bool
	switch name {
	case ".align":
		late, pos, n := s.Type != NoType || s.Vec != 0, p.pos, int64(0)
		s.AlignLate = s.AlignLate || late
		p.next()
		n, ok = p.operands().integer("an alignment in bytes")
		odd := func(n int64) bool { return n == 0 || n&(n-1) != 0 }
		switch { // the largest of several counts
		case !s.AlignPos.IsValid(), odd(n), n > s.Align && !odd(s.Align):
			s.Align, s.AlignPos = n, pos
		case late:
			s.AlignPos = pos
		}
		return ok
	case ".ptr":
		if s.Type == NoType {
			p.errorAt(p.pos, ".ptr stands after the type")
			return false
		}
		return p.ptr(s)
	case ".attribute":
		p.next()
		s.Attr, ok = p.parens(".attribute")
		return ok
	}
	if knownWord(name) {
		p.unexpected("a type, an attribute or a name")
		return false
	}
	if n := vectorOf(name); n != 0 && s.Vec == 0 && s.Type == NoType {
		s.Vec = n
		p.next()
		return true
	}
	return p.unknownWord(&s.Unknown)
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

func (p *declParser) ptr(s *Spec) bool {
	ptr := p.nodes.ptrs.one()
	ptr.Pos = p.pos
	s.Ptr = ptr
	p.next()
	for p.tok == tDot {
		if !knownWord(p.lit()) && !beginsType(p.lit()) {
			if !p.unknownWord(&s.Unknown) {
				return false
			}
			continue
		}
		if p.lit() == ".align" {
			ptr.AlignPos = p.pos
			p.next()
			var ok bool
			if ptr.Align, ok = p.operands().integer("an alignment in bytes"); !ok {
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
func (p *declParser) bank(n *int64) bool {
	if !p.got('[') {
		return true
	}
	var ok bool
	*n, ok = p.operands().integer("the number of a constant bank")
	return ok && p.want(']', "after the number of the constant bank")
}

// integer parses an integer literal that is not negative, or WARP_SZ.
func (p *operandParser) integer(what string) (int64, bool) {
	if p.tok == tIdent && p.lit() == warpName {
		p.next()
		return warpSize, true
	}
	if p.tok == tNumber {
		switch v, isInt, fits, _ := intLiteral(p.lit()); {
		case isInt && fits && v <= 1<<62:
			p.next()
			return int64(v), true
		case isInt:
			p.errorAt(p.pos, short(p.lit())+" is too large")
			return 0, false
		}
	}
	p.unexpected(what)
	return 0, false
}

// parens returns the text between parentheses.
func (p *declParser) parens(after string) (string, bool) {
	if !p.want('(', "after "+after) {
		return "", false
	}
	first := p.start
	p.passTo(func(depth int) bool {
		return depth == 0 && p.is(')') || p.is(';') || p.is('{') || p.is('}') || p.beginsItem(0)
	})
	if !p.is(')') {
		p.unexpected("')' after " + after)
		return "", false
	}
	text := p.src[first:max(first, p.end)]
	p.next()
	return text, true
}

// warpName is the only name that is a constant.
const warpName = "WARP_SZ"

// declared parses a name with its count and its dimensions, and the unknown words after it.
func (p *declParser) declared(s *Spec, v *Var) bool {
	if !p.variable(v) {
		return false
	}
	for p.tok == tDot && !p.firstOfLine() && !knownWord(p.lit()) && !beginsType(p.lit()) {
		if !p.unknownWord(&s.Unknown) {
			return false
		}
	}
	return true
}

// variable parses a name with its count and its dimensions.
func (p *declParser) variable(v *Var) bool {
	if p.tok != tIdent || p.beginsStatement() || p.lit() == warpName {
		p.unexpected("a name")
		return false
	}
	v.Pos, v.Name = p.pos, p.lit()
	p.next()
	if p.got('<') {
		var ok bool
		if v.Count, ok = p.operands().integer("a number of registers"); !ok {
			return false
		}
		if v.Count == 0 {
			v.Count = ZeroCount
		}
		if !p.want('>', "after the number of registers") {
			return false
		}
	}
	if !p.is('[') {
		return true
	}
	dims := p.nodes.dimStack[:0]
	for p.got('[') {
		n := int64(NoExtent)
		if !p.is(']') {
			var ok bool
			if n, ok = p.operands().integer("an extent, a literal number of elements,"); !ok {
				return false
			}
		}
		dims = append(dims, n)
		if !p.want(']', "after the extent") {
			return false
		}
	}
	p.nodes.dimStack, v.Dims = dims, p.nodes.dims.keep(dims)
	return true
}

// initialiser returns the text of an initialiser: everything up to a comma or a
// semicolon outside of brackets; "" after an error. It checks the order of values, commas and brackets, but makes no
// nodes, since an initialiser may be a table of megabytes.
func (p *declParser) initialiser() string {
	first, open, last, bad := p.start, 0, byte(';'), false
	p.passTo(func(depth int) bool {
		open = depth
		value := p.tok == tNumber || p.tok == tIdent
		ends := p.is(',') || p.is('}') || p.is(';')
		bad = p.tok == tString || p.is('@') || p.is('[') || value && (lex.Class[last] == lex.Ident || last == '}') || ends && lex.Class[last] == lex.Punct || p.is(',') && last == '{'
		if last = p.ch; value {
			last = 'x'
		} else if p.tok != tPunct {
			last = '.'
		}
		if bad {
			return true
		}
		if p.tok == tDot {
			return p.firstOfLine() && (depth == 0 && beginsDotStatement(p.lit()) || p.beginsItem(depth)) // the semicolon is missing
		}
		return p.is(';') || depth == 0 && (p.is(',') || p.is(')') || p.is('}') || p.is(']'))
	})
	switch {
	case bad:
		p.errorAt(p.pos, "found "+p.found()+" in an initialiser, which is a value, or values in braces with commas between them")
		return ""
	case p.is(')'), p.is('}'), p.is(']'):
		p.unexpected("';' after the initialiser")
		return ""
	case open > 0:
		p.missing("'}' at the end of the initialiser")
		return ""
	case p.end <= first:
		p.unexpected("an initialiser")
		return ""
	}
	return p.src[first:p.end]
}

// formalList parses a list of formals whose opening parenthesis has been read. It
// returns a formal for each one in the list, so that those after a broken one keep their places, and reports whether it
// could read all.
func (p *declParser) formalList() ([]Formal, bool) {
	if p.got(')') {
		return nil, true
	}
	list := p.nodes.formalStack[:0]
	ok := true
	for {
		list = append(list, Formal{})
		f, pos, first := &list[len(list)-1], p.pos, p.start
		switch {
		case !p.formal(f):
			ok = false
			if p.unreadFormal(f, pos, first); f.Unknown[0].Text == "" && p.is(')') {
				list = list[:len(list)-1] // there is no formal after the last comma
			}
		case !p.is(',') && !p.is(')'):
			p.missing("',' or ')' in the list of formals")
			ok = false
			if !p.is('{') && !p.is(';') { // otherwise all of it has been read
				p.unreadFormal(f, pos, first)
			}
		}
		if !p.got(',') {
			break
		}
	}
	p.nodes.formalStack = list
	return p.nodes.formals.keep(list), p.got(')') && ok
}

// unreadFormal moves to the end of a formal in no known form, which began at offset first. The formal keeps its text and its
// name: the last name outside of brackets if none has been read.
func (p *declParser) unreadFormal(f *Formal, pos Pos, first int) {
	name := f.Name
	p.passTo(func(depth int) bool {
		if f.Name == "" && depth == 0 && p.tok == tIdent {
			name = p.lit()
		}
		return p.beginsItem(0) || depth == 0 && (p.is(',') || p.is(')')) || p.is(';') || p.is('{') || p.is('}')
	})
	*f = p.noFormal(pos, first, name)
}

// noFormal returns a formal that stands for text in no known form, from offset first up to the current token.
func (p *declParser) noFormal(pos Pos, first int, name string) Formal {
	w := UnknownWord{Pos: pos, Text: p.src[first:max(first, p.end)], End: p.posAfter(), Form: true}
	return Formal{Pos: pos, Spec: Spec{Unknown: []UnknownWord{w}}, Var: Var{Pos: pos, Name: name}}
}

func (p *declParser) formal(f *Formal) bool {
	f.Pos = p.pos
	if p.tok != tDot {
		p.unexpected("a formal such as .param .b32 x")
		return false
	}
	if !p.spec(&f.Spec) {
		return false
	}
	if f.Space != RegSpace && f.Space != ParamSpace && (f.Space != NoSpace || len(f.Unknown) == 0) {
		at := f.Pos
		if f.SpacePos.IsValid() {
			at = f.SpacePos
		}
		p.errorAt(at, "a formal stands in .reg or .param space")
		return false
	}
	return p.declared(&f.Spec, &f.Var)
}

// ParseFormal reads the declaration of a parameter or a result, as ".param .align 8 .b8
// x[16]", which is how a layout.Param prints. The error, if any, is a [diag.List].
func ParseFormal(text string) (Formal, error) {
	p := newParser("formal", text)
	p.next()
	var f Formal
	if p.decls().formal(&f) && p.tok != tEOF {
		p.missing("the end of the formal")
	}
	return f, p.err()
}
