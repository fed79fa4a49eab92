package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// finish applies the rules that need the whole module.
func finish(c *checker) {
	reach(c)
	for _, g := range c.program.order {
		if !g.suppressed {
			defined(c, g)
		}
	}
	for _, g := range c.program.order {
		subword(c, g)
		preservedHead(c, g)
	}
	dependents(c)
	farAccesses(c)
	ownNames(c)
	unreadArguments(c)
	matchTails(c)
	if c.program.noABI.IsValid() {
		withoutABI(c)
	}
	trailingNul(c)
	unresolvedArrays(c)
	moduleHead(c)
	fixVersions(c)
	onceDeclared(c)
}

// moduleHead reports a module that does not begin with .version and .target. A text without both is a part of one.
func moduleHead(c *checker) {
	heads, items := c.program.heads, c.m.Items
	if c.partial || !heads[".version"] && !heads[".target"] {
		return
	}
	for i, name := range []string{".version", ".target"} {
		it := items[min(i, len(items)-1)]
		d, ok := it.(*ptx.Directive)
		if ok && (d.Name == name || i < len(items) && i == 1 && d.Name == ".version") { // a second .version has been reported
			continue
		}
		pos, _ := it.Span()
		c.refusef(MisplacedDirective, pos, "a module begins with .version and .target, and %s does not stand there", name)
		return
	}
}

// trailingNul reports NULs at the end of the text.
func trailingNul(c *checker) {
	if !c.m.NUL.IsValid() {
		return
	}
	sev := diag.Warning
	if c.m.Version.AtLeast(8, 9) { // which 12.9 does not read
		sev = c.refused()
	}
	d := c.add(sev, TrailingNul, c.m.NUL, "the module ends with NUL characters, which the assemblers from 13.0 on refuse; drop them")
	d.End = c.m.NULEnd
	d.Fixes = []diag.Fix{{Msg: "drop them", Edits: []diag.Edit{{Pos: c.m.NUL, End: c.m.NULEnd}}}} // after the text
}

// reach marks the functions that are compiled for the ABI. With -c these are all with bodies; otherwise
// the kernels, the functions that a marked function mentions, by a call or by its address, and those that
// variables of the module mention. A function without a body is marked if a marked function mentions it.
func reach(c *checker) {
	var marked []*global
	mark := func(g *global) {
		if !g.reached {
			g.reached = true
			marked = append(marked, g)
		}
	}
	for _, g := range c.program.order {
		if g.fn.Entry || c.Compile && g.def != nil {
			mark(g)
		}
	}
	followed := 0
	follow := func() {
		for ; followed < len(marked); followed++ {
			for _, to := range marked[followed].mentions {
				mark(to)
			}
		}
	}
	follow()
	called := len(marked)
	for _, g := range c.program.roots {
		mark(g)
	}
	follow()
	if !c.Compile && called < len(marked) {
		rooted(c, marked[called:])
	}
}

// builtin reports whether the assembler itself provides a function.
func builtin(name string) bool {
	return slices.Contains([]string{"vprintf", "vfprintf", "malloc", "free", "__assertfail", "cnpGetParameterBuffer", "__cuda_syscall_cp_async"}, name)
}

// defined reports functions without a body: the module must define a function that is not
// .extern, and a whole program must define an extern that is called.
func defined(c *checker, g *global) {
	if g.def != nil || g.alias || c.partialModule() || builtin(g.name) {
		return
	}
	what := "function"
	if g.fn.Entry {
		what = "kernel"
	}
	switch {
	case g.fn.Linkage != ptx.Extern:
		d := c.refusef(UndefinedFunction, g.pos, "%s %s is declared and never defined; define it, or declare it .extern", what, g.name)
		if c.Compile && g.fn.Linkage == ptx.NoLinkage {
			c.fix(d, g.fn.Pos, g.fn.Pos, ".extern ", "declare it .extern")
		}
	case g.called.IsValid() && !c.Compile:
		c.add(diag.Error, UnresolvedExtern, g.called, sprintf("%s is .extern, and a whole program has no other module; define it, or compile with -c", g.name), related(g.pos, "declared here"))
	}
}

