package cdecl

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// A template is a class template or an alias template. Its tokens are read anew
// for each list of arguments, with the parameters declared as what they stand for.
type template struct {
	name   string
	pos    Pos
	params []templateParam
	scope  *scope // around it
	start  int    // the token of the keyword of its definition, or of the type of an alias; 0 while it is only declared
	alias  bool
	pack   packStack
	why    string // why it is not instantiated
	made   map[string]*object
	outer  []string // names in it that were declared outside of its scope alone
	limits bool     // it has constraints, which matter where a specialisation is chosen

	partials []*partial
}

// A templateParam is a parameter of a template: a type, or a value of the type that
// begins at token typ.
type templateParam struct {
	name  string
	value bool
	typ   int
	def   int // the token where the default begins; 0 if there is none
}

// An instance is a record of a template.
type instance struct {
	of    *template
	scope *scope // with the parameters
	args  []templateArg
	read  bool // its definition, which is read where its size is needed
}

// Instances are bounded, as templates can make ever more of themselves.
const (
	maxInstances = 1 << 14
	maxInstance  = 64 // depth
	maxUses      = 1 << 20
)

// template reads a template, a specialisation of one or an instantiation.
func (p *parser) template() {
	pos := p.tok.pos
	p.advance()
	if !p.at("<") {
		p.instantiation()
		return
	}
	if p.peek(1).is(">") {
		p.advance()
		p.advance()
		p.specialisation(pos)
		return
	}
	t := &template{pos: pos, scope: p.scope, pack: p.pack, made: map[string]*object{}}
	p.templateParams(t)
	if after := p.i; p.at("requires") {
		if t.limits = true; !p.skipConstraint() {
			p.seek(after)
		}
	}
	switch {
	case p.at("using") && p.peek(1).kind == ident:
		p.aliasTemplate(t)
	case p.at("struct"), p.at("class"), p.at("union"):
		p.classTemplate(t)
	default:
		p.otherTemplate(pos)
	}
}

// ofKernels says what to read in place of a template of kernels.
const ofKernels = " of kernels, which is not read; the PTX or the cubin that it is compiled to has its instances"

// otherTemplate leaves out a template of functions or variables, which takes no room in a
// record.
func (p *parser) otherTemplate(pos Pos) {
	if p.scope.record != nil {
		p.skipDeclaration()
		return
	}
	kernel, params := p.kernelName(p.i)
	switch {
	case p.opts.Partial && kernel.text == "":
	case p.tolerant():
		p.unit.Skipped++
		why := "templates are not supported; this one is left out"
		if kernel.text != "" {
			pos, why = kernel.pos, kernel.text+" is a template"+ofKernels
			p.unit.Templates = append(p.unit.Templates, Unread{Name: p.scope.prefix + kernel.text, Pos: kernel.pos, Why: why, Code: Unsupported, Params: params})
		}
		p.warn(pos, Unsupported, "%s", why)
	case kernel.text != "":
		p.fail(kernel.pos, Unsupported, "%s is a template"+ofKernels, kernel.text)
	default:
		p.fail(pos, Unsupported, "templates are not supported")
	}
	p.skipDeclaration()
}

// skipConstraint skips what follows requires, and reports whether a class or an alias follows that.
func (p *parser) skipConstraint() bool {
	for p.advance(); ; {
		switch {
		case p.at("struct"), p.at("class"), p.at("union"), p.at("using"):
			return true
		case p.tok.kind == eof, p.at(";"), p.at("{"), p.at("="):
			return false
		case p.at("("):
			p.skipBalanced()
		case p.accept("requires"): // an expression
			if p.at("(") {
				p.skipBalanced()
			}
			if p.at("{") {
				p.skipBalanced()
			}
		default:
			p.advance()
		}
	}
}

// concept skips the name of a concept before a parameter of t, template <Number T>, and reports whether there was one: a
// name that is no type and no parameter, before one that is a name too.
func (p *parser) concept(t *template) (is bool) {
	start := p.i
	if p.keyword(p.tok.text) != "" || slices.ContainsFunc(t.params, func(a templateParam) bool { return a.name == p.tok.text }) {
		return false
	}
	p.attempt(func() {
		if _, o, _ := p.qualified(); o != nil {
			return
		}
		if p.at("<") {
			p.skipTemplate()
		}
		is = p.tok.kind == ident && p.keyword(p.tok.text) == ""
	})
	if !is {
		p.seek(start)
	}
	return is
}

