package cdecl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// A parser reads declarations from tokens. A mistake ends the innermost
// declaration around it by a bailout; see try.
type parser struct {
	toks []token
	ends []int32 // by the index of an opening bracket that of its end; negative with a pragma before that, 0 without an end
	i    int
	tok  token // toks[i]

	opts     Options
	cxx      bool
	prep     bool // reading the condition of an #if
	memo     layout.Memo
	errs     findings
	warnings findings
	unit     *Unit
	context

	inPrelude bool
	macros    map[string]*macro // at the end of the input
	dead      bool              // the input was cut short
	preludes  map[string]bool   // names being read from the prelude
	why       string            // what the last bailout is about, where nothing of it is reported too

	made          map[*layout.Record]*instance // the records of templates
	pattern       *partial                     // the specialisation whose pattern is read, with types that stand for others
	instances     int
	uses          int // of templates
	instanceDepth int

	open         map[*layout.Record]bool   // records that are being read
	recordScopes map[*layout.Record]*scope // of C++ records
	funcs        map[string]*FuncDecl      // those of the unit, by name and parameters
}

// A context is what is around the current token. What stands elsewhere has another one.
type context struct {
	scope    *scope
	depth    int // of declarations and expressions in each other
	pack     packStack
	body     *body          // of the record being read, or nil
	linkageC bool           // within extern "C"
	angle    int            // within template arguments, where > closes them
	special  bool           // within a specialisation, which defines a record of a template
	making   *layout.Record // the record of a template that is defined next
}

// maxDepth is how deep declarations and expressions may nest.
const maxDepth = 200

func newParser(toks []token, opts Options) *parser {
	p := &parser{
		i: -1, opts: opts,
		cxx:  opts.Rules.Lang == layout.CXX,
		memo: layout.Memo{Rules: opts.Rules},
		unit: &Unit{leftOut: map[*layout.Record]lack{}},

		context: context{scope: newScope(nil)},

		preludes:     map[string]bool{},
		made:         map[*layout.Record]*instance{},
		recordScopes: map[*layout.Record]*scope{},
		funcs:        map[string]*FuncDecl{},

		open: map[*layout.Record]bool{},
	}
	p.scope.cxx = p.cxx
	p.add(toks)
	p.advance()
	return p
}

// run reads everything.
func (p *parser) run() {
	p.external(false)
	p.completeAll()
	p.named()
	p.unit.Records = slices.DeleteFunc(p.unit.Records, func(r *RecordDecl) bool { return r.Name == "" })
}

// advance moves to the next token and obeys the pragmas before it.
func (p *parser) advance() {
	for {
		if p.i < 0 || p.toks[p.i].kind != eof { // which more may follow: see stdTemplate
			p.i++
		}
		p.tok = p.toks[p.i]
		if p.tok.kind != pragma {
			return
		}
		p.pragma(p.tok)
	}
}

// seek moves to a token that has been passed before, or that lies ahead
// without a pragma in between.
func (p *parser) seek(i int) {
	p.i = i
	p.tok = p.toks[i]
}

// peek returns the n-th token after the current one, pragmas not counted.
func (p *parser) peek(n int) token {
	i := p.i
	for ; n > 0 && p.toks[i].kind != eof; n-- {
		for i++; p.toks[i].kind == pragma; {
			i++
		}
	}
	return p.toks[i]
}

func (p *parser) at(text string) bool { return p.tok.is(text) }

// accept moves on if the current token is text.
func (p *parser) accept(text string) bool {
	if p.at(text) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		p.fail(p.tok.pos, Syntax, "expected %s %s, found %s", text, where, p.tok.describe())
	}
}

// identifier reads a name, which is what.
func (p *parser) identifier(what string) token {
	t := p.tok
	if t.kind != ident {
		p.fail(t.pos, Syntax, "expected %s, found %s", what, t.describe())
	}
	p.advance()
	return t
}

// A bailout unwinds to the declaration that a mistake is in. The error
// has been recorded already.
type bailout struct{}

// fail reports an error and gives the declaration up. What system headers
// contain is not the user's to fix: there the declaration is dropped, and
// only its use is an error.
func (p *parser) fail(pos Pos, code diag.Code, format string, args ...any) {
	p.why = fmt.Sprintf(format, args...)
	p.report(pos, code, "%s", p.why)
	panic(bailout{})
}

