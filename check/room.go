package check

// A room gives space for values that are forgotten together, at the end of a
// body, and gives it again for the next. A module is checked with a fifth of the
// allocations of a room for each value.
type room[T any] struct {
	blocks [][]T
	block  int // the one in use
	used   int // of it
}

// The first block has minRoom elements, each that follows twice as many, up to
// roomSize: most modules are small.
const (
	minRoom  = 8
	roomSize = 128
)

// reset makes all of the room free. What is beyond that of a large function goes.
func (r *room[T]) reset() {
	if len(r.blocks) > roomSize {
		r.blocks = r.blocks[:roomSize:roomSize]
	}
	r.block, r.used = 0, 0
}

// drop forgets what the room holds.
func (r *room[T]) drop() {
	for _, b := range r.blocks[:min(r.block+1, len(r.blocks))] {
		clear(b)
	}
}

// take returns n elements, which may hold anything. There are never more than
// roomSize of them.
func (r *room[T]) take(n int) []T {
	for r.block < len(r.blocks) && r.used+n > len(r.blocks[r.block]) {
		r.block, r.used = r.block+1, 0
	}
	if r.block == len(r.blocks) {
		r.blocks = append(r.blocks, make([]T, max(n, min(minRoom<<r.block, roomSize))))
	}
	b := r.blocks[r.block][r.used : r.used+n : r.used+n]
	r.used += n
	return b
}

func (r *room[T]) one() *T { return &r.take(1)[0] }

// append appends x to a list that this room holds, or that is nil.
func (r *room[T]) append(list []T, x T) []T {
	const first = 4
	switch n := len(list); {
	case n < cap(list):
	case n == 0:
		list = r.take(first)[:0]
	case 2*n <= roomSize:
		list = append(r.take(2 * n)[:0], list...)
	}
	return append(list, x)
}
