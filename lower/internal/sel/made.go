package sel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// A made is what the code has of a variable so far.
type made struct {
	// pending are the words that forwarded stores have given so far.
	pending pendingWords
	// wholes are those that are words of variables in memory.
	wholes  byWord[wholeWord]
	fetched []lir.Reg     // by word: the register that it has been loaded into
	words   []int32       // by word: number of the name of the register that keeps it, plus 1
	loaded  place.WordSet // words that forwarded copies need in registers of their own and that have been loaded from memory
	freed   place.WordSet // words that they need there no longer
}

// reset empties m where it stands.
func (m *made) reset() {
	m.pending.reset()
	m.wholes.reset()
	if m.fetched != nil {
		m.fetched = nil
	}
	m.words = m.words[:0]
	m.loaded.Reset()
	m.freed.Reset()
}

// states holds what the code has of variables, of those that it has something of. Memory of
// one whose block has ended is another's: a long function declares variables for each call.
type states struct {
	of      []int32 // by the index of the variable: index of its state, plus 1; 0 for none
	list    []*made
	inBlock [][]int32 // indexes of those of variables of a block, by its depth
	spare   []int32   // and of those that nobody uses
	keeps   bool      // a variable may be asked for after its block

	// last is the variable that was asked for last, and has what there is of it: stores to one
	// follow each other.
	last *place.Var
	has  *made
}

// begin begins a function with n variables.
func (s *states) begin(n int, keeps bool) {
	s.keeps = false
	for depth := range s.inBlock {
		s.end(depth)
	}
	s.of, s.keeps, s.last = arena.Resized(s.of, n), keeps, nil
	clear(s.of)
}

// end ends a block.
func (s *states) end(depth int) {
	s.last = nil
	if depth < len(s.inBlock) && !s.keeps {
		s.spare = append(s.spare, s.inBlock[depth]...)
		s.inBlock[depth] = s.inBlock[depth][:0]
	}
}

// add begins with a variable that there is nothing of, and returns what of has for it.
func (s *states) add(v *place.Var) int32 {
	if len(s.spare) == 0 {
		s.spare = append(s.spare, int32(len(s.list)))
		s.list = append(s.list, new(made))
	}
	last := len(s.spare) - 1
	k := s.spare[last]
	s.spare = s.spare[:last]
	depth := int(v.Sym.Depth)
	for len(s.inBlock) <= depth {
		s.inBlock = append(s.inBlock, nil)
	}
	s.inBlock[depth] = append(s.inBlock[depth], k)
	s.of[v.Index] = k + 1
	s.list[k].reset()
	return k + 1
}

// state returns what the code has of a variable.
func (fn *Selector) state(v *place.Var) *made {
	if s := &fn.states; s.last == v {
		return s.has
	}
	return fn.states.find(v)
}

// find is what state returns for another variable than the last.
func (s *states) find(v *place.Var) *made {
	k := s.of[v.Index]
	if k == 0 {
		k = s.add(v)
	}
	s.last, s.has = v, s.list[k-1]
	return s.has
}

// fetched returns the registers that words of a variable have been loaded into, by word; nil
// for none.
func (fn *Selector) fetched(v *place.Var) []lir.Reg {
	if k := fn.states.of[v.Index]; k > 0 {
		return fn.states.list[k-1].fetched
	}
	return nil
}

// wordOf is the register that keeps word i of a scalarized variable.
func (fn *Selector) wordOf(v *place.Var, i int) lir.Reg {
	if i >= place.LowWords {
		return fn.Virtual(fn.wordName(v, i), sass.Whole)
	}
	m := fn.state(v)
	for len(m.words) <= i {
		m.words = append(m.words, 0)
	}
	if m.words[i] == 0 {
		m.words[i] = fn.Registers.Number(fn.wordName(v, i)) + 1
	}
	return lir.Virt(m.words[i]-1, sass.Whole)
}

// wordName is the name of the register that keeps word i of a scalarized variable.
func (fn *Selector) wordName(v *place.Var, i int) string {
	b := append(append(fn.line[:0], v.Source...), fn.Added(v.Sym)...)
	fn.line = strconv.AppendInt(append(b, '.'), int64(i), 10)
	return fn.bytes(fn.line)
}

// nameOf is v's name, unique within the function.
func (fn *Selector) nameOf(v *place.Var) string {
	if n := fn.Added(v.Sym); n != "" {
		return v.Source + n
	}
	return v.Source
}