// tolerant reports whether what cannot be read is left out, instead of being an error.
func (p *parser) tolerant() bool { return p.opts.SkipTemplates || p.opts.Partial }

func (p *parser) report(pos Pos, code diag.Code, format string, args ...any) {
	if !p.tok.sys {
		p.errs.add(pos, code, format, args...)
	}
}

func (p *parser) warn(pos Pos, code diag.Code, format string, args ...any) {
	if !p.tok.sys && !p.inPrelude {
		p.warnings.warn(pos, code, format, args...)
	}
}

// try calls f and reports whether it came to its end.
func (p *parser) try(f func()) (ok bool) {
	depth, scope, body := p.depth, p.scope, p.body
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bailout); !is {
				panic(r)
			}
			p.depth, p.scope, p.body = depth, scope, body
			ok = false
		}
	}()
	f()
	return true
}

// attempt calls f. Where it does not come to its end nothing of it is reported, and the current token is the
// one before.
func (p *parser) attempt(f func()) bool {
	start, errs := p.i, len(p.errs)
	if p.try(f) {
		return true
	}
	p.errs = p.errs[:errs]
	p.seek(start)
	return false
}

// nest counts a level of nesting; the caller defers what it returns.
func (p *parser) nest() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.pos, Syntax, "nested more than %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// declare calls f to read one declaration. If it fails, the rest of the
// declaration is skipped.
func (p *parser) declare(f func()) bool {
	start := p.i
	if p.try(f) {
		if p.i == start && p.tok.kind != eof {
			p.advance()
		}
		return true
	}
	end := p.endOfDeclaration(start)
	p.hide(start, end)
	p.pass(end)
	if p.i == start {
		p.advance()
	}
	return false
}

// hide refuses the names of a declaration that could not be read, where one further out
// has the same name and would be taken for it.
func (p *parser) hide(start, end int) {
	var name token
	switch t := p.toks[start]; {
	case t.is("using") && start+2 < end && p.toks[start+2].is("="):
		name = p.toks[start+1]
	case t.is("typedef"):
		for i := start; i < min(end, len(p.toks)); i++ {
			if p.toks[i].kind == ident && i+1 < len(p.toks) && (p.toks[i+1].is(";") || p.toks[i+1].is("[")) {
				name = p.toks[i]
			}
		}
	}
	switch {
	case name.kind != ident, p.scope.names[name.text] != nil:
	case p.opts.Partial:
		why := fmt.Sprintf("%s could not be read (declared at %s)", name.text, name.pos)
		p.scope.names[name.text] = &object{kind: typeObj, lost: true, typ: p.opaque(name.text, why), pos: name.pos}
		if !p.tok.sys {
			p.unit.lose(p.scope.prefix+name.text, name.pos, p.why)
		}
	case p.lookup(name.text) != nil:
		p.scope.names[name.text] = &object{kind: badObj, why: "a typedef with errors", pos: name.pos}
	}
	for i := start + 1; i < min(end, len(p.toks)-1); i++ {
		before, after := p.toks[i-1], p.toks[i+1]
		if before.kind == ident || strings.Contains("*&>,{])", before.text) || before.is("::") && p.toks[start].is("using") {
			if after.kind == punct && strings.Contains("=,;([{:}", after.text) {
				p.obscure(p.toks[i])
			}
		}
	}
}

// obscure refuses a name that is declared here and further out, and cannot be read here.
func (p *parser) obscure(name token) {
	if p.keyword(name.text) != "" || p.scope.names[name.text] != nil || p.scope.tags[name.text] != nil {
		return
	}
	for s := p.scope; s != nil; s = s.parent {
		if s.find(name.text) != nil {
			p.scope.names[name.text] = &object{kind: badObj, why: "declared with errors", pos: name.pos}
		}
	}
}

// endOfDeclaration returns the index after the declaration that begins at
// start: after its semicolon or its body, before the brace that closes what is
// around it.
func (p *parser) endOfDeclaration(start int) int {
	last := len(p.toks) - 1
	typed := false // a brace belongs to a record or enumeration
	for i := start; i < last; i++ {
		switch t := &p.toks[i]; {
		case t.is("struct"), t.is("union"), t.is("class"), t.is("enum"):
			typed = true
		case t.is("}"):
			return i
		case t.is(";"):
			return i + 1
		case t.is("("), t.is("["), t.is("{"):
			if i = p.shut(i); !p.toks[i].is("}") || typed {
				continue
			}
			switch next := &p.toks[min(i+1, last)]; {
			case next.is(";"):
				return i + 2
			case !next.is(",") && !next.is("{"): // as after a member initialiser
				return i + 1
			}
		}
	}
	return last
}

