package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A bodyCheck is the state of checking one body: the data that rules about statements may read and
// change, besides those of a checker.
type bodyCheck struct {
	c    *checker
	Func *ptx.Func
	g    *global
	in   *body.Body // the meanings of names
	at   int        // the index of the statement at hand

	place     *placement          // stores, calls and loads so far
	pointsTo  map[int32]address   // by the number of a register's name: the parameter to which it points
	gone      map[string]diag.Pos // the .param variables of the body by name; made when first needed
	read      map[string]bool     // the names that statements other than stores mention; made when first needed
	registers *registerUse        // made when first needed
	unknown   map[string]bool     // undeclared names that were reported
	// Diagnostics about these have been reported.
	used      map[*ptx.Prototype]bool
	targets   map[*ptx.TargetList][]signature
	varTables map[*ptx.Var]*callTable

	jumps      []jump        // so far
	symbols    int           // how many symbols have been declared so far
	labelled   int           // how many labels there were so far
	inKernel14 bool          // .param variables of the body are formals
	halfBody   bool          // a statement begins with an unknown word: it may declare names
	specs      []*ptx.Spec   // of the operands of an access; nil for an operand that is no register
	unclear    bool          // a declaration has an unknown word
	passed     *diag.Related // the first unknown thing that was passed over, in a module of a later version; nil if there is none
	one        [1]signature
}

// checkBody checks the body of a function, in one walk in the order of the text.
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

// takeBack drops the diagnostics of a statement, which are those after the first reported ones, if the statement has a
// syntax error or names a variable whose declaration has an unknown word: they may follow from that. Diagnostics that are
// reported once in a body or a module stay.
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

// pass records the first unknown thing that is passed over in a module of a later version. There is no code of such a body.
func (b *bodyCheck) pass(pos diag.Pos, format string, args ...any) {
	if b.passed == nil && b.c.newerModule() {
		b.passed = &diag.Related{Pos: pos, Msg: sprintf(format, args...)}
	}
}

// unknownVar passes over a variable, or a formal of a function, of an unknown type, space or form.
func (b *bodyCheck) unknownVar(s *ptx.Spec, v *ptx.Var, of string) {
	if !s.Known() {
		name := v.Name
		if name == "" {
			name = "a formal"
		}
		b.pass(v.Pos, "%s%s has a type, state space or form that is not known", name, of)
	}
}

// unknownFormals does the same for lists of formals.
func (b *bodyCheck) unknownFormals(of string, lists ...[]ptx.Formal) {
	for _, list := range lists {
		for i := range list {
			b.unclear = b.unclear || len(list[i].Unknown) > 0
			b.unknownVar(&list[i].Spec, &list[i].Var, of)
		}
	}
}

// newer is checker.newer for a word without which there is no code.
func (b *bodyCheck) newer(kind, word string, pos diag.Pos) bool {
	if b.c.newer(kind, word, pos) {
		b.pass(pos, "%s %s is not known", kind, word)
		return true
	}
	return false
}

// begin makes b the state before the body of f, in the memory of the bodies
// before.
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

// end applies the rules that need the whole body.
func (b *bodyCheck) end() {
	b.place.end(b)
	b.mentions()
	b.misreadParts()
	if len(b.in.Lists) > 0 || len(b.in.Labels) > 0 || len(b.jumps) > 0 {
		b.labels()
	}
	ways(b)
}

// mentions records facts for the rules at the end of the module: the formals that the body does not mention, and the
// variables with addresses of functions that its instructions mention.
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

// stmt checks a statement that is neither a plain instruction nor an access.
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
		} else if b.c.kept++; s.Name != b.Func.Name { // the assemblers accept a declaration of the function around it
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

// operandSym returns the symbol of operand k of the access at hand: the base of its
// address, then its registers.
func (b *bodyCheck) operandSym(k int) *body.Symbol { return b.in.Sym(b.in.Operands(b.at)[k]) }

// result and argument return the symbol of an operand of the call at hand.
func (b *bodyCheck) result(i int) *body.Symbol { return b.in.Sym(b.in.Operands(b.at)[2+i]) }

func (b *bodyCheck) argument(call *ptx.Call, i int) *body.Symbol {
	return b.in.Sym(b.in.Operands(b.at)[2+len(call.Results)+i])
}

// partialBody reports whether declarations of the module or of the function
// may be missing in the tree.
func (b *bodyCheck) partialBody() bool {
	return b.c.partialModule() || b.halfBody || b.c.broken[b.Func.Pos].errors > 0
}

// partialAccess reports whether accesses to variables of the body may be missing in the tree.
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

// lookup returns the symbol that a name means at the statement at hand, nil if it means none of the
// function's.
func (b *bodyCheck) lookup(name string) *body.Symbol { return b.in.Lookup(b.at, name) }

// undeclared reports a name without a visible declaration, once.
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

// closed returns the position at which the body declares a .param variable of a name, before or after the statement at
// hand. The caller has found that it is not visible here.
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

// operands reports names in a plain instruction that are not declared before it, and special registers that it cannot
// read: only mov and cvt read them. A name that begins with % in a mov or cvt may therefore be an unknown special register,
// unless the stem of the name is that of a range or of special registers. Labels have their own rule.
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

// instr checks an instruction that is neither a call nor a parameter access. It may
// branch, or use the address of a parameter.
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
		if !b.c.Lower { // package lower copies their text
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
			destination(b, in, name)
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
