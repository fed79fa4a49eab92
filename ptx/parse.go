package ptx

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// Parse reads a module. The name is the file name in diagnostics. Parse always returns
// the tree that it could build; the error, if any, is a [diag.List] of every syntax error
// found, in source order. It keeps a copy of src.
//
// It ignores a byte-order mark before the text, and NUL bytes at its end.
func Parse(name string, src []byte) (*Module, error) { return ParseString(name, string(src)) }

// ParseString is [Parse] for a string, which it keeps without a copy.
func ParseString(name, src string) (*Module, error) {
	p := newParser(name, src)
	p.module()
	return &p.of.mod, p.err()
}

// newParser returns a parser before the first byte of a module.
func newParser(name, src string) *parser {
	src, tail := cutNULs(src)
	p := &parser{
		scanner: scanner{name: name, src: src, place: place{line: 1}},
		of:      &Outline{mod: Module{Name: name}, text: text{src: src}, tail: tail},
	}
	p.mod = &p.of.mod
	p.mod.text = &p.of.text
	return p
}

// module parses the text.
func (p *parser) module() {
	if strings.Trim(p.src, " \t\r\n") == "" && p.of.tail != "" {
		p.fail(Pos{Line: 1, Col: 1}, "the file holds NUL characters and no text")
		return
	}
	if what := otherFormat(p.src); what != "" {
		p.fail(Pos{Line: 1, Col: 1}, what)
		return
	}
	if strings.HasPrefix(p.src, bom) {
		p.off = len(bom)
		p.bol = p.off
	}
	p.next()
	if what := p.otherText(); what != "" {
		p.errs, p.errLine = nil, 0
		p.fail(Pos{Line: 1, Col: 1}, what)
		return
	}
	for p.tok != tEOF {
		p.item()
	}
	if p.of.tail != "" {
		p.nuls()
	}
}

// cutNULs cuts the NUL bytes off the end of a text, with the blanks and line ends among
// and after them. Up to release 12.9, ptxas reads nothing from a NUL on.
func cutNULs(src string) (text, tail string) {
	last := len(strings.TrimRight(src, "\x00 \t\r\n\v\f"))
	if i := strings.IndexByte(src[last:], 0); i >= 0 {
		return src[:last+i], src[last+i:]
	}
	return src, ""
}

// nuls records the positions of the NUL bytes at the end of the text. In a comment they are an error.
func (p *parser) nuls() {
	m := p.mod
	m.NUL = p.posAt(len(p.src))
	if p.openComment {
		p.fail(m.NUL, "unexpected character "+quoteByte(p.of.tail, 0)+" in a comment")
		m.NUL = Pos{}
		return
	}
	m.NULEnd = m.NUL.After(p.of.tail)
}

// err returns the errors in source order, each with its end; nil if there are none.
func (p *parser) err() error {
	p.mod.Unread = p.newer.first
	if len(p.errs) == 0 {
		return nil
	}
	p.mod.Errors = p.listed()
	return p.mod.Errors
}

// listed returns the errors, each with its end; nil if there are none.
func (p *parser) listed() diag.List {
	for _, e := range p.errs {
		if e.End = p.mod.TokenEnd(e.Pos); !e.End.IsValid() {
			e.End = e.Pos
		}
	}
	p.errs.Sort()
	return p.errs
}

type parser struct {
	scanner
	nodes arena
	of    *Outline // the outline that is being read; nil for a Reader
	mod   *Module

	alone    bool   // the parser is that of a Reader: the statements of its body stay on stmtStack
	unclosed bool   // a body was not closed: bodies after it are not searched for their ends
	known    int    // the offset after the body at hand; 0 if its statements have to show its end
	moved    []Item // declarations at the end of an unclosed body, which belong after it

	blocks int // how many blocks of the body are open; -1 after its end

	targets int // how many names the ranges in lists of targets stand for

	opened bool   // an unknown directive or word had braces, in the body at hand
	lost   uint32 // the line of an error that no item begins there, until one begins; 0 if there is none
}

// The parser is one state, and its productions are methods of a type for each part of the grammar. A part has
// the scanner, and the parts above it in this list.
type (
	operandParser   parser // operands and constant expressions
	declParser      parser // declarations and formals
	directiveParser parser // directives, and what they have in braces
	headParser      parser // functions up to their bodies, prototypes, lists of targets
	bodyParser      parser // statements
)

