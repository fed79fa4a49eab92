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

// components finds what is strongly connected, callees first (Tarjan's algorithm).
func (g *graph) components() {
	g.comp = slices.Repeat([]int{-1}, len(g.funcs))
	low := make([]int, len(g.funcs)) // 0: not visited
	visited := 0
	var stack []int
	var visit func(int)
	visit = func(i int) {
		visited++
		number, at := visited, len(stack)
		low[i], stack = number, append(stack, i)
		for _, to := range g.calls[i] {
			if low[to] == 0 {
				visit(to)
			}
			if g.comp[to] < 0 {
				low[i] = min(low[i], low[to])
			}
		}
		if low[i] < number {
			return
		}
		all := slices.Sorted(slices.Values(stack[at:]))
		stack = stack[:at]
		for _, j := range all {
			g.comp[j] = len(g.comps)
		}
		g.comps = append(g.comps, all)
	}
	for i := range g.funcs {
		if low[i] == 0 {
			visit(i)
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
