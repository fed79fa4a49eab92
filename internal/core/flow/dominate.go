package flow

import "slices"

// Dominates reports whether every path to block b leads through block a. A
// block dominates itself. A block that cannot be reached is dominated by
// itself alone.
func (g *Graph) Dominates(a, b int) bool {
	if a == b {
		return true
	}
	if g.rank[a] < 0 || g.rank[b] < 0 {
		return false
	}
	return g.in[a] <= g.in[b] && g.in[b] <= g.out[a]
}

// Idom returns the immediate dominator of b: the last block but b itself that every path to b
// leads through; -1 for the first block and for blocks that cannot be reached.
func (g *Graph) Idom(b int) int { return int(g.idom[b]) }

// dominators finds the immediate dominators by the algorithm of Cooper, Harvey
// and Kennedy ("A Simple, Fast Dominance Algorithm", 2001). In reverse postorder,
// the immediate dominator of a block is the block at which the ways of all its predecessors up the tree of dominators
// meet; that is repeated until nothing changes. The
// last predecessor comes first: if many blocks of a chain jump to one, the ways are then short.
func (g *Graph) dominators() {
	g.idom = slices.Repeat([]int32{-1}, len(g.Blocks))
	for changed := true; changed; {
		changed = false
		for _, b := range g.order[1:] {
			up := int32(-1)
			for _, p := range slices.Backward(g.Blocks[b].Preds) {
				switch {
				case p != 0 && g.idom[p] < 0: // p cannot be reached, or its dominator is not known yet
				case up < 0:
					up = int32(p)
				default:
					up = g.meet(up, int32(p))
				}
			}
			if up != g.idom[b] {
				g.idom[b], changed = up, true
			}
		}
	}
}

// meet returns the block at which the ways of two blocks up the tree of dominators meet. A dominator stands before its
// block in reverse postorder, so that the block that stands later is the one to go up from.
func (g *Graph) meet(a, b int32) int32 {
	for a != b {
		if g.rank[a] < g.rank[b] {
			a, b = b, a
		}
		a = g.idom[a]
	}
	return a
}

// number numbers the tree of dominators in preorder. The blocks below a block then have the numbers
// in … out, which Dominates compares. A block's number is set before those of the blocks below it, since they
// stand after it in reverse postorder.
func (g *Graph) number() {
	n := len(g.Blocks)
	size := make([]int32, n)
	for i := len(g.order) - 1; i >= 0; i-- {
		b := g.order[i]
		size[b]++
		if d := g.idom[b]; d >= 0 {
			size[d] += size[b]
		}
	}
	g.in, g.out = make([]int32, n), make([]int32, n)
	next := make([]int32, n) // number for the next child
	for _, b := range g.order {
		if d := g.idom[b]; d >= 0 {
			g.in[b] = next[d]
			next[d] += size[b]
		}
		next[b] = g.in[b] + 1
		g.out[b] = g.in[b] + size[b] - 1
	}
}

// Loop returns the number of the cycle that block b is in. Blocks that can reach each other
// have the same number; blocks in no cycle, and those that
// cannot be reached, have -1.
func (g *Graph) Loop(b int) int { return int(g.loop[b]) }

// loops finds the strongly connected components by the algorithm of Kosaraju and
// Sharir (Computers & Mathematics with Applications 7, 1981): in reverse postorder, the blocks
// that lead to a block and are in no component yet are in one component with it.
func (g *Graph) loops() {
	g.loop = slices.Repeat([]int32{-1}, len(g.Blocks))
	seen := make([]bool, len(g.Blocks))
	var component []int32
	for _, head := range g.order {
		if seen[head] {
			continue
		}
		seen[head] = true
		component = append(component[:0], head)
		for i := 0; i < len(component); i++ {
			for _, p := range g.Blocks[component[i]].Preds {
				if g.Reachable(p) && !seen[p] {
					seen[p] = true
					component = append(component, int32(p))
				}
			}
		}
		if len(component) > 1 || slices.Contains(g.Blocks[head].Succs, int(head)) {
			for _, b := range component {
				g.loop[b] = head
			}
		}
	}
}