// templateParams reads the parameters, and why the template is not instantiated if
// they are of a kind that is not supported.
func (p *parser) templateParams(t *template) {
	open := p.tok
	p.advance()
	for !p.at(">") {
		var a templateParam
		switch {
		case p.tok.kind == eof, p.at(";"), p.at("{"):
			p.fail(open.pos, Syntax, "< is not closed")
		case p.at("template"):
			t.why = "template template parameters are not supported"
		case p.at("typename") && !p.peek(2).is("::"), p.at("class"):
			p.advance()
			if p.at("...") {
				t.why = "parameter packs are not supported"
			}
		case p.concept(t):
			t.limits = true
		default:
			a.value, a.typ = true, p.i
		}
		p.skipArgument(open, func(tok token, depth int) {
			switch {
			case depth > 0:
			case tok.is("..."):
				t.why = "parameter packs are not supported"
			case tok.is("=") && a.def == 0:
				a.def = p.i + 1
			case tok.kind == ident && a.def == 0:
				a.name = tok.text
			}
		})
		t.params = append(t.params, a)
		p.accept(",")
	}
	p.advance()
}

// skipArgument skips to the comma or bracket that ends an argument or a parameter of a template, and shows each token on the
// way with how many brackets are open.
func (p *parser) skipArgument(open token, show func(t token, depth int)) {
	for depth := 0; depth > 0 || !p.at(",") && !p.at(">"); p.advance() {
		switch t := p.tok; {
		case t.kind == eof, t.is(";"), t.is("{"):
			p.fail(open.pos, Syntax, "< is not closed")
		case t.is("("), t.is("["), t.is("<"):
			depth++
		case t.is(")"), t.is("]"), t.is(">"):
			depth--
		}
		show(p.tok, depth)
	}
}

// className finds the name of the class that is declared from the keyword on, and
// the index of what follows it; 0 if there is none.
func (p *parser) className() (name token, after int) {
	for i := p.i + 1; i < len(p.toks)-1; i++ {
		t := p.toks[i]
		switch {
		case t.is("["), isAttribute(t.text) && p.toks[i+1].is("("):
			if !t.is("[") {
				i++
			}
			i = closing(p.toks, i)
		case t.kind == ident && isAttribute(t.text):
		case t.kind == ident && p.toks[i+1].kind == ident && !p.toks[i+1].is("final"): // an export macro
		case t.kind == ident:
			return t, i + 1
		default:
			return token{}, 0
		}
	}
	return token{}, 0
}

// classTemplate reads a class template after its parameters.
func (p *parser) classTemplate(t *template) {
	start := p.i
	name, after := p.className()
	if after == 0 {
		p.otherTemplate(t.pos)
		return
	}
	old := p.scope.names[name.text]
	if old != nil && old.tmpl == nil {
		old = nil
	}
	t.name, t.start = name.text, start
	for _, tok := range p.toks[start:p.endOfDeclaration(start)] {
		if own := p.scope; own.parent != nil && own.find(tok.text) == nil && own.parent.search(tok.text, new(int), nil) != nil {
			t.outer = append(t.outer, tok.text)
		}
	}
	switch next := p.toks[after]; {
	case next.is("<"):
		if old == nil {
			old = p.lookup(name.text)
		}
		if old != nil && old.tmpl != nil {
			p.addPartial(old.tmpl, t, after+1)
		}
	case next.is(";"), next.is("{"), next.is(":"), next.is("final"):
		if next.is(";") {
			t.start = 0
		}
		if old == nil {
			p.scope.names[name.text] = &object{kind: templObj, tmpl: t, pos: name.pos}
		} else {
			old.tmpl.merge(t)
		}
	default: // of another namespace, a member of a template, or a function
		o, args := p.templateNamed(name, after)
		switch {
		case o == nil:
			p.otherTemplate(t.pos)
			return
		case args == 0:
			o.merge(t)
		default:
			p.addPartial(o, t, args)
		}
	}
	p.skipDeclaration()
}

