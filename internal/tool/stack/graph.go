package stack

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// A graph is the functions that a kernel reaches, with the cycles among them taken
// together.
type graph struct {
	program *link.Linked
	index   map[*link.Func]int
	funcs   []*link.Func
	frames  []frame // of each
	calls   [][]int
	pointer []map[int]bool // by caller, the callees that pointers alone lead to
	comp    []int          // the component of each function; callees have smaller numbers
	comps   [][]int
}

// A frame is how many bytes a function takes: at most, and at least, where a listing leaves open what
// aligning the stack pointer takes. -1: not known.
type frame struct{ most, least int }

// graphOf is the graph of a whole program.
func graphOf(p *link.Linked) *graph {
	g := &graph{program: p, index: make(map[*link.Func]int)}
	for i, f := range p.Funcs {
		g.index[f] = i
		g.funcs = append(g.funcs, f)
		g.frames = append(g.frames, frame{f.Frame, f.Frame - f.Slack})
	}
	g.calls = make([][]int, len(g.funcs))
	g.pointer = make([]map[int]bool, len(g.funcs))
	for i, f := range g.funcs {
		seen := make(map[int]bool)
		for _, to := range f.Calls {
			if j := g.index[to]; !seen[j] {
				seen[j] = true
				g.calls[i] = append(g.calls[i], j)
			}
		}
		for _, proto := range f.Indirect {
			for _, to := range p.Candidates(proto) {
				j := g.index[to]
				if !seen[j] {
					seen[j] = true
					g.calls[i] = append(g.calls[i], j)
					if g.pointer[i] == nil {
						g.pointer[i] = make(map[int]bool)
					}
					g.pointer[i][j] = true
				}
			}
		}
	}
	g.components()
	return g
}

// components finds what is strongly connected, callees first (Tarjan's algorithm,
// without recursion of its own).
func (g *graph) components() {
	n := len(g.funcs)
	g.comp = make([]int, n)
	number, low := make([]int, n), make([]int, n)
	on := make([]bool, n)
	var stack []int
	next := 1
	type visit struct{ node, edge int }
	for root := range n {
		if number[root] != 0 {
			continue
		}
		todo := []visit{{root, 0}}
		for len(todo) > 0 {
			v := &todo[len(todo)-1]
			if v.edge == 0 {
				number[v.node], low[v.node] = next, next
				next++
				stack = append(stack, v.node)
				on[v.node] = true
			}
			if v.edge < len(g.calls[v.node]) {
				to := g.calls[v.node][v.edge]
				v.edge++
				switch {
				case number[to] == 0:
					todo = append(todo, visit{to, 0})
				case on[to]:
					low[v.node] = min(low[v.node], number[to])
				}
				continue
			}
			node := v.node
			todo = todo[:len(todo)-1]
			if len(todo) > 0 {
				up := todo[len(todo)-1].node
				low[up] = min(low[up], low[node])
			}
			if low[node] != number[node] {
				continue
			}
			var all []int
			for {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				on[top] = false
				g.comp[top] = len(g.comps)
				all = append(all, top)
				if top == node {
					break
				}
			}
			slices.Sort(all)
			g.comps = append(g.comps, all)
		}
	}
}

// recurses reports whether a component comes to itself again.
func (g *graph) recurses(c int) bool {
	list := g.comps[c]
	return len(list) > 1 || slices.Contains(g.calls[list[0]], list[0])
}

// reached are the functions that k comes to, itself included, the near ones first.
func (g *graph) reached(k int) []int {
	all, _ := link.Reach(func(i int) []int { return g.calls[i] }, k)
	return all
}
