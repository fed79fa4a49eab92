package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A bodyCheck is the state of reading one body: what a rule about statements may ask and
// change besides what a checker has.
type bodyCheck struct {
	c    *checker
	Func *ptx.Func
	g    *global
	in   *body.Body // what names mean
	at   int        // the statement that is looked at

	place    *placement          // stores, calls and loads so far
	pointsTo map[int32]address   // registers, by the numbers of their names, that point to parameters
	gone     map[string]diag.Pos // names of .param variables whose block is closed; made when first needed
	read     map[string]bool     // names that statements other than stores mention; likewise
	unknown  map[string]bool     // undeclared names that were reported
	// Diagnostics about these have been reported.
	used      map[*ptx.Prototype]bool
	targets   map[*ptx.TargetList][]signature
	varTables map[*ptx.Var]*callTable

	jumps      []jump        // so far
	symbols    int           // declared so far
	labelled   int           // labels so far
	inKernel14 bool          // .param in the body are formals
	halfBody   bool          // a statement begins with a word that is not known: it may declare names
	specs      []*ptx.Spec   // of the registers of an access; nil for what is none
	unclear    bool          // a declaration has a word that is not known
	passed     *diag.Related // what was passed over, in a module of a later version, so that there is no code; nil if nothing was
	one        [1]signature
}

// checkBody reads the body of a function once, in order of the text.
func checkBody(c *checker, g *global, f *ptx.Func, in *body.Body) {
	b := &c.spare
	begin(b, c, g, f, in)
	b.halfBody = c.unread(f.Unread)
	b.unknownFormals("", resolve.Params(c.m, f), f.Results)
	stmts := f.Body
	for i := range stmts {
		b.at = i
		reported := len(c.list)
		switch s := stmts[i].(type) {
		case *ptx.Instr:
			instr(b, s)
		case *ptx.Access:
			b.g.busy = true
			b.access(s)
		default:
			stmt(b, s)
		}
		if len(c.list) > reported && (b.unclear || c.broken[f.Pos].errors > 0) {
			b.takeBack(reported)
		}
	}
	b.end()
}

// takeBack drops what was reported of a statement, after the first reported ones, if that has a syntax error or names something
// in whose declaration a word is not known: it may follow from that. What is reported once in a body or a module stays.
func (b *bodyCheck) takeBack(reported int) {
	unknown := func(r body.Ref) bool {
		sym := b.in.Sym(r)
		if sym == nil || sym.Var == nil || len(sym.Spec.Unknown) == 0 {
			return false
		}
		b.unknownVar(sym.Spec, sym.Var, "")
		return true
	}
	from, to := b.Func.Body[b.at].Span()
	within := func(d *diag.Diagnostic) bool {
		return d.Code == ptx.BadSyntax && !d.Pos.Before(from) && !to.Before(d.Pos)
	}
	broken := b.c.broken[b.Func.Pos].errors > 0 && (slices.ContainsFunc(b.c.m.Errors, within) || slices.ContainsFunc(b.c.list[:reported], within))
	if !broken && !slices.ContainsFunc(b.in.Operands(b.at), unknown) && !unknown(b.in.Guard(b.at)) {
		return
	}
	b.c.list = append(b.c.list[:reported], slices.DeleteFunc(b.c.list[reported:], func(d *diag.Diagnostic) bool {
		switch d.Code {
		case UnknownWord, NewerFeature, UndeclaredName, UndeclaredCallee:
			return false
		}
		return true
	})...)
}

// pass notes that something was passed over that is not known, if the module is of a later version and nothing was before.
func (b *bodyCheck) pass(pos diag.Pos, format string, args ...any) {
	if b.passed == nil && b.c.newerModule() {
		b.passed = &diag.Related{Pos: pos, Msg: sprintf(format, args...)}
	}
}

// unknownVar notes a variable, or a formal of a function, without which there is no code.
func (b *bodyCheck) unknownVar(s *ptx.Spec, v *ptx.Var, of string) {
	if !s.Known() {
		name := v.Name
		if name == "" {
			name = "a formal"
		}
		b.pass(v.Pos, "%s%s has a type, state space or form that is not known", name, of)
	}
}

