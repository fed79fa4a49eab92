package ptx

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// function parses a .func or .entry at module level. Its linkage, and the unknown words after that, have been read; the
// current token is .func or .entry. If its body is not closed, the function that follows is parsed too.
func (p *parser) function(pos Pos, start int, link Linkage, words []UnknownWord) {
	before := p.scanner
	f, ok := p.heads().funcStart(pos, start, link, words)
	if !ok {
		p.unreadHead(f)
	}
	if p.failed(&before) {
		f.Head = p.src[start:p.end]
	}
	for f != nil {
		f.EndPos = p.pos
		var next *Func
		switch {
		case p.is('{'):
			next = p.bodyOf(f)
		case p.got(';'):
		case ok && !f.Entry && (p.tok == tDot || p.tok == tEOF || p.dwarfLineHere()):
			f.NoSemi, f.EndPos = true, p.posAfter()
		case ok:
			p.missing("';' or a body after the head of " + nameOf(f))
			if !p.firstOfLine() {
				if p.unreadHead(f); p.newer.later {
					f.Head = p.src[start:p.end]
				}
				ok = false
				continue
			}
		}
		if f.Name != "" {
			p.mod.Items = append(p.mod.Items, f)
		}
		p.mod.Items, p.moved = append(p.mod.Items, p.moved...), nil
		f, ok = next, true
	}
}

// unreadHead moves to the end of a head in no known form. If its formals have not been read, one stands for all of them.
func (p *parser) unreadHead(f *Func) {
	if p.is('}') {
		p.next()
	}
	at, first := p.pos, p.start
	if p.toBody(); !f.HasParams && p.end > first {
		f.Params = []Formal{p.decls().noFormal(at, first, "")}
	}
}

// localFunc parses a function within a body. A declaration is a statement of
// the body. A definition shows that the body is not closed, and is returned.
func (p *bodyParser) localFunc(pos Pos, start int, link Linkage, words []UnknownWord) (definition *Func) {
	f, ok := p.heads().funcStart(pos, start, link, words)
	switch {
	case ok && p.is('{'):
		return f
	case !ok:
		p.advance()
		return nil
	}
	f.EndPos = p.pos
	p.semi("the declaration of the function")
	p.add(f)
	return nil
}

// funcStart parses a function up to its body or its semicolon. It returns false after an error; the function then has
// a name if one could be read.
func (p *headParser) funcStart(pos Pos, start int, link Linkage, words []UnknownWord) (*Func, bool) {
	f := p.nodes.funcs.one()
	f.Pos, f.Linkage, f.Entry = pos, link, p.lit() == ".entry"
	for _, w := range words {
		n := through(w.Text, 1, lex.Ident)
		f.Directives = append(f.Directives, Directive{Pos: w.Pos, End: w.End, Name: w.Text[:n], Args: strings.TrimPrefix(w.Text[n:], " ")})
	}
	p.next()
	ok := p.funcHead(f)
	if ok {
		f.Head = p.src[start:p.end]
	}
	return f, ok
}

func (p *headParser) funcHead(f *Func) bool {
	place := InFunc
	if f.Entry {
		place = InEntry
	}
	return p.funcDirectives(&f.Directives, &f.Attr, place, false) && p.signature(f, &f.Attr, place)
}

// signature parses the head of a function, or of a prototype as one, from its results on. An unknown directive may stand
// before the formals.
func (p *headParser) signature(f *Func, attr *string, place Place) bool {
	ok, formals := true, true
	if p.got('(') {
		if f.Results, ok = p.decls().formalList(); !ok && p.tok != tIdent {
			return false
		}
	}
	if !p.funcDirectives(&f.Directives, attr, place, false) {
		return false
	}
	switch none := p.lit() == "_"; {
	case place == InPrototype && !(p.tok == tIdent && none):
		p.unexpected("'_' in place of the name of the function")
		return false
	case place != InPrototype && (p.tok != tIdent || none || p.lit() == warpName):
		p.unexpected("the name of the function")
		return false
	}
	f.Name, f.NamePos = p.lit(), p.pos
	if p.next(); p.tok == tDot && infoOf(p.lit()) == nil && !endsHead(p.lit(), place) {
		formals = p.funcDirectives(&f.Directives, attr, place, false)
	}
	if f.HasParams = formals && p.got('('); f.HasParams {
		f.Params, formals = p.decls().formalList()
	}
	return p.funcDirectives(&f.Directives, attr, place, true) && ok && formals
}