// templateNamed is the template of another namespace that m::vec<…> names, whose first name is read and has the rest from
// an index of tokens on, and where its arguments begin, 0 if it has none; nil if it names none, or a member of one.
func (p *parser) templateNamed(first token, i int) (t *template, args int) {
	o := p.lookup(first.text)
	for ; p.inside(o) != nil && p.toks[i].is("::") && p.toks[i+1].kind == ident; i += 2 {
		o = p.inside(o).find(p.toks[i+1].text)
	}
	end := i
	if p.toks[i].is("<") {
		args = i + 1
		i = closing(p.toks, i)
		end = min(i+1, len(p.toks)-1)
	}
	next := p.toks[end]
	if o == nil || o.tmpl == nil || args > 0 && !p.toks[i].is(">") || !next.is("{") && !next.is(":") && !next.is("final") && (args == 0 || !next.is(";")) {
		return nil, 0
	}
	return o.tmpl, args
}

// merge adds what another declaration says of the template.
func (t *template) merge(more *template) {
	if len(t.params) != len(more.params) {
		t.why = "it is declared with different parameters (at " + more.pos.String() + ")"
		return
	}
	for i := range t.params {
		if more.start != 0 || t.start == 0 {
			t.params[i].name = more.params[i].name
		}
		if t.params[i].def == 0 {
			t.params[i].def = more.params[i].def
		}
	}
	if more.start != 0 {
		t.start, t.pos, t.pack, t.outer = more.start, more.pos, more.pack, more.outer
	}
	if t.why == "" {
		t.why = more.why
	}
}

func (p *parser) aliasTemplate(t *template) {
	p.advance()
	name := p.tok
	t.name, t.alias = name.text, true
	p.skipTo("=", ";")
	p.expect("=", "in the alias")
	t.start = p.i
	if p.scope.names[name.text] == nil {
		p.scope.names[name.text] = &object{kind: templObj, tmpl: t, pos: name.pos}
	}
	p.skipDeclaration()
}

// specialisation reads what follows `template <>`.
func (p *parser) specialisation(pos Pos) {
	_, after := p.className()
	for after != 0 && p.toks[after].is("::") && p.toks[after+1].kind == ident { // of another namespace
		after += 2
	}
	if (p.at("struct") || p.at("class") || p.at("union")) && after != 0 && p.toks[after].is("<") {
		p.special = true
		defer func() { p.special = false }()
		p.simple()
		return
	}
	p.otherTemplate(pos)
}

// instantiation reads what follows `template` where there are no parameters: it asks for
// a class, which typedefs do too, or for a function.
func (p *parser) instantiation() {
	if p.at("struct") || p.at("class") || p.at("union") {
		s := p.specifiers()
		p.complete(s.typ)
		p.expect(";", "after the instantiation")
		return
	}
	p.skipDeclaration()
}

// templateID reads the arguments of a template, the current token being the opening
// bracket, and returns what they make of it.
func (p *parser) templateID(name token, t *template) *object {
	defer p.nest()()
	if p.uses++; p.uses > maxUses {
		p.fail(name.pos, Unsupported, "templates are used more than %d times", maxUses)
	}
	if t.why != "" {
		p.skipTemplate()
		p.fail(name.pos, Unsupported, "%s<…>: %s", t.name, t.why)
	}
	p.advance()
	sc := newScope(t.scope)
	sc.prefix = t.scope.prefix
	var args []templateArg
	for !p.at(">") {
		if len(args) == len(t.params) {
			p.fail(name.pos, BadType, "%s takes %d arguments", t.name, len(t.params))
		}
		args = append(args, p.argument(sc, &t.params[len(args)]))
		if !p.accept(",") {
			break
		}
	}
	if !p.at(">") {
		p.fail(p.tok.pos, Syntax, "expected > after the arguments of %s, found %s", t.name, p.tok.describe())
	}
	if p.advance(); p.pattern != nil && (t.alias || len(args) < len(t.params)) {
		p.fail(name.pos, Unsupported, "%s<…> is computed", t.name)
	}
	shown := p.defaults(name, t, sc, &args)
	spelled := make([]string, len(args))
	for i, a := range args {
		spelled[i] = a.text
	}
	key := strings.Join(spelled, ", ")
	if o := t.made[key]; o != nil {
		return o
	}
	if p.instances++; p.instances > maxInstances {
		p.fail(name.pos, Unsupported, "templates are instantiated more than %d times", maxInstances)
	}
	if len(key) > maxPrefix {
		p.fail(name.pos, Unsupported, "%s has arguments of more than %d bytes", t.name, maxPrefix)
	}
	if t.alias {
		var o *object
		p.elsewhere(t.start, p.in(sc), func() { o = &object{kind: typeObj, typ: p.typeName(), pos: t.pos, subst: true} })
		t.made[key] = o
		return o
	}
	rec := &layout.Record{Name: t.scope.prefix + t.name + "<" + strings.Join(spelled[:shown], ", ") + ">", Incomplete: true}
	o := &object{kind: typeObj, typ: rec, pos: t.pos, subst: true}
	t.made[key] = o
	p.made[rec] = &instance{of: t, scope: sc, args: args}
	return o
}

