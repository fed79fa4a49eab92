package ptx

// An arena gives nodes room. A tree is made of many small ones; an allocation
// for each would cost more than parsing it.
type arena struct {
	instrs   block[Instr]
	accesses block[accessRoom]
	calls    block[Call]
	guards   block[Guard]
	labels   block[Label]
	opens    block[Open]
	closes   block[Close]
	decls    block[Decl]
	direcs   block[Directive]
	operands block[Operand]
	vars     block[Var]
	formals  block[Formal]
	dims     block[int64]
	funcs    block[Func]
	protos   block[Prototype]
	ptrs     block[Ptr]
}

// An accessRoom is an access with room for what it mostly loads or stores.
type accessRoom struct {
	Access
	one [1]Operand
}

// rewind takes back everything that a has given, to give it again.
func (a *arena) rewind() {
	a.instrs.rewind()
	a.accesses.rewind()
	a.calls.rewind()
	a.guards.rewind()
	a.labels.rewind()
	a.opens.rewind()
	a.closes.rewind()
	a.decls.rewind()
	a.direcs.rewind()
	a.operands.rewind()
	a.vars.rewind()
	a.formals.rewind()
	a.dims.rewind()
	a.funcs.rewind()
	a.protos.rewind()
	a.ptrs.rewind()
}

// A block is an array of which a part has been given away. When all of it has,
// another takes its place, as large as the rest of the text is likely to need.
type block[T any] struct {
	array []T
	at    int // how many elements of array have been given
	given int // in all arrays so far, array as a whole

	// Where the scanner's reuse is set: all arrays, of which the first used ones
	// have been given since rewind. The others may hold anything.
	arrays [][]T
	used   int
}

// Arrays of more elements than maxBlock save nothing worth their unused part.
const (
	minBlock = 4
	maxBlock = 128
	// shortList is the length of lists that are worth leaving the rest of an
	// array unused for, if it will be given again.
	shortList = 16
)

// one returns a zero T.
func (b *block[T]) one(s *scanner) *T {
	x := b.next(s)
	if s.reuse {
		var zero T
		*x = zero
	}
	return x
}

// next is one for who sets the whole of it: it may hold anything.
func (b *block[T]) next(s *scanner) *T {
	x := b.spare(s)
	b.take(1)
	return x
}

// spare is peek for one element. It is small enough to be compiled in place, and to count
// what has been given costs less than to cut it off the array.
func (b *block[T]) spare(s *scanner) *T {
	if b.at == len(b.array) {
		b.grow(s)
	}
	return &b.array[b.at]
}

// peek returns n elements, which may hold anything and are given by the call of
// take that follows, if one does.
func (b *block[T]) peek(s *scanner, n int) []T {
	if len(b.array)-b.at < n {
		b.grow(s)
	}
	return b.array[b.at : b.at+n : b.at+n]
}

// take gives n elements.
func (b *block[T]) take(n int) { b.at += n }

func (b *block[T]) grow(s *scanner) {
	b.at = 0
	if b.used < len(b.arrays) {
		b.array = b.arrays[b.used]
		b.used++
		return
	}
	left := b.given * (len(s.src) - s.off) / max(s.off, 1)
	n := min(max(left+left/8, minBlock), maxBlock)
	if s.reuse {
		twice := min(max(b.given, minBlock), maxBlock)
		if !s.once || n > twice {
			n = twice
		}
	}
	b.array = make([]T, n)
	b.given += n
	if s.reuse {
		b.arrays = append(b.arrays, b.array)
		b.used++
	}
}

func (b *block[T]) rewind() { b.array, b.at, b.used = nil, 0, 0 }

// keep returns a copy of list without room to grow; nil if it is empty.
func (b *block[T]) keep(s *scanner, list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if left := len(b.array) - b.at; left == 0 || s.reuse && n > left && n <= shortList {
		b.grow(s)
	}
	if n > len(b.array)-b.at {
		b.given += n
		return append(make([]T, 0, n), list...)
	}
	kept := b.array[b.at : b.at+n : b.at+n]
	copy(kept, list)
	b.at += n
	return kept
}

// open returns an empty list that has room to grow in place for one element at
// least: it is for lists that mostly have one. Until close is called with what
// has become of it, b has nothing to give.
func (b *block[T]) open(s *scanner) []T {
	if b.at == len(b.array) {
		b.grow(s)
	}
	return b.array[b.at:b.at]
}

// close returns list, which began with open, without room to grow; nil if it
// is empty.
func (b *block[T]) close(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if cap(list) == cap(b.array)-b.at { // else it has outgrown b
		b.at += n
	}
	return list[:n:n]
}
