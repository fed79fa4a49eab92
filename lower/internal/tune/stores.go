package tune

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A cell is one store of a run, with what makes the register that it stores.
type cell struct {
	span       // in the list of the run; the store is the last instruction
	size int   // bytes, 4 for those of a word that are stored as a part of it
	part int   // what lies before the part
	off  int64 // of the word
	cost extraCost
}

// An extraCost is what extra has found out about a cell.
type extraCost uint8

const (
	notAsked extraCost = iota
	free
	costs
)

// A storeRun is the run at hand.
type storeRun struct {
	*Tuner
	*lir.Run
	list []lir.Inst
}

// stores is the pass over stores.
func (t *Tuner) stores(r *lir.Run) {
	if !t.plan.Runs(lir.StorePairing) {
		return
	}
	s := storeRun{t, r, t.old(r)}
	s.divide()
	cells, replaced := t.cells, false
	for i := 0; i < len(cells); {
		n, src := s.one(i)
		if n > 1 && !replaced {
			replaced = true
			t.replace(r)
			if i > 0 {
				t.List = append(t.List, s.list[:cells[i-1].end]...)
			}
		}
		switch {
		case !replaced:
		case n == 1:
			t.List = append(t.List, s.list[cells[i].first:cells[i].end]...)
		default:
			s.store(cells[i:i+n], src)
		}
		i += n
	}
}

// divide finds the cells.
func (s *storeRun) divide() {
	cells, first := s.cells[:0], 0
	for i := range s.list {
		in := &s.list[i]
		if in.Op != lir.Store {
			continue
		}
		c := cell{span: span{first: first, end: i + 1}, size: 4, off: in.Off}
		if in.Name != s.plan.T.Spelling.StoreLocal.B32 {
			if c.size = 1; in.Name == s.plan.T.Spelling.StoreLocal.U16 {
				c.size = 2
			}
			if s.Words {
				c.size, c.part = 4, int(in.N&3)
				c.off -= int64(c.part)
			}
		}
		cells, first = append(cells, c), i+1
	}
	s.cells = cells
}

// inPlace returns the register that holds a cell of a whole word.
func (s *storeRun) inPlace(c *cell) (lir.Reg, bool) {
	if c.size != 4 || c.part > 0 || c.end != c.first+1 {
		return 0, false
	}
	return s.list[c.first].A, true
}

// one returns how many of the cells from one on one store takes, and from which
// registers if they are several: none if they have to be put together first.
//
// Cells that are needed later on would have to be copied to be side by side.
// That is done where it makes stores and copies fewer in sum, and for pairs that
// are better off together all the same.
func (s *storeRun) one(i int) (n int, src lir.Reg) {
	sp := &s.plan.T.Spelling.StoreLocal
	list := s.cells[i:]
	for n = lir.Widest; n > 1; n /= 2 {
		if len(list) < n || n == 4 && sp.B128 == "" || sp.B64 == "" || !s.aligned(&list[0], 4*n) || !sideInMemory(list[:n]) {
			continue
		}
		if src, ok := s.sideInRegisters(list[:n]); ok {
			return n, src
		}
		// What is paired without asking what is needed later on goes first: that takes longest.
		if (s.Virtual || s.Spare != 0) && (n == 2 && s.paired(i) || 1+s.extra(list[:n]) < s.narrower(list[:n])) {
			return n, 0
		}
	}
	return 1, 0
}

// aligned reports whether the word of a cell is known to be aligned.
func (s *storeRun) aligned(c *cell, n int) bool {
	in := s.list[c.end-1]
	in.N -= int32(c.part)
	return in.Aligned(n)
}

// sideInMemory reports whether cells are whole words that follow each other.
func sideInMemory(list []cell) bool {
	for i := range list {
		if list[i].size != 4 || i > 0 && list[i].off != list[i-1].off+4 {
			return false
		}
	}
	return true
}

// sideInRegisters returns the registers that hold cells of whole words, if those
// are one operand of a store.
func (s *storeRun) sideInRegisters(list []cell) (lir.Reg, bool) {
	first, ok := s.inPlace(&list[0])
	for i, last := 1, first; i < len(list) && ok; i++ {
		var next lir.Reg
		next, ok = s.inPlace(&list[i])
		ok = ok && next.Follows(last)
		last = next
	}
	if !ok {
		return first, false
	}
	return first.Group(len(list))
}

// extra returns how many instructions cells take that are stored together, and
// do not take on their own: copies of registers whose values are needed later on,
// and moves of a part of a word to where it belongs. Copies of what is not needed
// any longer do not count, and what is in a slot of the frame is loaded either way.
func (s *storeRun) extra(list []cell) int {
	n := 0
	for i := range list {
		if s.costsExtra(&list[i]) {
			n++
		}
	}
	return n
}

// costsExtra reports whether a cell is such a copy or move. It is asked up to three
// times of each cell.
func (s *storeRun) costsExtra(c *cell) bool {
	if c.cost == notAsked {
		c.cost = free
		if r, ok := s.inPlace(c); ok && !s.area.Has(r) && !s.plan.Dies(r, int(s.Stmt), s.Label) || c.part > 0 {
			c.cost = costs
		}
	}
	return c.cost == costs
}

