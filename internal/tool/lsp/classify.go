package lsp

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
	"github.com/ptxabi/ptxabi/ptx"
)

// A class is what a token is by where it stands.
type class uint8

const (
	other     class = iota // punctuation, and words that directives have
	comment                // the rest is what the names say
	text_                  // a string
	number                 //
	directive              // .func, .reg
	typeName               // .b32, .v4
	modifier               // what follows an opcode's name, or a register's
	opcode                 //
	name                   // something that has a meaning
)

// unended are the directives that no semicolon ends, but their line.
var unended = []string{".loc", ".version", ".target", ".address_size", ".file"}

// A classifier goes over the tokens of a text from the beginning of an item on.
type classifier struct {
	t      *text
	last   token // the one before, comments left out; of no length at first
	chain  class // what .x belongs to that follows without a blank
	start  bool  // a statement begins
	guard  bool  // after @
	header bool  // of something whose body follows
	first  string
	depth  int // of blocks
	inner  int // of braces in a statement
}

// class returns what a token is. All tokens have to be shown to it in their order.
func (c *classifier) class(tok token) class {
	src := c.t.src[tok.from:tok.to]
	if tok.kind == tokComment {
		return comment
	}
	glued := c.last.to == tok.from && c.last.to > c.last.from
	if slices.Contains(unended, c.first) && strings.Contains(c.t.src[c.last.to:tok.from], "\n") {
		c.start, c.first = true, ""
	}
	c.last = tok
	switch tok.kind {
	case tokString:
		c.chain, c.start = other, false
		return text_
	case tokNumber:
		c.chain, c.start = other, false
		return number
	case tokPunct:
		c.chain = other
		c.punctuation(src[0])
		return other
	case tokDot:
		if glued && c.chain != other {
			if c.chain == opcode && isType(src) {
				return typeName
			}
			return modifier
		}
		c.begin(src)
		if c.chain = other; isType(src) {
			return typeName
		}
		c.header = c.header || src == ".func" || src == ".entry" || src == ".section"
		return directive
	}
	c.chain = name
	switch after, _ := c.t.next(tok.to); {
	case !c.start:
	case c.guard:
		c.guard = false
	case c.t.src[after.from:after.to] == ":": // a label, after which a statement begins
	case c.depth > 0:
		c.begin(src)
		c.chain = opcode
		return opcode
	default:
		c.begin(src)
	}
	if src == "_" || slices.Contains(unended, c.first) {
		return other
	}
	return name
}

// begin notes the first word of a statement.
func (c *classifier) begin(word string) {
	if c.start {
		c.start, c.first = false, word
	}
}

func (c *classifier) punctuation(b byte) {
	switch {
	case b == ';':
		c.start, c.first, c.header, c.inner = true, "", false, 0
	case b == '{' && (c.start || c.header):
		c.depth++
		c.start, c.first, c.header = true, "", false
	case b == '{':
		c.inner++
	case b == '}' && c.inner > 0:
		c.inner--
	case b == '}':
		c.depth--
		c.start, c.first = true, ""
	case b == '@':
		c.guard = c.start
	}
}

// isType reports whether a word with its dot is a type or a vector.
func isType(word string) bool {
	return ptx.TypeOf(word) != ptx.NoType || word == ".v2" || word == ".v4" || word == ".v8"
}

// classify calls visit for each token of a range.
func (a *analysis) classify(from, to int, visit func(token, class)) {
	c := classifier{t: a.text, start: true}
	for tok, ok := a.text.next(a.itemAt(from)); ok && tok.from < to; tok, ok = a.text.next(tok.to) {
		if class := c.class(tok); tok.to > from {
			visit(tok, class)
		}
	}
}

// itemAt returns where the last item of the module begins that begins at an offset or before it; 0 if none does.
func (a *analysis) itemAt(off int) int {
	if a.starts == nil {
		a.starts = []int{0}
		for _, it := range a.module.Items {
			from, _ := it.Span()
			a.starts = append(a.starts, a.text.where(from))
		}
	}
	n, ok := slices.BinarySearch(a.starts, off)
	if ok {
		return off
	}
	return a.starts[max(n-1, 0)]
}

// names calls visit for each name of a range that is wanted, with what it means.
func (a *analysis) names(from, to int, want func(word string) bool, visit func(token, meaning)) {
	var b *namedBody // the function that holds what follows up to end; nil for the module
	end := 0
	a.classify(from, to, func(tok token, c class) {
		word := a.text.src[tok.from:tok.to]
		if c != name || !want(word) {
			return
		}
		if tok.from >= end {
			var f *ptx.Func
			b = nil
			if f, end = a.stretch(tok.from); f != nil {
				b = a.body(f)
			}
		}
		if b != nil {
			visit(tok, b.meaning(tok.from, word))
		} else {
			visit(tok, a.global(word))
		}
	})
}

// An extent is that of a function of the module.
type extent struct {
	f        *ptx.Func
	from, to int
}

// stretch returns the function that an offset is in, nil if it is in none, and up to where that holds.
func (a *analysis) stretch(off int) (f *ptx.Func, end int) {
	if a.spans == nil {
		a.spans = []extent{}
		for _, it := range a.module.Items {
			if f, ok := it.(*ptx.Func); ok {
				from, to := a.span(f)
				a.spans = append(a.spans, extent{f, from, to})
			}
		}
	}
	i, _ := slices.BinarySearchFunc(a.spans, off, func(s extent, off int) int { return s.to - 1 - off })
	switch {
	case i == len(a.spans):
		return nil, len(a.text.src) + 1
	case a.spans[i].from <= off:
		return a.spans[i].f, a.spans[i].to
	}
	return nil, a.spans[i].from
}

