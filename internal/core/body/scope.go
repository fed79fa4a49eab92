package body

import (
	"slices"

	"github.com/ptxabi/ptxabi/ptx"
)

// A Role tells whether a Symbol is a formal of its function.
type Role uint8

const (
	Local  Role = iota // declared in the body
	Param              // an input formal
	Result             // a result formal
)

// A Symbol is a name declared in a function.
type Symbol struct {
	Spec *ptx.Spec
	Var  *ptx.Var // of a name<count>, the declaration of all members
	// Proto is set for the name of a prototype, Targets for that of a list of targets, and Label for a label; Spec and Var
	// are then nil. A label hides the earlier meaning of its name from there on.
	Proto   *ptx.Prototype
	Targets *ptx.TargetList
	Label   *ptx.Label
	Role    Role
	Index   int32 // among the formals of its role
	// Depth is how many blocks enclose the declaration; 0 for formals.
	Depth int32
	// ID identifies the symbol in its function. IDs count from 0 in the order of
	// the declarations.
	ID int32
	// Name is the number of the name, the same for equal names of a function.
	Name int32
	// Hides reports that the name, or the stem of a range, was a member of a visible range before, or that the
	// stem of a range was a visible name by itself.
	Hides bool
	// Mentioned reports that a statement has the name among its operands.
	Mentioned bool
	// From is the index of the statement that declares the symbol, -1 for formals. To is
	// that of the statement that closes its block, or one more than the length of the body if none does. The symbol
	// is visible at the statements between them.
	From, To int32
	// Outer is the symbol of the same name that was visible when this one was declared, which this one hides, or
	// repeats in the same block: a range for a range, otherwise a single name. It is nil
	// if there is none.
	Outer *Symbol
	// Same is the symbol that the block has declared already under the name, or under one of the names
	// of a range; nil if there is none, and for formals.
	Same *Symbol

	// The links of a range are for widerThan. wider is the nearest range of the name further out that has more members:
	// whatever member this range lacks, a range between the two lacks it as well. So wider leads through ranges of more and
	// more members, and steps is how many follow. jump is one of them, further out.
	wider, jump *Symbol
	steps       int32
}

// ranged reports whether a symbol is a name<count>.
func (s *Symbol) ranged() bool { return s.Var != nil && s.Var.Ranged() }

// nest links a range to those of the same name further out.
//
// The jumps are those of E. W. Myers, "An applicative random-access stack" (Information Processing Letters 17, 1983):
// if the two jumps that begin at wider are of equal length, this one is as long as both together plus one step;
// otherwise it is one step. With such jumps, a chain is searched in a number of steps that grows with the logarithm of its
// length, and a range takes constant memory, however deeply an input nests its blocks.
func (s *Symbol) nest() {
	w := s.Outer.widerThan(s.Var.Count)
	if w == nil {
		return
	}
	s.wider, s.jump, s.steps = w, w, w.steps+1
	if j := w.jump; j != nil {
		far := j.jump
		if far == nil {
			far = j
		}
		if w.steps-j.steps == j.steps-far.steps {
			s.jump = far
		}
	}
}

// widerThan returns the innermost range from s outward that has more than n
// members; nil if none has. Along wider, the number of members grows. So if the range at the end of a jump has too few
// members, so have all that the jump passes.
func (s *Symbol) widerThan(n int64) *Symbol {
	for s != nil && n >= s.Var.Count {
		if s.jump != nil && n >= s.jump.Var.Count {
			s = s.jump
		} else {
			s = s.wider
		}
	}
	return s
}

// A scope gives numbers to names, and has their meanings at one place of a body. Its
// caller walks over the body in order. reset makes its map.
type scope struct {
	numbers map[string]int32
	room    int       // the most names that the map has had at once
	names   []name    // by number
	stack   []*Symbol // the symbols of all open blocks, in the order of their declarations
	marks   []int     // the length of stack at the beginning of each open block
	added   int32     // how many symbols there are
}

// reset begins a body that is likely to have so many names, in the memory of the body before.
func (s *scope) reset(likely int) {
	const most = 8 // to clear a map that much larger would take longer than the body
	if s.room = max(s.room, len(s.numbers)); s.numbers == nil || s.room > most*likely {
		s.numbers, s.room = make(map[string]int32, likely), 0
	}
	clear(s.numbers)
	s.names, s.stack, s.marks, s.added = s.names[:0], s.stack[:0], s.marks[:0], 0
}

// A name has its meanings, as a single name and as name<count>. Its stem is the number of the
// name without the digits at its end, and its member the number that these are; both are -1 if it has none.
type name struct {
	text           string
	stem           int32
	member         int64
	single, ranged meaning
}

// A meaning has the symbols of one name: the innermost one that is visible, and all in the order of their declarations.
type meaning struct {
	now *Symbol
	all []*Symbol
}

// number returns the number of a name, and gives it one if it has none.
func (s *scope) number(text string) int32 {
	n, ok := s.numbers[text]
	if !ok {
		n = int32(len(s.names))
		s.numbers[text] = n
		s.names = slices.Grow(s.names, 1)[:n+1]
		one := &s.names[n]
		*one = name{text, -1, -1, meaning{all: one.single.all[:0]}, meaning{all: one.ranged.all[:0]}}
		if stem, member := memberOf(text); member >= 0 {
			of := s.number(stem)
			s.names[n].stem, s.names[n].member = of, member
		}
	}
	return n
}

