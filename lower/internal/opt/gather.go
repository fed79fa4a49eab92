package opt

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A gatherer is the pass that loads or stores two or four words side by side in memory with one access, where their
// registers do not lie side by side. The access has a wide register of its own, and copies take the place of the
// accesses: from words of that register after a load, to them before a store.
//
// The copies stand where the accesses stood, so that every register is read and written at the same place as before.
// Only the memory is accessed at another place: a load at the first of the accesses, a store after the last. That
// changes nothing if no instruction in between changes the base, none writes what is loaded, and none reads or writes
// the memory of a store (passes).
type gatherer struct {
	c     *lir.Code
	reads *readers
	at    []int
	wide  []inserted
	named map[lir.Note]int // how many registers of words have been made, by the note of their first byte
}

// An inserted is an instruction to be inserted before one of a list.
type inserted struct {
	before int
	in     lir.Inst
}

// Gather runs the pass. The registers of the source must all be virtual.
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

// insert inserts instructions, sorted by their places, into a list. It goes from the end to the beginning, so that each
// instruction of the list moves once.
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

// begin returns how many bytes before an access its block of n words begins. A block of stores begins with its first
// store.
func begin(in *lir.Inst, n int) int32 {
	if in.Op == lir.Store {
		return 0
	}
	return in.N & int32(4*n-1)
}

// block returns the indexes of the accesses, from i on, that one access to n words can take the place of; nil where there
// are none, or where that does not pay. The block is aligned, and the code accesses its first word and its last one,
// both of one variable. So the words between them, which a wide load reads too, lie in that variable. Stores must be of
// all words, in ascending order, since a wide store writes every word.
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
	alone := 0 // how many accesses Pair would leave of these
	for k := 0; k < len(at); k += widest(g.c, at[k]) {
		alone++
	}
	if seen&1 == 0 || seen>>(n-1) == 0 || alone < 2 || 2*alone < copies+2 { // alone-1 accesses saved, copies+1-alone instructions added
		return nil
	}
	return at
}

// passes reports whether an access like first may move over an instruction: a load to the place before it, a store to
// the place after it. Copies, constants and selections access no memory. Two loads may change places. A load may move
// over a store only if nothing writes its memory, and over other instructions only if no pointer reaches its memory. A
// store may move over loads of constant banks alone.
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

// free reports whether Coalesce may compute a word in another register, so that its copy costs nothing.
func (g *gatherer) free(r lir.Reg) bool {
	return own(g.c, r) || r.Kind() == sass.KindVirtual && g.reads.of(r) == 1
}

// gather turns accesses into copies, and adds one access to n words: a load before the first copy, a store after the last.
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

// words makes a register for n words of a value, the first of which a note names.
func (g *gatherer) words(note lir.Note, n int) lir.Reg {
	note.End = 0
	text := note.Name + "." + strconv.Itoa(int(note.First))
	if again := g.named[note]; again > 0 { // a recursive function has two values of one name
		text += "." + strconv.Itoa(again)
	}
	g.named[note]++
	return lir.Virt(g.c.Names.Make(text+g.c.Names.Suffix+"x"+strconv.Itoa(n), -1, lir.NoText), sass.Whole)
}
