package sel

import (
	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/lower/internal/place"
)

// pendingWords are the words that stores have given to a forwarded variable. The zero value
// holds none.
type pendingWords struct {
	// few are all words of a variable of fewWords at most, once there is a store: side by
	// side, without a pointer to each.
	few  []word
	more byWord[word] // those of larger ones that have been given
}

const fewWords = 64

// reset forgets all words.
func (p *pendingWords) reset() {
	p.few = p.few[:0]
	p.more.reset()
}

// at returns word k, nil if it certainly has not been given.
func (p *pendingWords) at(k int) *word {
	if k < len(p.few) {
		return &p.few[k]
	}
	return p.more.at(k)
}

// pendingWord returns word k of p, those of a forwarded variable, to be filled in.
func (fn *Selector) pendingWord(p *pendingWords, v *place.Var, k int) *word {
	if k < len(p.few) {
		return &p.few[k]
	}
	return fn.firstPending(p, v, k)
}

// firstPending is pendingWord for a word of a variable without any, or of a large one.
func (fn *Selector) firstPending(p *pendingWords, v *place.Var, k int) *word {
	if n := (v.Size + 3) / 4; n <= fewWords {
		p.few = arena.Resized(p.few, n)
		clear(p.few)
		return &p.few[k]
	}
	w := p.more.at(k)
	if w == nil {
		w = fn.word()
		p.more.put(k, w)
	}
	return w
}

// A byWord holds something of words of a variable by number. The zero value
// holds nothing.
type byWord[T any] struct {
	low  []*T
	high map[int]*T
}

// reset empties t.
func (t *byWord[T]) reset() {
	if t.low = t.low[:0]; t.high != nil {
		t.high = nil
	}
}

// at returns what there is of word k, nil if there is nothing.
func (t *byWord[T]) at(k int) *T {
	if k < len(t.low) {
		return t.low[k]
	}
	if t.high == nil {
		return nil
	}
	return t.high[k]
}

func (t *byWord[T]) put(k int, w *T) {
	if k >= place.LowWords {
		if t.high == nil {
			t.high = make(map[int]*T)
		}
		t.high[k] = w
		return
	}
	for len(t.low) <= k {
		t.low = append(t.low, nil)
	}
	t.low[k] = w
}
