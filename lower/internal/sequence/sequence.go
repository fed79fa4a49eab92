// Package sequence orders the instructions of groups, which happen at once, as a parallel move is ordered.
//
// A group has members, and each member gives its registers their words. The group means that all members read before
// any member writes. One after the other, they do the same if each member stands before all that write what it reads.
// Where members wait for one another in a cycle, a copy of a register breaks the cycle.
package sequence

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Regs has the registers that an order may use beside those of the members.
type Regs struct {
	// Cycle is a register that has no value before and after a group. Members may use it.
	Cycle sass.Reg
	// Scratch is a register that members may use on their way. It has no value between two members.
	Scratch sass.Reg
	// Spare returns the registers that have no value, other than those that members read and write themselves.
	Spare func() abi.RegSet
	// NoSpare reports that a cycle cannot be broken, since no register is free for a copy.
	NoSpare func(pos diag.Pos)
}

// A group is the group that is being ordered.
type group struct {
	*Regs
	code    *lir.Code // the code so far, to which members are emitted
	start   int       // where the group begins in it
	pos     diag.Pos
	members []member            // those that are still to be emitted
	copies  map[lir.Reg]lir.Reg // a register that has the same word as another one had before the group
}

// A member is the instructions that give a register its word. They stay side by side and in order.
type member []lir.Inst

// Run returns code with the members of all groups in order, and without the marks of groups.
func Run(c *lir.Code, regs *Regs) *lir.Code {
	to := c.Next(8)
	for i := 0; i < len(c.List); i++ {
		if c.List[i].Op != lir.Group {
			to.List = append(to.List, c.List[i])
			continue
		}
		g := group{Regs: regs, code: to, start: len(to.List), pos: c.List[i].Pos, copies: make(map[lir.Reg]lir.Reg)}
		for i++; c.List[i].Op != lir.Apart; i++ {
			if n := len(g.members); c.List[i].Op == lir.Member {
				g.members = append(g.members, nil)
			} else {
				g.members[n-1] = append(g.members[n-1], c.List[i])
			}
		}
		g.inOrder()
	}
	return to
}

// inOrder emits the members, each as soon as no other one that is left reads what it writes. If none can be emitted, each
// member that is left has a reader among the others, so that the readers form a cycle. breakCycle makes all readers of
// one member read copies. That member can then be emitted, so that the loop ends.
func (g *group) inOrder() {
	for {
		left := g.members[:0:0]
		for i, m := range g.members {
			if g.reader(i) >= 0 {
				left = append(left, m)
				continue
			}
			g.emit(m)
			g.members[i] = nil
		}
		progress := len(left) < len(g.members)
		if g.members = left; len(left) == 0 {
			return
		}
		if !progress {
			g.breakCycle()
		}
	}
}

// emit emits a member; nothing for a copy of a register to itself. The destination of a copy has its last value, and its
// source is still as before the group, since its writer has to wait for this member. So the destination may serve as the
// copy that a cycle needs.
func (g *group) emit(m member) {
	if len(m) == 1 && m[0].Op == lir.Copy && physical(m[0].Dst) && physical(m[0].A) {
		if m[0].Dst == m[0].A {
			return
		}
		g.copies[m[0].A] = m[0].Dst
	}
	g.code.List = append(g.code.List, m...)
}

// breakCycle finds a member on a cycle, and makes all others read copies of what that member writes. The way from a member
// to a reader of it, and so on, reaches some member a second time; that one is on a cycle.
func (g *group) breakCycle() {
	at, seen := 0, make([]bool, len(g.members))
	for !seen[at] {
		seen[at] = true
		at = g.reader(at)
	}
	for i := range g.members[at] {
		dst, n := g.members[at][i].Dest()
		for k := range n {
			if r := dst + lir.Reg(k); physical(dst) && r != lir.Phys(g.Scratch) {
				g.setAside(at, r)
			}
		}
	}
}

// reader returns the index of another member that reads what a member writes, -1 if there is none.
func (g *group) reader(of int) int {
	for i, m := range g.members {
		if i != of && slices.ContainsFunc(sources(m), func(r *lir.Reg) bool { return g.writes(g.members[of], *r) }) {
			return i
		}
	}
	return -1
}

// setAside makes all members but one read a copy of a register, which that one writes.
func (g *group) setAside(but int, old lir.Reg) {
	to, copied := g.copies[old]
	for i, m := range g.members {
		if i == but || !reads(m, old) {
			continue
		}
		if !copied {
			var ok bool
			if to, ok = g.spare(); !ok {
				g.NoSpare(g.pos)
			}
			g.code.List = append(g.code.List, lir.Inst{Op: lir.Copy, Guard: m[0].Guard, Dst: to, A: old, Pos: g.pos})
			copied = true
		}
		for _, r := range sources(m) {
			if *r == old {
				*r = to
			}
		}
	}
}

// spare returns a register that no member that is left reads or writes, and none that was emitted has given a word; false if
// there is none.
func (g *group) spare() (lir.Reg, bool) {
	free := func(r lir.Reg) bool {
		return !slices.ContainsFunc(g.members, func(m member) bool { return reads(m, r) || g.writes(m, r) })
	}
	if r := lir.Phys(g.Cycle); free(r) {
		return r, true
	}
	spare := g.Spare()
	for r := range spare.All() {
		if r := lir.Phys(r); free(r) && !g.writes(g.code.List[g.start:], r) {
			return r, true
		}
	}
	return lir.Phys(g.Cycle), false
}

// reads reports whether a member reads a register.
func reads(m member, r lir.Reg) bool {
	return slices.ContainsFunc(sources(m), func(src *lir.Reg) bool { return *src == r })
}

// writes reports whether a member writes a register, other than the scratch register.
func (g *group) writes(m member, r lir.Reg) bool {
	return r != lir.Phys(g.Scratch) && slices.ContainsFunc(m, func(in lir.Inst) bool { return writesOne(&in, r) })
}

// writesOne reports whether an instruction writes a register.
func writesOne(in *lir.Inst, r lir.Reg) bool {
	dst, n := in.Dest()
	return n > 0 && (dst == r || physical(dst) && dst <= r && r < dst+lir.Reg(n))
}

// sources returns the registers that a member reads, but for those that it has written
// itself before.
func sources(m member) (list []*lir.Reg) {
	for k := range m {
		for r := range m[k].Sources {
			if !slices.ContainsFunc(m[:k], func(in lir.Inst) bool { return writesOne(&in, *r) }) {
				list = append(list, r)
			}
		}
	}
	return list
}

func physical(r lir.Reg) bool { return r.Kind() == sass.KindRegister }
