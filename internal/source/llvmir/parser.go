package llvmir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// Syntax is the code of what cannot be read.
const Syntax diag.Code = "BadSyntax"

// Parse reads a module. With diagnostics, what they are about is left out.
func Parse(file, text string) (*Module, diag.List) {
	p := &parser{
		toks: scan(text), file: file, m: &Module{}, groups: make(map[string][]token),
		types: make(map[string]*layout.Alias), pointers: make(map[layout.Type]*pointer),
	}
	for p.i < len(p.toks) {
		p.recovering()
	}
	p.finish()
	return p.m, p.list
}

// recovering reads one entity of the module. Where that fails, it goes on at the beginning of another.
func (p *parser) recovering() {
	at := p.i
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		err, ok := r.(failure)
		if !ok {
			panic(r)
		}
		p.list.Add(&diag.Diagnostic{File: p.file, Pos: p.pos(), Severity: diag.Error, Code: Syntax, Msg: string(err)})
		for p.i = max(p.i, at+1); p.i < len(p.toks) && (!p.starts() || !slices.Contains(starters, p.text()) && strings.IndexByte("@%!$", p.text()[0]) < 0); p.i++ {
		}
	}()
	p.entity()
}

// A failure unwinds to where an entity is read, and says what is wrong with it.
type failure string

func (p *parser) fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// expect takes the tokens that have to be next.
func (p *parser) expect(tokens ...string) {
	for _, text := range tokens {
		if !p.take(text) {
			p.fail("%s expected", strings.Join(tokens, " "))
		}
	}
}

// next takes any token.
func (p *parser) next() string {
	text := p.text()
	p.i++
	return text
}

type parser struct {
	toks   []token
	i      int
	file   string
	m      *Module
	list   diag.List
	groups map[string][]token // attributes of functions, by "#0"
	notes  []token            // of nvvm.annotations
	vars   []layout.Type      // of the module's variables

	types    map[string]*layout.Alias
	pointers map[layout.Type]*pointer
	memo     layout.Memo
}

// attrs are those of a formal that change how it is declared.
type attrs struct {
	byval bool
	of    layout.Type // of byval
	align int64
	stack int64
}

func (p *parser) text() string {
	if p.i < len(p.toks) {
		return p.toks[p.i].text
	}
	return ""
}

func (p *parser) pos() diag.Pos {
	if len(p.toks) == 0 {
		return diag.Pos{Line: 1, Col: 1}
	}
	return p.toks[min(p.i, len(p.toks)-1)].pos
}

// take takes a token if it is next.
func (p *parser) take(text string) bool {
	ok := p.text() == text
	if ok {
		p.i++
	}
	return ok
}

// starts reports whether what is next begins an entity of the module: LLVM writes these at the beginning of a line, and nothing
// else but labels in bodies, and brackets.
func (p *parser) starts() bool {
	return p.i >= len(p.toks) || p.toks[p.i].head && !slices.Contains(brackets, p.text())
}

var (
	brackets = []string{"(", ")", "[", "]", "{", "}", "<", ">", ","}
	starters = []string{"define", "declare", "attributes", "target", "source_filename", "module", "uselistorder", "^"}
)

// group skips the bracket that has to be next, and what is in it; it returns that.
func (p *parser) group() []token {
	if !slices.Contains([]string{"(", "[", "{", "<"}, p.text()) {
		p.fail("( expected")
	}
	from, depth := p.i, 0
	for ; p.i < len(p.toks); p.i++ {
		switch p.text() {
		case "(", "[", "{", "<":
			depth++
		case ")", "]", "}", ">":
			depth--
		}
		if depth <= 0 {
			p.i++
			return p.toks[from+1 : p.i-1]
		}
	}
	return p.toks[min(from+1, p.i):p.i]
}

// rest skips what is left of an entity.
func (p *parser) rest() []token {
	from := p.i
	for p.i < len(p.toks) && !p.starts() {
		p.i++
	}
	return p.toks[from:p.i]
}

