package ptx

import (
	"strconv"
	"strings"
)

// Parse reads a module. The name is used in complaints alone. It always
// returns the tree it could build; the error, if any, is an [ErrorList] of
// every syntax error found, in source order. Parse keeps a copy of src.
func Parse(name string, src []byte) (*Module, error) {
	p := &parser{scanner: scanner{name: name, src: string(src), line: 1}}
	if strings.HasPrefix(p.src, "\ufeff") {
		p.off = len("\ufeff")
		p.bol = p.off
	}
	m := &Module{Name: name}
	p.mod = m
	p.next()
	for p.tok != tEOF {
		p.item()
	}
	if len(p.errs) > 0 {
		return m, p.errs
	}
	return m, nil
}

type parser struct {
	scanner
	mod    *Module
	instrs []Instr   // room for the next ones
	access []Access  // likewise
	calls  []Call    // likewise
	guards []Guard   // likewise
	ops    []Operand // likewise, shared by small lists
	// inVector is set within { … }: vectors do not nest.
	inVector bool
}

func (p *parser) is(ch byte) bool { return p.tok == tPunct && p.ch == ch }

// got skips the punctuation ch if it is the current token.
func (p *parser) got(ch byte) bool {
	if p.is(ch) {
		p.next()
		return true
	}
	return false
}

// want skips the punctuation ch, or complains and reports false.
func (p *parser) want(ch byte, where string) bool {
	if p.got(ch) {
		return true
	}
	p.unexpected("'" + string(rune(ch)) + "' " + where)
	return false
}

// unexpected complains that the current token is not what was wanted.
func (p *parser) unexpected(want string) {
	p.errorAt(p.pos, "found "+p.found()+", expected "+want)
}

func (p *parser) found() string {
	switch p.tok {
	case tEOF:
		return "the end of the file"
	case tString:
		return "a string"
	case tPunct:
		return "'" + p.lit() + "'"
	}
	lit := p.lit()
	if len(lit) > 40 {
		lit = lit[:40] + "…"
	}
	return "'" + lit + "'"
}

// advance is the one place that recovers from an error: it skips to behind
// the next semicolon, or to a closing brace or the end of the text. It makes
// progress unless it stands before a closing brace or the end.
func (p *parser) advance() {
	for p.tok != tEOF {
		switch {
		case p.got(';'):
			return
		case p.is('}'):
			return
		}
		p.next()
	}
}

// advanceItem recovers at module level: it skips to the next token that can
// begin an item on a line of its own, over whole braces.
func (p *parser) advanceItem() {
	depth := 0
	for first := true; p.tok != tEOF; first = false {
		switch {
		case p.is('{'):
			depth++
		case p.is('}'):
			if depth--; depth <= 0 {
				p.next()
				return
			}
		case p.is(';') && depth == 0:
			p.next()
			return
		case p.tok == tDot && depth == 0 && !first && p.beginsItem():
			return
		}
		p.next()
	}
}

func (p *parser) beginsItem() bool {
	switch p.lit() {
	case ".func", ".entry", ".extern", ".visible", ".weak", ".common", ".version", ".target", ".address_size":
		return strings.TrimLeft(p.src[p.bol:p.start], " \t") == ""
	}
	return false
}

// item parses one item of the module.
func (p *parser) item() {
	switch {
	case p.tok == tDot:
		p.dotItem()
	case p.tok == tIdent:
		pos, name, start := p.pos, p.lit(), p.start
		p.next()
		if !p.got(':') || !p.labelled(pos, name, start, func(s Stmt) { p.mod.Items = append(p.mod.Items, s.(Item)) }) {
			p.errorAt(pos, "found '"+name+"', expected a directive such as .func, .entry or .global")
			p.advanceItem()
		}
	case p.is('@') && strings.HasPrefix(p.src[p.start:], "@@DWARF"):
		p.mod.Items = append(p.mod.Items, p.dwarfLine())
	case p.is(';'):
		p.next()
	default:
		p.unexpected("a directive such as .func, .entry or .global")
		p.advanceItem()
		if p.is('}') {
			p.next()
		}
	}
}

// dwarfLine takes an @@DWARF line of PTX 1.x whole.
func (p *parser) dwarfLine() *Raw {
	pos, start := p.pos, p.start
	n := strings.IndexByte(p.src[start:], '\n')
	if n < 0 {
		n = len(p.src) - start
	}
	p.off = start + n
	text := strings.TrimRight(p.src[start:p.off], "\r")
	p.next()
	return &Raw{Pos: pos, Text: text}
}

func (p *parser) dotItem() {
	pos, name, start := p.pos, p.lit(), p.start
	link := linkageOf(name)
	if link != NoLinkage {
		p.next()
		if p.tok != tDot {
			p.unexpected(".func, .entry or a state space behind " + name)
			p.advanceItem()
			return
		}
		name = p.lit()
	}
	switch name {
	case ".func", ".entry":
		p.function(pos, start, link)
		return
	}
	if spaceOf(name) != NoSpace || name == ".align" || name == ".attribute" {
		if d := p.decl(pos, start, link); d != nil {
			p.mod.Items = append(p.mod.Items, d)
		} else {
			p.advanceItem()
		}
		return
	}
	if link != NoLinkage {
		p.unexpected(".func, .entry or a state space behind " + link.String())
		p.advanceItem()
		return
	}
	switch s := p.directive(); s := s.(type) {
	case *Directive:
		p.mod.Items = append(p.mod.Items, s)
		p.head(s)
	case *Raw:
		p.mod.Items = append(p.mod.Items, s)
	default:
		p.advanceItem()
	}
}

