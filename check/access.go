package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// access checks one ld.param or st.param.
func (b *bodyCheck) access(a *ptx.Access) {
	b.accessRules(a)
	if !a.Store {
		for _, r := range b.in.Operands(b.at)[1:] {
			delete(b.pointsTo, r.Name) // the load writes it
		}
	}
}

// accessRules checks an access by all rules.
func (b *bodyCheck) accessRules(a *ptx.Access) {
	if a.Guard != nil {
		b.guard(&a.Instr)
	}
	sym, ok := base(b, a)
	switch {
	case sym == nil && !ok:
		b.place.lost = b.place.lost || a.Store // it may have been meant for an argument
	case sym == nil || sym.Role != body.Local:
		b.place.other(b.at)
	}
	ok = spelling(b, a, ok)
	ok = accessType(b, a, sym) && ok
	ok = ok && b.accessRegs(a)
	if sym == nil {
		if ok {
			registerAccess(b, a)
		}
	} else {
		if ok && direction(b, a, sym) {
			qualifier(b, a, sym)
			ownName(b, a, sym)
			reported := len(b.c.list)
			bounds(b, a, sym)
			b.c.depends(sym.Var, sym.Spec.Type, reported)
		}
		if sym.Role == body.Local {
			b.place.access(b, a, b.place.state(b.in, b.in.Operands(b.at)[0]))
		}
	}
}

// spelling checks the qualifiers and modifiers of an access, and that it has no
// operands too many. It reports whether they are right and ok is set.
func spelling(b *bodyCheck, a *ptx.Access, ok bool) bool {
	if a.Qual != ptx.AnyParam {
		ok = b.c.need(subQualifiers, a.Pos) && ok
	}
	if ok && a.Store && a.Qual == ptx.EntryParam {
		d := b.c.errorf(IllegalModifier, a.Pos, "st.param::entry: kernel parameters are never written; use st.param::func")
		if sym := b.operandSym(0); sym != nil && sym.Role != body.Param {
			b.c.fixFirst(d, a.Pos, "::entry", "::func", "write st.param::func")
		}
		ok = false
	}
	return modifiers(b, a) && oneOperand(b, a) && ok
}

// base returns the .param variable that an access names, nil if it goes through
// a register; ok is false after a diagnostic.
func base(b *bodyCheck, a *ptx.Access) (sym *body.Symbol, ok bool) {
	name := a.Addr.Base
	if name == "" {
		b.c.errorf(IllegalAddress, a.Addr.Pos, "%s has a number for an address; name a .param variable or a register", a.Op)
		return nil, false
	}
	if a.Addr.Minus {
		d := b.c.errorf(IllegalAddress, a.Addr.Pos, "[%s-%d] is not an address of PTX; write [%s+-%d]", name, -a.Addr.Off, name, -a.Addr.Off)
		b.c.fixFirst(d, a.Addr.Pos, "-", "+-", sprintf("write [%s+-%d]", name, -a.Addr.Off))
		return nil, false
	}
	if a.Addr.Wrapped {
		b.c.forbidf(UnrepresentableConstant, a.Addr.Pos, "the offset does not fit in 64 bits; the assembler takes it modulo 2^64, and it is %d: write the value that is meant", a.Addr.Off)
	}
	sym = b.operandSym(0)
	if sym == nil {
		if g := b.c.named(name); g != nil {
			b.c.add(diag.Error, MismatchedSpace, a.Addr.Pos, sprintf("%s is not a parameter; %s reaches .param variables alone", name, a.Op), related(g.pos, "declared here"))
		} else if special(name) {
			specialAddress(b, a)
		} else {
			b.undeclared(name, a.Addr.Pos)
		}
		return nil, false
	}
	if sym.Var == nil {
		b.c.errorf(IllegalAddress, a.Addr.Pos, "%s has no address", name)
		return nil, false
	}
	if sym.Spec.Space == ptx.NoSpace {
		return nil, false // reported where it is declared
	}
	if a.Addr.Indexed && len(sym.Var.Dims) == 0 {
		d := b.c.add(diag.Error, IllegalAddress, a.Addr.Pos, sprintf("%s is not an array; write [%s]", name, name), related(sym.Var.Pos, "declared here"))
		if _, to := b.c.find(a.Addr.Pos, "]"); a.Addr.Off == 0 {
			b.c.fix(d, a.Addr.Pos, to, "["+name+"]", "write ["+name+"]")
		}
		return nil, false
	}
	switch s := sym.Spec; s.Space {
	case ptx.ParamSpace:
		if s.Type.Class() == ptx.Handle {
			b.c.errorf(IllegalAccessType, a.Addr.Pos, "%s is %s, which no ld or st reads; name it in tex, suld and the like", name, describe(s, sym.Var))
			return sym, false
		}
		return sym, !broken(b.c, sym)
	case ptx.RegSpace:
		if k := s.Type.Class(); k == ptx.Float || k == ptx.Predicate || s.Vec != 0 || s.Type.Size() > 8 {
			b.c.errorf(IllegalAddress, a.Addr.Pos, "%s holds %s, which is not an address; use an integer register", name, describe(s, sym.Var))
			return nil, false
		}
		return nil, true
	default:
		b.c.add(diag.Error, MismatchedSpace, a.Addr.Pos, sprintf("%s is in %s space, and %s reaches .param", name, s.Space, a.Op), related(sym.Var.Pos, "declared here"))
		return nil, false
	}
}

