package opt

import (
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A gatherer is the pass that loads and stores two or four words side by side at once whose
// registers are not one: through a register of its own, from which or to which they are copied.
type gatherer struct {
	reads *readers
	old   []lir.Inst // the instructions, of which loads may have become copies
	to    *lir.Code
	from  int // the first instruction that is not in the new code yet
	list  []int
	named map[string]int // how many registers have names that begin so
}

// Gather runs the pass, over code whose registers are all virtual.
func (o *Optimizer) Gather(c *lir.Code) *lir.Code {
	o.r.reset(c)
	o.loads = append(o.loads[:0], c.List...)
	g := gatherer{reads: &o.r, old: o.loads, to: c.Next(len(c.List) / 8), named: make(map[string]int)}
	for i := range g.old {
		if i < g.from {
			continue
		}
		if g.old[i].Op == lir.Load {
			g.loads(i)
		}
		if g.old[i].Op == lir.Store {
			g.stores(i)
		}
		if i >= g.from {
			g.to.List = append(g.to.List, g.old[i])
			g.from = i + 1
		}
	}
	return g.to
}

// loads loads the block of four words, or two, that load i is of at once, if that pays, and the first
// word and the last are wanted. The loads of the block stand in the stretch from i on, before what may
// write the memory; they become copies, or selections of bytes.
func (g *gatherer) loads(i int) {
	first := &g.old[i]
	if first.Kind != sass.Mem || first.Guard != 0 || g.to.Opcode(first, 16, false) == "" {
		return
	}
	for _, n := range [...]int{lir.Widest, 2} {
		at := first.Off - int64(int(first.N)&(4*n-1)) // of the block
		if int(first.First) < 4*n || int64(first.Note.First) < first.Off-at {
			continue
		}
		if alone, copies := g.block(i, at, n); pays(alone, copies) {
			g.load(at, n)
			return
		}
	}
}

// block finds the loads from i on of a block of n words, and returns how many accesses those of words are, and
// how many copies would take their place; none if the first word or the last one is not among them.
func (g *gatherer) block(i int, at int64, n int) (alone, copies int) {
	last := -1
	first := &g.old[i]
	seen := 0
	g.list = g.list[:0]
	for k := i; k < len(g.old) && k < i+nearby; k++ {
		in := &g.old[k]
		inside := in.B == first.B && in.Kind == first.Kind && in.Off < at+int64(4*n) && in.Off+int64(int(in.Size)) > at
		if joins(in) || in.Jumps || in.Op == lir.Call || in.NoDst || in.Op == lir.Store && inside ||
			first.Writers == lir.Anything && in.Op != lir.Load && (in.Op != lir.Copy || in.Dst == first.B) {
			break
		}
		if in.Op != lir.Load || !inside {
			continue
		}
		if in.Words() > 1 || in.Note.Name != first.Note.Name || in.Note.End == lir.Text || in.Dst.Kind() != sass.Virtual || in.Dst == in.B || in.Off < at {
			return 0, 0
		}
		w := int(in.Off-at) / 4
		if seen |= 1 << w; in.Size == 4 || in.Loose && in.Off%4 == at%4 {
			if copies++; last < 0 || k != last+1 || in.Off != g.old[last].Off+4 || !in.Dst.Follows(g.old[last].Dst) {
				alone++
			}
			last = k
		}
		g.list = append(g.list, k)
	}
	if seen&1 == 0 || seen>>(n-1) == 0 {
		alone = 0
	}
	return alone, copies
}

// pays reports whether one access in the place of so many, with so many copies, saves as many accesses
// as it takes more instructions.
func pays(accesses, copies int) bool { return 2*accesses >= copies+2 }

// words makes a register for n words of a value from a note's on.
func (g *gatherer) words(note lir.Note, n int) lir.Reg {
	names := &g.to.Names
	text := note.Name + "." + strconv.Itoa(int(note.First))
	again := g.named[text]
	if g.named[text]++; again > 0 { // a function that calls itself has two values of a name at once
		text += "." + strconv.Itoa(again)
	}
	return lir.Virt(names.Make(text+names.Suffix+"x", n, lir.NoText), sass.Whole)
}

// load emits the load of a block of n words, and makes the loads of the block copies.
func (g *gatherer) load(at int64, n int) {
	wide := g.old[g.list[0]]
	by := int32(wide.Off - at)
	wide.Note.First, wide.Off, wide.N = wide.Note.First-by, at, wide.N-by
	wide.Note.End = wide.Note.First + int32(4*n)
	words := g.words(wide.Note, n)
	wide.Size, wide.Signed, wide.Dst = uint8(4*n), false, words
	g.to.List = append(g.to.List, wide)
	for _, k := range g.list {
		in := &g.old[k]
		from, b := words.Word(int(in.Off-at)/4, n), (in.Off-at)%4
		old := *in
		*in = lir.Inst{Op: lir.Perm, Guard: in.Guard, Dst: in.Dst, A: from, B: lir.Zero, Note: in.Note, Pos: in.Pos}
		if old.Loose && b == 0 || old.Size == 4 {
			in.Op, in.B = lir.Copy, 0
			continue
		}
		for i := range int64(4) {
			digit := b + i
			switch {
			case i < int64(old.Size):
			case old.Signed:
				digit = 8 + b + int64(old.Size) - 1
			default:
				digit = 7
			}
			in.Off |= digit << (4 * i)
		}
	}
}

// stores replaces two or four stores, of which the first is i, by one where the last is.
func (g *gatherer) stores(i int) {
	first := &g.old[i]
	var at [lir.Widest]int
	n, copies := 0, [lir.Widest + 1]int{}
	for k := i; k < len(g.old) && k < i+nearby && n < lir.Widest; k++ {
		in := &g.old[k]
		if in.Op == lir.Store {
			if in.Size != 4 || in.B != first.B || in.Off != first.Off+4*int64(n) || in.Guard != 0 || in.Note.End == lir.Text || n > 0 && !in.Note.Follows(g.old[at[n-1]].Note) {
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
		if !g.passes(in, at[:n]) {
			break
		}
	}
	for _, wide := range [...]int{lir.Widest, 2} {
		if n < wide || g.to.Opcode(first, 4*wide, false) == "" || !first.Aligned(4*wide) || !pays(alone(g.old, at[:wide]), copies[wide]) || oneRegister(g.old, at[:wide]) {
			continue
		}
		g.store(at[:wide])
		return
	}
}

// free reports whether a word can be made in any register.
func (g *gatherer) free(r lir.Reg) bool {
	return own(g.to, r) || r.Kind() == sass.Virtual && g.reads.of(r) == 1
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
func (g *gatherer) passes(in *lir.Inst, stores []int) bool {
	switch in.Op {
	case lir.Copy, lir.Const, lir.Perm:
	case lir.Load:
		if in.Kind == sass.Mem {
			return false
		}
	default:
		return false
	}
	d, _ := g.to.Dest(in)
	for _, k := range stores {
		if g.old[k].B == d {
			return false
		}
	}
	return d.Kind() == sass.Virtual
}

// store emits what stands between stores, and one store in their place.
func (g *gatherer) store(at []int) {
	first, n := g.old[at[0]], len(at)
	words := g.words(first.Note, n)
	next := 0
	for k := at[0]; k <= at[n-1]; k++ {
		in := &g.old[k]
		if next < n && k == at[next] {
			g.to.List = append(g.to.List, lir.Inst{Op: lir.Copy, Dst: words.Word(next, n), A: in.A, Note: in.Note, Pos: in.Pos})
			next++
			continue
		}
		g.to.List = append(g.to.List, *in)
	}
	wide := first
	wide.Size, wide.A, wide.Note.End, wide.Pos = uint8(4*n), words, g.old[at[n-1]].Note.End, g.old[at[n-1]].Pos
	g.to.List = append(g.to.List, wide)
	g.from = at[n-1] + 1
}
