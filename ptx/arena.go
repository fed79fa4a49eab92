package ptx

// An arena gives nodes room. A tree is made of many small ones; an allocation
// for each would cost more than parsing it.
type arena struct {
	instrs   block[Instr]
	accesses block[Access]
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

	// Lists that nest or have several elements grow on these before they are
	// kept at their length.
	stmtStack    []Stmt
	operandStack []Operand
	formalStack  []Formal
}

// A block is an array of which a part has been given away. When all of it has,
// another takes its place, as large as the rest of the text is likely to need.
type block[T any] struct {
	free  []T
	given int // so far, in all arrays
}

// Arrays of more elements than maxBlock save nothing worth their unused part.
const (
	minBlock = 4
	maxBlock = 128
)

// one returns a zero T.
func (b *block[T]) one(s *scanner) *T {
	if len(b.free) == 0 {
		b.grow(s)
	}
	x := &b.free[0]
	b.free = b.free[1:]
	return x
}

func (b *block[T]) grow(s *scanner) {
	left := b.given * (len(s.src) - s.off) / max(s.off, 1)
	n := min(max(left+left/8, minBlock), maxBlock)
	b.free = make([]T, n)
	b.given += n
}

// keep returns a copy of list without room to grow; nil if it is empty.
func (b *block[T]) keep(s *scanner, list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if len(b.free) == 0 {
		b.grow(s)
	}
	if n > len(b.free) {
		b.given += n
		return append(make([]T, 0, n), list...)
	}
	copy(b.free, list)
	kept := b.free[:n:n]
	b.free = b.free[n:]
	return kept
}

// open returns an empty list that has room to grow in place for one element at
// least: it is for lists that mostly have one. Until close is called with what
// has become of it, b has nothing to give.
func (b *block[T]) open(s *scanner) []T {
	if len(b.free) == 0 {
		b.grow(s)
	}
	return b.free[:0]
}

// close returns list, which began with open, without room to grow; nil if it
// is empty.
func (b *block[T]) close(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if cap(list) == cap(b.free) { // else it has outgrown b
		b.free = b.free[n:]
	}
	return list[:n:n]
}