// unresolvedArrays reports .extern arrays without extent of a whole program, of which no declaration has one.
func unresolvedArrays(c *checker) {
	for _, it := range c.m.Items {
		d, ok := it.(*ptx.Decl)
		if !ok || d.Linkage != ptx.Extern || d.Space != ptx.GlobalSpace && d.Space != ptx.ConstSpace || c.Compile || c.partialModule() {
			continue
		}
		for i := range d.Vars {
			if g := c.program.globals[d.Vars[i].Name]; g != nil && g.decl == d && !g.sized {
				c.errorf(UnresolvedExtern, g.pos, "%s is an .extern array without extent, and a whole program has no other module; define it, or compile with -c", g.name)
			}
		}
	}
}

// subword reports formals under 32 bits of a function and of the
// prototypes of its calls.
func subword(c *checker, g *global) {
	f := g.formals()
	if !g.fn.Entry {
		c.narrow(f.Results, g, "result", "function", g.name)
		c.narrow(f.Params, g, "formal", "function", g.name)
	}
	for _, p := range g.protos {
		c.narrow(p.Results, g, "result", "prototype", p.Name)
		c.narrow(p.Params, g, "formal", "prototype", p.Name)
	}
}

// narrow reports the scalars under 32 bits among the formals of a function or a prototype; of is "function" or
// "prototype". The assembler refuses integers and predicates in functions that are compiled for the
// ABI; the manual forbids the others in registers.
func (c *checker) narrow(list []ptx.Formal, g *global, what, of, name string) {
	for i := range list {
		p := &list[i]
		t := p.Type
		if !isNarrow(p) {
			continue
		}
		fatal := t.Class() == ptx.Integer || t == ptx.Pred
		if t == ptx.Pred && p.Space == ptx.ParamSpace && of == "function" {
			continue // reported as unplaceable
		}
		switch {
		case fatal && g.reached && !g.rooted && !c.program.noABI.IsValid():
			c.mistakes.markBad(&p.Var)
			if t == ptx.Pred {
				c.refusef(PredicateFormal, p.TypePos, "%s %s of %s %s is %s, which the ABI does not pass; pass .b32 made with selp", what, p.Name, of, name, t)
				continue
			}
			d := c.refusef(SubwordFormal, p.TypePos, "%s %s of %s %s is %s, which the ABI does not pass; pass .b32, or %s %s[1]", what, p.Name, of, name, t, bitsOf(t), p.Name)
			if !g.again {
				c.fixType(d, p.TypePos, t, bitsOf(t))
			}
		case p.Space == ptx.RegSpace && (c.m.Version.AtLeast(2, 0) || c.m.Version == ptx.Version{}) && !c.program.noABI.IsValid():
			c.forbidf(NarrowRegister, p.TypePos, "%s %s of %s %s is %s in .reg space; the manual wants at least 32 bits: pass .b32, or use .param", what, p.Name, of, name, t)
		}
	}
}

// isNarrow reports whether a formal is a scalar under 32 bits.
func isNarrow(p *ptx.Formal) bool {
	size := p.Type.Size()
	return len(p.Dims) == 0 && p.Vec == 0 && !p.Ranged() && 0 < size && size < 4 && p.Type.Class() != ptx.Alternate
}

func hasNarrow(list []ptx.Formal) bool {
	return slices.ContainsFunc(list, func(p ptx.Formal) bool { return isNarrow(&p) })
}

// bitsOf returns the untyped bits that hold a value of a type.
func bitsOf(t ptx.Type) string { return sprintf(".b%d", 8*t.Size()) }

// farAccesses turns errors about accesses into warnings, in functions that are never
// compiled for the ABI.
func farAccesses(c *checker) {
	for _, f := range c.later.ifCompiled {
		if !f.g.reached || f.g.rooted && f.err.Code == PrematureLoad {
			f.err.Severity = c.forbidden()
			f.err.Msg += " once something calls the function"
		}
	}
}

