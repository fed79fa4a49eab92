package cdecl

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
)

// maxTokens bounds what includes can blow an input up to, and maxMade what
// macros make of it: a few lines that double each other are enough for more
// tokens than there is memory. Of a short input macros make less than that: leastMade, and
// madeOfOne for each token that is outside of directives.
const (
	maxTokens = 1 << 23
	maxMade   = 1 << 22
	leastMade = 1 << 18
	madeOfOne = 8
)

// maxInclude is the depth of nested includes at which recursion is assumed.
const maxInclude = 64

// maxNest is how deep macro calls may stand in arguments of macro calls.
const maxNest = 256

// A prep is a preprocessor: it turns files into the tokens that the parser
// reads, pragmas included.
type prep struct {
	opts     Options
	dirs     []dir
	errs     findings
	warnings findings
	macros   map[string]*macro
	once     map[string]bool // files by their paths, and by their names and texts: a file may have several paths
	unread   error           // why a file of the include at hand could not be read, if it is there; nil otherwise
	out      []token
	depth    int
	scanned  int // tokens outside of directives
	made     int // tokens made by macros
	most     int // of them; maxMade
	nest     int // macro calls within arguments of macro calls
	dead     bool
	missing  string // a file that was not found, the first
	counter  int    // of __COUNTER__
}

// A section is one #if … #endif.
type section struct {
	pos     Pos
	live    bool // this part is read
	taken   bool // no other part will be: one has been, or what is around it is not read
	sawElse bool
}

func newPrep(opts Options) *prep {
	pp := &prep{opts: opts, most: maxMade, dirs: searchDirs(opts), macros: map[string]*macro{}, once: map[string]bool{}}
	pp.predefine()
	return pp
}

// file reads a file and everything it includes.
func (pp *prep) file(name string, src []byte) []token {
	for _, first := range pp.opts.First {
		s := newScanner("", nil, &pp.errs)
		pp.include(s, Pos{File: commandLine, Pos: diag.Pos{Line: 1, Col: 1}}, []token{{kind: str, text: strconv.Quote(first)}}, false)
	}
	pp.read(newScanner(name, src, &pp.errs))
	end := Pos{File: name, Pos: diag.Pos{Line: 1, Col: 1}}
	if n := len(pp.out); n > 0 {
		end = pp.out[n-1].pos
		end.Col += uint32(len(pp.out[n-1].text))
		end.End = diag.Pos{}
	}
	return append(pp.out, token{kind: eof, pos: end})
}

// read reads what s scans.
func (pp *prep) read(s *scanner) {
	if s.sys {
		// What is wrong with a header of the system is not the user's to fix.
		errs, warnings := len(pp.errs), len(pp.warnings)
		defer func() {
			if !pp.dead {
				pp.errs, pp.warnings = pp.errs[:min(errs, len(pp.errs))], pp.warnings[:min(warnings, len(pp.warnings))]
			}
		}()
	}
	var sections []section
	var batch []token
	flush := func() {
		pp.scanned += len(batch)
		pp.out = append(pp.out, pp.expand(batch)...)
		batch = batch[:0]
	}
	for !pp.dead {
		t := s.next()
		live := len(sections) == 0 || sections[len(sections)-1].live
		switch {
		case t.kind == newline:
		case t.kind == eof:
			flush()
			if n := len(sections); n > 0 {
				pp.errs.add(sections[n-1].pos, Directive, "#if without #endif")
			}
			return
		case t.kind == punct && (t.text == "#" || t.text == "%:"):
			flush()
			pp.directive(s, t.pos, restOfLine(s), &sections, live)
		case live:
			batch = append(batch, t)
			for t = s.next(); t.kind != newline && t.kind != eof; t = s.next() {
				batch = append(batch, t)
			}
			if len(batch)+len(pp.out) > maxTokens {
				pp.tooMuch(t.pos, maxTokens)
			}
		default:
			restOfLine(s)
		}
	}
}

// restOfLine reads the tokens up to the end of the line, and that.
func restOfLine(s *scanner) []token {
	var toks []token
	for {
		t := s.next()
		if t.kind == newline || t.kind == eof {
			return toks
		}
		toks = append(toks, t)
	}
}

func (pp *prep) tooMuch(pos Pos, limit int) {
	if !pp.dead {
		pp.errs.add(pos, Directive, "input expands to more than %d tokens", limit)
	}
	pp.dead = true
}

// make counts what the expansion of the macro at pos makes, and reports whether
// that is not too much.
func (pp *prep) make(pos Pos, tokens int) bool {
	if most := min(pp.most, leastMade+madeOfOne*pp.scanned); pp.made+tokens > most {
		pp.tooMuch(pos, most)
	}
	pp.made += tokens
	return !pp.dead
}

// directive obeys one directive; toks is what follows the #.
func (pp *prep) directive(s *scanner, pos Pos, toks []token, sections *[]section, live bool) {
	if len(toks) == 0 {
		return
	}
	name, args := toks[0].text, toks[1:]
	if pp.conditional(s, pos, name, args, sections, live) || !live {
		return
	}
	if toks[0].kind == number {
		pp.lineMarker(s, pos, toks)
		return
	}
	switch name {
	case "define":
		pp.define(pos, args)
	case "undef":
		if len(args) > 0 {
			delete(pp.macros, args[0].text)
		}
	case "include", "include_next", "import":
		pp.include(s, pos, args, name == "include_next")
	case "line":
		pp.lineMarker(s, pos, pp.expand(args))
	case "pragma":
		pp.pragma(s, pos, args)
	case "error":
		pp.errs.add(pos, Directive, "#error %s", spellTokens(args))
	case "warning":
		pp.warnings.warn(pos, Directive, "#warning %s", spellTokens(args))
	case "ident", "sccs", "assert", "unassert":
	default:
		pp.errs.add(pos, Directive, "unknown directive #%s", toks[0].describe())
	}
}

