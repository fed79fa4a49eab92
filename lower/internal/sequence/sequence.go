// Package sequence puts instructions that happen at once in an order.
package sequence

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/parmove"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Regs are the registers that an order may take.
type Regs struct {
	// Cycle is a register that nothing is in where copies of registers go round.
	Cycle sass.Reg
	// Scratch is a register that members use on the way. Nothing is in it between them.
	Scratch sass.Reg
	// Spare returns the registers that nothing is in where members of other kinds go round,
	// but for what they read and write themselves.
	Spare func() abi.RegSet
	// NoSpare reports that there is none.
	NoSpare func(pos diag.Pos)
}

// A Sequencer orders groups, in memory that it uses again. Its zero value works.
type Sequencer struct {
	moves, order []parmove.Move
	members      []member
	copies       map[lir.Reg]lir.Reg
	args         []*lir.Reg
}

// A member is a member of the group at hand.
type member struct {
	lir.Member
	end  int // index of the instruction after its last
	done bool
}

// A group is the group at hand.
type group struct {
	*Sequencer
	code *lir.Rewrite
	*Regs
	pos   diag.Pos
	guard int32 // of all members
}

// Run orders all groups of a code, which has none afterwards.
func (s *Sequencer) Run(c *lir.Code, regs *Regs) {
	if len(c.Groups) == 0 {
		return
	}
	r := c.Rewrite()
	at := 0
	for i := range c.Groups {
		g := &c.Groups[i]
		if g.N == 0 {
			continue
		}
		list := c.Members[g.First : g.First+g.N]
		first := list[0].First
		r.Keep(at, first)
		at = g.End
		s.members = s.members[:0]
		for k := range list {
			end := g.End
			if k+1 < len(list) {
				end = list[k+1].First
			}
			s.members = append(s.members, member{Member: list[k], end: end})
		}
		if first < at {
			here := group{s, &r, regs, g.Pos, r.Old[first].Guard}
			here.inOrder()
		}
	}
	r.Keep(at, len(r.Old))
	r.End()
	c.Groups, c.Members = c.Groups[:0], c.Members[:0]
}

// inOrder emits the members. Where all that could be in each other's way are copies of
// registers, parmove orders them, and the others follow.
func (g *group) inOrder() {
	moves := g.moves[:0]
	for i := range g.members {
		m := &g.members[i]
		if !m.Copy {
			if g.inTheWay(i) {
				g.tangled()
				return
			}
			continue
		}
		in := &g.code.Old[m.First]
		moves = append(moves, parmove.Move{Dst: int(in.Dst.Num()), Src: int(in.A.Num())})
	}
	g.moves = moves
	if len(moves) > 0 {
		g.order = parmove.Sequence(g.order[:0], moves, int(g.Cycle))
		for _, m := range g.order {
			dst, note := lir.Phys(sass.Reg(m.Dst)), lir.Note{}
			for i := range g.members {
				if c := &g.members[i]; c.Copy && g.code.Old[c.First].Dst == dst {
					note = g.code.Old[c.First].Note
				}
			}
			g.copy(dst, lir.Phys(sass.Reg(m.Src)), note)
		}
	}
	for i := range g.members {
		if !g.members[i].Copy {
			g.emit(i)
		}
	}
}

// copy emits a copy of a register.
func (g *group) copy(dst, src lir.Reg, note lir.Note) {
	g.code.List = append(g.code.List, lir.Inst{Op: lir.Copy, Guard: g.guard, Dst: dst, A: src, Note: note, Pos: g.pos})
}

// emit emits a member. A copy of a register to itself is nothing.
func (g *group) emit(i int) {
	m := &g.members[i]
	if m.Copy && g.code.Old[m.First].Dst == g.code.Old[m.First].A {
		return
	}
	g.code.Keep(m.First, m.end)
}

// inTheWay reports whether a member that is no copy reads a physical register that another
// one writes.
func (g *group) inTheWay(i int) bool {
	for k := range g.members {
		if k != i && g.readsAny(i, k, true) {
			return true
		}
	}
	return false
}

// tangled emits members some of which read several registers that others write. Each is
// emitted when no other one still reads what it writes. Where none can be, all that are left
// wait for one another, along at least one cycle: a register of it is copied, unless a copy
// has been made on the way, and those that are still to read it read the copy.
func (g *group) tangled() {
	g.copies = make(map[lir.Reg]lir.Reg)
	for left := len(g.members); left > 0; {
		progress := false
		for i := range g.members {
			m := &g.members[i]
			if m.done || g.reader(i) >= 0 {
				continue
			}
			if m.Copy {
				if in := &g.code.Old[m.First]; in.A != in.Dst {
					g.copies[in.A] = in.Dst
				}
			}
			g.emit(i)
			m.done, progress = true, true
			left--
		}
		if progress {
			continue
		}
		at := 0
		for g.members[at].done {
			at++
		}
		seen := make([]bool, len(g.members))
		for !seen[at] { // to a member that waits for itself in the end
			seen[at] = true
			at = g.reader(at)
		}
		for _, r := range g.written(at) {
			g.setAside(at, r)
		}
	}
}

