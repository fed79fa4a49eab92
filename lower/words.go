package lower

import (
	"math/bits"
	"slices"
)

// lowWords is how many words of a variable are kept in a list by number. There
// may be any number of words, and few that are touched.
const lowWords = 1 << 10

// A wordSet is a set of words of a variable, by number. The zero value is empty.
type wordSet struct {
	low  uint64 // the first 64, one bit each
	more *moreWords
}

// moreWords are those of a wordSet that are no bits.
type moreWords struct {
	low  []bool // from 64 on
	high map[int]bool
	n    int // how many there are
}

const lowBits = 64

// reset empties s.
func (s *wordSet) reset() {
	s.low = 0
	if s.more != nil {
		*s.more = moreWords{low: s.more.low[:0]}
	}
}

// empty reports whether s has no words.
func (s *wordSet) empty() bool { return s.count() == 0 }

// count returns how many words there are.
func (s *wordSet) count() int {
	n := bits.OnesCount64(s.low)
	if s.more != nil {
		n += s.more.n
	}
	return n
}

func (s *wordSet) add(k int) {
	if k < lowBits {
		s.low |= 1 << k
		return
	}
	if s.more == nil {
		s.more = new(moreWords)
	}
	if s.has(k) {
		return
	}
	m := s.more
	m.n++
	if k >= lowWords {
		if m.high == nil {
			m.high = make(map[int]bool)
		}
		m.high[k] = true
		return
	}
	for len(m.low) <= k-lowBits {
		m.low = append(m.low, false)
	}
	m.low[k-lowBits] = true
}

func (s *wordSet) has(k int) bool {
	switch {
	case k < lowBits:
		return s.low>>k&1 != 0
	case s.more == nil:
		return false
	case k >= lowWords:
		return s.more.high[k]
	}
	return k-lowBits < len(s.more.low) && s.more.low[k-lowBits]
}

// appendBelow appends the numbers below n, in order.
func (s *wordSet) appendBelow(dst []int, n int) []int {
	for low := s.low; low != 0; low &= low - 1 {
		if k := bits.TrailingZeros64(low); k < n {
			dst = append(dst, k)
		}
	}
	if s.more == nil {
		return dst
	}
	for i, is := range s.more.low {
		if k := lowBits + i; is && k < n {
			dst = append(dst, k)
		}
	}
	first := len(dst)
	for k := range s.more.high {
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
func (fn *fn) pendingWord(p *pendingWords, v *pvar, k int) *word {
	if k < len(p.few) {
		return &p.few[k]
	}
	return fn.firstPending(p, v, k)
}

// firstPending is pendingWord for a word of a variable without any, or of a large one.
func (fn *fn) firstPending(p *pendingWords, v *pvar, k int) *word {
	if n := (v.size + 3) / 4; n <= fewWords {
		p.few = resized(p.few, n)
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
