package llvmir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
)

// Syntax is the code of what cannot be read.
const Syntax diag.Code = "BadSyntax"

// Parse reads a module. With diagnostics, what they are about is left out.
func Parse(file, text string) (*Module, diag.List) {
	p := &parser{toks: scan(text), file: file, m: &Module{types: make(map[string]*typ)}, groups: make(map[string][]token)}
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
	vars   []*typ             // of the module's variables
}

// attrs are those of a formal that change how it is declared.
type attrs struct {
	byval bool
	of    *typ // of byval
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
			p.m.types[first.name()] = p.typ(0)
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

// typ reads a type.
func (p *parser) typ(depth int) *typ {
	if depth > deep {
		p.fail("more than %d types in one another", deep)
	}
	t := &typ{}
	word := p.text()
	switch {
	case word == "{" || word == "<" && p.i+1 < len(p.toks) && p.toks[p.i+1].text == "{":
		t.kind, t.packed = record, p.take("<")
		p.i++
		for !p.take("}") {
			t.elems = append(t.elems, p.typ(depth+1))
			if !p.take(",") && p.text() != "}" {
				p.fail(", or } expected")
			}
		}
		if t.packed {
			p.expect(">")
		}
	case word == "[" || word == "<":
		t.kind = array
		closing := "]"
		if word == "<" {
			t.kind, closing = vector, ">"
		}
		p.i++
		scalable := p.take("vscale") && p.take("x")
		n, err := strconv.ParseInt(p.next(), 10, 64)
		if err != nil || n < 0 || !p.take("x") {
			p.fail("a number of elements and x expected")
		}
		t.n, t.elems = n, []*typ{p.typ(depth + 1)}
		if scalable {
			t.kind = other
		}
		p.expect(closing)
	case word != "" && word[0] == '%':
		t.kind, t.name = named, p.toks[p.i].name()
		p.i++
	case word == "target":
		p.i++
		p.group()
	default:
		var ok bool
		if t.kind, t.n, ok = basic(word); word == "" {
			p.fail("a type expected, not the end of the text")
		} else if !ok {
			p.fail("a type expected, not %q", word)
		}
		p.i++
	}
	for { // pointers and functions
		switch space := p.space(); {
		case p.take("*"):
			t = &typ{kind: pointer, n: space, elems: []*typ{t}}
		case p.text() == "(":
			p.group()
			t = &typ{}
		default:
			if t.kind == pointer {
				t.n = max(t.n, space)
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

var words = map[string]kind{
	"void": void, "half": half, "bfloat": half, "float": float, "double": double, "ptr": pointer,
	"fp128": other, "x86_fp80": other, "ppc_fp128": other, "x86_amx": other, "x86_mmx": other, "label": other, "token": other, "metadata": other, "opaque": other,
}

// basic is the type that a word is, with the bits of an integer.
func basic(word string) (kind, int64, bool) {
	if k, ok := words[word]; ok {
		return k, 0, true
	}
	bits, ok := strings.CutPrefix(word, "i")
	n, err := strconv.ParseInt(bits, 10, 32)
	return integer, n, ok && err == nil && n > 0
}

// begins reports whether a word begins a type.
func begins(word string) bool {
	_, _, ok := basic(word)
	return ok || word == "{" || word == "[" || word == "<" || word == "target" || strings.HasPrefix(word, "%")
}