// reader returns a member that is still to read what another one writes, -1 if there is
// none.
func (g *group) reader(i int) int {
	for k := range g.members {
		if k != i && !g.members[k].done && g.readsAny(k, i, false) {
			return k
		}
	}
	return -1
}

// setAside makes all members but one read a copy of a register.
func (g *group) setAside(but int, old lir.Reg) {
	wanted := false
	for i := range g.members {
		wanted = wanted || i != but && !g.members[i].done && g.reads(i, old)
	}
	if !wanted {
		return
	}
	to, ok := g.copies[old]
	if !ok {
		if to, ok = g.spare(); !ok {
			g.NoSpare(g.pos)
			to = lir.Phys(g.Cycle)
		}
		g.copy(to, old, lir.Note{})
	}
	for i := range g.members {
		if i == but || g.members[i].done {
			continue
		}
		for _, r := range g.sources(i) {
			if *r == old {
				*r = to
			}
		}
	}
}

// spare returns a spare register that no member has a use for.
func (g *group) spare() (lir.Reg, bool) {
	free := g.Spare()
	for r := range free.All() {
		op, ok := lir.Phys(r), true
		for i := range g.members {
			ok = ok && (g.members[i].done || !g.reads(i, op)) && !g.writes(i, op)
		}
		if ok {
			return op, true
		}
	}
	return 0, false
}

// reads reports whether a member reads a register.
func (g *group) reads(i int, r lir.Reg) bool {
	for _, src := range g.sources(i) {
		if *src == r {
			return true
		}
	}
	return false
}

// writes reports whether a member writes a register.
func (g *group) writes(i int, r lir.Reg) bool {
	m := &g.members[i]
	for k := m.First; k < m.end; k++ {
		if g.writesReg(&g.code.Old[k], r) {
			return true
		}
	}
	return false
}

// writesReg reports whether an instruction writes a register, other than the scratch
// register.
func (g *group) writesReg(in *lir.Inst, r lir.Reg) bool {
	dst, n := g.code.Dest(in)
	if dst.Kind() != sass.Register || n == 1 {
		return dst == r && dst != lir.Phys(g.Scratch)
	}
	return r.Kind() == sass.Register && dst.Num() <= r.Num() && int(r.Num()) < int(dst.Num())+n
}

// readsAny reports whether a member reads a register that another one writes, a physical one
// where only those count.
func (g *group) readsAny(reader, writer int, physical bool) bool {
	for _, src := range g.sources(reader) {
		if (!physical || src.Kind() == sass.Register) && g.writes(writer, *src) {
			return true
		}
	}
	return false
}

// written returns the physical registers that a member writes.
func (g *group) written(i int) []lir.Reg {
	var list []lir.Reg
	m := &g.members[i]
	for k := m.First; k < m.end; k++ {
		dst, n := g.code.Dest(&g.code.Old[k])
		if dst.Kind() != sass.Register || dst == lir.Phys(g.Scratch) {
			continue
		}
		for w := range n {
			list = append(list, lir.Phys(dst.Num()+sass.Reg(w)))
		}
	}
	return list
}

// sources returns the registers that a member reads, but for those that it has written
// itself before. It is good until the next call.
func (g *group) sources(i int) []*lir.Reg {
	m := &g.members[i]
	list := g.args[:0]
	for k := m.First; k < m.end; k++ {
		from := len(list)
		list = g.code.Sources(&g.code.Old[k], list)
		kept := list[:from]
		for _, r := range list[from:] {
			if !g.writtenBefore(m.First, k, *r) {
				kept = append(kept, r)
			}
		}
		list = kept
	}
	g.args = list
	return list
}

// writtenBefore reports whether one of the instructions [from, to) writes a register.
func (g *group) writtenBefore(from, to int, r lir.Reg) bool {
	for k := from; k < to; k++ {
		dst, n := g.code.Dest(&g.code.Old[k])
		if dst == r || n > 1 && dst.Kind() == sass.Register && r.Kind() == sass.Register && dst.Num() <= r.Num() && int(r.Num()) < int(dst.Num())+n {
			return true
		}
	}
	return false
}