// paired reports whether the first two cells from one on are stored together although that
// takes as many instructions as two stores, or one more: memory is accessed once
// then. To do so wherever it makes no difference would be more copies than ptxas
// makes. It is done
//
//   - where one of the two is made for the store anyway, of a constant or out of a
//     slot, or is not needed any longer, and a copy of the other takes the place of
//     a store;
//   - where both are the same register, which cannot lie beside itself;
//   - where the two are a value of two words.
func (s *storeRun) paired(i int) bool {
	list := s.cells[i:]
	first, ok1 := s.inPlace(&list[0])
	second, ok2 := s.inPlace(&list[1])
	return ok1 && ok2 && (first == second || len(list) == 2 && i == 0 && s.Begins) ||
		s.extra(list[:2]) < 2 && (s.passing(&list[0]) || s.passing(&list[1]))
}

// passing reports whether a cell is a constant, in a slot, or in a register that is
// not needed any longer.
func (s *storeRun) passing(c *cell) bool {
	if c.end == c.first+2 && s.list[c.first].Op == lir.Const {
		return true
	}
	r, ok := s.inPlace(c)
	return ok && (r == lir.Zero || !s.costsExtra(c))
}

// narrower returns how many stores cells of whole words take that are not stored
// together.
func (s *storeRun) narrower(list []cell) int {
	if len(list) == 2 {
		return 2
	}
	stores := 0
	for ; len(list) > 0; list = list[2:] {
		if _, ok := s.sideInRegisters(list[:2]); ok || s.extra(list[:2]) == 0 {
			stores++
		} else {
			stores += 2
		}
	}
	return stores
}

// store emits one store of cells, from registers side by side if src is those.
func (s *storeRun) store(cells []cell, src lir.Reg) {
	n, last := len(cells), &cells[len(cells)-1]
	out := s.list[cells[0].end-1]
	out.Off, out.N = cells[0].off, out.N-int32(cells[0].part)
	out.Note.First -= int32(cells[0].part)
	out.Note.End = s.list[last.end-1].Note.End
	if last.part > 0 {
		word := s.list[last.end-1].Note.First - int32(last.part)
		out.Note.End = min(word+4, s.Size)
	}
	if out.Name = s.plan.T.Spelling.StoreLocal.B64; n == 4 {
		out.Name = s.plan.T.Spelling.StoreLocal.B128
	}
	if src.Kind() == sass.None {
		src = s.putTogether(cells, out.Note)
	}
	out.A = src
	s.List = append(s.List, out)
}

// putTogether makes the words of cells side by side and returns them as one operand.
func (s *storeRun) putTogether(cells []cell, note lir.Note) lir.Reg {
	n, all := len(cells), lir.Phys(s.Spare)
	if s.Virtual {
		all = s.plan.AsOne(note, n)
	}
	list, members, group := s.insts[:0], s.members[:0], false
	for i := range cells {
		dst := lir.Phys(s.Spare + sass.Reg(i))
		if s.Virtual {
			dst = all.Word(i, n)
		}
		first := len(list)
		list = s.made(list, &cells[i], dst)
		in := &list[first]
		isCopy := in.Op == lir.Copy && dst.Kind() == sass.Register && in.A.Kind() == sass.Register && in.A != lir.Zero
		members = append(members, span{first, len(list), isCopy})
		group = group || s.readsPhysical(list[first:])
	}
	s.insts, s.members = list, members
	s.fromSlots(list, members)
	s.together(list, members, s.list[cells[0].end-1].Pos, group)
	return all
}

// made appends what makes a register hold the word of a cell.
func (s *storeRun) made(list []lir.Inst, c *cell, dst lir.Reg) []lir.Inst {
	store := &s.list[c.end-1]
	in := lir.Inst{Op: lir.Copy, Guard: store.Guard, Pos: store.Pos, Dst: dst, A: store.A}
	if c.part > 0 {
		in.Op, in.Name, in.B, in.Off = lir.Perm, s.plan.T.Spelling.SelectBytes, lir.Zero, partAt(c.part, store.Name == s.plan.T.Spelling.StoreLocal.U16)
		return append(list, in)
	}
	if c.end == c.first+1 {
		return append(list, in)
	}
	scratch := store.A
	for _, in := range s.list[c.first : c.end-1] {
		if in.Op == lir.Instr {
			for k := range s.Operands(&in) {
				if a := &s.Args[int(in.First)+k]; a.Reg == scratch {
					a.Reg, a.Rest.Kind = dst, dst.Kind()
				}
			}
		}
		for _, r := range [...]*lir.Reg{&in.Dst, &in.A, &in.B} {
			if *r == scratch {
				*r = dst
			}
		}
		list = append(list, in)
	}
	return list
}

// partAt returns the selector that moves the lowest byte, or the lowest two, of the first
// register to byte at, with zeros from the second elsewhere.
func partAt(at int, two bool) int64 {
	const zeros = 0x7777
	sel := zeros&^(0xf<<(4*at)) | 0<<(4*at)
	if two {
		sel = sel&^(0xf<<(4*(at+1))) | 1<<(4*(at+1))
	}
	return int64(sel)
}
