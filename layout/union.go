package layout

import (
	"cmp"
	"container/heap"
	"iter"
)

// An arm is a member of a union whose leaves are being read.
type arm struct {
	member *Member
	index  int   // among the arms
	start  int64 // first bit of the leaf that comes next
	leaf   Leaf
	next   func() (Leaf, bool) // nil until the leaf is asked for
	stop   func()
}

// arms are a heap: the leaf that begins first is first, and of several that of
// the member that was declared first.
type arms []*arm

func (a arms) Len() int { return len(a) }
func (a arms) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(a[i].start, a[j].start), cmp.Compare(a[i].index, a[j].index)) < 0
}
func (a arms) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *arms) Push(x any)   { *a = append(*a, x.(*arm)) }
func (a *arms) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// unionLeaves merges the leaves of the members of a union. A member is opened
// when its first leaf's turn comes: unions in unions have members without end.
func (l *Layout) unionLeaves(path *names, off int64) iter.Seq[Leaf] {
	rec := Unalias(l.Type).(*Record)
	return func(yield func(Leaf) bool) {
		var open arms
		for m := range l.bearing() {
			open = append(open, &arm{member: m, index: len(open), start: off*8 + m.lead()})
		}
		heap.Init(&open)
		defer func() {
			for _, a := range open {
				if a.stop != nil {
					a.stop()
				}
			}
		}()
		for len(open) > 0 {
			a := open[0]
			if a.next == nil {
				a.next, a.stop = iter.Pull(a.member.leaves(path, rec, off))
				a.leaf, _ = a.next()
			}
			if !yield(a.leaf) {
				return
			}
			leaf, ok := a.next()
			if !ok {
				heap.Pop(&open)
				continue
			}
			a.leaf, a.start = leaf, leaf.Start()
			heap.Fix(&open, 0)
		}
	}
}
