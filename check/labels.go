package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// declareList checks that its block declares the name of a prototype or of a list of targets only once.
func (b *bodyCheck) declareList(name string, pos diag.Pos) {
	same := b.declared().Same
	if same == nil {
		return
	}
	msg := name + " is declared twice in one block; rename one"
	if same.Var != nil {
		msg += ", at which the assembler crashes"
	}
	b.c.add(diag.Error, DuplicateName, pos, msg, related(symbolPos(same), "the other one is here"))
}

// symbolPos returns the position of a symbol's declaration.
func symbolPos(sym *body.Symbol) diag.Pos {
	switch {
	case sym.Proto != nil:
		return sym.Proto.Pos
	case sym.Targets != nil:
		return sym.Targets.Pos
	case sym.Label != nil:
		return sym.Label.Pos
	}
	return sym.Var.Pos
}

// label checks that its block declares the name of a label only once. The name may be a member of a name<count>.
func (b *bodyCheck) label(l *ptx.Label) {
	b.labelled++
	same, what := b.declared().Same, "of a prototype or of a list of targets"
	switch {
	case same == nil || same.Var != nil && same.Var.Ranged():
		return
	case same.Label != nil:
		b.c.add(diag.Error, DuplicateName, l.Pos, sprintf("label %s is in this block already; rename one", l.Name), related(symbolPos(same), "the other one is here"))
		return
	case same.Var != nil:
		what = "of a variable of its block"
		b.c.mistakes.markBad(same.Var)
	}
	b.c.add(diag.Error, DuplicateName, l.Pos, sprintf("label %s has the name %s; rename one", l.Name, what), related(symbolPos(same), "the other one is here"))
}

// A labelAt is a name in one of the blocks of a body.
type labelAt struct {
	name  string
	block int
}

// A jump is a branch to one label.
type jump struct {
	labelAt
	pos diag.Pos
}

// noteJump records a branch to a label, and reports a branch through a name that is no list of labels.
func noteJump(b *bodyCheck, in *ptx.Instr, name string) {
	switch ops := in.Ops(); {
	case name == "bra" && (len(ops) != 1 || ops[0].Kind == ptx.KindInt):
		b.c.errorf(IllegalOperand, in.Pos, "%s takes one label; use brx.idx for a list of them", in.Op)
	case name == "bra" && ops[0].Kind == ptx.KindName && ops[0].Elem == 0 && !b.noLabel(&ops[0], in.Op):
		b.jumps = append(b.jumps, jump{labelAt{ops[0].Text, b.in.Block(b.at)}, ops[0].Pos})
	case name == "brx" && len(ops) == 2 && ops[1].Kind == ptx.KindName && !b.partialBody():
		refs := b.in.Operands(b.at)
		if sym := b.in.Sym(refs[len(refs)-1]); sym == nil || sym.Targets == nil || !sym.Targets.Branch {
			b.c.errorf(UndeclaredName, ops[1].Pos, "%s is not a list of labels that is declared before this branch; declare it with .branchtargets", ops[1].Text)
		}
	}
}

// noLabel reports a name in a branch or in a list of labels that means something else at this place. A label of that name
// may follow, but does not count.
func (b *bodyCheck) noLabel(o *ptx.Operand, what string) bool {
	sym, g := b.lookup(o.Text), b.c.named(o.Text)
	switch {
	case sym != nil && sym.Label != nil || sym == nil && g == nil:
		return false
	case sym != nil && b.c.mistakes.badVars[sym.Var]: // reported
	case sym != nil:
		b.c.add(diag.Error, IllegalOperand, o.Pos, sprintf("%s takes labels, and %s is none here; rename the label", what, o.Text), related(symbolPos(sym), "what hides a label of that name is declared here"))
	default:
		b.c.add(diag.Error, IllegalOperand, o.Pos, sprintf("%s takes labels, and %s is none here; rename the label, or move it up", what, o.Text), related(g.pos, "what has the name is declared here"))
	}
	return true
}

// labels checks that branches and lists of branches name labels of their block or of the
// blocks around it.
func (b *bodyCheck) labels() {
	if b.partialBody() {
		return
	}
	labels := make(map[labelAt]bool, len(b.in.Labels))
	for _, l := range b.in.Labels {
		labels[labelAt{l.Name, l.Block}] = true
	}
	visible := func(name string, in int) bool {
		for k := in; k >= 0; k = b.in.Around(k) {
			if labels[labelAt{name, k}] {
				return true
			}
		}
		return false
	}
	for _, to := range b.jumps {
		if !visible(to.name, to.block) {
			b.c.errorf(UndeclaredName, to.pos, "%s is not a label of this block or of one around it", to.name)
		}
	}
	for _, l := range b.in.Lists {
		t := l.Sym.Targets
		if t == nil || !t.Branch {
			continue
		}
		// The first name that is not a label is reported. The assembler accepts the name of the list itself, which package
		// lower has no code for.
		i := slices.IndexFunc(t.Names, func(o ptx.Operand) bool { return (o.Text != t.Name || b.c.Lower) && !visible(o.Text, l.Block) })
		if i >= 0 {
			b.c.errorf(UndeclaredName, t.Names[i].Pos, "%s, in list %s, is not a label of this block or of one around it", t.Names[i].Text, t.Name)
		}
	}
}

// again reports a variable of the module that is declared twice, unless one
// of the declarations is .extern: then the other one must have a linking directive.
func again(c *checker, g *global, d *ptx.Decl, v *ptx.Var) {
	at := related(g.pos, "the other one is here")
	switch was, is := g.linkage, d.Linkage; {
	case g.suppressed || d.Space == ptx.RegSpace || d.Space == ptx.LocalSpace:
		return
	case was != ptx.Extern && is != ptx.Extern:
		c.add(diag.Error, DuplicateName, v.Pos, sprintf("two variables of the module are named %s; rename one", v.Name), at)
	case is == ptx.NoLinkage:
		c.add(diag.Error, ConflictingLinkage, v.Pos, sprintf("%s is .extern before and has no linking directive here; make it .visible, or drop the declaration before", v.Name), at)
	default:
		first := &g.decl.Vars[slices.IndexFunc(g.decl.Vars, func(w ptx.Var) bool { return w.Name == v.Name })]
		g.sized = g.sized || !v.Unsized()
		if d.Known() && g.decl.Known() && !c.partialModule() && !sameVariable(g.decl, d, first, v) {
			c.add(c.refused(), ConflictingDeclaration, v.Pos, sprintf("%s is %s here, and was declared as %s; make them equal", v.Name, describe(&d.Spec, v), describe(&g.decl.Spec, first)), at)
		}
		return
	}
	g.suppressed = true
}

// sameVariable reports whether two declarations of a variable of the module go together. Spaces and alignments do not matter.
func sameVariable(d, e *ptx.Decl, v, w *ptx.Var) bool {
	open := len(v.Dims) > 0 && len(w.Dims) > 0 && (v.Unsized() || w.Unsized())
	return d.Type == e.Type && d.Vec == e.Vec && (slices.Equal(v.Dims, w.Dims) || open && slices.Equal(v.Dims[1:], w.Dims[1:]))
}
