package lower

import "slices"

// lowWords is how many words of a variable are kept in a list by number. There
// may be any number of words, and few that are touched.
const lowWords = 1 << 10

// A wordSet is a set of words of a variable, by number. The zero value is empty.
type wordSet struct {
	low  []bool
	high map[int]bool
	n    int // how many there are
}

// reset empties s.
func (s *wordSet) reset() {
	s.low = s.low[:0]
	if s.n = 0; s.high != nil {
		s.high = nil
	}
}

func (s *wordSet) add(k int) {
	if k >= lowWords {
		if s.high == nil {
			s.high = make(map[int]bool)
		}
		if !s.high[k] {
			s.high[k] = true
			s.n++
		}
		return
	}
	for len(s.low) <= k {
		s.low = append(s.low, false)
	}
	if !s.low[k] {
		s.low[k] = true
		s.n++
	}
}

func (s *wordSet) has(k int) bool {
	if k >= lowWords {
		return s.high[k]
	}
	return k < len(s.low) && s.low[k]
}

// appendBelow appends the numbers below n, in order.
func (s *wordSet) appendBelow(dst []int, n int) []int {
	for k := range min(len(s.low), n) {
		if s.low[k] {
			dst = append(dst, k)
		}
	}
	first := len(dst)
	for k := range s.high {
		if k < n {
			dst = append(dst, k)
		}
	}
	slices.Sort(dst[first:])
	return dst
}

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
	p.few = nil
	p.more.reset()
}

// at returns word k, nil if it certainly has not been given.
func (p *pendingWords) at(k int) *word {
	if k < len(p.few) {
		return &p.few[k]
	}
	return p.more.at(k)
}

// pendingWord returns word k of a forwarded variable, to be filled in.
func (fn *fn) pendingWord(v *pvar, k int) *word {
	if k < len(fn.state(v).pending.few) {
		return &fn.state(v).pending.few[k]
	}
	return fn.firstPending(v, k)
}

// firstPending is pendingWord for a word of a variable without any, or of a large one.
func (fn *fn) firstPending(v *pvar, k int) *word {
	p := &fn.state(v).pending
	if n := (v.size + 3) / 4; n <= fewWords {
		p.few = fn.words.Take(n)
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
	if k >= lowWords {
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
