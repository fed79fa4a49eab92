package resolved

import (
	"math/bits"
	"slices"
)

// Other values of meaning.stem.
const (
	noStem  = -1 // it does not end with a digit
	anyStem = -2 // inRange has to find out
)

// Number returns the number of a name, declared or not, which is the same for
// equal names until Reset. Who mentions a name more than once asks for its
// number once: [scope.At] takes about a third of the time of Lookup.
func (s *scope) Number(name string) int32 {
	key, at, ok := split(name)
	if !ok {
		return s.number(name)
	}
	f := s.family(key)
	if f.key != key {
		return s.member(name, key, at)
	}
	if at < uint(len(f.members)) && f.members[at] > 0 {
		return f.members[at] - 1
	}
	return s.join(f, name, at)
}

// Numbered returns the number of a name if it has one, -1 if not.
func (s *scope) Numbered(name string) int32 {
	if key, at, ok := split(name); ok {
		switch f := s.family(key); {
		case f.key == key && at < uint(len(f.members)):
			return f.members[at] - 1
		case f.key == key || f.key == 0: // the first name of the stem would have taken it
			return -1
		}
	}
	if name == "" {
		return -1
	}
	return s.names.find(name)
}

// maxKey bounds the length of stems that have a key, and of names that are in families:
// registers mostly, while formals have long names.
const maxKey = 8

// split takes a name apart: its stem, as one number, and where in a family it is: 0
// for the stem itself, 1 more than the number after it for others. It is not ok for a
// name that is in no family: a long one, one of digits alone, or with a long number, or
// with zeros before the number. It looks at all bytes at once, which takes half the
// time of a loop over them.
func split(name string) (key uint64, at uint, ok bool) {
	n := len(name)
	switch { // the first half and the last, which overlap
	case n > maxKey:
		return 0, 0, false
	case n >= 4:
		a, b := name[:4], name[n-4:]
		first := uint64(a[0])<<24 | uint64(a[1])<<16 | uint64(a[2])<<8 | uint64(a[3])
		last := uint64(b[0])<<24 | uint64(b[1])<<16 | uint64(b[2])<<8 | uint64(b[3])
		key = first<<(8*(uint(n)-4)&63) | last
	case n >= 2:
		a, b := name[:2], name[n-2:]
		key = (uint64(a[0])<<8|uint64(a[1]))<<(8*(uint(n)-2)&63) | uint64(b[0])<<8 | uint64(b[1])
	case n == 1:
		key = uint64(name[0])
	default:
		return 0, 0, false
	}
	const each = 0x0101010101010101
	// 0 to 9 for digits; to what is more than that the sum adds a highest bit.
	values := key ^ '0'*each
	others := (values&(0x7f*each) + (0x80-10)*each | values) & (0x80 * each)
	digits := uint(bits.TrailingZeros64(others)) / 8
	if digits == 0 {
		return key, 0, true
	}
	if digits > maxMemberDigits || digits == uint(n) {
		return 0, 0, false
	}
	at = uint(values & 15)
	if digits == 1 {
		return key >> 8, at + 1, true
	}
	at += uint(values >> 8 & 15 * 10)
	if digits > 2 {
		v := values & (1<<(8*digits&63) - 1)
		at += uint(v>>16&15*100 + v>>24&15*1000 + v>>32*10000)
	}
	zero := values>>(8*(digits-1)&63)&15 == 0 // the first digit
	return key >> (8 * digits & 63), at + 1, at < maxMember && !zero
}

// keyOf is the stem of a family as split returns it, 0 for what is no such stem.
func keyOf(stem string) (key uint64) {
	if len(stem) > maxKey {
		return 0
	}
	for i := range len(stem) {
		if isDigit(stem[i]) {
			return 0
		}
		key = key<<8 | uint64(stem[i])
	}
	return key
}

// keyHash tells stems apart: those of the registers that compilers write differ in
// the highest three bits, and with the others that they write in the highest five.
func keyHash(key uint64) uint64 { return key * 0xed6f4cf55091acd3 }

// firstNames is for how many names there is room from the first one on.
const firstNames = 64

func (s *scope) number(name string) int32 {
	s.begin()
	n := s.names.add(name)
	if int(n) == len(s.means) {
		s.mean(looksOf(name), 0)
	}
	return n
}

// mean appends a meaning, of nothing so far. It is written where it stands, as entries
// are.
func (s *scope) mean(l looks, stem int32) {
	n := len(s.means)
	if n == cap(s.means) {
		s.means = slices.Grow(s.means, 1)
	}
	s.means = s.means[:n+1]
	m := &s.means[n]
	m.one, m.ranged, m.stem, m.looks, m.count = 0, 0, stem, l, 0
}