// defaults adds the arguments that are not given. It returns how many are shown, as
// compilers do: without those at the end that are what is the default.
func (p *parser) defaults(name token, t *template, sc *scope, args *[]templateArg) (shown int) {
	shown = len(*args)
	for i := len(*args); i < len(t.params); i++ {
		if t.params[i].def == 0 {
			p.fail(name.pos, BadType, "%s takes %d arguments, not %d", t.name, len(t.params), shown)
		}
		p.elsewhere(t.params[i].def, p.in(sc), func() { *args = append(*args, p.argument(sc, &t.params[i])) })
	}
	for shown > 0 && t.params[shown-1].def != 0 {
		a := t.params[shown-1]
		same := false
		a.name = ""
		errs := len(p.errs)
		p.try(func() {
			p.elsewhere(a.def, p.in(sc), func() { same = p.argument(sc, &a).text == (*args)[shown-1].text })
		})
		if p.errs = p.errs[:errs]; !same {
			break
		}
		shown--
	}
	return shown
}

// argument reads one argument and declares the parameter as that.
func (p *parser) argument(sc *scope, a *templateParam) templateArg {
	if p.pattern != nil {
		if arg, ok := p.ownValue(p.pattern, a); ok {
			return arg
		}
	}
	o, text := &object{kind: typeObj, subst: true, pos: p.tok.pos}, ""
	if a.value {
		defer func(old int) { p.angle = old }(p.angle)
		p.angle = 1
		v := p.constant("template argument")
		p.elsewhere(a.typ, p.in(sc), func() {
			s := p.specifiers()
			if s.typ == nil {
				p.fail(p.tok.pos, Unsupported, "template parameters of this kind are not supported")
			}
			v = p.convert(v, s.typ)
		})
		if !v.known {
			p.fail(o.pos, Unsupported, "template arguments of type %s are not supported", v.typ)
		}
		o.kind, o.val, o.typ = constObj, v, v.typ
		text = v.String()
		if s, ok := layout.Unalias(v.typ).(layout.Scalar); ok && s.Kind == layout.Bool {
			text = map[bool]string{true: "true", false: "false"}[v.bits != 0]
		}
	} else {
		o.typ = canonical(p.typeName())
		text = TypeText(o.typ, layout.CXX)
	}
	if a.name != "" {
		sc.names[a.name] = o
	}
	return templateArg{text: text, o: o}
}

// canonical returns t without typedefs.
func canonical(t layout.Type) layout.Type {
	switch t := t.(type) {
	case *layout.Alias:
		if t.Align != 0 { // which makes it another type
			return t
		}
		return canonical(t.Type)
	case *layout.Qualified:
		q := *t
		q.Type = nil
		return qualify(canonical(t.Type), q)
	case *layout.Pointer:
		c := *t
		c.Elem = canonical(t.Elem)
		return &c
	case *layout.Array:
		return &layout.Array{Elem: canonical(t.Elem), Len: t.Len}
	}
	return t
}

// elsewhere calls f to read from token i on, in another context, and comes back.
func (p *parser) elsewhere(i int, c context, f func()) {
	at, outer := p.i, p.context
	defer func() {
		p.context = outer
		p.seek(at)
	}()
	p.context = c
	p.seek(i)
	f()
}