// numbered returns the number of a name, -1 if it has none.
func (s *scope) numbered(name string) int32 {
	if n, ok := s.numbers[name]; ok {
		return n
	}
	return -1
}

func (s *scope) meaning(sym *Symbol) *meaning {
	if sym.ranged() {
		return &s.names[sym.Name].ranged
	}
	return &s.names[sym.Name].single
}

// open enters a block.
func (s *scope) open() { s.marks = append(s.marks, len(s.stack)) }

// close leaves the innermost block, at a statement. A brace too many closes nothing.
func (s *scope) close(at int) {
	if len(s.marks) == 0 {
		return
	}
	mark := s.mark()
	for i := len(s.stack) - 1; i >= mark; i-- {
		sym := s.stack[i]
		sym.To = int32(at)
		s.meaning(sym).now = sym.Outer
	}
	s.stack, s.marks = s.stack[:mark], s.marks[:len(s.marks)-1]
}

// mark returns the index on the stack at which the innermost block begins.
func (s *scope) mark() int {
	if len(s.marks) == 0 {
		return 0
	}
	return s.marks[len(s.marks)-1]
}

// add declares a symbol under a name in the innermost block.
func (s *scope) add(name string, sym *Symbol) {
	sym.Name, sym.Depth, sym.ID = s.number(name), int32(len(s.marks)), s.added
	s.added++
	m := s.meaning(sym)
	sym.Hides = s.inRange(name, sym.Name, (*meaning).visible) != nil || sym.ranged() && s.names[sym.Name].single.visible() != nil
	sym.Outer, m.now, m.all = m.now, sym, append(m.all, sym)
	s.stack = append(s.stack, sym)
	if sym.ranged() {
		sym.nest()
	}
}

// visible returns the symbol that is visible at the statement at hand.
func (m *meaning) visible() *Symbol { return m.now }

// search returns the symbol that a name means, given the function that returns the visible symbol of a meaning. %r7 is a
// member of %r<8>, or a name by itself: the later declaration counts. A label %r7 does not hide a symbol that its own block
// has declared.
func (s *scope) search(name string, n int32, visible func(*meaning) *Symbol) *Symbol {
	var one *Symbol
	if n >= 0 {
		if one = visible(&s.names[n].single); one != nil && one.Label != nil && one.Same != nil {
			one = one.Same // the assembler keeps this meaning
		}
	}
	if r := s.inRange(name, n, visible); r != nil && (one == nil || r.ID > one.ID) {
		return r
	}
	return one
}

// inRange returns the name<count> that declares a name; nil if there is none. number is that of the name, -1 if it has
// none. As in ptxas, the stem of the range is the name without all the digits at its end (%r14 is a member of %r<20>, never
// of %r1<5>), and zeros before the number do not count.
func (s *scope) inRange(name string, number int32, visible func(*meaning) *Symbol) *Symbol {
	stem, member := int32(-1), int64(-1)
	if number >= 0 {
		stem, member = s.names[number].stem, s.names[number].member
	} else if text, k := memberOf(name); k >= 0 {
		stem, member = s.numbered(text), k
	}
	if stem < 0 {
		return nil
	}
	return visible(&s.names[stem].ranged).widerThan(member)
}

// memberOf returns a name without the digits at its end, and their value modulo 2^32, as the assembler computes it; the
// whole name and -1 if there are none.
func memberOf(name string) (stem string, member int64) {
	n, number, power := len(name), uint32(0), uint32(1)
	for n > 0 && '0' <= name[n-1] && name[n-1] <= '9' {
		n--
		number, power = number+power*uint32(name[n]-'0'), 10*power
	}
	if n == len(name) {
		return name, -1
	}
	return name[:n], int64(number)
}

// maxOverlap is how many names of a block a range is compared with, so that no
// declaration is costly.
const maxOverlap = 256

// overlap returns a symbol of the innermost block under a name that v declares too: the same name, a range with
// v's name as a member, or a member of the range v, but none with a zero before its number. It is
// nil if there is none.
func (s *scope) overlap(v *ptx.Var) *Symbol {
	here := func(sym *Symbol) bool { return sym != nil && int(sym.Depth) == len(s.marks) }
	n := s.numbered(v.Name)
	if n >= 0 {
		m := s.names[n].single
		if v.Ranged() {
			m = s.names[n].ranged
		}
		if here(m.visible()) {
			return m.now
		}
	}
	if !v.Ranged() {
		if r := s.inRange(v.Name, n, (*meaning).visible); here(r) {
			return r
		}
		return nil
	}
	for i := len(s.stack) - 1; i >= max(s.mark(), len(s.stack)-maxOverlap); i-- {
		one := s.names[s.stack[i].Name]
		if s.stack[i].ranged() || s.stack[i].Label != nil || one.stem < 0 || s.names[one.stem].text != v.Name {
			continue
		}
		if one.member < v.Count && one.text[len(v.Name)] != '0' {
			return s.stack[i]
		}
	}
	return nil
}
