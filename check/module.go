package check

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/inorder"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Body is a function whose body has been checked. Flawed says that it has an error.
type Body struct {
	*body.Body
	Flawed bool
	// Unknown is the first unknown thing on which its code depends, in a module of a later version than [ptx.Newest]; nil if
	// there is none. Later says that an unknown word was passed over, in this body or before it, so that other parts of
	// the body may have an unknown meaning.
	Unknown *diag.Related
	Later   bool
	// Release gives the memory of the body back, for other bodies. The caller calls it when it no longer uses the body.
	Release func()
}

// Bodies checks a module and yields the functions that have bodies, each when it and all items before it have been
// checked. At the end, list has the diagnostics that [Module] returns. The bodies are those of the outline; if that is nil,
// the module has them. The table may be nil.
//
// It is for package lower, which lowers each function when it has been checked.
func Bodies(m *ptx.Module, o *ptx.Outline, table *resolve.Table, opts Options, list *diag.List) iter.Seq[Body] {
	m, list = zero.Or(m), zero.Or(list)
	return func(yield func(Body) bool) {
		c := newChecker(m, o, table, opts)
		target(c)
		before := ptx.Item(nil)
		for r := range inorder.Map(opts.Workers, slices.Values(m.Items), c.reader) {
			if d, ok := r.item.(*ptx.Directive); ok {
				c.headAgain(d, before)
			}
			before = r.item
			if f, isFunc := r.item.(*ptx.Func); !isFunc {
				item(c, r.item)
			} else if reported, g := len(c.list), c.declare(f); f.HasBody {
				b := function(c, g, r)
				b.Flawed = c.list[reported:].Err() != nil || c.broken[f.Pos].errors > 0
				b.Unknown, b.Later = c.spare.passed, c.mistakes.newer != nil
				if !yield(b) {
					return
				}
			}
		}
		finish(c)
		*list = c.sorted(m)
	}
}

// A reading is an item of a module. If it has a body, memory has that, and err the errors of its text.
type reading struct {
	item   ptx.Item
	memory *bodyMemory
	err    error
}

// reader returns a function that reads an item. Several goroutines may have one.
func (c *checker) reader() func(ptx.Item, *reading) {
	return func(it ptx.Item, r *reading) {
		*r = reading{item: it}
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			return
		}
		r.memory = c.memories.Get().(*bodyMemory)
		if c.outline != nil {
			f, r.err = r.memory.reader.Func(c.outline, f)
		}
		r.memory.body.Read(f, f.Body, resolve.ParamsInBody(c.m, f))
	}
}

// function checks the body of a function, whose head has been checked.
func function(c *checker, g *global, r *reading) Body {
	memory, held := r.memory, c.held()
	out := Body{Body: &memory.body, Release: func() {}}
	f := out.Func
	if list := diag.List(nil); errors.As(r.err, &list) {
		c.list = append(c.list, list...)
		c.noteSyntax(list)
	}
	broken := c.broken[f.Pos]
	c.partial = c.partial || broken.atEnd && broken.errors > 1 // its first brace may be the wrong one
	c.spare.passed = nil
	if len(f.Body) > 0 {
		checkBody(c, g, f, out.Body)
	}
	if c.held() == held { // otherwise nodes of the body are used after it
		out.Release = func() { c.memories.Put(memory) }
	}
	return out
}

// held returns a number that grows whenever the checker keeps a node of a body beyond that body.
func (c *checker) held() int {
	return len(c.mistakes.badVars) + len(c.mistakes.nested) + len(c.later.narrow) + c.kept
}

// item checks an item that is no function.
func item(c *checker, it ptx.Item) {
	switch it := it.(type) {
	case *ptx.Directive:
		moduleDirective(c, it)
	case *ptx.Raw:
		c.raw(it, ptx.InModule, "at module level")
	case *ptx.Decl:
		moduleDecl(c, it)
	case *ptx.Prototype:
		c.errorf(MisplacedPrototype, it.Pos, "prototype %s stands outside a function; move it into the body of each function that calls through it", it.Name)
	case *ptx.TargetList:
		c.errorf(MisplacedPrototype, it.Pos, "list %s stands outside a function; move it into the body of the function that jumps or calls through it", it.Name)
	}
}

