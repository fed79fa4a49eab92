package cdecl

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// An objKind says what a name stands for.
type objKind uint8

const (
	typeObj  objKind = iota
	constObj         // an enumerator, or a constant variable with a known value
	varObj
	funcObj
	spaceObj // a namespace
	templObj // a template of classes or types
	badObj   // something this package does not support
)

// An object is what a name stands for.
type object struct {
	kind  objKind
	typ   layout.Type
	val   value
	inner *scope // of a namespace or enumeration
	in    *scope // typeObj: where a tag is declared
	pos   Pos
	why   string    // badObj: what it is; varObj: why its value is not known
	lost  bool      // typeObj: it could not be read, and typ stands for it
	tmpl  *template // templObj; of a record made of one, within it, that
	subst bool      // typ is spelled as it is, not as this is called
}

// A scope holds the names of the file, of a namespace, or of a C++ record.
type scope struct {
	parent *scope
	prefix string // qualifies names in C++, with a trailing "::"
	names  map[string]*object
	tags   map[string]*object
	also   []*scope // base classes, used namespaces and anonymous members; see parser.see
	below  int      // how many they are with their own
	mark   *int     // of the last search that came here
	hidden []*scope // of also, bases that depend on parameters of a template: only qualified names find theirs
	record *layout.Record
	cxx    bool // tags are names too
}

func newScope(parent *scope) *scope {
	s := &scope{parent: parent, names: map[string]*object{}, tags: map[string]*object{}}
	if parent != nil {
		s.cxx = parent.cxx
	}
	return s
}

// maxBelow is in how many base classes, used namespaces and anonymous members a name of a scope is looked up.
const maxBelow = 1 << 12

// see has names of a scope looked up in another one too, unless that makes too many.
func (p *parser) see(pos Pos, s, a *scope) {
	switch below := s.below + 1 + a.below; {
	case slices.Contains(s.also, a):
	case below > maxBelow:
		p.fail(pos, Syntax, "a name has more than %d base classes, namespaces and anonymous members to be looked up in here", maxBelow)
	default:
		s.also, s.below = append(s.also, a), below
	}
}

// find looks a name up here and in bases and used namespaces.
func (s *scope) find(name string) *object {
	return s.search(name, new(int), nil)
}

// search is find, but for the scopes that have the mark already and for hidden ones.
func (s *scope) search(name string, mark *int, hidden []*scope) *object {
	if o := s.names[name]; o != nil {
		return o
	}
	if o := s.tags[name]; o != nil && s.cxx {
		return o
	}
	s.mark = mark
	for _, a := range s.also {
		if a.mark == mark || slices.Contains(hidden, a) {
			continue
		}
		if o := a.search(name, mark, nil); o != nil {
			return o
		}
	}
	return nil
}

// lookup finds an ordinary name, or nil. Names of the prelude are declared
// when they are first asked for, so that the input may declare them itself.
func (p *parser) lookup(name string) *object {
	for s := p.scope; s != nil; s = s.parent {
		if o := s.search(name, new(int), s.hidden); o != nil {
			return o
		}
	}
	return p.prelude(name)
}

// findTag finds a tag in this scope alone or in those around it too.
func (p *parser) findTag(name string, around bool) *object {
	for s := p.scope; s != nil; s = s.parent {
		if o := s.tags[name]; o != nil {
			return o
		}
		if o := s.names[name]; o != nil && p.cxx && o.kind == badObj {
			return o
		}
		if !around {
			return nil
		}
		for _, a := range s.also {
			if o := a.tags[name]; o != nil && !slices.Contains(s.hidden, a) {
				return o
			}
		}
	}
	return nil
}

