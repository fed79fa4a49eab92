package opt

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A gatherer is the pass that loads four words side by side at once, and stores two or four, whose
// registers are not one: through a register of its own, from which or to which they are copied. A
// store is worth a copy; a load of four is worth four, since memory is slow.
type gatherer struct {
	c     *isel.Code
	t     *abi.Target
	reads *readers
	from  int // the first instruction that is not in the new list yet
}

// gather runs the pass, over code whose registers are all virtual.
func gather(c *isel.Code, t *abi.Target, reads *readers) {
	g := gatherer{c: c, t: t, reads: reads}
	r := c.Rewrite()
	for i := range r.Old {
		if i < g.from {
			continue
		}
		switch r.Old[i].Op {
		case lir.Load:
			g.loads(&r, i)
		case lir.Store:
			g.stores(&r, i)
		}
		if i >= g.from {
			c.List = append(c.List, r.Old[i])
			r.Became(i)
			g.from = i + 1
		}
	}
	r.End()
}

// loads replaces four loads from i on by one.
func (g *gatherer) loads(r *lir.Rewrite, i int) {
	const n = lir.Widest
	if i+n > len(r.Old) {
		return
	}
	list := r.Old[i : i+n]
	ops := widths(&list[0], g.t)
	lowest := 0
	for k := range list {
		if list[k].Off < list[lowest].Off {
			lowest = k
		}
	}
	first := list[lowest]
	if ops.B128 == "" || first.Kind != sass.Mem || !first.Aligned(4*n) {
		return
	}
	seen := 0
	for k := range list {
		in := &list[k]
		w := (in.Off - first.Off) / 4
		if in.Op != lir.Load || in.Name != ops.B32 || in.B != first.B || in.Kind != first.Kind || in.Off%4 != first.Off%4 || w >= n || g.c.GuardOf(in) != g.c.GuardOf(&first) ||
			in.Dst.Kind() != sass.Virtual || in.Dst == in.B || in.Note.Name != first.Note.Name || in.Note.End == lir.Text {
			return
		}
		for _, other := range list[:k] {
			if other.Dst == in.Dst || other.Dst.Name() == in.Dst.Name() {
				return
			}
		}
		seen |= 1 << w
	}
	if seen != 1<<n-1 {
		return
	}
	q := g.c.NewWords(first.Note, n)
	wide := first
	wide.Name, wide.Dst, wide.Note.End, wide.Pos = ops.B128, lir.Virt(q, sass.Whole), first.Note.First+4*n, list[0].Pos
	g.c.List = append(g.c.List, wide)
	for k := range list {
		in := &list[k]
		g.c.List = append(g.c.List, lir.Inst{
			Op: lir.Copy, Guard: in.Guard, Dst: in.Dst, A: lir.Virt(q, sass.W0+sass.Part((in.Off-first.Off)/4)), Note: in.Note, Pos: in.Pos,
		})
	}
	g.from = i + n
}

// stores replaces two or four stores, of which the first is i, by one where the last is.
func (g *gatherer) stores(r *lir.Rewrite, i int) {
	first := &r.Old[i]
	ops := widths(first, g.t)
	var at [lir.Widest]int
	n, copies := 0, [lir.Widest + 1]int{}
	for k := i; k < len(r.Old) && k < i+nearby && n < lir.Widest; k++ {
		in := &r.Old[k]
		if in.Op == lir.Store {
			if in.Name != ops.B32 || in.B != first.B || in.Off != first.Off+4*int64(n) || in.Guard != 0 || in.Note.End == lir.Text || n > 0 && !in.Note.Follows(r.Old[at[n-1]].Note) {
				break
			}
			at[n] = k
			n++
			copies[n] = copies[n-1]
			if !g.free(in.A) {
				copies[n]++
			}
			continue
		}
		if !g.passes(in, r.Old, at[:n]) {
			break
		}
	}
	for _, wide := range [...]int{lir.Widest, 2} {
		op := ops.B64
		if wide > 2 {
			op = ops.B128
		}
		if n < wide || op == "" || !first.Aligned(4*wide) || copies[wide] >= alone(r.Old, at[:wide]) || oneRegister(r.Old, at[:wide]) {
			continue
		}
		g.store(r, at[:wide], op)
		return
	}
}

// free reports whether a word can be made in any register.
func (g *gatherer) free(r lir.Reg) bool {
	return own(g.c, r) || r.Kind() == sass.Virtual && g.reads.of(r) == 1
}

// oneRegister reports whether the registers that stores take are one already.
func oneRegister(list []lir.Inst, at []int) bool {
	if _, ok := list[at[0]].A.Group(len(at)); !ok {
		return false
	}
	for k := range at[1:] {
		if !list[at[k+1]].A.Follows(list[at[k]].A) || at[k+1] != at[k]+1 {
			return false
		}
	}
	return true
}

// alone returns how many accesses n words take whose registers are one for some of them.
func alone(list []lir.Inst, at []int) int {
	n := 0
	for k := 0; k < len(at); k++ {
		if n++; k+1 < len(at) && k%2 == 0 {
			a := &list[at[k]]
			if _, ok := a.A.Group(2); ok && list[at[k+1]].A.Follows(a.A) && a.Aligned(8) {
				k++
			}
		}
	}
	return n
}

// passes reports whether stores may stand after an instruction.
func (g *gatherer) passes(in *lir.Inst, list []lir.Inst, stores []int) bool {
	switch in.Op {
	case lir.Gone, lir.Begin:
		return true
	case lir.Copy, lir.Const, lir.Perm:
	case lir.Load:
		if in.Kind == sass.Mem {
			return false
		}
	default:
		return false
	}
	d, _ := g.c.Dest(in)
	for _, k := range stores {
		if list[k].B == d {
			return false
		}
	}
	return d.Kind() == sass.Virtual
}

// store emits what stands between stores, and one store in their place.
func (g *gatherer) store(r *lir.Rewrite, at []int, op string) {
	first, n := r.Old[at[0]], len(at)
	q := g.c.NewWords(first.Note, n)
	words := lir.Virt(q, sass.Whole)
	next := 0
	for k := at[0]; k <= at[n-1]; k++ {
		in := &r.Old[k]
		if next < n && k == at[next] {
			g.c.List = append(g.c.List, lir.Inst{Op: lir.Copy, Dst: words.Word(next, n), A: in.A, Note: in.Note, Pos: in.Pos})
			next++
			continue
		}
		g.c.List = append(g.c.List, *in)
		r.Became(k)
	}
	wide := first
	wide.Name, wide.A, wide.Note.End, wide.Pos = op, words, r.Old[at[n-1]].Note.End, r.Old[at[n-1]].Pos
	g.c.List = append(g.c.List, wide)
	g.from = at[n-1] + 1
}
