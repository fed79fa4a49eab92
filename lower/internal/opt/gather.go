package opt

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A gatherer is the pass that loads and stores two or four words side by side at once whose
// registers are not one: through a register of its own, from which or to which they are copied.
type gatherer struct {
	c     *lir.Code
	reads *readers
	at    []int
	wide  []inserted
	named map[lir.Note]int // how many registers have the name of bytes
}

// An inserted is an instruction to be inserted before one of a list.
type inserted struct {
	before int
	in     lir.Inst
}

// Gather runs the pass, over code whose registers are all virtual.
func (o *Optimizer) Gather(c *lir.Code) *lir.Code {
	o.r.reset(c)
	g := &o.g
	*g = gatherer{c: c.Copy(), reads: &o.r, at: g.at, wide: g.wide[:0], named: make(map[lir.Note]int)}
	for i := range g.c.List {
		if op := g.c.List[i].Op; op != lir.Load && op != lir.Store {
			continue
		}
		for _, n := range [...]int{lir.Widest, 2} {
			if at := g.block(i, n); at != nil {
				g.gather(at, n)
				break
			}
		}
	}
	slices.SortStableFunc(g.wide, func(a, b inserted) int { return a.before - b.before })
	g.c.List = insert(g.c.List, g.wide)
	return g.c
}

// insert inserts instructions into a list, from its end on.
func insert(list []lir.Inst, more []inserted) []lir.Inst {
	from := len(list)
	list = slices.Grow(list, len(more))[:from+len(more)]
	for n := len(more) - 1; n >= 0; n-- {
		at := more[n].before
		copy(list[at+n+1:], list[at:from])
		list[at+n], from = more[n].in, at
	}
	return list
}

// begin returns how many bytes before an access the block of n words begins that it is of. Stores are of words from the
// first on.
func begin(in *lir.Inst, n int) int32 {
	if in.Op == lir.Store {
		return 0
	}
	return in.N & int32(4*n-1)
}

// block returns where the accesses are, from i on, that one access to n words can take the place of, as long as nothing
// happens in between that it matters to; none if that does not pay. Of loads the first word and the last are wanted.
func (g *gatherer) block(i, n int) []int {
	list, at := g.c.List, g.at[:0]
	first := &list[i]
	before := begin(first, n)
	if first.Bank != 0 || g.c.Opcode(first, 4*n, false) == "" ||
		int(first.First) < 4*n || (first.N-before)&int32(4*n-1) != 0 || first.Note.First < before {
		return nil
	}
	seen, copies := 0, 0
	for k := i; k < min(len(list), i+nearby); k++ {
		in := &list[k]
		off := in.Off - first.Off + int64(before) // in the block
		if in.Op != first.Op || in.B != first.B || off < 0 || off >= int64(4*n) || off%4 != 0 || in.Size != 4 && !in.Loose {
			if !g.passes(first, in) {
				break
			}
			continue
		}
		if in.Guard != "" || in.Note.End == lir.Text || in.Note.Name != first.Note.Name || in.Op == lir.Load && (in.Dst.Kind() != sass.KindVirtual || in.Dst == in.B) ||
			in.Op == lir.Store && int(off) != 4*len(at) {
			break
		}
		at, seen = append(at, k), seen|1<<(off/4)
		if in.Op == lir.Load || !g.free(in.A) {
			copies++
		}
	}
	g.at = at
	alone := 0 // accesses that these words take otherwise
	for k := 0; k < len(at); k += widest(g.c, at[k]) {
		alone++
	}
	if seen&1 == 0 || seen>>(n-1) == 0 || alone < 2 || 2*alone < copies+2 { // as many accesses are saved as there are more instructions
		return nil
	}
	return at
}

// passes reports whether accesses may stand on the other side of an instruction: loads before, and stores after it.
func (g *gatherer) passes(first, in *lir.Inst) bool {
	if d, n := in.Dest(); joins(in) || in.Jumps || in.Leaves || n > 0 && d == first.B {
		return false
	}
	switch in.Op {
	case lir.Copy, lir.Const, lir.Perm:
		return true
	case lir.Load:
		return first.Op == lir.Load || in.Bank != 0
	case lir.Store:
		return first.Op == lir.Load && first.Writers == lir.Nothing
	}
	return first.Op == lir.Load && first.Writers != lir.Anything
}

// free reports whether a word can be made in any register.
func (g *gatherer) free(r lir.Reg) bool {
	return own(g.c, r) || r.Kind() == sass.KindVirtual && g.reads.of(r) == 1
}

// gather makes accesses copies of words, and emits one access to n words: a load before the first of them, a store after
// the last one.
func (g *gatherer) gather(at []int, n int) {
	first, last := at[0], at[len(at)-1]
	wide := g.c.List[first]
	before := begin(&wide, n)
	wide.Off, wide.N, wide.Note.First = wide.Off-int64(before), wide.N-before, wide.Note.First-before
	wide.Size, wide.Signed = uint8(4*n), false
	words := g.words(wide.Note, n)
	if wide.Op == lir.Load {
		wide.Dst, wide.Note.End = words, wide.Note.First+int32(4*n)
	} else {
		wide.A, wide.Note.End, wide.Pos = words, g.c.List[last].Note.End, g.c.List[last].Pos
		first = last + 1
	}
	g.wide = append(g.wide, inserted{first, wide})
	for _, k := range at {
		in := &g.c.List[k]
		word := words.Word(int(in.Off-wide.Off)/4, n)
		one := lir.Inst{Op: lir.Copy, Dst: in.Dst, A: word, Note: in.Note, Pos: in.Pos}
		if in.Op == lir.Store {
			one.Dst, one.A = word, in.A
		}
		*in = one
	}
}

// words makes a register for n words of a value from a note's on.
func (g *gatherer) words(note lir.Note, n int) lir.Reg {
	note.End = 0
	text := note.Name + "." + strconv.Itoa(int(note.First))
	if again := g.named[note]; again > 0 { // a function that calls itself has two values of a name at once
		text += "." + strconv.Itoa(again)
	}
	g.named[note]++
	return lir.Virt(g.c.Names.Make(text+g.c.Names.Suffix+"x"+strconv.Itoa(n), -1, lir.NoText), sass.Whole)
}