func (p *declParser) operands() *operandParser      { return (*operandParser)(p) }
func (p *directiveParser) operands() *operandParser { return (*operandParser)(p) }
func (p *headParser) operands() *operandParser      { return (*operandParser)(p) }
func (p *headParser) decls() *declParser            { return (*declParser)(p) }
func (p *headParser) directives() *directiveParser  { return (*directiveParser)(p) }
func (p *bodyParser) operands() *operandParser      { return (*operandParser)(p) }
func (p *bodyParser) decls() *declParser            { return (*declParser)(p) }
func (p *bodyParser) directives() *directiveParser  { return (*directiveParser)(p) }
func (p *bodyParser) heads() *headParser            { return (*headParser)(p) }
func (p *parser) decls() *declParser                { return (*declParser)(p) }
func (p *parser) directives() *directiveParser      { return (*directiveParser)(p) }
func (p *parser) heads() *headParser                { return (*headParser)(p) }
func (p *parser) bodies() *bodyParser               { return (*bodyParser)(p) }

func (s *scanner) is(ch byte) bool { return s.tok == tPunct && s.ch == ch }

// got skips the punctuation ch if it is the current token.
func (p *scanner) got(ch byte) bool {
	if p.is(ch) {
		p.next()
		return true
	}
	return false
}

// want skips the punctuation ch. If the current token is another one, it reports an error
// and returns false.
func (p *scanner) want(ch byte, where string) bool {
	if p.got(ch) {
		return true
	}
	p.unexpected("'" + string(rune(ch)) + "' " + where)
	return false
}

// unexpected reports that the current token is not what was wanted.
func (p *scanner) unexpected(want string) { p.foundAt(p.pos, want) }

// missing reports that what was wanted does not follow the last token.
func (p *scanner) missing(want string) { p.foundAt(p.posAfter(), want) }

func (p *scanner) foundAt(pos Pos, want string) {
	if p.tok == tEOF && p.inBody {
		return // body reports it
	}
	before := len(p.errs)
	p.errorAt(pos, "found "+p.found()+", expected "+want)
	if strings.HasPrefix(want, "';' after") && p.firstOfLine() {
		p.insertSemicolon(before, pos)
	}
}

// insertSemicolon adds a fix to the errors from number from on, if there are any: a semicolon at pos.
func (p *scanner) insertSemicolon(from int, pos Pos) {
	for _, e := range p.errs[from:] {
		e.Fixes = append(e.Fixes, diag.Fix{Msg: "insert ';'", Edits: []diag.Edit{{Pos: pos, End: pos, Text: ";"}}})
	}
}

func (p *scanner) found() string {
	switch p.tok {
	case tEOF:
		return "the end of the file"
	case tString:
		return "a string"
	case tPunct:
		return "'" + p.lit() + "'"
	}
	return "'" + short(p.lit()) + "'"
}

// short returns text as diagnostics quote it: in one line, and cut off if it is long.
func short(text string) string {
	const limit = 40
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return string(AppendTokens(nil, text))
}

// item parses one item of the module.
func (p *parser) item() {
	if !p.newer.later {
		p.anyItem()
		return
	}
	before, kept := p.scanner, len(p.mod.Items)
	if p.anyItem(); p.failed(&before) {
		p.unreadItem(&before, kept)
	}
}

func (p *parser) anyItem() {
	if p.errLine != 0 && p.errs[len(p.errs)-1].Pos.Before(p.posAfter()) {
		p.errLine = 0 // the error was about another item
	}
	start := p.start
	switch {
	case p.tok == tDot:
		if p.lost = 0; !p.dotItem() {
			p.advanceItem(start)
		}
	case p.tok == tIdent:
		pos, name := p.pos, p.lit()
		p.next()
		if p.got(':') {
			if s, ok := p.heads().labelled(pos, name, start); ok {
				if s != nil {
					p.mod.Items = append(p.mod.Items, s.(Item))
				}
				return
			}
		}
		p.noItem(pos, start, "'"+short(name)+"'")
	case p.dwarfLineHere():
		p.mod.Items = append(p.mod.Items, p.directives().dwarfLine())
	default:
		p.noItem(p.pos, start, p.found())
	}
}

// noItem reports text that begins no item, if it is the first in its line, and recovers.
func (p *parser) noItem(pos Pos, start int, what string) {
	if p.lost != pos.Line || p.newer.later {
		p.errorAt(pos, "found "+what+", expected a directive such as .func, .entry or .global")
	}
	p.lost = pos.Line
	p.advanceItem(start)
}

func (p *scanner) dwarfLineHere() bool {
	return p.is('@') && strings.HasPrefix(p.src[p.start:], "@@DWARF")
}

// dwarfLine reads an @@DWARF line of PTX 1.x, up to a comment if there is one.
func (p *directiveParser) dwarfLine() *Raw {
	pos, start := p.pos, p.start
	for p.next(); p.tok != tEOF && !p.firstOfLine(); p.next() {
	}
	return &Raw{Pos: pos, Text: p.src[start:p.end]}
}

