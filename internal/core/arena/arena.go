// Package arena allocates values that are released together, and reuses their memory, so that
// function after function, or module after module, takes few allocations.
package arena

// An Arena has values of one type. The zero Arena is empty.
type Arena[T any] struct {
	blocks [][]T
	block  int // the one in use
	used   int // of it
}

// The first block has firstBlock values, each that follows twice as many, up to
// [Most]: most modules are small.
const firstBlock = 8

// Most is how many values lie side by side at most.
const Most = 128

// keptBlocks is how many blocks an arena keeps; what the largest functions alone need is
// let go.
const keptBlocks = 128

// Reset makes all of the space free. Values keep what they hold until they are taken again.
func (a *Arena[T]) Reset() {
	if len(a.blocks) > keptBlocks {
		a.blocks = a.blocks[:keptBlocks:keptBlocks]
	}
	a.block, a.used = 0, 0
}

// Take returns n values, [Most] or fewer, which may hold anything.
func (a *Arena[T]) Take(n int) []T {
	for a.block < len(a.blocks) && a.used+n > len(a.blocks[a.block]) {
		a.block, a.used = a.block+1, 0
	}
	if a.block == len(a.blocks) {
		a.blocks = append(a.blocks, make([]T, max(n, firstBlock<<min(a.block, 4))))
	}
	b := a.blocks[a.block][a.used : a.used+n : a.used+n]
	a.used += n
	return b
}

// One returns a value, which may hold anything.
func (a *Arena[T]) One() *T {
	if a.block < len(a.blocks) && a.used < len(a.blocks[a.block]) {
		a.used++
		return &a.blocks[a.block][a.used-1]
	}
	return &a.Take(1)[0]
}

// Append appends x to a list whose space is this arena's, or that is nil.
func (a *Arena[T]) Append(list []T, x T) []T {
	const first = 2
	switch n := len(list); {
	case n < cap(list):
	case n == 0:
		list = a.Take(first)[:0]
	case 2*n <= Most:
		list = append(a.Take(2 * n)[:0], list...)
	}
	return append(list, x)
}
