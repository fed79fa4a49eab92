package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// declareList declares the name of a prototype or of a list of targets, which has to
// be one of its own in its block.
func (c *checker) declareList(s ptx.Stmt, name string, pos diag.Pos) {
	fn := c.fn
	l := labelList{name: name, pos: pos, block: fn.block()}
	sym := fn.scope.NewSymbol()
	*sym = resolved.Symbol{}
	switch s := s.(type) {
	case *ptx.Prototype:
		sym.Proto = s
	case *ptx.TargetList:
		sym.Targets = s
		if s.Branch {
			l.branches, l.around = s, slices.Clone(fn.blocks)
		}
	}
	fn.lists = append(fn.lists, l)
	same := fn.declare(&ptx.Var{Name: name}, sym)
	if same == nil {
		return
	}
	msg := name + " is declared twice in one block; rename one"
	if same.Var != nil {
		msg += ", at which the assembler crashes"
	}
	c.add(diag.Error, DuplicateName, pos, msg, related(symbolPos(same), "the other one is here"))
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

// A labelIn is a label in one of the blocks of a body.
type labelIn struct {
	*ptx.Label
	block int
	at    int // its index in the body
}

// A labelList is a prototype or a list of targets, which are labels too.
type labelList struct {
	name     string
	pos      diag.Pos
	block    int
	branches *ptx.TargetList // nil if it is no list of branches
	around   []int           // the blocks that this is in, the innermost last
}

// A labelAt is a name in one of the blocks of a body.
type labelAt struct {
	name  string
	block int
}

// block returns the innermost of the blocks.
func (fn *function) block() int { return fn.blocks[len(fn.blocks)-1] }

// labels holds the labels of the body against its prototypes and lists of targets, and
// lists of branches against the labels that they name: those of their block and of the
// blocks around it.
func (c *checker) labels() {
	fn := c.fn
	lists := make(map[labelAt]diag.Pos)
	var labels map[labelAt]bool // nil if nobody asks
	for _, l := range fn.lists {
		lists[labelAt{l.name, l.block}] = l.pos
		if l.branches != nil && labels == nil {
			labels = make(map[labelAt]bool)
		}
	}
	for _, l := range fn.labels {
		here := labelAt{l.Name, l.block}
		if labels != nil {
			labels[here] = true
		}
		if at, ok := lists[here]; ok {
			c.add(diag.Error, DuplicateName, l.Pos, sprintf("label %s has the name of a prototype or of a list of targets; rename one", l.Name), related(at, "the other one is here"))
		}
	}
	for _, l := range fn.lists {
		if l.branches != nil {
			c.branchTargets(l.branches, labels, l.around)
		}
	}
}

// branchTargets complains about the first name of a list of branches that is no label.
// The assembler takes that of the list itself.
func (c *checker) branchTargets(l *ptx.TargetList, labels map[labelAt]bool, blocks []int) {
	if c.partial() {
		return
	}
	for i := range l.Names {
		o := &l.Names[i]
		found := o.Text == l.Name
		for k := len(blocks) - 1; k >= 0 && !found; k-- {
			found = labels[labelAt{o.Text, blocks[k]}]
		}
		if !found {
			c.errorf(UndeclaredName, o.Pos, "%s, in list %s, is no label of this block or of one around it", o.Text, l.Name)
			return
		}
	}
}

// again complains about a variable of the module that is declared twice, unless one
// of the declarations is .extern: then the other one has to be known to linkers.
func (c *checker) again(g *global, d *ptx.Decl, v *ptx.Var) {
	at := related(g.pos, "the other one is here")
	switch was, is := g.linkage, d.Linkage; {
	case g.poisoned || d.Space == ptx.RegSpace || d.Space == ptx.LocalSpace:
		return
	case was != ptx.Extern && is != ptx.Extern:
		c.add(diag.Error, DuplicateName, v.Pos, sprintf("two variables of the module are named %s; rename one", v.Name), at)
	case is == ptx.NoLinkage:
		c.add(diag.Error, ConflictingLinkage, v.Pos, sprintf("%s is .extern before and has no linking directive here; make it .visible, or drop the declaration before", v.Name), at)
	default:
		return
	}
	g.poisoned = true
}