// funcDirectives parses the directives of the head of a function or a prototype, before or after its name. After the name,
// names on the same line are read as directives too.
func (p *headParser) funcDirectives(list *[]Directive, attr *string, place Place, named bool) bool {
	for p.tok == tDot || named && p.tok == tIdent && !p.firstOfLine() {
		switch name := p.lit(); {
		case name == ".attribute" && attr != nil:
			p.next()
			text, ok := p.decls().parens(".attribute")
			if !ok {
				return false
			}
			*attr = text
			continue
		case endsHead(name, place):
			return true
		}
		if !named {
			place |= beforeName
		}
		pos, name := p.pos, p.lit()
		d, ok := p.directives().directive(place).(*Directive)
		if !ok { // keep its name, and go on with the head
			*list = append(*list, Directive{Pos: pos, End: p.posAfter(), Name: name})
			if p.directives().unknownArgs(place) {
				p.next()
			}
			continue
		}
		*list = append(*list, *d)
	}
	return true
}

// endsHead reports whether a word with a dot stands after a head whose semicolon or body is
// missing. Other words are read as directives of the head, even if they are unknown or belong to other places.
func endsHead(name string, place Place) bool {
	info := infoOf(name)
	if info == nil {
		return beginsType(name)
	}
	return info.Places&(InEntry|InFunc|InPrototype) == 0 || info.Places&InModule != 0 && info.Places&place == 0
}

// prototype parses a .callprototype after its name; the current token follows
// the directive.
func (p *headParser) prototype(pr *Prototype) bool {
	var f Func
	ok := p.signature(&f, nil, InPrototype)
	pr.Results, pr.Params, pr.HasParams, pr.Directives = f.Results, f.Params, f.HasParams, f.Directives
	return ok
}

// labelled parses a prototype or a list of targets after a label, which is its name. It reports false, at the same token,
// if there is none, and returns nil after an error from which it has recovered.
func (p *headParser) labelled(pos Pos, name string, start int) (s Stmt, found bool) {
	if p.tok != tDot {
		return nil, false
	}
	switch p.lit() {
	case ".callprototype":
		p.next()
		pr := p.nodes.protos.one()
		pr.Pos, pr.Name = pos, name
		if p.prototype(pr) {
			pr.Text = p.src[start:p.end]
			p.semi("the prototype")
		} else {
			at, first := p.pos, p.start
			if p.advance(); !pr.HasParams {
				pr.Params = []Formal{p.decls().noFormal(at, first, "")}
			}
			pr.Text = strings.TrimSuffix(p.src[start:p.end], ";")
		}
		return pr, true
	case ".calltargets", ".branchtargets":
		list := &TargetList{Pos: pos, Name: name, Branch: p.lit() == ".branchtargets"}
		p.next()
		for {
			if p.tok != tIdent {
				p.unexpected("a name in the list of targets")
				p.advance()
				return nil, true
			}
			o := Operand{Pos: p.pos, Kind: KindName, Text: p.lit()}
			if p.next(); !p.is('<') {
				list.Names = append(list.Names, o)
			} else if !p.targetRange(list, o) {
				p.advance()
				return nil, true
			}
			if !p.got(',') {
				break
			}
		}
		list.Text = p.src[start:p.end]
		p.semi("the list of targets")
		return list, true
	}
	return nil, false
}

// maxTargets is how many names the ranges in all lists of targets of a text may stand for.
const maxTargets = 1 << 17

// targetRange appends the names that name<Count> stands for to a list of targets.
func (p *headParser) targetRange(list *TargetList, o Operand) bool {
	p.next()
	at, name := p.pos, o.Text
	n, ok := p.operands().integer("a number of names")
	switch {
	case !ok || !p.want('>', "after the number of names"):
		return false
	case n == 0:
		p.errorAt(at, "a range of no names is no target; write 1 or more")
		return false
	case n > int64(maxTargets-p.targets):
		p.errorAt(at, "more than "+strconv.Itoa(maxTargets)+" names in ranges of targets are not read; write fewer")
		return false
	}
	p.targets += int(n)
	for i := range n {
		o.Text = name + strconv.FormatInt(i, 10)
		list.Names = append(list.Names, o)
	}
	return true
}

// semi skips the semicolon after a statement, which what names in the diagnostic. If there is none, it reports that and
// recovers.
func (p *scanner) semi(what string) {
	if p.got(';') {
		return
	}
	p.missing("';' after " + what)
	if p.tok != tEOF && !p.firstOfLine() { // otherwise go on as if there were one
		p.advance()
	}
}

// nameOf returns f's name for diagnostics.
func nameOf(f *Func) string {
	if f.Name == "" {
		return "a function without a name"
	}
	return short(f.Name)
}
