package ptx

// An ending tells where the arguments of a directive end: not at a semicolon
// alone, since several have none.
type ending uint8

const (
	endSemi    ending = iota + 1 // a semicolon
	endTuple                     // a comma-separated list of values
	endInteger                   // an integer
	endLoc                       // .loc: three numbers, then a comma-separated list
	endPlain                     // no arguments
	endFile                      // .file: a number and a name, then a comma-separated list
	endBody                      // a braced body, taken raw
)

// endingOf returns the ending of the directive; 0 if the name is of none.
func endingOf(name string) ending {
	switch name {
	case ".version", ".address_size", ".target", ".maxnreg", ".maxntid", ".reqntid", ".minnctapersm",
		".maxnctapersm", ".reqnctapercluster", ".maxclusterrank":
		return endTuple
	case ".abi_preserve", ".abi_preserve_control":
		return endInteger
	case ".pragma", ".alias", ".branchtargets", ".calltargets":
		return endSemi
	case ".loc":
		return endLoc
	case ".file":
		return endFile
	case ".noreturn", ".explicitcluster", ".blocksareclusters":
		return endPlain
	case ".section":
		return endBody
	}
	return 0
}

// directive parses a directive that has no node of its own, and returns a
// *Directive or a *Raw; nil after an error, with the parser standing after
// the name.
func (p *parser) directive() any {
	pos, name, start := p.pos, p.lit(), p.start
	p.next()
	d := p.direcs.one(&p.scanner)
	d.Pos, d.Name = pos, name
	first := p.start
	var ok bool
	switch endingOf(name) {
	case endPlain:
		return d
	case endTuple:
		ok = p.tuple()
	case endInteger:
		_, ok = p.integer("a number of registers")
	case endLoc:
		ok = p.loc()
	case endFile:
		if ok = p.tok == tNumber; ok {
			p.next()
			if ok = p.tuple(); ok && p.tok == tString { // clang writes the folder apart
				ok = p.tuple()
			}
		} else {
			p.unexpected("the number of the file after .file")
		}
	case endBody:
		if raw := p.section(pos, start); raw != nil {
			return raw
		}
	case endSemi:
		if ok = p.toSemi(name); ok {
			d.Semi = true
		}
	default:
		p.errorAt(pos, "unknown directive "+short(name))
	}
	if !ok {
		return nil
	}
	if p.end > first {
		d.Args = p.src[first:p.end]
	}
	if d.Semi {
		p.next()
	}
	return d
}

// toSemi moves to the semicolon that ends a directive.
func (p *parser) toSemi(name string) bool {
	for !p.is(';') {
		if p.tok == tEOF || p.is('}') || p.is('{') || p.beginsStatement() {
			p.missing("';' after " + name)
			return false
		}
		p.next()
	}
	return true
}

// tuple skips value { "," value }, with signs, as far as it goes.
func (p *parser) tuple() bool {
	for {
		p.got('-')
		if p.tok != tIdent && p.tok != tNumber && p.tok != tString {
			p.unexpected("a value")
			return false
		}
		p.next()
		if !p.got(',') {
			return true
		}
	}
}

// loc skips the numbers of a .loc and what PTX 7.2 added to it:
// ", function_name label [ + offset ], inlined_at file line column".
func (p *parser) loc() bool {
	for range 3 {
		if p.tok != tNumber {
			p.unexpected("file, line and column numbers after .loc")
			return false
		}
		p.next()
	}
	for p.got(',') {
		for first := true; first || !p.firstOfLine(); first = false {
			if p.tok != tIdent && p.tok != tNumber && !p.is('+') && !p.is('-') {
				break
			}
			p.next()
		}
	}
	return true
}

// section takes a .section with its braces raw; nil after an error.
func (p *parser) section(pos Pos, start int) *Raw {
	for !p.is('{') {
		if p.tok == tEOF || p.is('}') || p.is(';') || p.beginsItem(0) {
			p.unexpected("'{' after .section and its name")
			return nil
		}
		p.next()
	}
	open := p.pos
	p.next()
	for depth := 1; ; p.next() {
		switch {
		case p.is('{'):
			depth++
		case p.is('}'):
			depth--
		case p.tok == tEOF, p.tok == tDot && p.beginsItem(1):
			p.errorAt(open, "'{' is not closed; add '}'")
			return &Raw{Pos: pos, Text: p.src[start:p.end] + "\n}"}
		}
		if depth == 0 {
			text := p.src[start:p.off]
			p.next()
			return &Raw{Pos: pos, Text: text}
		}
	}
}