// unknownFormals does so for lists of formals.
func (b *bodyCheck) unknownFormals(of string, lists ...[]ptx.Formal) {
	for _, list := range lists {
		for i := range list {
			b.unclear = b.unclear || len(list[i].Unknown) > 0
			b.unknownVar(&list[i].Spec, &list[i].Var, of)
		}
	}
}

// newer is that of the checker, for something without which there is no code.
func (b *bodyCheck) newer(kind, word string, pos diag.Pos) bool {
	if b.c.newer(kind, word, pos) {
		b.pass(pos, "%s %s is not known", kind, word)
		return true
	}
	return false
}

// begin makes b the state before the body of f, in the memory that other bodies have
// left.
func begin(b *bodyCheck, c *checker, g *global, f *ptx.Func, in *body.Body) {
	*b = bodyCheck{c: c, Func: f, g: g, in: in, place: b.place, specs: b.specs, jumps: b.jumps[:0], inKernel14: resolve.ParamsInBody(c.m, f)}
	b.unknown, b.used = make(map[string]bool), make(map[*ptx.Prototype]bool)
	b.targets, b.varTables = make(map[*ptx.TargetList][]signature), make(map[*ptx.Var]*callTable)
	b.pointsTo = make(map[int32]address)
	b.symbols = len(f.Results) + len(f.Params)
	if b.place == nil {
		b.place = new(placement)
	}
	b.place.reset(f.Body)
}

// end judges what the end of the body decides.
func (b *bodyCheck) end() {
	b.place.end(b)
	b.mentions()
	b.misreadParts()
	if len(b.in.Lists) > 0 || len(b.in.Labels) > 0 || len(b.jumps) > 0 {
		b.labels()
	}
	ways(b)
}

// mentions notes what the end of the module decides by: the formals that the body does not mention, and the variables that
// hold functions which its instructions do.
func (b *bodyCheck) mentions() {
	for _, sym := range b.in.Syms[len(b.Func.Results):][:len(b.Func.Params)] {
		if !sym.Mentioned {
			b.g.unread = append(b.g.unread, sym.Index)
		}
	}
	for i := 0; i < len(b.Func.Body) && len(b.c.roots) > 0; i++ {
		if _, ok := b.Func.Body[i].(*ptx.Instr); ok {
			for _, m := range b.in.Mentions(i) {
				if b.c.roots[m.Name] {
					b.g.roots = append(b.g.roots, m.Name)
				}
			}
		}
	}
}

// stmt looks at a statement that is neither a plain instruction nor an access.
func stmt(b *bodyCheck, s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Label:
		b.label(s)
		b.place.last.label = b.at
		clear(b.pointsTo)
	case *ptx.Decl:
		localDecl(b, s)
	case *ptx.Prototype:
		prototype(b, s)
		b.declareList(s.Name, s.Pos)
	case *ptx.TargetList:
		targetList(b, s)
		b.declareList(s.Name, s.Pos)
	case *ptx.Func:
		if s.Entry {
			b.c.errorf(MisplacedDirective, s.Pos, ".entry in a body; declare kernel %s at module level", s.Name)
		} else if b.c.kept++; s.Name != b.Func.Name { // the assemblers take a declaration of the function that is being defined
			b.c.declare(s)
		}
	case *ptx.Raw:
		b.c.raw(s, ptx.InBody, "in a body")
	case *ptx.Directive:
		if !b.c.directive(s, ptx.InBody, "in a body") {
			b.halfBody = b.halfBody || !b.c.known(s.Name)
		}
		switch s.Name {
		case ".alias":
			b.c.alias(s, b.g)
		case ".pragma":
			where := "" // in a kernel
			if !b.Func.Entry {
				where = "in function " + b.Func.Name
			}
			b.c.pragma(s, where)
		}
	case *ptx.Call:
		b.g.busy = true
		b.guard(&s.Instr)
		b.callModifiers(s)
		b.call(s)
		clear(b.pointsTo)
	}
}