// around returns the function of the module that an offset is in.
func (a *analysis) around(off int) *ptx.Func {
	f, _ := a.stretch(off)
	return f
}

// A tokenKind tells tokens of PTX apart as far as they look different.
type tokenKind uint8

const (
	tokComment tokenKind = iota
	tokString
	tokName   // letters, digits, _ and $, perhaps after one %
	tokDot    // a dot and a name: a directive, a type, a modifier
	tokNumber // begins with a digit
	tokPunct  // one byte of anything else
)

// A token is a part of a text, from from to to.
type token struct {
	kind     tokenKind
	from, to int
}

// next returns the token that is at an offset or after blanks there; ok is false at the end.
func (t *text) next(off int) (tok token, ok bool) {
	src := t.src
	for off < len(src) && (src[off] <= ' ' || strings.HasPrefix(src[off:], "\ufeff")) {
		if off++; src[off-1] == 0xef {
			off += len("\ufeff") - 1
		}
	}
	if off == len(src) {
		return token{}, false
	}
	tok = token{tokPunct, off, off + 1}
	rest := src[off:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), c == '#' && lex.Blank(rest) > 0: // a line marker is no part of the program
		tok.kind, tok.to = tokComment, off+len(strings.TrimSuffix(rest[:lex.Blank(rest)], "\r"))
	case c == '"':
		n, _ := lex.String(rest)
		tok.kind, tok.to = tokString, off+n
	case c >= '0' && c <= '9':
		tok.kind, tok.to = tokNumber, off+wordLen(rest)
		if e := rest[:tok.to-off]; strings.HasPrefix(rest[len(e):], ".") && strings.Trim(e, "0123456789") == "" { // 1.5
			tok.to += 1 + wordLen(rest[len(e)+1:])
		}
	case c == '.':
		if n := wordLen(rest[1:]); n > 0 {
			for tok.kind, tok.to = tokDot, off+1+n; strings.HasPrefix(src[tok.to:], "::"); { // .shared::cta
				tok.to += 2 + wordLen(src[tok.to+2:])
			}
		}
	case lex.InName(c), c == '%' && len(rest) > 1 && lex.InName(rest[1]):
		tok.kind, tok.to = tokName, off+1+wordLen(rest[1:])
	}
	return tok, true
}

// lineLen is the length of a text up to its first line end, without a carriage return before it.
func lineLen(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		text = text[:n]
	}
	return len(strings.TrimSuffix(text, "\r"))
}

// wordLen is how many bytes of a name a text begins with.
func wordLen(text string) int {
	n := 0
	for n < len(text) && lex.InName(text[n]) {
		n++
	}
	return n
}

// tokenTypes and tokenModifiers are the legend of semantic tokens. A token is named by its index.
var (
	tokenTypes     = []string{"comment", "string", "number", "macro", "type", "modifier", "keyword", "function", "parameter", "variable", "label"}
	tokenModifiers = []string{"declaration", "readonly", "defaultLibrary"}
)

// ofClass is the type of the tokens of a class.
var ofClass = map[class]string{
	comment: "comment", text_: "string", number: "number", directive: "macro", typeName: "type", modifier: "modifier", opcode: "keyword",
}

// ofMeaning is the type of names.
var ofMeaning = map[meaningKind]string{
	function: "function", global: "variable", formal: "parameter", local: "variable", label: "label", special: "variable",
}

// maxFull is how many bytes a text may have whose tokens are all sent after each key. Of a larger one clients ask for
// those that can be seen.
const maxFull = 128 << 10

func (a *analysis) semanticTokens(*params) any {
	if len(a.text.src) > maxFull {
		return nil
	}
	return a.tokens(0, len(a.text.src))
}

func (a *analysis) semanticTokensOf(p *params) any {
	from, to := a.text.offset(p.Range.Start), a.text.offset(p.Range.End)
	return a.tokens(from, max(from, to))
}

// tokens are those of a range: five numbers each, of which the first two count from the token before.
func (a *analysis) tokens(from, to int) semanticTokens {
	out := semanticTokens{Data: []int{}}
	last := position{}
	add := func(from, to int, kind string, modifiers int) {
		for from < to { // a line each
			end := min(from+lineLen(a.text.src[from:]), to)
			begin, after := a.text.at(from), a.text.at(end)
			if kind := slices.Index(tokenTypes, kind); end > from && kind >= 0 {
				if begin.Line != last.Line {
					last.Character = 0
				}
				out.Data = append(out.Data, begin.Line-last.Line, begin.Character-last.Character, after.Character-begin.Character, kind, modifiers)
				last = begin
			}
			if n := strings.IndexByte(a.text.src[end:to], '\n'); n >= 0 {
				end += n + 1
			} else {
				end = to
			}
			from = end
		}
	}
	// Names come with their meaning, and all else by its class: both in the order of the text.
	var means []meaning
	a.names(from, to, func(string) bool { return true }, func(_ token, m meaning) { means = append(means, m) })
	a.classify(from, to, func(tok token, c class) {
		if c != name {
			add(max(tok.from, from), min(tok.to, to), ofClass[c], 0) // a comment may go beyond
			return
		}
		m := means[0]
		means = means[1:]
		modifiers := 0
		switch {
		case m.kind == special:
			modifiers = 1<<1 | 1<<2
		case m.decl == tok.from:
			modifiers = 1 << 0
		}
		add(tok.from, tok.to, ofMeaning[m.kind], modifiers)
	})
	return out
}
