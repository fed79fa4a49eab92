package isel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// newName makes a name, and returns its number.
func (s *selector) newName(name string, owner int32) int32 {
	s.owner = append(s.owner, owner)
	return s.names.add(name)
}

// wordNames are the numbers of the names of a variable's words, plus 1; 0 for none. A variable
// may have any number of words, of which few are touched.
type wordNames struct {
	low  []int32
	high map[int]int32
}

// wordOf is the register that keeps word i of a variable.
func (s *selector) wordOf(v *place.Var, i int) lir.Reg {
	w := &s.words[v.Index]
	if i >= place.LowWords {
		if w.high == nil {
			w.high = make(map[int]int32)
		}
		if w.high[i] == 0 {
			w.high[i] = s.newWord(v, i)
		}
		return lir.Virt(w.high[i]-1, sass.Whole)
	}
	for len(w.low) <= i {
		w.low = append(w.low, 0)
	}
	if w.low[i] == 0 {
		w.low[i] = s.newWord(v, i)
	}
	return lir.Virt(w.low[i]-1, sass.Whole)
}

func (s *selector) newWord(v *place.Var, i int) int32 {
	b := append(append(s.line[:0], v.Source...), s.plan.Added(v.Sym)...)
	s.line = strconv.AppendInt(append(b, '.'), int64(i), 10)
	return s.newName(string(s.line), ownName-1-v.Index) + 1
}

// passed returns the numbers of the words of a variable that may have a value, in order: of one
// that takes no result, those that stores touch.
func (s *selector) passed(v *place.Var, size int) []int {
	n := (size + 3) / 4
	var list []int
	if v != nil && v.AsResult.N == 0 && v.Addressed.N == 0 {
		return v.Stored.AppendBelow(list, n)
	}
	list = make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

// NewWords makes a register for n words of a value from a note's on, and returns the number of
// its name.
func (c *Code) NewWords(note lir.Note, n int) int32 {
	b := append([]byte(note.Name), '.')
	b = append(strconv.AppendInt(b, int64(note.First), 10), c.text.s.plan.Names.Suffix...)
	if n > 1 {
		b = strconv.AppendInt(append(b, 'x'), int64(n), 10)
	}
	*c.owner = append(*c.owner, ownName)
	return c.names.add(string(b))
}