// entity reads one entity of the module.
func (p *parser) entity() {
	switch first := p.toks[p.i]; {
	case first.text == "define" || first.text == "declare":
		p.function()
	case first.text == "target":
		p.i++
		what := p.next()
		p.expect("=")
		value := unquote(p.next())
		if what == "triple" {
			p.m.Triple = value
		} else {
			p.m.datalayout = value
		}
	case first.text == "attributes":
		p.i++
		name := p.next()
		if !p.take("=") || p.text() != "{" {
			p.fail("= { expected")
		}
		p.groups[name] = p.group()
	case first.text[0] == '%':
		p.i++
		p.expect("=", "type")
		if !p.take("opaque") {
			p.named(first.name()).Type = p.typ(0)
		}
	case first.text[0] == '@':
		p.variable()
	case first.text[0] == '!':
		p.i++
		if body := p.rest(); first.text != "!nvvm.annotations" && slices.ContainsFunc(body, func(t token) bool { return t.text[0] == '@' }) {
			p.notes = append(p.notes, body...)
		}
	case slices.Contains(starters, first.text) || first.text[0] == '$':
		p.i++
		p.rest()
	default:
		p.fail("%q begins no declaration, definition, type or variable", first.text)
	}
}

// named is the type of a name.
func (p *parser) named(name string) *layout.Alias {
	if p.types[name] == nil {
		p.types[name] = &layout.Alias{Name: name}
	}
	return p.types[name]
}

// pointer is a type of pointers.
func (p *parser) pointer(space int64, elem layout.Type) layout.Type {
	of := &layout.Alias{Name: "ptr"}
	p.pointers[of] = &pointer{of, space, elem}
	return of
}

// typ reads a type.
func (p *parser) typ(depth int) layout.Type {
	if depth > deep {
		p.fail("more than %d types in one another", deep)
	}
	t := unknown
	word := p.text()
	switch {
	case word == "{" || word == "<" && p.i+1 < len(p.toks) && p.toks[p.i+1].text == "{":
		rec := &layout.Record{Packed: p.take("<")}
		p.i++
		for !p.take("}") {
			rec.Fields = append(rec.Fields, layout.Field{Name: "_", Type: p.typ(depth + 1)})
			if !p.take(",") && p.text() != "}" {
				p.fail(", or } expected")
			}
		}
		if rec.Packed {
			p.expect(">")
		}
		t = rec
	case word == "[" || word == "<":
		p.i++
		scalable := p.take("vscale") && p.take("x")
		n, err := strconv.ParseInt(p.next(), 10, 64)
		if err != nil || n < 0 || !p.take("x") {
			p.fail("a number of elements and x expected")
		}
		elem, closing := p.typ(depth+1), "]"
		t = &layout.Array{Elem: elem, Len: n}
		if word == "<" {
			t, closing = p.vector(elem, n), ">"
		}
		if scalable {
			t = unknown
		}
		p.expect(closing)
	case word != "" && word[0] == '%':
		t = p.named(p.toks[p.i].name())
		p.i++
	case word == "target":
		p.i++
		p.group()
	case word == "ptr":
		p.i++
		t = p.pointer(0, nil)
	default:
		if t = basic(word); word == "" {
			p.fail("a type expected, not the end of the text")
		} else if t == nil {
			p.fail("a type expected, not %q", word)
		}
		p.i++
	}
	for { // pointers and functions
		switch space := p.space(); {
		case p.take("*"):
			t = p.pointer(space, t)
		case p.text() == "(":
			p.group()
			t = unknown
		default:
			if of := p.pointers[t]; of != nil {
				of.space = max(of.space, space)
			}
			return t
		}
	}
}

// space reads an address space that is next.
func (p *parser) space() (n int64) {
	if p.take("addrspace") {
		for _, t := range p.group() {
			n, _ = strconv.ParseInt(t.text, 10, 32)
		}
	}
	return n
}

// begins reports whether a word begins a type.
func begins(word string) bool {
	return basic(word) != nil || word == "ptr" || word == "{" || word == "[" || word == "<" || word == "target" || strings.HasPrefix(word, "%")
}
