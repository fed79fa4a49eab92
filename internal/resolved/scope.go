package resolved

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Role tells what a Symbol is to its function.
type Role uint8

const (
	Local  Role = iota // declared in the body
	Param              // an input formal
	Result             // a result formal
)

// A Symbol is a name declared in a function.
type Symbol struct {
	Spec *ptx.Spec
	Var  *ptx.Var // for one of name<count>, the declaration of all
	// Proto is set for the name of a prototype, and Targets for that of a
	// list of targets; the other fields are then zero.
	Proto   *ptx.Prototype
	Targets *ptx.TargetList
	Role    Role
	Index   int32 // among the formals of its role
	// Depth is how many blocks enclose the declaration; 0 for formals.
	Depth int32
	// ID tells symbols of one function apart. It counts from 0 in order of
	// declaration.
	ID int32
	// Name is the number of the name, the same for equal names of a function. Add
	// sets it.
	Name int32

	// The rest is set by a Resolver alone.

	// Hides says that its name, or the stem of a range, was one of a range before, or the
	// stem a name of its own.
	Hides bool
	// From is the index of the statement that declares the symbol, -1 for formals, and
	// To that of the one that closes its block, or one more than the length of the body: the symbol
	// can be seen by the statements between them.
	From, To int32
	// Outer is the symbol of the same name that this one hides, or repeats in the same
	// block: another name<count> for one of those, else one of a single name. It is nil
	// where there is none.
	Outer *Symbol
	// Same is what the block declares already under the name, or under one of the names
	// of a range; nil where there is nothing, and for formals.
	Same *Symbol
	// Of a range: the nearest one of its name further out that has more members, and
	// one further out yet. They are nil where there is none.
	wider, jump *Symbol
}

// A scope holds the names that are visible at one place of a body. The caller
// walks the body in order and tells it of blocks and declarations. The zero
// scope is empty and ready.
type scope struct {
	names Names
	means []meaning // by number of the name
	// families are those that were seen first, each at the place of a hash.
	families [families]family
	taken    uint64 // which of them have a stem, by bits
	stack    []entry
	nests    []nesting // of the ranges on it
	marks    []int     // length of stack at each open block
	next     int32

	symbols arena.Arena[Symbol]

	// How many names visible here cost a look at the other kind: those that look
	// like one of a range of registers (%r7) and are declared by themselves, and
	// ranges that do not begin with %. Compilers write neither, and most look-ups
	// are of %r7: they take half the time where only ranges are asked.
	lone, bare int
	ranges     int // visible here
	// near are the ranges that names were found in last, each at the place of a hash
	// of its name; they are good if they bear the stamp. Nearly all look-ups end there,
	// after a third of the way.
	near  [nearRanges]nearRange
	stamp uint32
	// digits says that a range with a digit at its name's end was declared since
	// Reset.
	digits bool
}

const (
	nearBits   = 3
	nearRanges = 1 << nearBits
)

// A nearRange is a range that no other of its name hides.
type nearRange struct {
	key   uint64 // of the name
	count int64
	sym   *Symbol
	stamp uint32
}

// forget is called where ranges may come to mean something else.
func (s *scope) forget() {
	if s.stamp++; s.stamp == 0 { // all of them have been used
		clear(s.near[:])
		s.stamp = 1
	}
}

// A meaning is what a name stands for: indices into the stack, plus 1; 0 for
// nothing. It also says how the name is taken apart.
type meaning struct {
	one    int32
	ranged int32 // of name<count>
	stem   int32 // number of the stem, plus 1; 0 before it was asked for
	looks  looks
	count  int64 // value of the digits after the stem
}

// looks tells how a name looks, by bits.
type looks uint8

const (
	percent looks = 1 << iota // it begins with %
	digital                   // it ends with a digit
)

func looksOf(name string) looks {
	if name == "" {
		return 0
	}
	var l looks
	if name[0] == '%' {
		l |= percent
	}
	if isDigit(name[len(name)-1]) {
		l |= digital
	}
	return l
}

// An entry is small, since each declaration makes one.
type entry struct {
	sym  *Symbol
	prev int32 // what the name stood for before, as in meaning
	nest int32 // of a range: index in scope.nests, plus 1; 0 for others
	// few is how many members a range has, or maxFew if there are more: without it At
	// has to follow two pointers more.
	few  int32
	lone bool // counts in scope.lone
	bare bool // of a range: counts in scope.bare
}

const maxFew = math.MaxInt32

// Reset empties s for the next function. Symbols that NewSymbol made are used
// again.
func (s *scope) Reset() {
	s.names.Reset()
	s.symbols.Reset()
	for taken := s.taken; taken != 0; taken &= taken - 1 {
		f := &s.families[bits.TrailingZeros64(taken)]
		f.key = 0
		f.members = f.members[:0]
	}
	s.taken = 0
	s.means = s.means[:0]

	s.stack = s.stack[:0] // each by itself: that writes no pointers
	s.nests = s.nests[:0]
	s.marks = s.marks[:0]
	s.next, s.lone, s.bare, s.ranges, s.digits = 0, 0, 0, 0, false
	s.forget()
}

// NewSymbol returns room for a Symbol, which may hold anything, and is good until
// Reset.
func (s *scope) NewSymbol() *Symbol { return s.symbols.One() }

// Open enters a block.
func (s *scope) Open() { s.marks = append(s.marks, len(s.stack)) }

// Close leaves the innermost block.
func (s *scope) Close() {
	if len(s.marks) == 0 {
		return
	}
	mark := s.marks[len(s.marks)-1]
	s.marks = s.marks[:len(s.marks)-1]
	for i := len(s.stack) - 1; i >= mark; i-- {
		e := &s.stack[i]
		m := &s.means[e.sym.Name]
		if e.nest == 0 {
			m.one = e.prev
			if e.lone {
				s.lone--
			}
			continue
		}
		s.ranges--
		m.ranged = e.prev
		if e.bare {
			s.bare--
		}
		s.nests = s.nests[:e.nest-1]
		s.forget()
	}
	s.stack = s.stack[:mark]
}

