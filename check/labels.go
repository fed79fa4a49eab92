package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// declareList looks at the name of a prototype or of a list of targets, which has to
// be one of its own in its block.
func (b *body) declareList(name string, pos diag.Pos) {
	same := b.declared().Same
	if same == nil {
		return
	}
	msg := name + " is declared twice in one block; rename one"
	if same.Var != nil {
		msg += ", at which the assembler crashes"
	}
	b.add(diag.Error, DuplicateName, pos, msg, related(symbolPos(same), "the other one is here"))
}

// symbolPos is where a symbol is declared.
func symbolPos(sym *resolved.Symbol) diag.Pos {
	switch {
	case sym.Proto != nil:
		return sym.Proto.Pos
	case sym.Targets != nil:
		return sym.Targets.Pos
	}
	return sym.Var.Pos
}

// A labelAt is a name in one of the blocks of a body.
type labelAt struct {
	name  string
	block int
}

// labels holds the labels of the body against its prototypes and lists of targets, and
// lists of branches against the labels that they name: those of their block and of the
// blocks around it.
func (b *body) labels() {
	lists := make(map[labelAt]diag.Pos)
	var labels map[labelAt]bool // nil if nobody asks
	for _, l := range b.in.Lists {
		name, pos := l.Name()
		lists[labelAt{name, l.Block}] = pos
		if t := l.Sym.Targets; t != nil && t.Branch && labels == nil {
			labels = make(map[labelAt]bool)
		}
	}
	for _, l := range b.in.Labels {
		here := labelAt{l.Name, l.Block}
		if labels != nil {
			labels[here] = true
		}
		if at, ok := lists[here]; ok {
			b.add(diag.Error, DuplicateName, l.Pos, sprintf("label %s has the name of a prototype or of a list of targets; rename one", l.Name), related(at, "the other one is here"))
		}
	}
	for _, l := range b.in.Lists {
		if t := l.Sym.Targets; t != nil && t.Branch {
			b.branchTargets(t, labels, l.Block)
		}
	}
}

// branchTargets reports the first name of a list of branches that is not a label. The
// assembler takes that of the list itself.
func (b *body) branchTargets(l *ptx.TargetList, labels map[labelAt]bool, in int) {
	if b.partialBody() {
		return
	}
	for i := range l.Names {
		o := &l.Names[i]
		found := o.Text == l.Name
		for k := in; k >= 0 && !found; k = b.in.Around(k) {
			found = labels[labelAt{o.Text, k}]
		}
		if !found {
			b.errorf(UndeclaredName, o.Pos, "%s, in list %s, is not a label of this block or of one around it", o.Text, l.Name)
			return
		}
	}
}

// again reports a variable of the module that is declared twice, unless one
// of the declarations is .extern: then the other one has to be known to linkers.
func (c *checker) again(g *global, d *ptx.Decl, v *ptx.Var) {
	at := related(g.pos, "the other one is here")
	switch was, is := g.linkage, d.Linkage; {
	case g.suppressed || d.Space == ptx.RegSpace || d.Space == ptx.LocalSpace:
		return
	case was != ptx.Extern && is != ptx.Extern:
		c.add(diag.Error, DuplicateName, v.Pos, sprintf("two variables of the module are named %s; rename one", v.Name), at)
	case is == ptx.NoLinkage:
		c.add(diag.Error, ConflictingLinkage, v.Pos, sprintf("%s is .extern before and has no linking directive here; make it .visible, or drop the declaration before", v.Name), at)
	default:
		return
	}
	g.suppressed = true
}
