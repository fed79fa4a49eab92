package check

import (
	"slices"

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
	b.c.add(diag.Error, DuplicateName, pos, msg, related(symbolPos(same), "the other one is here"))
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

// jumps are the branches to one label so far, each with the block that it is in.
type jumps struct {
	list          []labelAt
	pos           []diag.Pos
	block, opened int // the block at hand, and how many there were
}

func (j *jumps) open() {
	j.opened++
	j.block = j.opened
}

func (j *jumps) close(in *resolved.Body) { j.block = max(in.Around(j.block), 0) }

// add notes a branch to a label, and reports one through a name that is no list of labels.
func (j *jumps) add(b *body, in *ptx.Instr, name string) {
	switch ops := in.Ops(); {
	case name == "bra" && (len(ops) != 1 || ops[0].Kind == ptx.KindInt):
		b.c.errorf(IllegalOperand, in.Pos, "%s takes one label; use brx.idx for a list of them", in.Op)
	case name == "bra" && ops[0].Kind == ptx.KindName && ops[0].Elem == 0:
		j.list, j.pos = append(j.list, labelAt{ops[0].Text, j.block}), append(j.pos, ops[0].Pos)
	case name == "brx" && len(ops) == 2 && ops[1].Kind == ptx.KindName && !b.partialBody():
		refs := b.in.Operands(b.at)
		if sym := b.in.Sym(refs[len(refs)-1]); sym == nil || sym.Targets == nil || !sym.Targets.Branch {
			b.c.errorf(UndeclaredName, ops[1].Pos, "%s is not a list of labels that is declared before this branch; declare it with .branchtargets", ops[1].Text)
		}
	}
}

// depth returns how many blocks stand around what a block has, the body and it included.
func (b *body) depth(block int) (n int) {
	for ; block >= 0; block = b.in.Around(block) {
		n++
	}
	return n
}

// labels holds the labels of the body against each other and against its prototypes and lists of targets, and
// branches and lists of branches against the labels that they name: those of their block and of the
// blocks around it.
func (b *body) labels() {
	lists := make(map[labelAt]diag.Pos)
	for _, l := range b.in.Lists {
		name, pos := l.Name()
		lists[labelAt{name, l.Block}] = pos
	}
	labels := make(map[labelAt]diag.Pos, len(b.in.Labels))
	for _, l := range b.in.Labels {
		here := labelAt{l.Name, l.Block}
		if at, ok := labels[here]; ok {
			b.c.add(diag.Error, DuplicateName, l.Pos, sprintf("label %s is in this block already; rename one", l.Name), related(at, "the other one is here"))
			continue
		}
		labels[here] = l.Pos
		if at, ok := lists[here]; ok {
			b.c.add(diag.Error, DuplicateName, l.Pos, sprintf("label %s has the name of a prototype or of a list of targets; rename one", l.Name), related(at, "the other one is here"))
		}
		if sym := b.in.Lookup(l.At, l.Name); sym != nil && sym.Var != nil && !sym.Var.Ranged() && max(int(sym.Depth), 1) == b.depth(l.Block) {
			b.c.add(diag.Error, DuplicateName, l.Pos, sprintf("label %s has the name of a variable of its block; rename one", l.Name), related(sym.Var.Pos, "the other one is here"))
		}
	}
	if b.partialBody() {
		return
	}
	visible := func(name string, in int) bool {
		for k := in; k >= 0; k = b.in.Around(k) {
			if _, ok := labels[labelAt{name, k}]; ok {
				return true
			}
		}
		return false
	}
	for i, to := range b.jumps.list {
		if !visible(to.name, to.block) {
			b.c.errorf(UndeclaredName, b.jumps.pos[i], "%s is not a label of this block or of one around it", to.name)
		}
	}
	for _, l := range b.in.Lists {
		t := l.Sym.Targets
		if t == nil || !t.Branch {
			continue
		}
		// The first name that is not a label is reported. The assembler takes that of the list itself.
		i := slices.IndexFunc(t.Names, func(o ptx.Operand) bool { return o.Text != t.Name && !visible(o.Text, l.Block) })
		if i >= 0 {
			b.c.errorf(UndeclaredName, t.Names[i].Pos, "%s, in list %s, is not a label of this block or of one around it", t.Names[i].Text, t.Name)
		}
	}
}

// again reports a variable of the module that is declared twice, unless one
// of the declarations is .extern: then the other one has to be known to linkers.
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
		return
	}
	g.suppressed = true
}