// conditional obeys the directives that choose what is read, and reports
// whether name is one.
func (pp *prep) conditional(s *scanner, pos Pos, name string, args []token, sections *[]section, around bool) bool {
	switch name {
	case "if", "ifdef", "ifndef":
		live := around && pp.holds(s, pos, name, args)
		*sections = append(*sections, section{pos: pos, live: live, taken: live || !around})
		return true
	case "elif", "elifdef", "elifndef", "else", "endif":
	default:
		return false
	}
	n := len(*sections)
	if n == 0 {
		pp.errs.add(pos, Directive, "#%s without #if", name)
		return true
	}
	sec := &(*sections)[n-1]
	switch {
	case name == "endif":
		*sections = (*sections)[:n-1]
	case sec.sawElse:
		pp.errs.add(pos, Directive, "#%s after #else", name)
	case name == "else":
		sec.sawElse = true
		sec.live = !sec.taken
	default:
		sec.live = !sec.taken && pp.holds(s, pos, strings.TrimPrefix(name, "el"), args)
		sec.taken = sec.taken || sec.live
	}
	return true
}

// holds evaluates the condition of an #if, #ifdef or #ifndef.
func (pp *prep) holds(s *scanner, pos Pos, name string, args []token) bool {
	if len(args) == 0 {
		pp.errs.add(pos, Directive, "#%s without a condition", name)
		return false
	}
	if name != "if" {
		pp.doubt(s, pos, args[:1])
		return pp.defined(args[0].text) == (name == "ifdef")
	}
	pp.doubt(s, pos, args)
	toks := pp.expand(pp.resolveDefined(s, args))
	last := args[len(args)-1].pos
	toks = append(toks, token{kind: eof, pos: last})
	p := newParser(toks, pp.opts)
	p.prep = true
	holds := false
	p.try(func() {
		v := p.constant("condition")
		if p.tok.kind != eof {
			p.fail(p.tok.pos, Directive, "unexpected %s in condition", p.tok.describe())
		}
		holds = v.bits != 0
	})
	if len(p.errs) > 0 {
		pp.errs.add(posOf(p.errs[0]), p.errs[0].Code, "%s", p.errs[0].Msg)
	}
	return holds && len(p.errs) == 0
}

func (pp *prep) defined(name string) bool {
	return pp.macros[name] != nil || hasOperators.has(name)
}

// resolveDefined replaces defined(X) and the __has_… operators by numbers.
func (pp *prep) resolveDefined(s *scanner, in []token) []token {
	var out []token
	for i := 0; i < len(in); i++ {
		t := in[i]
		holds := false
		switch {
		case t.is("defined"):
			arg := i + 1
			if arg < len(in) && in[arg].is("(") {
				arg++
			}
			if arg < len(in) && in[arg].kind == ident {
				holds = pp.defined(in[arg].text)
				if arg > i+1 && arg+1 < len(in) && in[arg+1].is(")") {
					arg++
				}
				i = arg
			}
		case t.kind == ident && hasOperators.has(t.text) && i+1 < len(in) && in[i+1].is("("):
			end := closing(in, i+1)
			holds = pp.has(s, t, in[i+2:max(i+2, end)])
			i = end
		default:
			out = append(out, t)
			continue
		}
		text := "0"
		if holds {
			text = "1"
		}
		out = append(out, token{kind: number, text: text, pos: t.pos})
	}
	return out
}

// lineMarker obeys `# 12 "file" flags` and `#line 12 "file"`.
func (pp *prep) lineMarker(s *scanner, pos Pos, toks []token) {
	if len(toks) == 0 {
		pp.errs.add(pos, Directive, "line marker without a line")
		return
	}
	n, err := strconv.Atoi(toks[0].text)
	if err != nil || n < 0 || n > 1<<30 {
		pp.errs.add(pos, Directive, "line marker with line %s", toks[0].describe())
		return
	}
	s.pos()
	s.first = max(n, 1) - s.line
	if len(toks) < 2 || toks[1].kind != str {
		return
	}
	if name, err := strconv.Unquote(toks[1].text); err == nil {
		s.file = name
	} else {
		s.file = strings.Trim(toks[1].text, `"`)
	}
	s.sys = slices.ContainsFunc(toks[2:], func(t token) bool { return t.text == "3" })
}

func (pp *prep) pragma(s *scanner, pos Pos, args []token) {
	if len(args) == 0 {
		return
	}
	if args[0].is("once") {
		pp.once[path.Clean(s.file)], pp.once[path.Base(s.file)+"\n"+s.src] = true, true
		return
	}
	pp.out = append(pp.out, pp.pragmaToken(pos, args, s.sys))
}

func (pp *prep) pragmaToken(pos Pos, args []token, sys bool) token {
	if len(args) > 0 && args[0].is("pack") {
		args = append([]token{args[0]}, pp.expand(args[1:])...)
	}
	return token{kind: pragma, text: spellTokens(args), pos: pos, sys: sys}
}

// spellTokens writes tokens with a blank wherever there was white space.
func spellTokens(toks []token) string {
	var b strings.Builder
	for i, t := range toks {
		if i > 0 && t.space {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}
