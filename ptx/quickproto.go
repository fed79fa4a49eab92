package ptx

const prototypeWord = " : .callprototype "

// quickPrototype reads a prototype as compilers write it: in one line, with nameless
// .param formals and no directives. Its name is src[first:i]. It returns the offset behind
// the semicolon, and -1 if it is not for quick.
func (p *parser) quickPrototype(first, i int) int {
	src := p.src
	if digit(src[first]) || through(src, first, cIdent) != i {
		return -1
	}
	pr := p.protos.spare(&p.scanner)
	*pr = Prototype{Pos: p.posAt(first), Name: src[first:i], HasParams: true}
	i += len(prototypeWord)
	if p.at(i, '(') {
		if pr.Results, i = p.quickFormals(i + 1); i < 0 {
			return -1
		}
		i = p.blanks(i)
	}
	if !p.at(i, '_') {
		return -1
	}
	if i = p.blanks(i + 1); !p.at(i, '(') {
		return -1
	}
	if pr.Params, i = p.quickFormals(i + 1); !p.at(i, ';') {
		return -1
	}
	pr.Text = src[first:i]
	p.protos.take(1)
	p.add(pr)
	return i + 1
}

// quickFormals reads formals up to and with the closing parenthesis, and returns -1 if
// they are not for quick.
func (p *parser) quickFormals(i int) ([]Formal, int) {
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
		if i = p.variableAt(&f.Spec, &f.Var, ParamSpace, f.Pos, end); p.at(i, ')') {
			break
		}
		if i = p.quickComma(i); i == len(src) {
			return nil, -1
		}
	}
	p.formalStack = list
	return p.formals.keep(&p.scanner, list), i + 1
}
