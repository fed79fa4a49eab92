package layout

import (
	"cmp"
	"iter"
	"slices"
)

// An arm is a member of a union whose leaves are being read.
type arm struct {
	member *Member
	start  int64 // first bit of the leaf that comes next
	leaf   Leaf
	next   func() (Leaf, bool) // nil until the leaf is requested
	stop   func()
}

// unionLeaves merges the leaves of the members of a union: the one that begins first comes
// first, and of several that of the member that was declared first. A member is opened
// when its first leaf's turn comes: unions in unions have members without end.
func (l *Layout) unionLeaves(path *names, off int64, yield func(Leaf) bool) bool {
	rec := Unalias(l.Type).(*Record)
	var open []*arm
	for i := range l.Members {
		if m := &l.Members[i]; m.lead() != noLeaf {
			open = append(open, &arm{member: m, start: off*8 + m.lead()})
		}
	}
	defer func() {
		for _, a := range open {
			if a.stop != nil {
				a.stop()
			}
		}
	}()
	for len(open) > 0 {
		a := slices.MinFunc(open, func(a, b *arm) int { return cmp.Compare(a.start, b.start) })
		if a.next == nil {
			a.next, a.stop = iter.Pull(func(yield func(Leaf) bool) { a.member.leaves(path, rec, off, yield) })
			a.leaf, _ = a.next()
		}
		if !yield(a.leaf) {
			return false
		}
		leaf, ok := a.next()
		if !ok {
			open = slices.DeleteFunc(open, func(b *arm) bool { return a == b })
			continue
		}
		a.leaf, a.start = leaf, leaf.Start()
	}
	return true
}
