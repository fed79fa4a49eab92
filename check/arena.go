package check

// An arena gives space for values that are forgotten together, and gives it again for the
// next ones.
type arena[T any] struct {
	blocks [][]T
	block  int // the one in use
	used   int // of it
}

// The first block has firstBlock elements, each that follows twice as many, up to
// mostBlock: most modules are small.
const (
	firstBlock = 8
	mostBlock  = 128
)

// reset makes all of the space free. What is beyond that of a large function goes.
func (a *arena[T]) reset() {
	if len(a.blocks) > mostBlock {
		a.blocks = a.blocks[:mostBlock:mostBlock]
	}
	a.block, a.used = 0, 0
}

// clear is reset, and forgets what the values held.
func (a *arena[T]) clear() {
	for _, b := range a.blocks[:min(a.block+1, len(a.blocks))] {
		clear(b)
	}
	a.reset()
}

// take returns n elements, which may hold anything. There are never more than
// mostBlock of them.
func (a *arena[T]) take(n int) []T {
	for a.block < len(a.blocks) && a.used+n > len(a.blocks[a.block]) {
		a.block, a.used = a.block+1, 0
	}
	if a.block == len(a.blocks) {
		a.blocks = append(a.blocks, make([]T, max(n, min(firstBlock<<a.block, mostBlock))))
	}
	b := a.blocks[a.block][a.used : a.used+n : a.used+n]
	a.used += n
	return b
}

func (a *arena[T]) one() *T { return &a.take(1)[0] }

// append appends x to a list that this arena holds, or that is nil.
func (a *arena[T]) append(list []T, x T) []T {
	const first = 4
	switch n := len(list); {
	case n < cap(list):
	case n == 0:
		list = a.take(first)[:0]
	case 2*n <= mostBlock:
		list = append(a.take(2 * n)[:0], list...)
	}
	return append(list, x)
}