func moduleDirective(c *checker, d *ptx.Directive) {
	if !c.directive(d, ptx.InModule, "at module level") {
		c.program.halfRead = c.program.halfRead || !c.known(d.Name)
	}
	switch d.Name {
	case ".alias":
		c.alias(d, nil)
	case ".pragma":
		c.pragma(d, "at module level")
	case ".address_size":
		c.addressSize(d)
	}
}

// headAgain reports a second .version, .target or .address_size, given the item before it. Several .target may follow one
// another. It also reports a .version whose number stands apart from it.
func (c *checker) headAgain(d *ptx.Directive, before ptx.Item) {
	if d.Name != ".version" && d.Name != ".target" && d.Name != ".address_size" {
		return
	}
	if was, ok := before.(*ptx.Directive); c.program.heads[d.Name] && !(ok && d.Name == ".target" && was.Name == d.Name) {
		c.errorf(MisplacedDirective, d.Pos, "%s stands again; a module has one, at its beginning", d.Name)
	} else if d.Name == ".address_size" && c.program.heads[".target"] && !(ok && was.Name == ".target") && !c.partialModule() {
		c.refusef(MisplacedDirective, d.Pos, ".address_size does not stand right after .target; move it there")
	}
	c.program.heads[d.Name] = true
	if d.Name != ".version" || d.End == d.Pos.After(".version "+d.Args) {
		return // one blank is between the two
	}
	if gap, _, ok := strings.Cut(c.rest(c.m.TokenEnd(d.Pos)), d.Args); ok && strings.ContainsAny(gap, "\n/") {
		c.refusef(MisplacedDirective, d.Pos, "the number of .version stands after a comment or in another line, where the assembler does not find it; write both in one line")
	}
}

// moduleDecl checks a declaration at module level, and declares its variables.
func moduleDecl(c *checker, d *ptx.Decl) {
	c.unknownSpec(&d.Spec)
	switch d.Space {
	case ptx.ParamSpace:
		c.errorf(ModuleParameter, d.Pos, ".param variable %s at module level; declare it in the body that passes it", d.Vars[0].Name)
		for i := range d.Vars {
			c.program.globals[d.Vars[i].Name] = &global{name: d.Vars[i].Name, decl: d, pos: d.Vars[i].Pos, suppressed: true}
		}
		return
	case ptx.RegSpace, ptx.LocalSpace:
		moduleRegister(c, d)
	default:
		c.alignment(&d.Spec)
	}
	for i := range d.Vars {
		v := &d.Vars[i]
		initialiser(c, d, v)
		valued(c, d, v)
		key := v.Name
		if v.Ranged() {
			key += rangeMark
		}
		g := c.program.globals[key]
		if g == nil {
			c.program.globals[key] = &global{name: v.Name, decl: d, pos: v.Pos, linkage: d.Linkage, sized: !v.Unsized()}
		} else if g.fn != nil {
			c.conflict(g, v.Pos, "variable")
		} else {
			again(c, g, d, v)
		}
	}
}

// rangeMark ends the names under which globals has ranges of variables: g<4> is not g, and its variables are g0 to g3.
const rangeMark = "<"

// named returns the global that the module has declared so far under a name, or the range that has the name as a member;
// nil if there is none.
func (c *checker) named(name string) *global {
	if g := c.program.globals[name]; g != nil {
		return g
	}
	stem := strings.TrimRight(name, "0123456789")
	if stem == name {
		return nil
	}
	return c.program.globals[stem+rangeMark]
}

// isRegister reports whether g is a register of the module, which only a module without the ABI may have.
func (g *global) isRegister() bool { return g != nil && g.decl != nil && g.decl.Space == ptx.RegSpace }

