package ptx

import "reflect"

// An arena allocates nodes by the array, one array at a time for each type. A tree
// has many small nodes: to allocate each by itself takes longer than to parse it.
//
// The arena of a Reader is used again: rewind takes all nodes back, and those that
// it gives then hold what they held before.
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

	// Lists that nest or have several elements grow on these before they are kept at their length.
	stmtStack    []Stmt
	operandStack []Operand
	formalStack  []Formal
}

// rewind takes all nodes back, to give them again.
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

// A block gives elements of one type. When it has given all of its array, it
// allocates another one, as large as the rest of the text is likely to need.
type block[T any] struct {
	array []T
	at    int // how many elements of array are given
	given int // how many elements all arrays have

	// Of a Reader: all arrays, the first used of which were in use since rewind.
	arrays [][]T
	used   int
}

// An array has minBlock elements at least, if its list needs no more. One of more than blockBytes bytes saves nothing
// worth its unused part: that many are a size of the allocator without the header that it adds.
const (
	minBlock   = 4
	blockBytes = 8192 - 8
)

// most returns how many elements an array has at most.
func (b *block[T]) most() int { return blockBytes / int(reflect.TypeFor[T]().Size()) }

// one returns a zero T.
func (b *block[T]) one(s *scanner) *T {
	x := b.next(s)
	var zero T
	*x = zero
	return x
}

// next returns a T that may hold anything: the caller sets all of it.
func (b *block[T]) next(s *scanner) *T {
	if b.at == len(b.array) {
		b.grow(s)
	}
	b.at++
	return &b.array[b.at-1]
}

func (b *block[T]) grow(s *scanner) {
	b.at = 0
	if b.used < len(b.arrays) {
		b.array = b.arrays[b.used]
		b.used++
		return
	}
	left := b.given * (s.total - s.off) / max(s.off, 1)
	most := b.most()
	n := min(max(left+left/8, minBlock), most)
	if twice := min(max(b.given, minBlock), most); s.reuse {
		n = twice // at last enough for any list of that many
	} else if s.outline { // declarations mostly stand before bodies: fewer are to come than the text has room for
		n = min(n, twice)
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
	if n > len(b.array)-b.at {
		for most := b.most(); s.reuse && n <= most && n > len(b.array)-b.at; {
			b.grow(s) // the rest of the array stays unused
		}
		if !s.reuse && n <= minBlock {
			b.grow(s)
		}
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

// open returns an empty list that has room for one element at least, for lists that
// mostly have one. Nothing else may be asked of b until close is called with the
// list.
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