// in returns the context with another scope.
func (c context) in(sc *scope) context {
	c.scope = sc
	return c
}

// complete reads the record of a template that t is, or is an array of, if that has not
// been done: its size is needed.
func (p *parser) complete(t layout.Type) {
	rec := recordOf(t)
	in := p.made[rec]
	if in == nil || in.read {
		return
	}
	of, sc, why := in.of, in.scope, in.of.why
	s, bound, unknown := p.chosen(in)
	if s != nil {
		of, sc = s.template, newScope(s.scope)
		sc.prefix = s.scope.prefix
		for i, a := range bound {
			if name := s.params[i].name; name != "" {
				sc.names[name] = a.o
			}
		}
	}
	why = cmp.Or(why, unknown)
	for _, name := range of.outer {
		if of.scope.find(name) != nil {
			why = cmp.Or(why, name+" is declared anew after it")
		}
	}
	if of.start == 0 && why == "" {
		return
	}
	in.read = true
	if why != "" {
		rec.Unsupported = in.of.name + ": " + why
		if !p.tolerant() {
			p.report(p.tok.pos, Unsupported, "%s", rec.Unsupported)
		}
		p.unit.leftOut[rec] = lack{why: rec.Unsupported}
		return
	}
	if p.instanceDepth > maxInstance {
		p.fail(in.of.pos, Unsupported, "templates are instantiated more than %d deep", maxInstance)
	}
	p.instanceDepth++
	in.read = s == nil // the head of a specialisation makes it a definition
	c := context{scope: sc, pack: of.pack, linkageC: p.linkageC, making: rec, special: s != nil}
	p.elsewhere(of.start, c, func() {
		if !p.try(func() { p.specifiers() }) {
			rec.Unsupported = p.why
		}
	})
	p.instanceDepth--
	if rec.Unsupported != "" && p.unit.leftOut[rec].why == "" {
		p.unit.leftOut[rec] = lack{why: rec.String() + " " + rec.Unsupported}
	}
}

// completeAll reads the records of templates that what the input declares is of.
func (p *parser) completeAll() {
	for _, t := range p.unit.Typedefs {
		if !t.System {
			p.complete(t.Type)
		}
	}
	for _, f := range p.unit.Funcs {
		if f.System {
			continue
		}
		p.complete(f.Result)
		for _, a := range f.Params {
			p.complete(a.Type)
		}
	}
}

// named reads the types of [Options.Named].
func (p *parser) named() {
	for _, text := range p.opts.Named {
		var errs findings
		sc := newScanner("-type", []byte(text), &errs)
		first := len(p.toks)
		p.add(append(splitShifts(restOfLine(sc)), token{kind: eof, pos: sc.pos()}))
		p.seek(first)
		ok := p.attempt(func() {
			t := p.typeName()
			if p.tok.kind != eof {
				p.fail(p.tok.pos, Syntax, "unexpected %s", p.tok.describe())
			}
			p.complete(t)
			if p.unit.Named == nil {
				p.unit.Named = map[string]layout.Type{}
			}
			p.unit.Named[text] = t
		})
		if !ok {
			p.unit.lose(text, Pos{File: "-type", Pos: diag.Pos{Line: 1, Col: 1}}, p.why)
		}
	}
}

// splitShifts makes two tokens of each >>, which may close two lists of template
// arguments. An expression puts them together.
func splitShifts(toks []token) []token {
	n := 0
	for i := range toks {
		if toks[i].is(">>") {
			n++
		}
	}
	if n == 0 {
		return toks
	}
	out := make([]token, 0, len(toks)+n)
	for _, t := range toks {
		if !t.is(">>") {
			out = append(out, t)
			continue
		}
		one, two := t, t
		one.text, two.text = ">", ">"
		two.space = false
		two.pos.Col++
		one.pos.End = two.pos.Pos
		out = append(out, one, two)
	}
	return out
}

// shifts reports whether the current token is the first of a >>.
func (p *parser) shifts() bool {
	next := p.peek(1)
	return p.cxx && p.at(">") && next.is(">") && !next.space
}
