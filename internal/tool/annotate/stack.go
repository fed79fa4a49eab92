package annotate

// A place is a word of the stack: base is 0 for the stack pointer at entry, or that of
// an address that was aligned.
type place struct {
	base int32
	off  int64
}

// lineSize is how many bytes of the stack have their slots side by side.
const lineSize = 64

// A line has the slots of words that begin in lineSize bytes.
type line struct {
	slots [lineSize]int32 // by byte, where a bit of used is set
	used  uint64
}

// slots gives numbers to the words of the stack in which a function keeps something
// that is known. A word may begin at any byte.
type slots struct {
	lines []line
	at    map[place]int32 // lines by their places, at multiples of lineSize
	count int

	// recent are lines that were looked up last, of even and odd numbers: one access is near another
	recent [2]struct {
		at   place
		line int32 // its number from 1; 0: there is none
	}
}

func (l *slots) reset() {
	*l = slots{lines: l.lines[:0], at: emptied(l.at, 0)}
}

// emptied is a map without what is in it, with room for n entries. It has the same memory if that is little: to clear a
// map takes as long as what it once had room for.
func emptied[K comparable, V any](m map[K]V, n int) map[K]V {
	if m == nil || max(len(m), n) > 1024 {
		return make(map[K]V, n)
	}
	clear(m)
	return m
}

// line returns the slots around a byte, and which of them is its own. They are nil if
// there are none.
func (l *slots) line(base int32, off int64) (*line, int) {
	at := place{base, off &^ (lineSize - 1)}
	last := &l.recent[at.off/lineSize&1]
	if last.line == 0 || last.at != at {
		last.at, last.line = at, l.at[at]
	}
	i := int(off & (lineSize - 1))
	if last.line == 0 {
		return nil, i
	}
	return &l.lines[last.line-1], i
}

// find returns the slot of a word, -1 if it has none.
func (l *slots) find(base int32, off int64) int {
	if l.count == 0 {
		return -1
	}
	near, i := l.line(base, off)
	if near == nil || near.used>>i&1 == 0 {
		return -1
	}
	return int(near.slots[i])
}

// add returns the slot of a word, and gives it one.
func (l *slots) add(base int32, off int64) int {
	near, i := l.line(base, off)
	if near == nil {
		push(&l.lines, line{})
		l.at[place{base, off - int64(i)}] = int32(len(l.lines))
		near, _ = l.line(base, off)
	}
	if near.used>>i&1 == 0 {
		near.used |= 1 << i
		near.slots[i] = int32(l.count)
		l.count++
	}
	return int(near.slots[i])
}

// A stackWords is what is known of the words of the stack, by their slots. Each that
// is known stands in one of two lists: in kept if it is what belongs to the caller, which
// no pointer leads to.
type stackWords struct {
	words []word  // by slot
	index []int32 // in its list, by slot
	lists [2][]int32
}

const (
	loose = 0
	kept  = 1
)

func listOf(w word) int {
	if w.kind == saved || w.kind == retAddr {
		return kept
	}
	return loose
}

// get is what is known of a slot; -1 is none.
func (s *stackWords) get(slot int) word {
	if slot < 0 || slot >= len(s.words) {
		return word{}
	}
	return s.words[slot]
}

// set sets a slot to a word of which something is known.
func (s *stackWords) set(slot int, w word) {
	if was := s.get(slot); was.kind != nothing {
		if listOf(was) == listOf(w) {
			s.words[slot] = w
			return
		}
		s.drop(slot)
	}
	for slot >= len(s.words) {
		push(&s.words, word{})
		push(&s.index, 0)
	}
	list := &s.lists[listOf(w)]
	s.words[slot], s.index[slot] = w, int32(len(*list))
	push(list, int32(slot))
}

// drop drops what is known of a slot.
func (s *stackWords) drop(slot int) {
	w := s.get(slot)
	if w.kind == nothing {
		return
	}
	list := &s.lists[listOf(w)]
	last := (*list)[len(*list)-1]
	*list = (*list)[:len(*list)-1]
	if int(last) != slot {
		(*list)[s.index[slot]], s.index[last] = last, s.index[slot]
	}
	s.words[slot] = word{}
}

// clearLoose drops what a store to somewhere may have overwritten.
func (s *stackWords) clearLoose() {
	for _, slot := range s.lists[loose] {
		s.words[slot] = word{}
	}
	s.lists[loose] = s.lists[loose][:0]
}

// clear drops all.
func (s *stackWords) clear() {
	s.clearLoose()
	for _, slot := range s.lists[kept] {
		s.words[slot] = word{}
	}
	s.lists[kept] = s.lists[kept][:0]
}

// reset is clear for another function, whose slots are others.
func (s *stackWords) reset() {
	s.clear()
	s.words, s.index = s.words[:0], s.index[:0]
}