// global returns the outermost scope.
func (p *parser) global() *scope {
	s := p.scope
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// tagScope returns where a new tag is declared: in C, records do not open a
// scope.
func (p *parser) tagScope() *scope {
	if p.cxx {
		return p.scope
	}
	return p.global()
}

// refuse gives up on the use of an unsupported name.
func (p *parser) refuse(name token, o *object) {
	p.fail(name.pos, Unsupported, "%s is %s, which is not supported (declared at %s)", name.text, o.why, o.pos)
}

// qualified resolves a name after the current scope's rules, following "::".
// It stops after the last name and returns that name's token. A name that is
// not declared gives a nil object; the tokens up to it are consumed.
func (p *parser) qualified() (name token, o *object, spelled string) {
	var in *scope
	std := false      // the name before was std
	declared := false // and something declares it, which may have less than std has
	cuda := false     // the name before was cuda, which nothing declares
	before := ""      // the name before
	if p.accept("::") {
		in = p.global()
		spelled = "::"
	}
	for {
		name = p.identifier("a name")
		spelled += name.text
		if cuda {
			o = nil // std itself may be declared, and is another namespace
		} else if in == nil {
			o = p.lookup(name.text)
		} else if o = in.find(name.text); std && p.inside(o) == nil && name.text == "byte" {
			o = p.stdByte()
		} else if o == nil && (in.parent == nil || declared && p.preludeType(name.text) != nil) {
			o = p.prelude(name.text)
		} else if o == nil && declared && name.text == "byte" {
			o = p.stdByte()
		}
		std, declared, cuda = false, false, false
		if name.text == "std" && p.at("::") {
			o = p.stdTemplate(o, strings.HasSuffix(spelled, "cuda::std"))
		}
		if o != nil && o.tmpl != nil && p.at("<") {
			o = p.templateID(name, o.tmpl)
			spelled = o.typ.String()
		}
		if o == nil && in != nil && in.record != nil && (name.text == lastName(in.record.Name) || name.text == before) {
			o = &object{kind: typeObj, typ: in.record, pos: name.pos} // the class itself, as its constructors have it
		}
		before = name.text
		if !p.at("::") || p.peek(1).is("*") {
			return name, o, spelled
		}
		switch {
		case o == nil && name.text == "std":
			// std::uint32_t and its like are the prelude's.
			p.advance()
			spelled += "::"
			in, std = p.global(), true
			continue
		case o == nil && name.text == "cuda" && p.peek(1).is("std"):
			p.advance() // libcu++ has the same names
			spelled += "::"
			cuda = true
			continue
		case o == nil:
			p.fail(name.pos, Undeclared, "%s is not declared", name.text)
		case o.kind == badObj:
			p.refuse(name, o)
		}
		errs := len(p.errs)
		if o.kind == typeObj {
			p.complete(o.typ)
		}
		inner := p.inside(o)
		if _, is := layout.Unalias(o.typ).(layout.Scalar); is && o.subst {
			p.fail(name.pos, BadType, "%s is not a class, and has no %s", o.typ, p.peek(1).describe())
		}
		if rec := recordOf(o.typ); inner == nil && rec != nil && rec.Unsupported != "" {
			if len(p.errs) > errs { // it has been reported
				panic(bailout{})
			}
			p.fail(name.pos, Unsupported, "%s has no layout: %s", rec, rec.Unsupported)
		}
		if inner == nil {
			return name, o, spelled
		}
		in, declared = inner, name.text == "std"
		p.advance()
		p.accept("template")
		if in.record != nil {
			// clang spells the class itself, not how it was written.
			spelled = in.record.String()
		}
		spelled += "::"
	}
}

// inside returns the scope of what a name stands for, or nil.
func (p *parser) inside(o *object) *scope {
	switch {
	case o == nil:
		return nil
	case o.kind == typeObj && o.inner == nil:
		rec, _ := layout.Unalias(o.typ).(*layout.Record)
		return p.recordScopes[rec]
	}
	return o.inner
}

// isType reports whether a type begins with the current token.
func (p *parser) isType() bool { return p.typeFrom(0) }

// typeFrom reports whether a type begins with the n-th token from here: a::b may
// be one, a constant or a member.
func (p *parser) typeFrom(n int) bool {
	t := p.peek(n)
	if !p.isTypeAt(t) {
		return false
	}
	if !p.cxx || !t.is("::") && !p.peek(n+1).is("::") {
		return true
	}
	save, pack, errs, is := p.i, p.pack, len(p.errs), true
	p.try(func() {
		for range n {
			p.advance()
		}
		_, o, _ := p.qualified()
		is = o == nil || o.kind == typeObj || o.kind == badObj
	})
	p.pack, p.errs = pack, p.errs[:errs]
	p.seek(save)
	return is
}

func (p *parser) isTypeAt(t token) bool {
	if t.kind != ident {
		return t.is("::") && p.cxx
	}
	if p.keyword(t.text) != "" || isAttribute(t.text) {
		return true
	}
	o := p.lookup(t.text)
	return o != nil && (o.kind == typeObj || o.kind == templObj || o.kind == badObj || o.kind == spaceObj) || o == nil && (t.text == "std" || t.text == "cuda") && p.cxx
}

// stdHeaders have the templates of std that launches pass, which need no #include.
var stdHeaders = map[string]string{"array": "array", "complex": "complex", "pair": "utility"}

// stdTemplate reads the header of the template that follows std, or cuda::std, if nothing declares it. It gives the namespace,
// which is std if that was nil or is declared.
func (p *parser) stdTemplate(std *object, cuda bool) *object {
	name := p.peek(1).text
	header := stdHeaders[name]
	if header == "" || !p.cxx || std != nil && (std.inner == nil || std.inner.find(name) != nil) {
		return std
	}
	if cuda {
		header = "cuda/std/" + header
	}
	src, err := headers.ReadFile("include/" + header)
	if err != nil {
		return std
	}
	start := len(p.toks)
	toks := splitShifts(newPrep(Options{Rules: p.opts.Rules}).file("<"+header+">", src))
	for i := range toks {
		toks[i].sys = true
	}
	p.add(toks)
	own := p.global()
	p.elsewhere(start, context{scope: own, depth: p.depth}, func() { p.external(false) })
	if !cuda {
		return own.names["std"]
	} else if o := own.names["cuda"]; o != nil && o.inner != nil {
		return o.inner.names["std"]
	}
	return std
}

// stdByte is std::byte, which has no name without std.
func (p *parser) stdByte() *object {
	const name = "std::byte" // which no name in a scope is
	g := p.global()
	if g.names[name] == nil {
		g.names[name] = &object{kind: typeObj, typ: &layout.Enum{Name: name, Underlying: layout.Scalar{Kind: layout.UChar}, Scoped: true}}
	}
	return g.names[name]
}
