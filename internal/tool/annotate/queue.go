package annotate

import "slices"

// A queue has the blocks that are yet to be followed, by their order. It goes round by
// round: what comes before the block that was taken last is for the next one, so that
// what a loop changes comes back to its start once, after all of its code.
type queue struct {
	this, next heap
	last       int32
}

// push adds a block by its order.
func (q *queue) push(order int32) {
	if order > q.last {
		q.this.push(order)
	} else {
		q.next.push(order)
	}
}

// pop takes the next block; false if there is none.
func (q *queue) pop() (order int32, ok bool) {
	if len(q.this) == 0 {
		q.this, q.next = q.next, q.this
	}
	if len(q.this) == 0 {
		return 0, false
	}
	q.last = q.this.pop()
	return q.last, true
}

// reset empties the queue.
func (q *queue) reset() { q.this, q.next, q.last = q.this[:0], q.next[:0], -1 }

// A heap gives the least of its numbers first.
type heap []int32

func (h *heap) push(x int32) {
	list := append(*h, x)
	for i := len(list) - 1; i > 0; {
		up := (i - 1) / 2
		if list[up] <= list[i] {
			break
		}
		list[up], list[i] = list[i], list[up]
		i = up
	}
	*h = list
}

func (h *heap) pop() int32 {
	list := *h
	least := list[0]
	n := len(list) - 1
	list[0] = list[n]
	list = list[:n]
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < n && list[down+1] < list[down] {
			down++
		}
		if down >= n || list[i] <= list[down] {
			break
		}
		list[i], list[down] = list[down], list[i]
		i = down
	}
	*h = list
	return least
}

// number gives the blocks that control may come to their order: reverse postorder of a
// search from the entry, in which a block comes before what it leads to, loops aside.
func (fn *function) number() {
	targets := fn.toNumber[0][:0] // of all blocks, side by side
	ends := fn.toNumber[1][:0]
	for b := range fn.blocks {
		fn.targets(b, func(to int) { push(&targets, int32(to)) })
		push(&ends, int32(len(targets)))
	}
	next := append(append(fn.toNumber[2][:0], 0), ends...) // the target to go to next
	path := append(fn.toNumber[3][:0], entryBlock)
	fn.byOrder = fn.byOrder[:0]
	const seen = 0 // an order, until there is one
	fn.blocks[entryBlock].order = seen
	for len(path) > 0 {
		b := path[len(path)-1]
		if next[b] == ends[b] {
			path = path[:len(path)-1]
			push(&fn.byOrder, b)
			continue
		}
		to := targets[next[b]]
		next[b]++
		if fn.blocks[to].order != seen {
			fn.blocks[to].order = seen
			push(&path, to)
		}
	}
	fn.toNumber = [4][]int32{targets, ends, next, path}
	slices.Reverse(fn.byOrder)
	for i, b := range fn.byOrder {
		fn.blocks[b].order = int32(i)
	}
}
