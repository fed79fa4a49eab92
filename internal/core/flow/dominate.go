package flow

import "slices"

// Dominates reports whether every path to block b leads through block a. A
// block dominates itself. Nothing dominates a block that cannot be reached but
// itself.
func (g *Graph) Dominates(a, b int) bool {
	if a == b {
		return true
	}
	if g.rank[a] < 0 || g.rank[b] < 0 {
		return false
	}
	return g.in[a] <= g.in[b] && g.in[b] <= g.out[a]
}

// Idom returns the block that dominates b and is dominated by all others that
// do; -1 for the first block and for those that cannot be reached.
func (g *Graph) Idom(b int) int { return int(g.idom[b]) }

// dominators finds the immediate dominators by the algorithm of Cooper, Harvey
// and Kennedy ("A Simple, Fast Dominance Algorithm", 2001): in reverse postorder,
// a block's is where its predecessors' ways up meet, until nothing changes. The
// last predecessor comes first: where many blocks of a chain leave for one, each
// way is short.
func (g *Graph) dominators() {
	g.idom = slices.Repeat([]int32{-1}, len(g.Blocks))
	for changed := true; changed; {
		changed = false
		for _, b := range g.order[1:] {
			up := int32(-1)
			for _, p := range slices.Backward(g.Blocks[b].Preds) {
				switch {
				case p != 0 && g.idom[p] < 0: // not reached, or not yet
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

// meet returns the last block that is on both ways up the tree of dominators.
func (g *Graph) meet(a, b int32) int32 {
	for a != b {
		if g.rank[a] < g.rank[b] {
			a, b = b, a
		}
		a = g.idom[a]
	}
	return a
}

// number walks over the tree of dominators, so that asking who dominates whom
// takes two comparisons. A block's number is set before those below it, which
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

// Loop returns a number that blocks share which can come to each other, so
// that they stand in one cycle; -1 for blocks in none, and for those that
// cannot be reached.
func (g *Graph) Loop(b int) int { return int(g.loop[b]) }

// loops finds the strongly connected components by the algorithm of Kosaraju and
// Sharir (Computers & Mathematics with Applications 7, 1981): in reverse postorder,
// what leads to a block and is in no component yet is in one with it.
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