// shut returns the index of the token that closes the bracket at an index, of whatever kind; that of the last token if
// none does.
func (p *parser) shut(i int) int {
	if end := int(p.ends[i]); end != 0 {
		return max(end, -end)
	}
	return len(p.toks) - 1
}

// pass moves to a token that lies ahead, unless the input ends before it, and obeys the pragmas on the way.
func (p *parser) pass(i int) {
	for p.i < i && p.tok.kind != eof {
		p.advance()
	}
}

// add adds tokens to those that are read, and finds for each opening bracket the one that closes it, of whatever kind.
func (p *parser) add(toks []token) {
	from := len(p.toks)
	p.toks = append(p.toks, toks...)
	p.ends = append(p.ends, make([]int32, len(toks))...)
	var open []int
	pragmas := -1 // where the last one stands
	for i := from; i < len(p.toks); i++ {
		switch t := &p.toks[i]; {
		case t.kind == eof:
			open = nil
		case t.kind == pragma:
			pragmas = i
		case t.is("("), t.is("["), t.is("{"):
			open = append(open, i)
		case len(open) > 0 && (t.is(")") || t.is("]") || t.is("}")):
			last := open[len(open)-1]
			if p.ends[last] = int32(i); pragmas > last { // which is obeyed on the way
				p.ends[last] = -int32(i)
			}
			open = open[:len(open)-1]
		}
	}
}

// skipBalanced skips from an opening bracket to after the one that closes it.
func (p *parser) skipBalanced() {
	open, end := p.tok, p.ends[p.i]
	if end > 0 {
		p.seek(int(end))
	} else {
		p.pass(p.shut(p.i))
	}
	if end == 0 {
		p.fail(open.pos, Syntax, "%s is not closed", open.text)
	}
	p.advance()
}

// skipInitialiser skips up to the comma, semicolon or bracket that ends an
// initialiser or a default argument.
func (p *parser) skipInitialiser() {
	for {
		switch {
		case p.tok.kind == eof, p.at(","), p.at(";"), p.at(")"), p.at("]"), p.at("}"):
			return
		case p.at("("), p.at("["), p.at("{"):
			p.skipBalanced()
		case p.cxx && p.tok.kind == ident && p.peek(1).is("<"):
			o := p.lookup(p.tok.text)
			if p.advance(); o != nil && o.tmpl != nil {
				p.skipTemplate()
			}
		default:
			p.advance()
		}
	}
}

// skipTemplate skips <…> after template or a name.
func (p *parser) skipTemplate() {
	end := closing(p.toks, p.i)
	if !p.toks[end].is(">") {
		p.fail(p.tok.pos, Syntax, "< is not closed")
	}
	p.pass(end + 1)
}

// closing is the index of the token that closes the bracket at an index, or of the last token. Of what stands between < and >,
// what is in other brackets is passed over, and a brace or a semicolon ends it too.
func closing(toks []token, i int) int {
	open := toks[i].text
	shut, depth := map[string]string{"(": ")", "[": "]", "<": ">"}[open], 0
	for ; i < len(toks)-1; i++ {
		switch t := &toks[i]; {
		case t.is(open):
			depth++
		case t.is(shut):
			if depth--; depth == 0 {
				return i
			}
		case open == "<" && (t.is("(") || t.is("[")):
			i = closing(toks, i)
		case open == "<" && (t.is("{") || t.is(";")):
			return i
		}
	}
	return len(toks) - 1
}

// layoutOf lays out t, whose use at pos needs a size.
func (p *parser) layoutOf(t layout.Type, pos Pos) *layout.Layout {
	p.complete(t)
	l, err := p.memo.Of(t)
	if why := p.unit.LeftOut(t); err != nil && why != "" {
		p.fail(pos, Unsupported, "%s: %s", t, why)
	}
	if err != nil {
		p.fail(pos, BadType, "%s", err)
	}
	return l
}
