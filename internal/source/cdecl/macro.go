package cdecl

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// A macro is what #define names.
type macro struct {
	function bool
	params   []string
	variadic bool // the last parameter takes the rest
	body     []token
	index    map[string]int // of params
	active   int            // expansions of it in progress: it is not expanded within itself
}

func (pp *prep) define(pos Pos, args []token) {
	if len(args) == 0 || args[0].kind != ident {
		pp.errs.add(pos, Directive, "#define without a name")
		return
	}
	name, rest := args[0], args[1:]
	m := &macro{}
	if len(rest) > 0 && rest[0].is("(") && !rest[0].space {
		m.function = true
		var ok bool
		if rest, ok = m.parameters(rest[1:]); !ok {
			pp.errs.add(name.pos, Directive, "parameters of macro %s are malformed", name.text)
			return
		}
	}
	// A token of the body is where the macro is used, as far as messages go.
	m.body = slices.Clone(rest)
	for i := range m.body {
		m.body[i].pos = Pos{}
	}
	pp.macros[name.text] = m
}

// param returns the index of a parameter, or -1.
func (m *macro) param(name string) int {
	if i, ok := m.index[name]; ok {
		return i
	}
	return -1
}

// parameters reads a parameter list after its opening parenthesis.
func (m *macro) parameters(toks []token) (rest []token, ok bool) {
	m.index = map[string]int{}
	add := func(name string) {
		if _, twice := m.index[name]; !twice {
			m.index[name] = len(m.params)
		}
		m.params = append(m.params, name)
	}
	for i := 0; i < len(toks); i++ {
		switch t := toks[i]; {
		case t.is(")"):
			return toks[i+1:], true
		case t.is(","):
		case t.is("..."):
			if !m.variadic {
				add("__VA_ARGS__")
			}
			m.variadic = true
		case t.kind == ident && !m.variadic:
			add(t.text)
			if i+1 < len(toks) && toks[i+1].is("...") {
				m.variadic = true
			}
		default:
			return nil, false
		}
	}
	return nil, false
}

// An expander replaces macros in a list of tokens. Its frames are the list and
// the macro bodies being read, innermost last.
type expander struct {
	pp     *prep
	frames []frame
	out    []token
}

type frame struct {
	toks  []token
	macro *macro
}

func (pp *prep) expand(in []token) []token {
	if len(in) == 0 {
		return nil
	}
	if pp.nest++; pp.nest > maxNest {
		pp.nested(in[0].pos)
	}
	defer func() { pp.nest-- }()
	e := &expander{pp: pp, frames: []frame{{toks: in}}} // out grows with what there is: calls nest
	for !pp.dead {
		t, ok := e.read()
		if !ok {
			break
		}
		if t.kind != ident || t.noexp {
			e.out = append(e.out, t)
			continue
		}
		e.ident(t)
	}
	for len(e.frames) > 0 {
		e.pop()
	}
	return e.out
}

func (pp *prep) nested(pos Pos) {
	pp.errs.add(pos, Directive, "macro calls nest more than %d deep", maxNest)
	pp.dead = true
}

func (e *expander) pop() {
	if m := e.frames[len(e.frames)-1].macro; m != nil {
		m.active--
	}
	e.frames = e.frames[:len(e.frames)-1]
}

func (e *expander) read() (token, bool) {
	for len(e.frames) > 0 {
		f := &e.frames[len(e.frames)-1]
		if len(f.toks) > 0 {
			t := f.toks[0]
			f.toks = f.toks[1:]
			return t, true
		}
		e.pop()
	}
	return token{}, false
}

// opens reports whether the next token is an opening parenthesis.
func (e *expander) opens() bool {
	for i := len(e.frames) - 1; i >= 0; i-- {
		if f := e.frames[i]; len(f.toks) > 0 {
			return f.toks[0].is("(")
		}
	}
	return false
}

func (e *expander) ident(t token) {
	switch t.text {
	case "_Pragma", "__pragma":
		if e.opens() {
			e.pragma(t)
			return
		}
	case "__LINE__":
		t.kind, t.text = number, strconv.Itoa(int(t.pos.Line))
	case "__FILE__":
		t.kind, t.text = str, strconv.Quote(t.pos.File)
	}
	m := e.pp.macros[t.text]
	if m == nil && t.is("__COUNTER__") {
		t.kind, t.text = number, strconv.Itoa(e.pp.counter)
		e.pp.counter++
	}
	if m == nil || m.active > 0 || m.function && !e.opens() {
		t.noexp = m != nil && m.active > 0
		e.out = append(e.out, t)
		return
	}
	body := m.body
	if m.function {
		args, ok := e.args(t, m)
		if !ok {
			return
		}
		body = e.substitute(t.pos, m, args)
	}
	if !e.pp.make(t.pos, len(body)) {
		return
	}
	own := make([]token, len(body))
	for i, b := range body {
		if !b.pos.IsValid() {
			b.pos = t.pos
		}
		b.sys = t.sys
		if i == 0 {
			b.space = t.space
		}
		own[i] = b
	}
	m.active++
	e.frames = append(e.frames, frame{toks: own, macro: m})
}

