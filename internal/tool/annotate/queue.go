package annotate

import "slices"

// A queue has the blocks that are yet to be followed, by their order. It goes round by
// round: what comes before the block that was taken last is for the next one, so that
// what a loop changes comes back to its start once, after all of its code.
type queue struct {
	this, next []int32 // ascending
	last       int32
}

// push adds a block by its order.
func (q *queue) push(order int32) {
	list := &q.this
	if order <= q.last {
		list = &q.next
	}
	i, _ := slices.BinarySearch(*list, order)
	*list = slices.Insert(*list, i, order)
}

// pop takes the next block; false if there is none.
func (q *queue) pop() (order int32, ok bool) {
	if len(q.this) == 0 {
		q.this, q.next = q.next, nil
	}
	if len(q.this) == 0 {
		return 0, false
	}
	q.last, q.this = q.this[0], q.this[1:]
	return q.last, true
}

// reset empties the queue.
func (q *queue) reset() { *q = queue{last: -1} }

// number gives the blocks that control may come to their order: reverse postorder of a
// search from the entry, in which a block comes before what it leads to, loops aside.
func (fn *function) number() {
	var targets, ends []int32 // of all blocks, side by side
	for b := range fn.blocks {
		fn.targets(b, func(to int) { targets = append(targets, int32(to)) })
		ends = append(ends, int32(len(targets)))
	}
	next := append([]int32{0}, ends...) // the target to go to next
	path := []int32{entryBlock}
	fn.byOrder = fn.byOrder[:0]
	const seen = 0 // an order, until there is one
	fn.blocks[entryBlock].order = seen
	for len(path) > 0 {
		b := path[len(path)-1]
		if next[b] == ends[b] {
			path = path[:len(path)-1]
			fn.byOrder = append(fn.byOrder, b)
			continue
		}
		to := targets[next[b]]
		next[b]++
		if fn.blocks[to].order != seen {
			fn.blocks[to].order = seen
			path = append(path, to)
		}
	}
	slices.Reverse(fn.byOrder)
	for i, b := range fn.byOrder {
		fn.blocks[b].order = int32(i)
	}
}
