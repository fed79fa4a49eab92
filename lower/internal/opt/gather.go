package opt

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A gatherer is the pass that loads and stores two or four words side by side at once whose
// registers are not one: through a register of its own, from which or to which they are copied.
type gatherer struct {
	c     *isel.Code
	t     *abi.Target
	reads *readers
	from  int // the first instruction that is not in the new list yet
	list  []int
}

// gather runs the pass, over code whose registers are all virtual.
func gather(c *isel.Code, t *abi.Target, reads *readers) {
	g := gatherer{c: c, t: t, reads: reads}
	r := c.Rewrite()
	for i := range r.Old {
		if i < g.from {
			continue
		}
		if r.Old[i].Op == lir.Load {
			g.loads(&r, i)
		}
		if r.Old[i].Op == lir.Store {
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

// loads loads the block of four words, or two, that load i is of at once, if that pays, and the first
// word and the last are wanted. The loads of the block stand in the stretch from i on, before what may
// write the memory; they become copies, or selections of bytes.
func (g *gatherer) loads(r *lir.Rewrite, i int) {
	first := &r.Old[i]
	ops := widths(first, g.t)
	if first.Kind != sass.Mem || first.Guard != 0 || ops.B128 == "" {
		return
	}
	for _, n := range [...]int{lir.Widest, 2} {
		at := first.Off - int64(int(first.N)&(4*n-1)) // of the block
		if int(first.First) < 4*n || int64(first.Note.First) < first.Off-at {
			continue
		}
		if list, alone, copies := g.block(r.Old, i, at, n); pays(alone, copies) {
			g.load(r, list, at, n)
			return
		}
	}
}

// block returns the loads from i on of a block of n words, how many accesses those of words are, and
// how many copies would take their place; none if the first word or the last one is not among them.
func (g *gatherer) block(list []lir.Inst, i int, at int64, n int) (loads []int, alone, copies int) {
	last := -1
	first := &list[i]
	ops := widths(first, g.t)
	loads, seen := g.list[:0], 0
	defer func() { g.list = loads }()
	for k := i; k < len(list) && k < i+nearby; k++ {
		in := &list[k]
		inside := in.B == first.B && in.Kind == first.Kind && in.Off < at+int64(4*n) && in.Off+int64(accessed(in)*in.Words()) > at
		switch {
		case joins(in) || jumps(g.c, in) || in.Op == lir.Call || in.NoDst || in.Op == lir.Store && inside:
			k = len(list)
			continue
		case first.Writers == lir.Anything && in.Op != lir.Load && (in.Op != lir.Copy || in.Dst == first.B):
			k = len(list)
			continue
		case in.Op != lir.Load || !inside:
			continue
		case in.Words() > 1 || in.Note.Name != first.Note.Name || in.Note.End == lir.Text || in.Dst.Kind() != sass.Virtual || in.Dst == in.B || in.Off < at:
			return loads, 0, 0
		}
		w := int(in.Off-at) / 4
		if seen |= 1 << w; in.Name == ops.B32 || in.Loose && in.Off%4 == at%4 {
			if copies++; last < 0 || k != last+1 || in.Off != list[last].Off+4 || !in.Dst.Follows(list[last].Dst) {
				alone++
			}
			last = k
		}
		loads = append(loads, k)
	}
	if seen&1 == 0 || seen>>(n-1) == 0 {
		alone = 0
	}
	return loads, alone, copies
}

// pays reports whether one access in the place of so many, with so many copies, saves as many accesses
// as it takes more instructions.
func pays(accesses, copies int) bool { return 2*accesses >= copies+2 }

// load emits the load of a block of n words, and makes the loads of a list copies.
func (g *gatherer) load(r *lir.Rewrite, list []int, at int64, n int) {
	first := &r.Old[list[0]]
	ops := widths(first, g.t)
	by := int32(first.Off - at)
	wide := *first
	wide.Note.First, wide.Off, wide.N = first.Note.First-by, at, first.N-by
	wide.Note.End = wide.Note.First + int32(4*n)
	words := lir.Virt(g.c.NewWords(wide.Note, n), sass.Whole)
	if wide.Name, wide.Dst = ops.B64, words; n > 2 {
		wide.Name = ops.B128
	}
	g.c.List = append(g.c.List, wide)
	for _, k := range list {
		in := &r.Old[k]
		from, b := words.Word(int(in.Off-at)/4, n), (in.Off-at)%4
		loose := in.Loose
		*in = lir.Inst{Op: lir.Perm, Guard: in.Guard, Dst: in.Dst, A: from, B: lir.Zero, Note: in.Note, Pos: in.Pos, Name: in.Name}
		top := int64(7)
		if loose && b == 0 {
			in.Op, in.B, in.Name = lir.Copy, 0, ""
			continue
		}
		switch in.Name {
		case ops.S8:
			in.Off, top = b, 8+b
		case ops.U8:
			in.Off = b
		case ops.S16:
			in.Off, top = b|(b+1)<<4, 9+b
		case ops.U16:
			in.Off = b | (b+1)<<4
		default:
			in.Op, in.B, in.Name = lir.Copy, 0, ""
			continue
		}
		bits := 4
		if in.Name == ops.S16 || in.Name == ops.U16 {
			bits = 8
		}
		for ; bits < 16; bits += 4 {
			in.Off |= top << bits
		}
		in.Name = g.t.Spelling.SelectBytes
	}
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
		if n < wide || op == "" || !first.Aligned(4*wide) || !pays(alone(r.Old, at[:wide]), copies[wide]) || oneRegister(r.Old, at[:wide]) {
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