// ofModule reports whether g is a register of the module, as an operand of a call or an access: package lower has no code
// for those.
func ofModule(b *bodyCheck, g *global, o *ptx.Operand) bool {
	if g.isRegister() && b.c.Lower {
		b.c.errorf(ModuleRegister, o.Pos, "%s is a register of the module, which has no ABI then; declare it in each function", o.Text)
	}
	return g.isRegister()
}

// moduleRegister reports .reg and .local variables at module level. Before PTX 3.0 they switch the ABI off.
func moduleRegister(c *checker, d *ptx.Decl) {
	v := c.m.Version
	if v == (ptx.Version{}) || v.AtLeast(3, 0) {
		c.refusef(ModuleRegister, d.Pos, "%s variable %s at module level; declare it in each function, or use .global", d.Space, d.Vars[0].Name)
		return
	}
	disable(c, d.Pos, "%s variable %s at module level switches the ABI off for the whole module", d.Space.String(), d.Vars[0].Name)
}

// disable records and reports the first declaration that switches the ABI off. With -c that is an error.
func disable(c *checker, pos diag.Pos, format string, args ...any) {
	if c.program.noABI.IsValid() {
		return
	}
	c.program.noABI = pos
	if c.Compile {
		c.refusef(DisabledABI, pos, format+", and compiling with -c needs it; move the variable into the functions", args...)
		return
	}
	c.add(diag.Warning, DisabledABI, pos, sprintf(format, args...))
}

// initialiser records the functions in the initial value of a variable of the module, which become callable through it, and
// reports addresses of parameters and of names that are not declared before.
func initialiser(c *checker, d *ptx.Decl, v *ptx.Var) {
	for name := range initialNames(c, d, v) {
		g := c.named(name)
		switch {
		case g != nil:
			if g.fn != nil && c.need(funcInitial, v.Pos) {
				c.mention(nil, g, v.Pos)
				c.program.rootVars[v.Name] = true
			}
		case c.partialModule() || c.newerModule():
		case c.ownerOf(name) != "" && c.declaredLater(name) == nil:
			c.errorf(ParameterAddress, v.Pos, "%s is initialised with %s, a parameter of %s, whose address is known only while that runs", v.Name, name, c.ownerOf(name))
		default:
			c.refusef(UndeclaredName, v.Pos, "%s is initialised with %s, which is not declared before this place", v.Name, name)
		}
	}
}

// initialNames yields the names of symbols in the initial value of a variable, but for those of its own declaration, which
// newer releases of the assembler accept.
func initialNames(c *checker, d *ptx.Decl, v *ptx.Var) iter.Seq[string] {
	return func(yield func(string) bool) {
		if v.Init == "" || d.Type.Class() == ptx.Handle {
			return
		}
		for name := range ptx.TextNames(v.Init) {
			own := func(v ptx.Var) bool { return v.Name == name }
			if name != "generic" && name != "WARP_SZ" && !slices.ContainsFunc(d.Vars, own) && !yield(name) {
				return
			}
		}
	}
}

// holdFunctions returns the variables whose initialisers name functions.
func holdFunctions(c *checker) map[string]bool {
	roots := make(map[string]bool)
	for _, it := range c.m.Items {
		d, ok := it.(*ptx.Decl)
		for i := 0; ok && i < len(d.Vars); i++ {
			for name := range ptx.TextNames(d.Vars[i].Init) {
				if c.names.Lookup(name) != nil {
					roots[d.Vars[i].Name] = true
				}
			}
		}
	}
	return roots
}