// Add declares sym, whose Name is set, in the innermost block and returns what it shadows
// or repeats, nil if the name was free.
func (s *scope) Add(sym *Symbol) (old *Symbol) {
	m := &s.means[sym.Name]
	at := len(s.stack)
	if at == cap(s.stack) {
		s.stack = slices.Grow(s.stack, 1)
	}
	s.stack = s.stack[:at+1]
	e := &s.stack[at] // filled in where it stands: to copy what was just written takes half of the time
	e.sym, e.nest, e.lone = sym, 0, false
	if sym.Var != nil && sym.Var.Ranged() {
		e.prev, m.ranged = m.ranged, int32(at)+1
		s.addRange(e, m.looks)
	} else {
		e.prev, m.one = m.one, int32(at)+1
		if m.looks&(percent|digital) == percent|digital {
			e.lone = true
			s.lone++
		}
	}
	if e.prev > 0 {
		old = s.stack[e.prev-1].sym
	}
	sym.Depth, sym.ID = int32(len(s.marks)), s.next
	s.next++
	return old
}

// addRange is the part of Add for a range whose name looks like that.
func (s *scope) addRange(e *entry, l looks) {
	s.ranges++
	s.forget()
	e.bare = l&percent == 0
	if e.bare {
		s.bare++
	}
	s.digits = s.digits || l&digital != 0
	e.few = int32(min(e.sym.Var.Count, maxFew))
	s.nests = append(s.nests, s.nest(e.prev, e.sym.Var.Count))
	e.nest = int32(len(s.nests))
	n := &s.nests[e.nest-1]
	e.sym.wider, e.sym.jump = s.symbolAt(n.wider), s.symbolAt(n.jump)
}

// symbolAt returns the symbol at an index into the stack, plus 1; nil at 0.
func (s *scope) symbolAt(at int32) *Symbol {
	if at == 0 {
		return nil
	}
	return s.stack[at-1].sym
}

// innermost returns the entries of the innermost block.
func (s *scope) innermost() []entry { return s.stack[s.marks[len(s.marks)-1]:] }

// MayBeRanged reports whether a name may be one of a range that is visible here: if
// not, it is declared by itself or not at all.
func (s *scope) MayBeRanged(name string) bool {
	return s.ranges > 0 && name != "" && isDigit(name[len(name)-1]) && (name[0] == '%' || s.bare > 0)
}

// maxDigits bounds how many of the digits at a name's end may belong to the
// name of a range, so that no name is costly to look up.
const maxDigits = 20

// Lookup returns what a name means here, nil if it is not declared. %r7 is
// found where %r<8> is declared, unless %r7 itself is, later.
func (s *scope) Lookup(name string) *Symbol {
	if name == "" {
		return nil
	}
	percent, digit := name[0] == '%', isDigit(name[len(name)-1])
	if percent && digit && s.lone == 0 {
		if sym := s.nearby(name); sym != nil {
			return sym
		}
	}
	at := int32(0)
	if !percent || !digit || s.lone > 0 {
		if n := s.Numbered(name); n >= 0 {
			at = s.means[n].one
		}
	}
	if digit && (percent || s.bare > 0) {
		at = max(at, s.inRange(name))
	}
	if at == 0 {
		return nil
	}
	return s.stack[at-1].sym
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// nearby returns what a name with a digit at its end means that begins with %, nil
// if none of the nearest ranges says so.
func (s *scope) nearby(name string) *Symbol {
	key, i := uint64(0), 0
	for ; !isDigit(name[i]); i++ { // the last byte is one
		key = key<<8 | uint64(name[i])
	}
	stem, n := i, int64(0)
	for ; i < len(name); i++ {
		d := name[i] - '0'
		if d > 9 {
			return nil
		}
		n = 10*n + int64(d)
	}
	r := &s.near[keyHash(key)>>(64-nearBits)]
	if r.key == key && n < r.count && r.stamp == s.stamp && stem <= maxKey && len(name)-stem < maxDigits/2 {
		return r.sym
	}
	return nil
}

// inRange returns the index in the stack, plus 1, of the name<count> that
// declares the name; 0 if there is none. As in ptxas, the name without all the
// digits at its end is looked for first (%r14 is one of %r<20>, not of %r1<5>),
// and zeros before the number do not count.
func (s *scope) inRange(name string) int32 {
	stem := len(name)
	for stem > 0 && isDigit(name[stem-1]) {
		stem--
	}
	for cut := max(stem, 1); cut < min(len(name), stem+maxDigits); cut++ {
		n := s.Numbered(name[:cut])
		if n < 0 || s.means[n].ranged == 0 {
			continue
		}
		k, ok := number(name[cut:])
		if !ok {
			continue
		}
		if at := s.widerThan(s.means[n].ranged, k); at > 0 {
			if key := keyOf(name[:cut]); at == s.means[n].ranged && cut == stem && key != 0 {
				r := s.stack[at-1].sym
				s.near[keyHash(key)>>(64-nearBits)] = nearRange{key, r.Var.Count, r, s.stamp}
			}
			return at
		}
	}
	return 0
}

// number returns the value of digits; it is not ok if that is 2^63 or more.
func number(digits string) (n int64, ok bool) {
	if len(digits) > 18 {
		n, err := strconv.ParseInt(digits, 10, 64)
		return n, err == nil
	}
	for i := range len(digits) {
		n = 10*n + int64(digits[i]-'0')
	}
	return n, true
}
