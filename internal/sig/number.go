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
	key, count, ok := split(name)
	if !ok {
		return s.number(name)
	}
	if f := s.family(key); f.key == key && count < uint(len(f.members)) && f.members[count] > 0 {
		return f.members[count] - 1
	}
	return s.member(name, key, count)
}

// Numbered returns the number of a name if it has one, -1 if not.
func (s *Scope) Numbered(name string) int32 {
	if key, count, ok := split(name); ok {
		switch f := s.family(key); {
		case f.key == key && count < uint(len(f.members)):
			return f.members[count] - 1
		case f.key == key || f.key == 0: // the first name of the stem would have taken it
			return -1
		}
	}
	if name == "" {
		return -1
	}
	return s.names.find(name)
}

// maxKey bounds the length of stems that have a key, and maxSplit that of names that
// are in families: registers mostly, while formals have long names.
const (
	maxKey   = 8
	maxSplit = 9
)

// split takes a name apart: its stem, as one number, and the number behind it. It is
// not ok for a name that is in no family: a long one, one with other digits than those
// at its end, or with a long number, or with zeros before the number.
func split(name string) (key uint64, count uint, ok bool) {
	if len(name) > maxSplit {
		return 0, 0, false
	}
	i := 0
	if len(name) > 2 && name[0] == '%' && !isDigit(name[1]) {
		// Registers of compilers: one letter or two. That takes two thirds of the time.
		key, i = '%'<<8|uint64(name[1]), 2
		if !isDigit(name[2]) {
			key, i = key<<8|uint64(name[2]), 3
		}
	}
	for ; i < len(name) && !isDigit(name[i]); i++ {
		key = key<<8 | uint64(name[i])
	}
	stem := i
	for ; i < len(name); i++ {
		d := uint(name[i] - '0')
		if d > 9 {
			return 0, 0, false
		}
		count = 10*count + d
	}
	digits := len(name) - stem
	ok = uint(stem-1) < maxKey && uint(digits-1) < maxMemberDigits && count < maxMember && (digits == 1 || name[stem] != '0')
	return key, count, ok
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
// are of a few such families, and finding one in a list takes a fifth of the time
// of finding it by its hash. Names of a family are found there alone.
type family struct {
	key     uint64  // of the stem, 0 for no family
	number  int32   // of the stem
	members []int32 // by the number behind the stem: number of the name, plus 1
}

// maxMember bounds the numbers of members, which have as many digits at most.
const (
	maxMember       = 1 << 14
	maxMemberDigits = 5 // of a member
)

const (
	familyBits = 5
	families   = 1 << familyBits
)

// family returns the family of a stem, or the one that has its place.
func (s *Scope) family(key uint64) *family { return &s.families[keyHash(key)>>(64-familyBits)] }

// member is number for a name of a stem with a number behind it.
func (s *Scope) member(name string, key uint64, count uint) int32 {
	f := s.family(key)
	if f.key != key {
		if f.key != 0 { // one with the same hash was first
			return s.number(name)
		}
		stem := 0
		for !isDigit(name[stem]) {
			stem++
		}
		f.key, f.number = key, s.number(name[:stem])
		s.taken |= 1 << (keyHash(key) >> (64 - familyBits))
	}
	n := s.names.push(name)
	s.means = append(s.means, meaning{})
	s.parts = append(s.parts, part{f.number + 1, int64(count)})
	if count >= uint(len(f.members)) {
		f.members = append(f.members, make([]int32, int(count)+1-len(f.members))...)
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
