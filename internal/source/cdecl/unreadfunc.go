package cdecl

import "slices"

// memberOrFunction reads one declaration within a record. A function or a static member that cannot be read, as its types are
// not known, is passed over: it takes no room.
func (b *body) memberOrFunction() {
	p := b.p
	start, pack, errs := p.i, p.pack, len(p.errs)
	if p.try(b.member) {
		return
	}
	at, then := p.i, p.pack
	p.pack = pack
	if p.seek(start); p.cxx && p.try(b.passFunction) {
		p.errs = p.errs[:errs]
		return
	}
	p.pack = then
	p.seek(at)
	panic(bailout{})
}

// passFunction passes over a member function or a static member. It gives up on what else there is, and on functions that matter: those that
// are virtual, destructors, and constructors and assignments that have the class itself among their parameters.
func (b *body) passFunction() {
	p := b.p
	open, name, typed := b.functionAt(p.i)
	class := lastName(b.rec.Name)
	made := name == class && !typed
	if open == 0 && (p.at("static") || p.at("inline") && p.peek(1).is("static")) {
		end := p.endOfDeclaration(p.i)
		p.hide(p.i, end)
		p.pass(end)
		return
	}
	switch {
	case open == 0, !typed && !made,
		slices.ContainsFunc(p.toks[p.i:open], func(t token) bool { return t.is("virtual") }),
		(made || name == "operator=") && slices.ContainsFunc(p.toks[open:p.shut(open)], func(t token) bool { return t.is(class) }):
		panic(bailout{})
	}
	f := userProvided
	for p.seek(p.shut(open) + 1); !p.at(";") && !p.at("{") && !p.at(":"); {
		switch {
		case p.at("("), p.at("["):
			p.skipBalanced()
		case p.at("<"):
			p.skipTemplate()
		case p.accept("delete"):
			f = deletedF
		case p.accept("default"):
			f = defaultedF
		case p.at(","), p.at("}"), p.tok.kind == eof:
			panic(bailout{})
		default:
			p.advance()
		}
	}
	if made {
		b.special.constructor = max(b.special.constructor, f)
	}
	p.functionBody()
	p.accept(";")
}

// functionAt finds the parenthesis of the parameters of the function that is declared at token i, 0 if it is none, its name,
// and whether a type stands before that.
func (b *body) functionAt(i int) (open int, name string, typed bool) {
	p := b.p
	for ; i < len(p.toks)-2; i++ {
		switch t, next := p.toks[i], p.toks[i+1]; {
		case t.is("operator"):
			for open = i + 2; open < len(p.toks)-1 && !p.toks[open].is("("); open++ {
			}
			return open, "operator" + next.text, true
		case t.is("["), t.is("("):
			i = p.shut(i)
		case t.is("<"):
			if i = closing(p.toks, i); !p.toks[i].is(">") {
				return 0, "", false
			}
		case t.kind != ident && !t.is("*") && !t.is("&") && !t.is("&&") && !t.is("::"), t.is("typedef"), t.is("template"):
			return 0, "", false
		case t.kind == ident && !isAttribute(t.text) && p.keyword(t.text) == "":
			if next.is("(") {
				if slices.ContainsFunc([]string{"*", "&", "&&", "^"}, p.toks[i+2].is) || p.memberStar(i+2-p.i) >= 0 {
					return 0, "", false // a pointer to a function
				}
				return i + 1, t.text, typed
			}
			typed = true
		default:
			typed = typed || p.keyword(t.text) != "" && p.keyword(t.text) != "storage"
		}
	}
	return 0, "", false
}
