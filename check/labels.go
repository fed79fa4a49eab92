package check

import (
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// declareList declares the name of a prototype or of a list of targets, which has to
// be one of its own in its block.
func (c *checker) declareList(s ptx.Stmt, name string, pos ptx.Pos) {
	fn := c.fn
	if !fn.labelled {
		fn.labelled = true
		c.labels()
	}
	sym := fn.scope.NewSymbol()
	*sym = sig.Symbol{}
	switch s := s.(type) {
	case *ptx.Prototype:
		sym.Proto = s
	case *ptx.TargetList:
		sym.Targets = s
	}
	same := fn.declare(&ptx.Var{Name: name, Count: ptx.NoCount}, sym)
	if same == nil {
		return
	}
	msg := name + " is declared twice in one block; rename one"
	if same.Var != nil {
		msg += ", at which the assembler crashes"
	}
	c.add(ptx.SeverityError, DuplicateName, pos, msg, related(symbolPos(same), "the other one is here"))
}

// symbolPos is where a symbol is declared.
func symbolPos(sym *sig.Symbol) ptx.Pos {
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
	block int // index of what opens it; -1 for that of the function
}

// labels holds the labels of the body against its prototypes and lists of targets,
// which are labels too, and lists of branches against the labels that they name: those
// of their block and of the blocks around it.
func (c *checker) labels() {
	type label struct {
		*ptx.Label
		block int
	}
	lists := make(map[labelAt]ptx.Pos)
	var all []label
	branches := false
	c.inBlocks(func(s ptx.Stmt, blocks []int) {
		block := blocks[len(blocks)-1]
		switch s := s.(type) {
		case *ptx.Prototype:
			lists[labelAt{s.Name, block}] = s.Pos
		case *ptx.TargetList:
			lists[labelAt{s.Name, block}] = s.Pos
			branches = branches || s.Branch
		case *ptx.Label:
			all = append(all, label{s, block})
		}
	})
	for _, l := range all {
		if at, ok := lists[labelAt{l.Name, l.block}]; ok {
			c.add(ptx.SeverityError, DuplicateName, l.Pos, sprintf("label %s has the name of a prototype or of a list of targets; rename one", l.Name), related(at, "the other one is here"))
		}
	}
	if !branches {
		return
	}
	labels := make(map[labelAt]ptx.Pos)
	for _, l := range all {
		labels[labelAt{l.Name, l.block}] = l.Pos
	}
	c.inBlocks(func(s ptx.Stmt, blocks []int) {
		if l, ok := s.(*ptx.TargetList); ok && l.Branch {
			c.branchTargets(l, labels, blocks)
		}
	})
}

// inBlocks calls see for each label, prototype and list of the body, with the blocks
// that it is in, the innermost last: the indices of what opens them, -1 for that of
// the function.
func (c *checker) inBlocks(see func(s ptx.Stmt, blocks []int)) {
	open := []int{-1}
	for i, s := range c.fn.Body {
		if _, ok := s.(*ptx.Instr); ok { // most, which is faster than to search all
			continue
		}
		switch s.(type) {
		case *ptx.Open:
			open = append(open, i)
		case *ptx.Close:
			open = open[:max(len(open)-1, 1)]
		case *ptx.Label, *ptx.Prototype, *ptx.TargetList:
			see(s, open)
		}
	}
}

// branchTargets complains about the first name of a list of branches that is no label.
// The assembler takes that of the list itself.
func (c *checker) branchTargets(l *ptx.TargetList, labels map[labelAt]ptx.Pos, blocks []int) {
	if c.partial() {
		return
	}
	for i := range l.Names {
		o := &l.Names[i]
		found := o.Text == l.Name
		for k := len(blocks) - 1; k >= 0 && !found; k-- {
			_, found = labels[labelAt{o.Text, blocks[k]}]
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
		c.add(ptx.SeverityError, DuplicateName, v.Pos, sprintf("two variables of the module are named %s; rename one", v.Name), at)
	case is == ptx.NoLinkage:
		c.add(ptx.SeverityError, ConflictingLinkage, v.Pos, sprintf("%s is .extern before and has no linking directive here; make it .visible, or drop the declaration before", v.Name), at)
	default:
		return
	}
	g.poisoned = true
}
