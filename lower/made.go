package lower

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A made is what the code has of a variable so far.
type made struct {
	// pending are the words that forwarded stores have given so far.
	pending pendingWords
	// wholes are those that are words of variables in memory.
	wholes  byWord[wholeWord]
	fetched []lir.Reg // by word: the register that it has been loaded into
	words   []int32   // by word: number of the name of the register that keeps it, plus 1
	loaded  wordSet   // words that forwarded copies need in registers of their own and that have been loaded from memory
	freed   wordSet   // words that they need there no longer
}

// reset empties m where it stands.
func (m *made) reset() {
	m.pending.reset()
	m.wholes.reset()
	if m.fetched != nil {
		m.fetched = nil
	}
	m.words = m.words[:0]
	m.loaded.reset()
	m.freed.reset()
}

// state returns what the code has of a variable.
func (fn *fn) state(v *pvar) *made { return &fn.variables[v.index] }

// resetStates begins a function.
func (fn *fn) resetStates() {
	fn.variables = slices.Grow(fn.variables[:0], fn.pvarsMade)[:fn.pvarsMade]
	for i := range fn.variables {
		fn.variables[i].reset()
	}
}

// wordOf is the register that keeps word i of a scalarized variable.
func (fn *fn) wordOf(v *pvar, i int) lir.Reg {
	for i < lowWords && len(fn.state(v).words) <= i {
		fn.state(v).words = append(fn.state(v).words, 0)
	}
	if i >= lowWords {
		return fn.virtual(fn.wordName(v, i), sass.Whole)
	}
	if fn.state(v).words[i] == 0 {
		fn.state(v).words[i] = fn.in.Number(fn.wordName(v, i)) + 1
	}
	return lir.Virt(fn.state(v).words[i]-1, sass.Whole)
}

// wordName is the name of the register that keeps word i of a scalarized variable.
func (fn *fn) wordName(v *pvar, i int) string {
	b := append(append(fn.line[:0], v.source...), fn.added(v.sym)...)
	fn.line = strconv.AppendInt(append(b, '.'), int64(i), 10)
	return fn.bytes(fn.line)
}

// nameOf is v's name, unique within the function.
func (fn *fn) nameOf(v *pvar) string {
	if n := fn.added(v.sym); n != "" {
		return v.source + n
	}
	return v.source
}