// operandSym returns what operand k of the access that is looked at means: the base of its
// address, then its registers.
func (b *bodyCheck) operandSym(k int) *body.Symbol { return b.in.Sym(b.in.Operands(b.at)[k]) }

// result and argument return what an operand of the call that is looked at means.
func (b *bodyCheck) result(i int) *body.Symbol { return b.in.Sym(b.in.Operands(b.at)[2+i]) }

func (b *bodyCheck) argument(call *ptx.Call, i int) *body.Symbol {
	return b.in.Sym(b.in.Operands(b.at)[2+len(call.Results)+i])
}

// partialBody reports whether the declarations of the module, or those of the function,
// may lack some.
func (b *bodyCheck) partialBody() bool {
	return b.c.partialModule() || b.halfBody || b.c.broken[b.Func.Pos].errors > 0
}

// partialAccess reports whether the body may lack accesses of its variables.
func (b *bodyCheck) partialAccess() bool {
	return b.halfBody || b.c.broken[b.Func.Pos].errors > 0 || b.c.partial
}

// prototype checks a .callprototype.
func prototype(b *bodyCheck, p *ptx.Prototype) {
	if !b.c.need(indirectCalls, p.Pos) {
		return
	}
	b.c.formals(nil, p.Results, p.Params)
	if slices.ContainsFunc(p.Results, func(f ptx.Formal) bool { return f.Space != ptx.RegSpace }) {
		b.c.results(p.Results, p.Pos, "prototype "+p.Name)
	}
	protoDirectives(b.c, p)
}

// targetList checks that a .calltargets names functions.
func targetList(b *bodyCheck, l *ptx.TargetList) {
	if l.Branch {
		b.c.need(branchLists, l.Pos)
		for i := range l.Names {
			if l.Names[i].Text != l.Name && b.noLabel(&l.Names[i], ".branchtargets") {
				break
			}
		}
		return
	}
	if !b.c.need(targetLists, l.Pos) {
		return
	}
	for i := range l.Names {
		o := &l.Names[i]
		g := b.c.program.globals[o.Text]
		switch {
		case g == nil:
			b.undeclaredCallee(o)
		case g.fn == nil || b.lookup(o.Text) != nil:
			b.c.errorf(IllegalCallee, o.Pos, "%s is not a function; a list of call targets names functions", o.Text)
		default:
			if g.fn.Entry {
				b.c.forbidf(CalledKernel, o.Pos, "%s is a kernel; a list of call targets names functions", o.Text)
			}
			b.c.mention(b.g, g, o.Pos)
		}
	}
}

// lookup returns what a name means in the body, nil if it is not a name of the
// function.
func (b *bodyCheck) lookup(name string) *body.Symbol { return b.in.Lookup(b.at, name) }

// undeclared reports once a name that is declared nowhere in sight.
func (b *bodyCheck) undeclared(name string, pos diag.Pos) {
	if b.partialBody() || b.unknown[name] {
		b.pass(pos, "%s may be declared by what is not known", name)
		return
	}
	b.unknown[name] = true
	if at, ok := b.closed(name); ok {
		b.c.add(diag.Error, ForeignParameter, pos, sprintf("%s is used outside the block that declares it; move the use in or the declaration out", name), related(at, "declared here"))
		return
	}
	if owner := b.c.ownerOf(name); owner != "" && owner != b.Func.Name {
		b.c.errorf(ForeignParameter, pos, "%s is a parameter of %s, not of %s; pass its value, or declare a variable of that name", name, clip(owner), clip(b.Func.Name))
		return
	}
	b.c.errorf(UndeclaredName, pos, "%s is not declared at this place", name)
}

// closed returns where the body declares a name in a block that is not open
// here, before or after.
func (b *bodyCheck) closed(name string) (diag.Pos, bool) {
	if b.gone == nil {
		b.gone = make(map[string]diag.Pos)
		for _, s := range b.Func.Body {
			d, ok := s.(*ptx.Decl)
			if !ok || d.Space != ptx.ParamSpace {
				continue
			}
			for i := range d.Vars {
				b.gone[d.Vars[i].Name] = d.Vars[i].Pos
			}
		}
	}
	at, ok := b.gone[name]
	return at, ok
}

