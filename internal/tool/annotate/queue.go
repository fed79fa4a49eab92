package annotate

import "slices"

// A queue has the blocks that are yet to be followed, in the order of the text. It goes round by
// round: what comes before the block that was taken last is for the next one, so that
// what a loop changes comes back to its start once, after all of its code.
type queue struct {
	this, next []int // ascending
	last       int
}

// push adds a block.
func (q *queue) push(b int) {
	list := &q.this
	if b <= q.last {
		list = &q.next
	}
	i, _ := slices.BinarySearch(*list, b)
	*list = slices.Insert(*list, i, b)
}

// pop takes the next block; false if there is none.
func (q *queue) pop() (b int, ok bool) {
	if len(q.this) == 0 {
		q.this, q.next = q.next, nil
	}
	if len(q.this) == 0 {
		return 0, false
	}
	q.last, q.this = q.this[0], q.this[1:]
	return q.last, true
}