// declare checks the head of a function, declares the function, and returns its global.
func (c *checker) declare(f *ptx.Func) *global {
	g := c.program.globals[f.Name]
	if g != nil {
		g.again = true
	}
	switch {
	case g == nil:
		g = &global{name: f.Name, fn: f, pos: f.NamePos, linkage: f.Linkage}
		c.program.globals[f.Name] = g
		c.program.order = append(c.program.order, g)
		reported := len(c.list)
		if special(f.Name) {
			c.refusef(ConflictingName, f.NamePos, "%s is the name of a special register; rename the function", f.Name)
		}
		c.head(f)
		g.flawed = f.Entry && slices.ContainsFunc(c.list[reported:], func(e *diag.Diagnostic) bool { return e.Code == KernelResult })
		if f.Linkage == ptx.Extern && f.HasBody {
			d := c.add(diag.Error, ConflictingLinkage, f.EndPos, sprintf("%s has a body and is .extern; drop one", f.Name), related(f.Pos, "declared .extern here"))
			c.drops(d, f.Pos, c.m.TokenEnd(f.Pos), ".extern")
			g.suppressed = true
		}
	case g.fn == nil:
		what := "function"
		if f.Entry {
			what = "kernel"
		}
		c.conflict(g, headEnd(f), what)
		g = &global{name: f.Name, fn: f, pos: f.NamePos, suppressed: true}
		c.program.globals[f.Name] = g
		c.program.order = append(c.program.order, g)
	default:
		ok := redeclare(c, g, f)
		if ok {
			c.head(f)
		}
		g.suppressed = g.suppressed || !ok
	}
	if f.HasBody && g.def == nil {
		g.def = f
		if g.alias && !g.suppressed {
			c.errorf(IllegalAlias, headEnd(f), "%s is an alias and gets a body here; drop the body or the .alias", f.Name)
			g.suppressed = true
		}
	}
	return g
}

// conflict reports a function and a variable under one name.
func (c *checker) conflict(g *global, pos diag.Pos, what string) {
	if g.suppressed {
		return
	}
	g.suppressed = true
	was := "variable"
	if g.fn != nil {
		was = "function"
	}
	c.add(diag.Error, ConflictingName, pos, sprintf("%s %s has the name of a %s; rename one", what, g.name, was),
		related(g.pos, "the %s is declared here", was))
}

// redeclare compares a declaration with the first one of its name, and reports
// whether they agree.
func redeclare(c *checker, g *global, f *ptx.Func) bool {
	first := g.fn
	at := related(g.pos, "first declared here")
	switch {
	case g.suppressed:
		return false
	case first.Entry != f.Entry:
		c.add(diag.Error, ConflictingName, headEnd(f), sprintf("%s is a kernel here and a function before, or the other way round; rename one", f.Name), at)
		return false
	case g.def != nil:
		what := "declared again after its definition; remove the declaration or move it up"
		if f.HasBody {
			what = "defined twice; remove or rename one definition"
		}
		d := c.add(diag.Error, DuplicateDefinition, headEnd(f), f.Name+" is "+what, related(g.def.NamePos, "defined here"))
		if !f.HasBody {
			c.fix(d, f.Pos, c.m.TokenEnd(f.EndPos), "", "remove the declaration")
		}
		return false
	}
	msg := differ(first, f, "before", "here")
	if msg == "" {
		msg = keepDiffers(first, f)
	}
	if msg != "" && !c.mistakes.anyBad(first.Results, first.Params) {
		if c.partialModule() {
			return false // a formal may be among what could not be read
		}
		c.add(diag.Error, ConflictingDeclaration, headEnd(f), sprintf("declarations of %s differ: %s; make them equal", f.Name, msg), at)
		c.mistakes.spoilOdd(first, f)
		return false
	}
	return linkage(c, g, f, at)
}

// linkage compares the linking directives of two declarations. A definition
// without one has that of the declaration, unless that is .extern, which is an error.
func linkage(c *checker, g *global, f *ptx.Func, at diag.Related) bool {
	was, is := g.fn.Linkage, f.Linkage
	noret := (g.fn.Directive(".noreturn") != nil) == (f.Directive(".noreturn") != nil)
	switch {
	case was == ptx.Extern && f.HasBody:
		pos := headEnd(f)
		if is == was {
			pos = f.EndPos
		}
		d := c.add(diag.Error, ConflictingLinkage, pos, sprintf("%s is defined here and .extern before; drop .extern from the declaration", f.Name), at)
		if is != ptx.Extern {
			if end := c.m.TokenEnd(g.fn.Pos); is == ptx.NoLinkage {
				c.drops(d, g.fn.Pos, end, ".extern")
			} else {
				c.fix(d, g.fn.Pos, end, is.String(), "write "+is.String())
			}
		}
	case was != is && (is != ptx.NoLinkage || was == ptx.Extern):
		c.add(diag.Error, ConflictingLinkage, headEnd(f), sprintf("%s is %s here and %s before; write the same on both", f.Name, linkageText(is), linkageText(was)), at)
	case !noret:
		c.add(diag.Error, ConflictingLinkage, headEnd(f), sprintf("only one of the declarations of %s says .noreturn; write it on both", f.Name), at)
	default:
		return true
	}
	return false
}

