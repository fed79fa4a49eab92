// Package tune makes fewer instructions of loads and stores of words that lie side by side. It
// is a pass over the code that package sel selects, which is right without it.
//
// Where registers keep their names, nothing is known of which of them will lie side by
// side, and an access of several words goes through copies. They are taken to cost nothing
// where one of the two registers is not used otherwise: an allocator gives both the same
// home. With homes that are known, only registers that are side by side are loaded
// together.
package tune

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/spill"
	"github.com/ptxabi/ptxabi/sass"
)

// A Tuner tunes code, in memory that it uses again. Its zero value works.
type Tuner struct {
	lists
	*lir.Code
	plan *place.Plan
	area spill.Area

	// Once something is to be changed, what is unchanged is kept up to instruction kept of
	// the old list.
	changed bool
	rewrite lir.Rewrite
	kept    int
	groups  int // how many groups of the code stand in what is kept
}

// lists is memory for lists.
type lists struct {
	cells   []cell
	insts   []lir.Inst
	members []span
	sources []*lir.Reg
	dsts    []lir.Reg
}

// A span is the instructions [first, end) of a list: a member of what happens at once. copy is
// Member.Copy.
type span struct {
	first, end int
	copy       bool
}

// Run is the pass over the code of a planned function. It uses up the runs of the code.
func (t *Tuner) Run(c *lir.Code, plan *place.Plan) {
	if len(c.Runs) == 0 {
		return
	}
	*t = Tuner{lists: t.lists, Code: c, plan: plan}
	if plan.Spill.At != nil {
		t.area = plan.Area()
	}
	for i := range c.Runs {
		switch r := &c.Runs[i]; r.Kind {
		case lir.InTurn:
			t.inTurn(r)
		case lir.AtOnce:
			t.atOnce(r)
		case lir.Stores:
			t.stores(r)
		}
	}
	if t.changed {
		t.keep(len(t.rewrite.Old))
		t.rewrite.End()
	}
	c.Runs = c.Runs[:0]
	t.Code, t.plan, t.rewrite = nil, nil, lir.Rewrite{}
}

// old returns the instructions of a run before the pass.
func (t *Tuner) old(r *lir.Run) []lir.Inst {
	if t.changed {
		return t.rewrite.Old[r.First:r.End]
	}
	return t.List[r.First:r.End]
}

// replace begins to emit other instructions in place of those of a run.
func (t *Tuner) replace(r *lir.Run) {
	if !t.changed {
		t.changed, t.rewrite = true, t.Rewrite()
	}
	t.keep(int(r.First))
	t.kept = int(r.End)
}

// keep keeps the old instructions up to an index.
func (t *Tuner) keep(to int) {
	by := len(t.List) - t.kept
	t.rewrite.Keep(t.kept, to)
	t.kept = to
	for ; t.groups < len(t.Groups) && t.Groups[t.groups].End <= to; t.groups++ {
		g := &t.Groups[t.groups]
		g.End += by
		for k := range g.N {
			t.Members[g.First+k].First += by
		}
	}
}

// atOnce is the pass over what happens at once.
func (t *Tuner) atOnce(r *lir.Run) {
	list := t.old(r)
	// The groups before are kept, or stand in what is.
	at := t.groups
	for at < len(t.Groups) && t.Groups[at].End <= int(r.First) {
		at++
	}
	grouped := at < len(t.Groups) && t.Groups[at].End == int(r.End) && t.Groups[at].N > 0 && t.Members[t.Groups[at].First].First == int(r.First)
	members := t.members[:0]
	pos := diag.Pos{}
	if grouped {
		g := &t.Groups[at]
		pos = g.Pos
		for k := range g.N {
			first, end := t.Members[g.First+k].First, int(r.End)
			if k+1 < g.N {
				end = t.Members[g.First+k+1].First
			}
			members = append(members, span{first - int(r.First), end - int(r.First), t.Members[g.First+k].Copy})
		}
	} else {
		members = t.divide(list, members)
	}
	t.members = members
	t.fromSlots(list, members)
	if !t.storesToSlots(list, members) && !t.joinsAny(list, members) {
		return
	}
	t.replace(r)
	if grouped {
		t.Groups = slices.Delete(t.Groups, t.groups, t.groups+1)
	}
	t.together(list, members, pos, grouped)
}