// broken reports whether the declaration of a symbol has an error, so
// that its size and alignment mean nothing.
func broken(c *checker, sym *body.Symbol) bool {
	a := sym.Spec.Align
	return c.mistakes.badVars[sym.Var] || a&(a-1) != 0 || sym.Spec.Type.Class() == ptx.Alternate || len(sym.Var.Dims) > 1
}

// modifiers checks the modifiers of an access, with its type.
func modifiers(b *bodyCheck, a *ptx.Access) bool {
	if a.Op == "" {
		return true // built by hand: the fields have all of it
	}
	op, kinds := b.in.Op(b.at), make([]string, 0, 8)
	for _, m := range op.Mods {
		kinds = append(kinds, modifierKind(a, m))
	}
	switch wrong := slices.Index(kinds, ""); {
	case wrong < 0:
		return b.twice(a, op.Mods, kinds)
	case b.newer("modifier in", a.Op, a.Pos):
	case !b.otherModifier(op.Mods[wrong]):
		b.c.unknownWord(a.Pos, "modifier in", a.Op)
	default:
		legal := op.Name
		for i, m := range op.Mods {
			if kinds[i] != "" {
				legal += m
			}
		}
		d := b.c.errorf(IllegalModifier, a.Pos, "%s does not apply to .param: parameters are seen by one thread and not cached by hand; drop it", op.Mods[wrong])
		b.c.fixFirst(d, a.Pos, a.Op, legal, "write "+legal)
	}
	return false
}

// modifierKind returns the kind of a modifier that an access to .param may have; "" for others. An access has at most one
// modifier of each kind.
func modifierKind(a *ptx.Access, m string) string {
	switch {
	case m == ".param" || m == ".param::entry" || m == ".param::func":
		return "space"
	case m == ".weak":
		return "order"
	case m == ".cg" || m == ".cs" || !a.Store && (m == ".ca" || m == ".lu" || m == ".cv") || a.Store && (m == ".wb" || m == ".wt"):
		return "cache"
	case m == ".v2" || m == ".v4" || a.Vec != 0 && strings.HasPrefix(m, ".v") && m != ".volatile":
		return "vector"
	case ptx.TypeOf(m) != ptx.NoType:
		return "type"
	}
	return ""
}

var otherModifiers = strings.Fields(".ca .lu .cv .wb .wt .nc .volatile .relaxed .acquire .release .mmio .sys .gpu .cluster .cta .uni .v8")

// otherModifier reports whether ld or st of other spaces than .param may have a modifier.
func (b *bodyCheck) otherModifier(m string) bool {
	space, _, _ := strings.Cut(m, "::")
	return slices.Contains(otherModifiers, m) || space == ".L1" || space == ".L2" || b.c.known(space)
}

