package ptx

// An arena allocates nodes by the array, one array at a time for each type. A tree
// has many small nodes: to allocate each by itself takes longer than to parse it.
//
// A Reader uses its arena for one body after the other: rewind takes all nodes back, so that the
// nodes of the body before are no longer valid.
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
	funcs    block[Func]
	protos   block[Prototype]
	ptrs     block[Ptr]

	// Lists grow on these before they are kept at their length.
	stmtStack    []Stmt
	operandStack []Operand
	formalStack  []Formal
	varStack     []Var
	dimStack     []int64
}

// rewind takes all nodes back. The arena then returns the same memory again.
func (a *arena) rewind() {
	for _, b := range []interface{ rewind() }{
		&a.instrs, &a.accesses, &a.calls, &a.guards, &a.labels, &a.opens, &a.closes, &a.decls, &a.direcs,
		&a.operands, &a.vars, &a.formals, &a.dims, &a.funcs, &a.protos, &a.ptrs,
	} {
		b.rewind()
	}
}

// A block allocates elements of one type. Each of its arrays has twice as many as the one before.
type block[T any] struct {
	arrays [][]T
	used   int // how many arrays are in use; the last of them is array
	array  []T
	at     int // how many elements of array are in use
}

// The first array has minBlock elements, the largest maxBlock: larger ones would leave more memory unused than they save
// allocations.
const (
	minBlock = 4
	maxBlock = 256
)

// one returns a zero T.
func (b *block[T]) one() *T {
	x := b.next()
	*x = *new(T)
	return x
}

// next returns a T with any contents: the caller sets all of it.
func (b *block[T]) next() *T {
	if b.at == len(b.array) {
		b.grow()
	}
	b.at++
	return &b.array[b.at-1]
}

func (b *block[T]) grow() {
	if b.used == len(b.arrays) {
		b.arrays = append(b.arrays, make([]T, min(minBlock<<min(b.used, 16), maxBlock)))
	}
	b.array, b.at = b.arrays[b.used], 0
	b.used++
}

func (b *block[T]) rewind() { b.array, b.at, b.used = nil, 0, 0 }

// keep returns a copy of list whose capacity is its length, so that append to it writes no other list; nil if it is empty.
func (b *block[T]) keep(list []T) []T {
	n := len(list)
	switch {
	case n == 0:
		return nil
	case n > maxBlock/8: // much of an array could stay unused
		return append(make([]T, 0, n), list...)
	}
	for n > len(b.array)-b.at {
		b.grow()
	}
	kept := b.array[b.at : b.at+n : b.at+n]
	copy(kept, list)
	b.at += n
	return kept
}