// divide appends the members of what happens at once, each of which is what makes one
// register: what reads the register that the instruction before writes belongs to it.
func (t *Tuner) divide(list []lir.Inst, members []span) []span {
	for i := range list {
		if n := len(members); n > 0 && t.continues(list, i) {
			members[n-1].end = i + 1
		} else {
			members = append(members, span{first: i, end: i + 1})
		}
	}
	return members
}

// continues reports whether an instruction of a list reads what the one before writes.
func (t *Tuner) continues(list []lir.Inst, i int) bool {
	dst := t.written(&list[i-1])
	if in := &list[i]; in.Op == lir.Load { // as most are
		return in.B == dst
	}
	return t.reads(&list[i], dst)
}

// reads reports whether an instruction reads a register.
func (t *Tuner) reads(in *lir.Inst, r lir.Reg) bool {
	t.sources = t.Sources(in, t.sources[:0])
	return slices.ContainsFunc(t.sources, func(src *lir.Reg) bool { return *src == r })
}

// written returns the first register that an instruction writes, none if it writes none.
func (t *Tuner) written(in *lir.Inst) lir.Reg {
	switch in.Op {
	case lir.Load, lir.Copy, lir.Perm, lir.Const, lir.RetAddr:
		return in.Dst
	case lir.Instr:
		if args := t.Operands(in); len(args) > 0 {
			return args[0].Reg
		}
	}
	return 0
}

// together emits what happens at once, as a group if members may be in each other's way.
func (t *Tuner) together(list []lir.Inst, members []span, pos diag.Pos, group bool) {
	members = t.toSlots(list, members, pos)
	first := len(t.Members)
	for i := 0; i < len(members); {
		m := members[i]
		if m.first == m.end { // a register that is in place
			i++
			continue
		}
		n, dst := t.joined(list, members[i:])
		if group {
			t.Members = append(t.Members, lir.Member{First: len(t.List), Copy: m.copy})
		}
		if n > 1 {
			t.join(list[m.first], dst, &list[members[i+n-1].first], n)
		} else {
			t.List = append(t.List, list[m.first:m.end]...)
		}
		i += n
	}
	if group {
		t.Groups = slices.Insert(t.Groups, t.groups, lir.Group{First: first, N: len(t.Members) - first, End: len(t.List), Pos: pos})
		t.groups++
	}
}

// readsPhysical reports whether a member takes bytes of a physical register.
func (t *Tuner) readsPhysical(list []lir.Inst) bool {
	for i := range list {
		if op := list[i].Op; op != lir.Copy && op != lir.Perm {
			continue
		}
		t.sources = t.Sources(&list[i], t.sources[:0])
		for _, r := range t.sources {
			if r.Kind() == sass.Register && *r != lir.Zero && !t.writesAny(list[:i], *r) {
				return true
			}
		}
	}
	return false
}

// writesAny reports whether one of the instructions writes a register.
func (t *Tuner) writesAny(list []lir.Inst, r lir.Reg) bool {
	for i := range list {
		if t.written(&list[i]) == r {
			return true
		}
	}
	return false
}

// loads returns the opcodes of loads from the memory of a load.
func (t *Tuner) loads(in *lir.Inst) *abi.Widths {
	s := &t.plan.T.Spelling
	switch {
	case in.Kind == sass.Mem:
		return &s.LoadLocal
	case in.B.Kind() != sass.None:
		return &s.LoadConstIndexed
	}
	return &s.LoadConst
}