// withoutABI reports the functions that need the ABI in a module that switches it off: recursive ones, and those with calls
// through registers.
func withoutABI(c *checker) {
	at := related(c.program.noABI, "the ABI is switched off here")
	for _, g := range cycles(c) {
		c.add(diag.Error, RecursiveFunction, g.pos, sprintf("%s calls itself, directly or through others, which needs the ABI", g.name), at)
	}
	for _, g := range c.program.order {
		if g.indirect.IsValid() && !c.Compile { // whether the function is reached or not
			c.add(diag.Error, MissingABI, g.indirect, "a call through a register needs the ABI", at)
		}
	}
}

// cycles returns recursive functions among those that are reached: for each cycle of calls, the function at which a
// depth-first search enters it. A call of a function that is on the path of the search closes a cycle.
func cycles(c *checker) []*global {
	const (
		open    = 1 // on the path of the search
		entered = 2 // on the path of the search, and found to begin a cycle
		done    = 3
	)
	state := make(map[*global]int)
	var found []*global
	var visit func(g *global)
	visit = func(g *global) {
		state[g] = open
		for _, to := range g.mentions {
			switch state[to] {
			case 0:
				visit(to)
			case open:
				state[to] = entered
				found = append(found, to)
			}
		}
		state[g] = done
	}
	for _, root := range c.program.order {
		if root.reached && state[root] == 0 {
			visit(root)
		}
	}
	return found
}

// The roots of a module are the functions in initial values of its variables. Code that reads such a variable can
// call them. In a whole program the assembler compiles all of them for the ABI, if a function that a kernel can reach
// calls through a register or mentions such a variable.

// rooted marks the functions of marked, which only roots lead to, as rooted if nothing reads the variables: the
// assembler does not compile these for the ABI.
func rooted(c *checker, marked []*global) {
	sensitive := len(c.later.ifCompiled) > 0 || slices.ContainsFunc(marked, func(g *global) bool {
		f := g.formals()
		return hasNarrow(f.Params) || hasNarrow(f.Results) || len(g.protos) > 0
	})
	if !sensitive || rootsRead(c, marked) {
		return
	}
	for _, g := range marked {
		g.rooted = true
	}
}

// rootsRead reports whether a function that a kernel can reach, and so is not in marked,
// calls through a register or mentions a variable with the address of a function.
func rootsRead(c *checker, marked []*global) bool {
	by := make(map[*global]bool, len(marked))
	for _, g := range marked {
		by[g] = true
	}
	for _, g := range c.program.order {
		if !g.reached || by[g] || g.def == nil {
			continue
		}
		if g.indirect.IsValid() || slices.ContainsFunc(g.roots, func(name string) bool { return c.program.rootVars[name] }) {
			return true
		}
	}
	return false
}

// An unwritten is a diagnostic about an argument that nothing stores.
type unwritten struct {
	callee string // "" for a call through a register
	name   string
	args   []passing
	err    *diag.Diagnostic
}

// unreadArguments turns the warnings about arguments without a store into notes, if the callee
// never reads them. Compilers pass such arguments without a store: they find that
// the value is dead, and may not change the signature.
func unreadArguments(c *checker) {
	for _, u := range c.later.unwritten {
		g := c.program.globals[u.callee]
		if u.callee == "" || g == nil || g.def == nil || g.def.Linkage == ptx.Weak || g.suppressed || !g.busy {
			continue
		}
		read := func(a passing) bool { return a.arg >= len(g.def.Params) || !slices.Contains(g.unread, int32(a.arg)) }
		if !slices.ContainsFunc(u.args, read) {
			u.err.Severity = diag.Note
			u.err.Msg = "no byte of argument " + u.name + " is ever written; " + clip(g.name) + " never reads it"
		}
	}
}