// linkage reads a linkage directive, if name is one, and the unknown words after it. It sets name to the word with a dot
// that follows, "" if none does.
func (p *declParser) linkage(name *string) (link Linkage, words []UnknownWord) {
	if link = linkageOf(*name); link == NoLinkage {
		return link, nil
	}
	p.next()
	for p.tok == tDot && !knownWord(p.lit()) && !beginsType(p.lit()) {
		if !p.unknownWord(&words) {
			break
		}
	}
	*name = ""
	if p.tok == tDot {
		*name = p.lit()
	}
	return link, words
}

// unknownWord reads an unknown word with a dot, and its argument: text in parentheses, a number, a string, or a name that
// another word follows, since the last name of a declaration is the declared one.
func (p *declParser) unknownWord(list *[]UnknownWord) bool {
	w := UnknownWord{Pos: p.pos, Text: p.lit()}
	p.next()
	if p.is('(') {
		first := p.start
		if _, ok := p.parens(w.Text); !ok {
			return false
		}
		w.Text += p.src[first:p.end]
	} else if i := blanks(p.src, p.off); p.tok == tNumber || p.tok == tString || p.tok == tIdent && i < len(p.src) && lex.Class[p.src[i]] <= lex.Percent {
		w.Text += " " + p.lit()
		p.next()
	}
	w.End = p.posAfter()
	*list = append(*list, w)
	return true
}

// dotItem parses an item that begins with a dot. It returns false after an error
// from which the parser has not recovered.
func (p *parser) dotItem() bool {
	pos, name, start := p.pos, p.lit(), p.start
	link, words := p.decls().linkage(&name)
	switch {
	case name == ".func" || name == ".entry":
		p.function(pos, start, link, words)
		return true
	case beginsSpec(name), (link == NoLinkage || len(words) > 0) && beginsType(name):
		d, ok := p.decls().decl(pos, start, link, words)
		if d != nil {
			p.mod.Items = append(p.mod.Items, d)
		}
		return ok
	case link != NoLinkage:
		p.unexpected(".func, .entry or a state space after " + link.String())
		return false
	}
	switch s := p.directives().directive(InModule).(type) {
	case *Directive:
		p.mod.Items = append(p.mod.Items, s)
		p.head(s)
	case *Raw:
		p.mod.Items = append(p.mod.Items, s)
	default:
		if !p.is('{') {
			p.advanceLine()
		}
		if p.is('{') { // no item begins so: it is a body, and the directive was meant for the head of its function
			p.advanceItem(p.start)
		}
	}
	return true
}

// beginsSpec reports whether a declaration may begin with the name.
func beginsSpec(name string) bool {
	return spaceOf(name) != NoSpace || name == ".align" || name == ".attribute"
}

// beginsType reports whether a declaration without a space may begin with the name: one that
// declares nothing, such as .u16;
func beginsType(name string) bool { return TypeOf(name) != NoType || vectorOf(name) != 0 }

// head sets the fields of the module from a directive of its head.
func (p *parser) head(d *Directive) {
	switch d.Name {
	case ".version":
		major, minor, ok := strings.Cut(d.Args, ".")
		a, err1 := strconv.Atoi(major)
		b, err2 := strconv.Atoi(minor)
		if !ok || err1 != nil || err2 != nil || a < 0 || b < 0 {
			p.fail(d.Pos, "found '"+short(d.Args)+"' after .version, expected major.minor such as 8.0")
			return
		}
		if p.mod.Version == (Version{}) {
			p.mod.Version = Version{a, b}
			p.newer.later = p.mod.later()
		}
	case ".target":
		for name := range strings.SplitSeq(string(AppendTokens(nil, d.Args)), ",") {
			if name = strings.TrimSpace(name); name == "" || digit(name[0]) || !nameAt(name, 0) {
				p.errorAt(d.Pos, "found '"+short(name)+"' after .target, expected a name such as sm_80")
				return
			}
		}
		n := 0
		for n < len(d.Args) && lex.InName(d.Args[n]) {
			n++
		}
		// Of several .target before .address_size, the last one with an architecture counts.
		if name := d.Args[:n]; p.mod.Target == "" || p.mod.AddressSize == 0 && strings.HasPrefix(name, "sm_") {
			p.mod.Target, p.mod.TargetPos = name, d.Pos
		}
	case ".address_size":
		size, isInt, fits, _ := intLiteral(d.Args)
		if !isInt || !fits || size != 32 && size != 64 {
			p.errorAt(d.Pos, "found '"+short(d.Args)+"' after .address_size, expected 32 or 64")
			return
		}
		if p.mod.AddressSize == 0 {
			p.mod.AddressSize = int(size)
		}
	}
}