// guard checks the predicate of a call or a parameter access.
func (b *bodyCheck) guard(in *ptx.Instr) {
	if in.Guard == nil {
		return
	}
	sym, name := b.in.Sym(b.in.Guard(b.at)), in.Guard.Name
	g := b.c.named(name)
	switch {
	case sym == nil && g.isRegister():
	case sym == nil && name == "%is_explicit_cluster":
		b.c.need(specials[name], in.Guard.Pos)
	case sym == nil && g == nil && !special(name):
		b.undeclared(name, b.c.at(in.Guard.Pos, name))
	case sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace || sym.Spec.Type != ptx.Pred:
		b.c.errorf(IllegalOperand, b.c.at(in.Guard.Pos, name), "%s is not a predicate; set one with setp", name)
	}
}

// hasRange reports whether the body has a range of registers with that name.
func hasRange(b *bodyCheck, name string) bool {
	return slices.ContainsFunc(b.in.Syms, func(s *body.Symbol) bool { return s.Var != nil && s.Var.Ranged() && s.Var.Name == name })
}

// operands reports names in a plain instruction that nothing declares before it, and special registers that it does not take:
// mov and cvt alone read them, but for addresses and vectors, so that what they read may be one that is not known, unless its
// stem has other numbers. Labels have their own rule.
func operands(b *bodyCheck, in *ptx.Instr, name string) {
	if b.c.newerModule() || name == "bra" || name == "brx" {
		return
	}
	reads := name == "mov" || name == "cvt"
	for k, r := range b.in.Operands(b.at) {
		if r.Sym >= 0 || r.Name < 0 {
			continue
		}
		n := b.in.Name(r.Name)
		isLabel := func(l body.Label) bool { return l.Name == n }
		isOperand := func(o ptx.Operand) bool { return o.Name() == n }
		switch stem := strings.TrimRight(n, "0123456789"); {
		case b.c.named(n) != nil, slices.ContainsFunc(b.in.Labels, isLabel):
		case special(n):
			if i := slices.IndexFunc(in.Ops(), isOperand); i == 0 || i > 0 && !reads {
				b.c.errorf(IllegalOperand, in.Ops()[i].Pos, "%s is a special register, which cannot stand here; read it with mov into a register of its own", n)
			} else {
				b.c.need(specials[n], in.Pos)
			}
		case reads && k > 0 && n[0] == '%' && !hasRange(b, stem) && !special(stem+"0"):
		default:
			b.undeclared(n, slices.Collect(ptx.Names(in.Ops()))[k].Pos)
		}
	}
}

// instr looks at an instruction that is neither a call nor a parameter access:
// it may move control, or touch the address of a parameter.
func instr(b *bodyCheck, in *ptx.Instr) {
	op := b.in.Op(b.at)
	name := op.Name
	leaves := name == "ret" || name == "exit"
	if !b.g.busy && !leaves {
		b.g.busy = in.Op != "" && in.Op[0] != '.'
	}
	known := isParamAccess(op) || b.opcode(in)
	if known {
		b.c.floatLiterals(in.Ops())
		if !b.c.Lower { // which takes them as they are
			b.guard(in)
			operands(b, in, name)
		}
	}
	switch name {
	case "ret", "exit", "bra", "brx", "trap":
		b.place.control(b.at)
		b.clearPointsTo(in)
		noteJump(b, in, name)
	case "mov", "add", "sub", "ld", "ldu", "st", "cvta", "isspacep", "atom", "red", "prefetch", "prefetchu":
		if isParamAccess(op) {
			b.halfBody = true
			b.c.unreadAccess(in)
			b.pass(in.Pos, "%s is not known", in.Op)
			return
		}
		b.place.other(b.at)
		if known {
			paramOperands(b, in)
			addressInstr(b, in)
		}
	default:
		b.place.other(b.at)
		b.clearPointsTo(in)
		b.place.leavesResults = b.place.leavesResults || !op.Known() // it may return something
		if !known {
			return
		}
		paramOperands(b, in)
		if name == "alloca" || name == "stacksave" || name == "stackrestore" {
			stackOperands(b, in, name)
		}
	}
}
