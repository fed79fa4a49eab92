package flow

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

// dominators finds the immediate dominators by the algorithm of Lengauer and
// Tarjan (ACM TOPLAS 1, 1979) in its simple form, which takes O(m log n). The
// vertices are numbers of a depth-first search.
func (g *Graph) dominators() {
	n := len(g.Blocks)
	g.idom = make([]int32, n)
	for i := range g.idom {
		g.idom[i] = -1
	}
	t := newTree(g)
	for w := len(t.block) - 1; w > 0; w-- {
		for _, p := range g.Blocks[t.block[w]].Preds {
			v := t.number[p]
			if v < 0 {
				continue
			}
			if u := t.eval(v); t.semi[u] < t.semi[w] {
				t.semi[w] = t.semi[u]
			}
		}
		s := t.semi[w]
		t.chain[w], t.bucket[s] = t.bucket[s], int32(w)
		p := t.parent[w]
		t.ancestor[w] = p
		for v := t.bucket[p]; v >= 0; v = t.chain[v] {
			if u := t.eval(v); t.semi[u] < t.semi[v] {
				t.idom[v] = u
			} else {
				t.idom[v] = p
			}
		}
		t.bucket[p] = -1
	}
	for w := 1; w < len(t.block); w++ {
		if t.idom[w] != t.semi[w] {
			t.idom[w] = t.idom[t.idom[w]]
		}
		g.idom[t.block[w]] = t.block[t.idom[w]]
	}
	g.number()
}

// A tree is that of a depth-first search, with the forest that the algorithm
// grows in it.
type tree struct {
	block  []int32 // of each number
	number []int32 // of each block; -1 if it cannot be reached
	parent []int32

	semi, label, ancestor, idom []int32
	bucket, chain               []int32 // lists: head of each vertex, and next
	path                        []int32 // of eval
}

func newTree(g *Graph) *tree {
	n := len(g.Blocks)
	t := &tree{number: make([]int32, n)}
	for i := range t.number {
		t.number[i] = -1
	}
	add := func(b, parent int32) {
		t.number[b] = int32(len(t.block))
		t.block = append(t.block, b)
		t.parent = append(t.parent, parent)
	}
	add(0, -1)
	next := make([]int32, n)
	stack := []int32{0}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		succs := g.Blocks[b].Succs
		if int(next[b]) == len(succs) {
			stack = stack[:len(stack)-1]
			continue
		}
		s := int32(succs[next[b]])
		next[b]++
		if t.number[s] < 0 {
			add(s, t.number[b])
			stack = append(stack, s)
		}
	}
	m := len(t.block)
	t.semi, t.label, t.ancestor = make([]int32, m), make([]int32, m), make([]int32, m)
	t.idom, t.bucket, t.chain = make([]int32, m), make([]int32, m), make([]int32, m)
	for i := range t.semi {
		t.semi[i], t.label[i] = int32(i), int32(i)
		t.ancestor[i], t.bucket[i], t.chain[i] = -1, -1, -1
	}
	return t
}

// eval returns the vertex of least semidominator on the way from v to the root
// of its tree in the forest, the root excluded, and shortens that way.
func (t *tree) eval(v int32) int32 {
	if t.ancestor[v] < 0 {
		return v
	}
	t.path = t.path[:0]
	for u := v; t.ancestor[t.ancestor[u]] >= 0; u = t.ancestor[u] {
		t.path = append(t.path, u)
	}
	for i := len(t.path) - 1; i >= 0; i-- {
		u := t.path[i]
		a := t.ancestor[u]
		if t.semi[t.label[a]] < t.semi[t.label[u]] {
			t.label[u] = t.label[a]
		}
		t.ancestor[u] = t.ancestor[a]
	}
	return t.label[v]
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

// loops finds the strongly connected components by the algorithm of Tarjan
// (SIAM J. Comput. 1, 1972).
func (g *Graph) loops() {
	n := len(g.Blocks)
	g.loop = make([]int32, n)
	low, seen, next := make([]int32, n), make([]int32, n), make([]int32, n) // seen counts from 1; 0 is not yet
	open := make([]bool, n)
	for i := range g.loop {
		g.loop[i] = -1
	}
	var component []int32
	clock := int32(0)
	enter := func(stack []int32, b int32) []int32 {
		clock++
		seen[b], low[b], open[b] = clock, clock, true
		component = append(component, b)
		return append(stack, b)
	}
	for stack := enter(nil, 0); len(stack) > 0; {
		b := stack[len(stack)-1]
		if succs := g.Blocks[b].Succs; int(next[b]) < len(succs) {
			s := int32(succs[next[b]])
			next[b]++
			switch {
			case seen[s] == 0:
				stack = enter(stack, s)
			case open[s]:
				low[b] = min(low[b], seen[s])
				if s == b {
					g.loop[b] = b
				}
			}
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			up := stack[len(stack)-1]
			low[up] = min(low[up], low[b])
		}
		if low[b] < seen[b] {
			continue
		}
		alone := component[len(component)-1] == b
		for {
			w := component[len(component)-1]
			component = component[:len(component)-1]
			open[w] = false
			if !alone {
				g.loop[w] = b
			}
			if w == b {
				break
			}
		}
	}
}
