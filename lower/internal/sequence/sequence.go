// Package sequence puts instructions that happen at once in an order.
package sequence

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Regs are the registers that an order may take.
type Regs struct {
	// Cycle is a register that keeps nothing before and after a group, though members may use it.
	Cycle sass.Reg
	// Scratch is a register that members use on the way. Nothing is in it between them.
	Scratch sass.Reg
	// Spare returns the registers that nothing is in, but for what members read and write themselves.
	Spare func() abi.RegSet
	// NoSpare reports that members wait for one another and there is no register for one of them.
	NoSpare func(pos diag.Pos)
}

// A group is the group at hand.
type group struct {
	*Regs
	code    *lir.Code // with the instructions before
	pos     diag.Pos
	members []member            // that are still to be emitted
	copies  map[lir.Reg]lir.Reg // registers that have been copied
}

// A member is instructions of the group at hand that give a register its word.
type member []lir.Inst

// Run returns the code with all groups in an order.
func Run(c *lir.Code, regs *Regs) *lir.Code {
	to := c.Next(8)
	for i := 0; i < len(c.List); i++ {
		if c.List[i].Op != lir.Group {
			to.List = append(to.List, c.List[i])
			continue
		}
		g := group{Regs: regs, code: to, pos: c.List[i].Pos, copies: make(map[lir.Reg]lir.Reg)}
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

// inOrder emits the members, each when no other one still reads what it writes. Where none can be, all
// that are left wait for one another, along at least one cycle: a register of it is copied, unless a
// copy has been made on the way, and those that are still to read it read the copy.
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

// emit emits a member. A copy of a register to itself is nothing.
func (g *group) emit(m member) {
	if len(m) == 1 && m[0].Op == lir.Copy && physical(m[0].Dst) && physical(m[0].A) {
		if m[0].Dst == m[0].A {
			return
		}
		g.copies[m[0].A] = m[0].Dst
	}
	g.code.List = append(g.code.List, m...)
}

// breakCycle makes others read copies of what a member writes that waits for itself in the end.
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

// reader returns a member that reads what another one writes, -1 if there is none.
func (g *group) reader(of int) int {
	for i, m := range g.members {
		if i != of && slices.ContainsFunc(sources(m), func(r *lir.Reg) bool { return g.writes(g.members[of], *r) }) {
			return i
		}
	}
	return -1
}

// setAside makes all members but one read a copy of a register that that one writes.
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

// spare returns a register that no member has a use for.
func (g *group) spare() (lir.Reg, bool) {
	free := func(r lir.Reg) bool {
		return !slices.ContainsFunc(g.members, func(m member) bool { return reads(m, r) || g.writes(m, r) })
	}
	if r := lir.Phys(g.Cycle); free(r) {
		return r, true
	}
	spare := g.Spare()
	for r := range spare.All() {
		if free(lir.Phys(r)) {
			return lir.Phys(r), true
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