// pragma makes a token of _Pragma("…") or __pragma(…).
func (e *expander) pragma(t token) {
	args, ok := e.args(t, &macro{variadic: true, params: []string{""}})
	if !ok {
		return
	}
	toks := args[0]
	if t.text == "_Pragma" {
		var errs findings
		text := ""
		if len(toks) == 1 && toks[0].kind == str {
			text, _ = strconv.Unquote(strings.TrimPrefix(toks[0].text, "L"))
		}
		s := newScanner(t.pos.File, []byte(text), &errs)
		toks = restOfLine(s)
	}
	p := e.pp.pragmaToken(t.pos, toks, t.sys)
	e.out = append(e.out, p)
}

// args reads the arguments of a macro call, the next token being the opening
// parenthesis.
func (e *expander) args(name token, m *macro) ([][]token, bool) {
	e.read()
	args := [][]token{nil}
	depth := 0
	// An argument is a part of the list that it stands in, where it is in one, and a copy otherwise.
	level, list := len(e.frames), e.rest()
	for {
		t, ok := e.read()
		if !ok {
			e.pp.errs.add(name.pos, Directive, "call of macro %s is not closed", name.text)
			return nil, false
		}
		switch {
		case t.is("("):
			if depth++; depth > maxNest {
				e.pp.nested(name.pos)
				return nil, false
			}
		case t.is(")") && depth == 0:
			if len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
				return nil, true
			}
			if m.variadic && len(args) == len(m.params)-1 {
				args = append(args, nil)
			}
			if len(args) != len(m.params) {
				e.pp.errs.add(name.pos, Directive, "macro %s takes %d arguments, not %d", name.text, len(m.params), len(args))
				return nil, false
			}
			return args, true
		case t.is(")"):
			depth--
		case t.is(",") && depth == 0 && (!m.variadic || len(args) < len(m.params)):
			args = append(args, nil)
			level, list = len(e.frames), e.rest()
			continue
		}
		last := &args[len(args)-1]
		if n := len(*last) + 1; level == len(e.frames) && n <= len(list) {
			*last = list[:n:n]
		} else {
			*last, level = append(*last, t), -1
		}
	}
}

// rest is what is still to be read of the innermost list.
func (e *expander) rest() []token {
	if len(e.frames) == 0 {
		return nil
	}
	return e.frames[len(e.frames)-1].toks
}

// tokenBytes is how long a text that is put together counts as one token more.
const tokenBytes = 64

// substitute returns the body of m, which is used at pos, with its parameters
// replaced.
func (e *expander) substitute(pos Pos, m *macro, args [][]token) []token {
	var out []token
	expanded := make([][]token, len(args))
	done := make([]bool, len(args))
	paste := false
	for i := 0; i < len(m.body); i++ {
		t := m.body[i]
		if t.is("##") && i > 0 && i < len(m.body)-1 {
			paste = true
			continue
		}
		var add []token
		k := m.param(t.text)
		switch {
		case t.is("#") && i+1 < len(m.body) && m.param(m.body[i+1].text) >= 0:
			i++
			text := strconv.Quote(spellTokens(args[m.param(m.body[i].text)]))
			e.pp.make(pos, len(text)/tokenBytes)
			add = []token{{kind: str, text: text, pos: t.pos, space: t.space}}
		case t.kind != ident || k < 0:
			add = []token{t}
		case paste || i+1 < len(m.body) && m.body[i+1].is("##"):
			add = args[k]
		default:
			if !done[k] {
				expanded[k], done[k] = e.pp.expand(args[k]), true
			}
			add = expanded[k]
		}
		if !e.pp.make(pos, len(add)) {
			return nil
		}
		if paste && len(out) > 0 && len(add) > 0 {
			out[len(out)-1] = pasted(out[len(out)-1], add[0])
			e.pp.make(pos, len(out[len(out)-1].text)/tokenBytes)
			add = add[1:]
		}
		paste = false
		out = append(out, add...)
	}
	return out
}

// pasted joins two tokens into one. What is no token stays a punctuation that
// the parser will not know.
func pasted(a, b token) token {
	text := a.text + b.text
	if len(text) > 1<<16 {
		text = text[:1<<16]
	}
	var errs findings
	s := newScanner(a.pos.File, []byte(text), &errs)
	t := s.next()
	if s.off != len(s.src) || t.kind == eof {
		t = token{kind: punct, text: text}
	}
	t.pos, t.space, t.sys = a.pos, a.space, a.sys
	return t
}

// predefined has the macros that depend on the rules only through others.
//
//go:embed predefined.txt
var predefined []byte

// predefine defines what compilers do and headers ask for.
func (pp *prep) predefine() {
	r := pp.opts.Rules
	def := func(s string) {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			value = "1"
		}
		var errs findings
		sc := newScanner("<built-in>", []byte(name+" "+value), &errs)
		pp.define(Pos{}, restOfLine(sc))
	}
	for name, kind := range map[string]layout.Kind{
		"LONG": layout.Long, "LONG_DOUBLE": layout.LongDouble, "WCHAR_T": layout.WChar, "POINTER": layout.NullPtr, "SIZE_T": layout.NullPtr,
	} {
		if l, err := layout.Of(layout.Scalar{Kind: kind}, r); err == nil {
			def("__SIZEOF_" + name + "__=" + strconv.FormatInt(l.Size, 10))
		}
	}
	if r.ABI == layout.Microsoft {
		def("_WIN32")
	} else {
		def("__linux__")
	}
	if r.Lang == layout.CXX {
		def("__cplusplus=201703L")
	}
	pp.read(newScanner("<built-in>", predefined, &pp.errs))
	for _, s := range pp.opts.Defines {
		def(s)
	}
}
