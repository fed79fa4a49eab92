package sig

// A part is a name taken apart: a stem, and the digits at its end.
type part struct {
	stem  int32 // number of the stem, plus 1; 0 before it was asked for
	count int64 // value of the digits
}

// Other values of part.stem.
const (
	noStem  = -1 // it does not end with a digit
	anyStem = -2 // inRange has to find out
)

// Number returns the number of a name, declared or not, which is the same for
// equal names until Reset. Who mentions a name more than once asks for its
// number once: [Scope.At] takes about a third of the time of Lookup.
func (s *Scope) Number(name string) int32 {
	if stem, count := divided(name); stem > 0 {
		return s.member(name, name[:stem], count)
	}
	return s.number(name)
}

// Numbered returns the number of a name if it has one, -1 if not.
func (s *Scope) Numbered(name string) int32 {
	if stem, count := divided(name); stem > 0 {
		if n, ok := s.family(name[:stem]).find(name[:stem], count); ok {
			return n
		}
	}
	if name == "" {
		return -1
	}
	return s.names.find(name)
}

// NumberedAt is Numbered for the name that begins with the percent sign at an index
// of a text, in the pass that finds where it ends: that takes half the
// time.
func (s *Scope) NumberedAt(text string, start int) (n int32, end int) {
	i, key, t := start+1, uint64('%'), nameBytes
	for uint(i) < uint(len(text)) && t[text[i]] == letter {
		key = key<<8 | uint64(text[i])
		i++
	}
	stem, count := i, uint(0)
	for uint(i) < uint(len(text)) && t[text[i]] == digit {
		count = 10*count + uint(text[i]-'0')
		i++
	}
	if uint(i) < uint(len(text)) && t[text[i]] == letter {
		for i++; i < len(text) && t[text[i]] != noName; i++ {
		}
		return s.Numbered(text[start:i]), i
	}
	if stem-start > maxKey || uint(i-stem-1) >= maxMemberDigits || count >= maxMember || text[stem] == '0' && i-stem > 1 {
		return s.Numbered(text[start:i]), i
	}
	f := s.family(text[start:stem])
	switch {
	case f.key != key:
		if f.stem == "" { // the first name of the stem would have taken it
			return -1, i
		}
		return s.Numbered(text[start:i]), i
	case count < uint(len(f.members)):
		return f.members[count] - 1, i
	}
	return -1, i
}

// What bytes are in names.
const (
	noName uint8 = iota
	letter       // or _ or $
	digit
)

var nameBytes = func() *[256]uint8 {
	var t [256]uint8
	for c := range t {
		switch b := byte(c); {
		case isDigit(b):
			t[c] = digit
		case 'a' <= b|0x20 && b|0x20 <= 'z', b == '_', b == '$':
			t[c] = letter
		}
	}
	return &t
}()

// maxKey bounds the length of stems that have a key.
const maxKey = 8

// keyOf is the bytes of a stem as one number, 0 for one that is too long.
func keyOf(stem string) (key uint64) {
	if len(stem) > maxKey {
		return 0
	}
	for i := range len(stem) {
		key = key<<8 | uint64(stem[i])
	}
	return key
}

// divided returns how long the stem of a name is and the number behind it, 0 for a
// name that is in no family.
func divided(name string) (stem, count int) {
	i, unit := len(name), 1
	for i > 0 && isDigit(name[i-1]) {
		if unit > maxMember {
			return 0, 0
		}
		i--
		count += unit * int(name[i]-'0')
		unit *= 10
	}
	if i == 0 || i == len(name) || count >= maxMember || name[i] == '0' && i+1 < len(name) {
		return 0, 0
	}
	return i, count
}

// firstNames is for how many names there is room from the first one on.
const firstNames = 64

func (s *Scope) number(name string) int32 {
	n := s.names.add(name)
	if int(n) == len(s.means) {
		if s.means == nil {
			s.means, s.parts = make([]meaning, 0, firstNames), make([]part, 0, firstNames)
		}
		s.means = append(s.means, meaning{})
		s.parts = append(s.parts, part{})
	}
	return n
}

// A family is the names of a stem and a number: %r0, %r1, and so on. Most names
// are of a few such families, and finding one in a list takes a third of the time
// of finding it by its hash. Names of a family are found there alone.
type family struct {
	stem    string
	key     uint64  // of the stem
	number  int32   // of the stem
	members []int32 // by the number behind the stem: number of the name, plus 1
}

// maxMember bounds the numbers of members, which have as many digits at most.
const (
	maxMember       = 1 << 14
	maxMemberDigits = 5 // of a member
)

// find returns the number of a member, -1 if it has none. It is not ok if the family
// is that of another stem: then the name may be one of those that are in none.
func (f *family) find(stem string, count int) (n int32, ok bool) {
	if f.stem != stem {
		return -1, f.stem == "" // the first name of the stem would have taken it
	}
	if count < len(f.members) {
		return f.members[count] - 1, true
	}
	return -1, true
}

// stemHash tells stems apart: those of the registers that compilers write differ in
// the lowest three bits, and with the others that they write in the lowest five.
func stemHash(stem string) uint {
	n := uint(len(stem))
	return 3*n + 2*uint(stem[n-1]) + 3*uint(stem[n/2])
}

// family returns the family of a stem, or the one that has its place.
func (s *Scope) family(stem string) *family {
	return &s.families[stemHash(stem)%uint(len(s.families))]
}

// member is number for a stem with a number behind it.
func (s *Scope) member(name, stem string, count int) int32 {
	place := stemHash(stem) % uint(len(s.families))
	f := &s.families[place]
	if f.stem != stem {
		if f.stem != "" { // one with the same hash was first
			return s.number(name)
		}
		f.stem, f.key, f.number = stem, keyOf(stem), s.number(stem)
		s.taken |= 1 << place
	}
	if count < len(f.members) {
		if n := f.members[count]; n > 0 {
			return n - 1
		}
	}
	n := s.names.push(name)
	s.means = append(s.means, meaning{})
	s.parts = append(s.parts, part{f.number + 1, int64(count)})
	if count >= len(f.members) {
		f.members = append(f.members, make([]int32, count+1-len(f.members))...)
	}
	f.members[count] = n + 1
	return n
}

// Numbers returns how many numbers have been given since Reset.
func (s *Scope) Numbers() int { return len(s.means) }

// Name returns the name of a number.
func (s *Scope) Name(n int32) string { return s.names.names[n] }

// At returns what Lookup returns for the name of number n, and nil for one that
// is negative.
func (s *Scope) At(n int32) *Symbol {
	if n < 0 {
		return nil
	}
	at := s.means[n].one
	if s.parts[n].stem == 0 {
		s.divide(n)
	}
	if p := s.parts[n]; p.stem != noStem {
		first := int32(0)
		if p.stem > 0 {
			first = s.widerThan(s.means[p.stem-1].ranged, p.count)
		}
		if first == 0 && (p.stem == anyStem || s.digits) {
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
func (s *Scope) divide(n int32) {
	name := s.names.names[n]
	stem := len(name)
	for stem > 0 && isDigit(name[stem-1]) {
		stem--
	}
	p := part{stem: anyStem}
	switch count, ok := number(name[stem:]); {
	case stem == len(name):
		p.stem = noStem
	case stem > 0 && len(name)-stem < maxDigits && ok:
		p = part{s.Number(name[:stem]) + 1, count}
	}
	s.parts[n] = p
}