// A family is the names of a stem and a number: %r0, %r1, and so on. Most names
// are of a few such families, and finding one in a list takes a fifth of the time
// of finding it by its hash. Names of a family are found there alone.
type family struct {
	key     uint64  // of the stem, 0 for no family
	members []int32 // where split says: number of the name, plus 1; 0 for none
}

// maxMember bounds the numbers of members, which have as many digits at most.
const (
	maxMember       = 1 << 14
	maxMemberDigits = 5 // of a member
)

const (
	familyBits = 6
	families   = 1 << familyBits
)

// family returns the family of a stem, or the one that has its place.
func (s *scope) family(key uint64) *family { return &s.families[keyHash(key)>>(64-familyBits)] }

// moreMembers is for how many names a family gets room at once.
const moreMembers = 32

// member is number for a name that split takes apart and whose stem has no family.
func (s *scope) member(name string, key uint64, at uint) int32 {
	f := s.family(key)
	if f.key != 0 { // one with the same hash was first
		return s.number(name)
	}
	s.begin()
	f.key = key
	s.taken |= 1 << (keyHash(key) >> (64 - familyBits))
	stem := name
	for isDigit(stem[len(stem)-1]) {
		stem = stem[:len(stem)-1]
	}
	s.mean(looksOf(stem), noStem)
	n := s.names.push(stem)
	f.members = append(f.members, make([]int32, moreMembers)...)
	f.members[0] = n + 1
	if at == 0 {
		return n
	}
	return s.join(f, name, at)
}

// join is number for a name that has none, at a place of a family that has a stem.
func (s *scope) join(f *family, name string, at uint) int32 {
	n := len(s.means)
	if n >= cap(s.means) || n >= cap(s.names.names) || at >= uint(len(f.members)) {
		s.moreNames(f, at)
	}
	s.means = s.means[:n+1] // each by itself: that writes no pointers
	s.names.names = s.names.names[:n+1]
	stem := f.members[0]
	s.means[n] = meaning{looks: s.means[stem-1].looks | digital, stem: stem, count: int64(at) - 1}
	s.names.names[n] = name
	f.members[at] = int32(n) + 1
	return int32(n)
}

// moreNames makes room for another name, at a place of a family.
func (s *scope) moreNames(f *family, at uint) {
	s.means = slices.Grow(s.means, 1)
	s.names.names = slices.Grow(s.names.names, 1)
	if at >= uint(len(f.members)) {
		f.members = append(f.members, make([]int32, int(at)+moreMembers-len(f.members))...)
	}
}

// begin makes room for the first names.
func (s *scope) begin() {
	if s.means == nil {
		s.means, s.names.names = make([]meaning, 0, firstNames), make([]string, 0, firstNames)
	}
}

// Numbers returns how many numbers have been given since Reset.
func (s *scope) Numbers() int { return len(s.means) }

// Name returns the name of a number.
func (s *scope) Name(n int32) string { return s.names.names[n] }

// At returns what Lookup returns for the name of number n, and nil for one that
// is negative.
func (s *scope) At(n int32) *Symbol {
	if n < 0 {
		return nil
	}
	m := &s.means[n]
	at := m.one
	if m.stem != noStem {
		if m.stem <= 0 {
			return s.slowAt(n)
		}
		switch r := s.means[m.stem-1].ranged; {
		case r > at && m.count < int64(s.stack[r-1].few): // as of nearly all registers
			return s.stack[r-1].sym
		case r > 0 || s.digits:
			return s.slowAt(n)
		}
	}
	if at == 0 {
		return nil
	}
	return s.stack[at-1].sym
}

// slowAt is At for any name. It is apart so that At keeps nothing on the stack.
func (s *scope) slowAt(n int32) *Symbol {
	// A name that no range here can have is not taken apart, as those of most formals.
	ranged := s.ranges > 0 && (s.means[n].looks&percent != 0 || s.bare > 0)
	if ranged && s.means[n].stem == 0 {
		s.divide(n)
	}
	m := &s.means[n]
	at := m.one
	if ranged && m.stem != noStem {
		first := int32(0)
		if m.stem > 0 {
			first = s.widerThan(s.means[m.stem-1].ranged, m.count)
		}
		if first == 0 && (m.stem == anyStem || s.digits) {
			first = s.inRange(s.names.names[n])
		}
		at = max(at, first)
	}
	if at == 0 {
		return nil
	}
	return s.stack[at-1].sym
}

// divide takes the name of number n apart.
func (s *scope) divide(n int32) {
	name := s.names.names[n]
	stem := len(name)
	for stem > 0 && isDigit(name[stem-1]) {
		stem--
	}
	p, value := int32(anyStem), int64(0)
	switch count, ok := number(name[stem:]); {
	case stem == len(name):
		p = noStem
	case stem > 0 && len(name)-stem < maxDigits && ok:
		p, value = s.Number(name[:stem])+1, count
	}
	m := &s.means[n]
	m.stem, m.count = p, value
}