// accessType checks the type and the width of an access to sym, which is nil for one through a register.
func accessType(b *bodyCheck, a *ptx.Access, sym *body.Symbol) bool {
	t := a.Type
	switch {
	case t.Class() == ptx.Alternate || t.Class() == ptx.Handle || t == ptx.Pred || t == ptx.F16 || t == ptx.F16X2:
		d := b.c.errorf(IllegalAccessType, a.Pos, "%s: ld and st take no %s; use %s", a.Op, t, accessContainer(t))
		if to := accessContainer(t); ptx.TypeOf(to) != ptx.NoType {
			op := strings.TrimSuffix(a.Op, t.String()) + to
			b.c.fixFirst(d, a.Pos, a.Op, op, "write "+op)
		}
	case a.Vec != 0 && a.Vec != 2 && a.Vec != 4 && b.newer("vector in", a.Op, a.Pos):
	case a.Vec == 8 && t.Size() == 2 && !a.Store && !(sym != nil && sym.Role == body.Param && b.Func.Entry):
		err := b.c.errorf(IllegalVector, a.Pos, "%s: .v8 is not a vector of parameters; write .v4 twice: releases of the assembler from 12.9 on crash on this load", a.Op)
		b.c.later.ifCompiled = append(b.c.later.ifCompiled, inFunction{b.g, err})
	case a.Vec == 8 && t.Size() <= 2:
		b.c.add(b.c.unnamed(), IllegalVector, a.Pos, sprintf("%s: .v8 is not a vector of parameters; releases of the assembler from 12.9 on take it, and crash on some: write .v4 twice", a.Op))
		return true
	case a.Vec != 0 && a.Vec != 2 && a.Vec != 4:
		b.c.errorf(IllegalVector, a.Pos, "%s: .v%d is not a vector of parameters; there are .v2 and .v4", a.Op, a.Vec)
	case a.Bytes() > vectorBytes:
		b.c.errorf(IllegalVector, a.Pos, "%s takes %d bytes; an access has at most %d", a.Op, a.Bytes(), vectorBytes)
	case t == ptx.B128:
		return b.c.need(quadWords, a.Pos)
	default:
		return true
	}
	return false
}

func accessContainer(t ptx.Type) string {
	switch t.Class() {
	case ptx.Predicate:
		return ".b32 and setp or selp"
	case ptx.Handle:
		return "tex, suld and the like"
	}
	return bitsOf(t)
}

// direction checks that inputs are only read, results only written, and that accesses to arguments and results of calls
// have no guard.
func direction(b *bodyCheck, a *ptx.Access, sym *body.Symbol) bool {
	at := related(sym.Var.Pos, "declared here")
	switch {
	case sym.Role == body.Param && a.Store:
		what := "function"
		if b.Func.Entry {
			what = "kernel"
		}
		b.c.add(diag.Error, WrittenInput, a.Pos, sprintf("%s is an input of %s %s, which cannot write it; use a register or .local memory", a.Addr.Base, what, clip(b.Func.Name)), at)
		return false
	case sym.Role == body.Result && !a.Store:
		b.c.add(b.c.refused(), ReadResult, a.Pos, sprintf("%s is the result of %s, which cannot read it back; keep the value in a register", a.Addr.Base, clip(b.Func.Name)), at)
		return false
	case sym.Role == body.Local && shadows(b, a, sym):
		return false
	case sym.Role == body.Local && a.Guard != nil:
		b.c.add(b.c.refused(), PredicatedAccess, a.Pos, sprintf("%s of %s is predicated, and arguments and results move on every path; select the value before, or branch around the whole call", a.Op, a.Addr.Base), at)
		return true
	case sym.Role == body.Local && a.Store && b.c.arch != 0 && b.c.arch < paramFormals.arch:
		return b.c.need(paramFormals, a.Pos)
	}
	if a.Type == ptx.B128 && !a.Store && !(sym.Role == body.Param && b.Func.Entry) {
		b.c.add(diag.Warning, TruncatedQuad, a.Pos, sprintf("releases 12.4 to 13.5 of the assembler load 64 bits of %s alone; use %s.v2.b64", a.Addr.Base, strings.TrimSuffix(a.Op, ".b128")), at)
	}
	return true
}

// shadows reports an access to a local variable with the name of a formal, if the assembler takes it for an access to the
// formal: a store for one to an input, a load for one of the result.
func shadows(b *bodyCheck, a *ptx.Access, sym *body.Symbol) bool {
	list, what, takes, one := b.Func.Params, "input", "store", "to the input"
	if !a.Store {
		list, what, takes, one = b.Func.Results, "result", "load", "of the result"
		if v := b.place.state(b.in, b.in.Operands(b.at)[0]); v.result < 0 {
			return false // which is reported anyway
		}
	}
	if sym.Same != nil || hidden(sym) == nil && !sym.Var.Ranged() {
		return false
	}
	for i := range list {
		if f := &list[i]; f.Name == a.Addr.Base {
			b.c.add(b.c.refused(), ShadowedFormal, a.Pos, sprintf("%s hides the %s %s of %s, and the assembler takes this %s for one %s; rename the variable", f.Name, what, f.Name, clip(b.Func.Name), takes, one),
				related(sym.Var.Pos, "declared here"), related(f.Var.Pos, "the %s is here", what))
			return true
		}
	}
	return false
}