// head notes what the module's first directives say.
func (p *parser) head(d *Directive) {
	switch d.Name {
	case ".version":
		major, minor, ok := strings.Cut(d.Args, ".")
		a, err1 := strconv.Atoi(major)
		b, err2 := strconv.Atoi(minor)
		if !ok || err1 != nil || err2 != nil || a < 0 || b < 0 {
			p.errorAt(d.Pos, "found '"+d.Args+"' behind .version, expected major.minor such as 8.0")
			return
		}
		if p.mod.Version == (Version{}) {
			p.mod.Version = Version{a, b}
		}
	case ".target":
		if p.mod.Target == "" {
			first, _, _ := strings.Cut(d.Args, ",")
			p.mod.Target, p.mod.TargetPos = strings.TrimSpace(first), d.Pos
		}
	case ".address_size":
		if d.Args != "32" && d.Args != "64" {
			p.errorAt(d.Pos, "found '"+d.Args+"' behind .address_size, expected 32 or 64")
			return
		}
		if p.mod.AddressSize == 0 {
			p.mod.AddressSize, _ = strconv.Atoi(d.Args)
		}
	}
}

// A directive's arguments end where its grammar says, not at a semicolon
// alone: several have none.
type ending uint8

const (
	endSemi  ending = iota + 1 // a semicolon
	endTuple                   // a comma-separated list of values
	endLoc                     // .loc: three numbers, then a comma-separated list
	endPlain                   // no arguments
	endFile                    // .file: a number and a name, then a comma-separated list
	endBody                    // a braced body, taken raw
)

func endingOf(name string) ending {
	switch name {
	case ".version", ".address_size", ".target", ".maxnreg", ".maxntid", ".reqntid", ".minnctapersm",
		".maxnctapersm", ".reqnctapercluster", ".maxclusterrank", ".abi_preserve", ".abi_preserve_control":
		return endTuple
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
// *Directive or a *Raw; nil after a complaint, with the parser standing
// behind the name.
func (p *parser) directive() any {
	pos, name, start := p.pos, p.lit(), p.start
	end := endingOf(name)
	p.next()
	d := &Directive{Pos: pos, Name: name}
	first := p.start
	switch end {
	case endPlain:
		d.Args = ""
		return d
	case endTuple:
		p.tuple()
	case endLoc:
		p.loc()
	case endFile:
		if p.tok == tNumber {
			p.next()
			p.tuple()
		} else {
			p.unexpected("the number of the file behind .file")
		}
	case endBody:
		return p.section(pos, start)
	case endSemi:
		for !p.is(';') {
			if p.tok == tEOF || p.is('}') {
				p.unexpected("';' behind " + name)
				return nil
			}
			p.next()
		}
		d.Args, d.Semi = p.src[first:p.end], true
		p.next()
		return d
	default:
		// One that is newer than this package: it is kept to its semicolon,
		// if it has one before the next line that begins with a dot.
		p.errorAt(pos, "unknown directive "+name)
		return nil
	}
	if p.end > first {
		d.Args = p.src[first:p.end]
	}
	return d
}

// tuple skips value { "," value }, with signs, as far as it goes.
func (p *parser) tuple() {
	for {
		p.got('-')
		if p.tok != tIdent && p.tok != tNumber && p.tok != tString {
			p.unexpected("a value")
			return
		}
		p.next()
		if !p.is(',') {
			return
		}
		p.next()
	}
}

// loc skips the numbers of a .loc and what PTX 7.2 added to it:
// ", function_name label [ + offset ], inlined_at file line column".
func (p *parser) loc() {
	for range 3 {
		if p.tok != tNumber {
			p.unexpected("file, line and column numbers behind .loc")
			return
		}
		p.next()
	}
	for p.got(',') {
		for p.tok == tIdent || p.tok == tNumber || p.is('+') || p.is('-') {
			p.next()
			if p.tok == tIdent && p.prevOnOtherLine() {
				return
			}
		}
	}
}

// prevOnOtherLine reports whether the current token is the first of its line.
func (p *parser) prevOnOtherLine() bool { return p.end < p.bol }

// section takes a .section with its braces raw.
func (p *parser) section(pos Pos, start int) any {
	for !p.is('{') {
		if p.tok == tEOF || p.is('}') || p.is(';') {
			p.unexpected("'{' behind .section and its name")
			return nil
		}
		p.next()
	}
	open := p.pos
	p.next()
	for depth := 1; ; {
		switch {
		case p.is('{'):
			depth++
		case p.is('}'):
			depth--
		case p.tok == tEOF:
			p.errorAt(open, "'{' is not closed; add '}'")
			return &Raw{Pos: pos, Text: p.src[start:p.end] + "\n}"}
		}
		if depth == 0 {
			text := p.src[start:p.off]
			p.next()
			return &Raw{Pos: pos, Text: text}
		}
		p.next()
	}
}
