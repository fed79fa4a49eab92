package body

import (
	"slices"

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
	// Proto is set for the name of a prototype, Targets for that of a list of targets, and Label for a label, which hides
	// what its name meant from there on; Spec and Var are then nil.
	Proto   *ptx.Prototype
	Targets *ptx.TargetList
	Label   *ptx.Label
	Role    Role
	Index   int32 // among the formals of its role
	// Depth is how many blocks enclose the declaration; 0 for formals.
	Depth int32
	// ID tells symbols of one function apart. It counts from 0 in order of
	// declaration.
	ID int32
	// Name is the number of the name, the same for equal names of a function.
	Name int32
	// Hides says that its name, or the stem of a range, was one of a range before, or the
	// stem a name of its own.
	Hides bool
	// Mentioned says that a statement has the name among its operands.
	Mentioned bool
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

	// Of a range: the nearest one of the name further out that has more members, one further out yet,
	// and how many have more in all. Following them finds the range of a member with log n steps.
	wider, jump *Symbol
	steps       int32
}

// ranged reports whether a symbol is a name<count>.
func (s *Symbol) ranged() bool { return s.Var != nil && s.Var.Ranged() }

// nest links a range to those of the same name further out.
func (s *Symbol) nest() {
	w := s.Outer.widerThan(s.Var.Count)
	if w == nil {
		return
	}
	s.wider, s.jump, s.steps = w, w, w.steps+1
	if j := w.jump; j != nil { // a jump as long as the two before it together
		far := j.jump
		if far == nil {
			far = j
		}
		if w.steps-j.steps == j.steps-far.steps {
			s.jump = far
		}
	}
}

// widerThan returns the innermost range from s on, going out, that has more than n
// members; nil if none has.
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

// A scope gives names numbers and holds what they mean at one place of a body. Its
// caller walks over the body in order. reset makes its map.
type scope struct {
	numbers map[string]int32
	room    int       // how many names the map has had at once
	names   []name    // by number
	stack   []*Symbol // all that are visible
	marks   []int     // length of stack at each open block
	added   int32     // how many symbols there are
}

// reset begins a body that is likely to have so many names, in the memory of another one.
func (s *scope) reset(likely int) {
	const most = 8 // to clear a map that much larger would take longer than the body
	if s.room = max(s.room, len(s.numbers)); s.numbers == nil || s.room > most*likely {
		s.numbers, s.room = make(map[string]int32, likely), 0
	}
	clear(s.numbers)
	s.names, s.stack, s.marks, s.added = s.names[:0], s.stack[:0], s.marks[:0], 0
}

// A name has what it means alone and as name<count>. Its stem is the number of the
// name without the digits at its end, and its member what these are; -1 if it has none.
type name struct {
	text           string
	stem           int32
	member         int64
	single, ranged meaning
}

// A meaning is what one name means: the innermost symbol that is visible, and all in the order of their declarations.
type meaning struct {
	now *Symbol
	all []*Symbol
}

// number returns the number of a name, a new one if it has none.
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

// close leaves the innermost block, at a statement. One brace too many closes nothing.
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

// mark returns where the innermost block begins on the stack.
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

// visible returns what is visible here.
func (m *meaning) visible() *Symbol { return m.now }

// search returns what a name means where of each meaning one symbol is visible. %r7 is found where
// %r<8> is declared, unless %r7 itself is, later; a label %r7 of its block does not hide one of it.
func (s *scope) search(name string, n int32, visible func(*meaning) *Symbol) *Symbol {
	var one *Symbol
	if n >= 0 {
		if one = visible(&s.names[n].single); one != nil && one.Label != nil && one.Same != nil {
			one = one.Same // which the assembler keeps
		}
	}
	if r := s.inRange(name, n, visible); r != nil && (one == nil || r.ID > one.ID) {
		return r
	}
	return one
}

// inRange returns the name<count> that declares the name of a number, which may be -1; nil if there is none. As in
// ptxas, the range is the name without all the digits at its end (%r14 is one of %r<20>, never
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

// memberOf returns a name without the digits at its end, and their value modulo 2^32, as the assembler takes it; the whole
// name and -1 if there are none.
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

// maxOverlap is how many names of a block a range is held against, so that no
// declaration is costly.
const maxOverlap = 256

// overlap returns what the innermost block declares and v declares too: the same name, a range that
// v's name is one of, or one of the names of the range v, for which those with a zero before the number do not count. It is
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