// hidden returns the formal that a symbol of a body hides, nil if it hides none.
func hidden(sym *body.Symbol) *body.Symbol {
	for o := sym.Outer; o != nil; o = o.Outer {
		if o.From < 0 {
			return o
		}
	}
	return nil
}

// qualifier checks that ::entry is on parameters of kernels, and ::func on other variables.
func qualifier(b *bodyCheck, a *ptx.Access, sym *body.Symbol) {
	kernel := b.Func.Entry && sym.Role == body.Param
	switch {
	case a.Qual == ptx.EntryParam && !kernel:
		effect := "the assembler ignores the difference"
		if sym.Role == body.Local {
			effect = "releases of the assembler up to 13.0 ignore the difference, 13.4 and 13.5 refuse it"
		}
		d := b.c.forbidf(WrongQualifier, a.Pos, "%s is not a kernel parameter; use ld.param::func (%s)", a.Addr.Base, effect)
		b.c.fixFirst(d, a.Pos, "::entry", "::func", "write ::func")
	case a.Qual == ptx.FuncParam && kernel:
		d := b.c.forbidf(WrongQualifier, a.Pos, "%s is a kernel parameter; use ld.param::entry (releases of the assembler up to 13.0 ignore the difference, 13.4 and 13.5 refuse it)", a.Addr.Base)
		b.c.fixFirst(d, a.Pos, "::func", "::entry", "write ::entry")
	}
}

// twice reports two modifiers of one kind, and returns false if there are any.
func (b *bodyCheck) twice(a *ptx.Access, mods, kinds []string) bool {
	for i, m := range mods {
		before := slices.Index(kinds, kinds[i])
		if before == i {
			continue
		}
		d := b.c.errorf(IllegalModifier, a.Pos, "%s has %s and %s, of which there is one; drop the other", a.Op, mods[before], m)
		if mods[before] == m {
			once := a.Op[:2] + strings.Join(slices.Delete(slices.Clone(mods), before, before+1), "")
			b.c.fixFirst(d, a.Pos, a.Op, once, "drop one "+m)
		}
		return false
	}
	return true
}

// oneOperand reports a load of a vector that loads no element.
func oneOperand(b *bodyCheck, a *ptx.Access) bool {
	if !a.Store && len(a.Regs) > 1 && !slices.ContainsFunc(a.Regs, func(o ptx.Operand) bool { return o.Kind != ptx.KindSink }) {
		b.c.refusef(IllegalOperand, a.Regs[0].Pos, "%s loads nothing into a register; name one, or drop the load", a.Op)
		return b.c.Lower
	}
	return true
}

// storedFunction records a store of the address of a function, which the
// assembler accepts though it is no register.
func storedFunction(b *bodyCheck, a *ptx.Access, o *ptx.Operand, g *global) bool {
	b.c.mention(b.g, g, o.Pos)
	b.c.add(b.c.unnamed(), IllegalOperand, o.Pos, sprintf("%s stores the address of function %s; the manual has registers and constants there: mov it into one first", a.Op, o.Text))
	return !b.c.Lower
}

// storedSum does the same for the sum of a name and an offset.
func storedSum(b *bodyCheck, a *ptx.Access, o *ptx.Operand) bool {
	name := o.Name()
	switch g := b.c.named(name); {
	case b.lookup(name) != nil:
	case g == nil:
		b.undeclared(name, o.Pos)
		return false
	case g.fn != nil:
		b.c.errorf(IllegalOperand, o.Pos, "%s adds to the address of function %s, which is code; mov it into a register", a.Op, name)
		return false
	}
	b.c.add(b.c.unnamed(), IllegalOperand, o.Pos, sprintf("%s stores a sum, %s; the manual has registers and constants there: make it with add", a.Op, o.Text))
	return !b.c.Lower
}