func linkageText(l ptx.Linkage) string {
	if l == ptx.NoLinkage {
		return "without a linking directive"
	}
	return l.String()
}

// headEnd returns the position at which the assembler reports a head as a whole: for a function with a body, its
// opening brace; but the name if the two are on one line.
func headEnd(f *ptx.Func) diag.Pos {
	if f.HasBody && !f.Entry && f.BodyPos.Line != f.NamePos.Line {
		return f.BodyPos
	}
	return f.NamePos
}

// differ returns the first difference of the formals of two declarations of a function, in words; "" if
// there is none. Names do not matter.
func differ(a, b *ptx.Func, inA, inB string) string {
	if x, y := len(a.Results), len(b.Results); x != y {
		return sprintf("%s %s, %s %s", prose.Count(y, "result"), inB, prose.Count(x, "result"), inA)
	}
	if x, y := len(a.Params), len(b.Params); x != y {
		return sprintf("%s %s, %s %s", prose.Count(y, "parameter"), inB, prose.Count(x, "parameter"), inA)
	}
	ours, theirs := formalsOf(a), formalsOf(b)
	for i := range ours {
		if x, y := ours[i], theirs[i]; !alike(x, y) {
			return sprintf("%s is %s %s, %s %s", ordinal(b, i), describe(&y.Spec, &y.Var), inB, describe(&x.Spec, &x.Var), inA)
		}
	}
	return ""
}

// formalsOf returns the results of a function and then its parameters.
func formalsOf(f *ptx.Func) (list []*ptx.Formal) {
	for _, formals := range [][]ptx.Formal{f.Results, f.Params} {
		for i := range formals {
			list = append(list, &formals[i])
		}
	}
	return list
}

// ordinal returns the text for formal i of formalsOf: "the result", or a parameter with its number, from 0 on, and its name.
func ordinal(f *ptx.Func, i int) string {
	if i -= len(f.Results); i < 0 {
		return "the result"
	}
	if name := f.Params[i].Name; name != "" && name != "_" {
		return sprintf("parameter %d (%s)", i, name)
	}
	return sprintf("parameter %d", i)
}

// alike reports whether two formals are equal but for their names.
func alike(a, b *ptx.Formal) bool {
	return a.Space == b.Space && a.Type == b.Type && a.Vec == b.Vec && (len(a.Dims) > 0) == (len(b.Dims) > 0) &&
		a.Var.Unsized() == b.Var.Unsized() && a.Size() == b.Size() &&
		a.Spec.Alignment() == b.Spec.Alignment()
}

// describe returns a declared name's space, alignment, type and extent as PTX
// writes them.
func describe(s *ptx.Spec, v *ptx.Var) string {
	var b strings.Builder
	b.WriteString(s.Space.String())
	natural := max(s.ElemSize(), 1)
	if a := s.Alignment(); a != natural && s.Type.Class() != ptx.Handle {
		b.WriteString(sprintf(" .align %d", a))
	}
	if s.Vec != 0 {
		b.WriteString(sprintf(" .v%d", s.Vec))
	}
	b.WriteString(" " + s.Type.String())
	for i, n := range v.Dims {
		if i == 2 {
			b.WriteString("…")
			break
		}
		if n == ptx.NoExtent || n == 0 {
			b.WriteString("[]")
		} else {
			b.WriteString(sprintf("[%d]", n))
		}
	}
	return b.String()
}
