package place

import (
	"math/bits"
	"slices"
)

// LowWords is how many words of a variable are kept in a list by number. There
// may be any number of words, and few that are touched.
const LowWords = 1 << 10

// A WordSet is a set of words of a variable, by number. The zero value is empty.
type WordSet struct {
	low  uint64 // the first 64, one bit each
	more *moreWords
}

// moreWords are those of a wordSet that are no bits.
type moreWords struct {
	low  []bool // from 64 on
	high map[int]bool
}

const lowBits = 64

// Reset empties s.
func (s *WordSet) Reset() {
	s.low = 0
	if s.more != nil {
		*s.more = moreWords{low: s.more.low[:0]}
	}
}

// Add adds word k.
func (s *WordSet) Add(k int) {
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
	if k >= LowWords {
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

func (s *WordSet) has(k int) bool {
	switch {
	case k < lowBits:
		return s.low>>k&1 != 0
	case s.more == nil:
		return false
	case k >= LowWords:
		return s.more.high[k]
	}
	return k-lowBits < len(s.more.low) && s.more.low[k-lowBits]
}

// AppendBelow appends the numbers below n, in order.
func (s *WordSet) AppendBelow(dst []int, n int) []int {
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
