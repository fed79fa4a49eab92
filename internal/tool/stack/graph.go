package stack

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// A graph is the functions of a program, with the cycles among them taken
// together.
type graph struct {
	program *link.Linked
	funcs   []*link.Func
	frames  []frame // of each
	calls   [][]int // by name or through pointers, each once
	comp    []int   // the component of each function; callees have smaller numbers
	comps   [][]int
}

// A frame is how many bytes a function takes: at most, and at least, where a listing leaves open what
// aligning the stack pointer takes. -1: not known.
type frame struct{ most, least int }

// graphOf is the graph of a whole program.
func graphOf(p *link.Linked) *graph {
	g := &graph{program: p, funcs: p.Funcs}
	index := make(map[*link.Func]int)
	for i, f := range p.Funcs {
		index[f] = i
		g.frames = append(g.frames, frame{f.Frame, f.Frame - f.Slack})
	}
	for _, f := range p.Funcs {
		seen := make(map[int]bool)
		var calls []int
		for _, to := range p.Callees(f) {
			if j := index[to]; !seen[j] {
				seen[j] = true
				calls = append(calls, j)
			}
		}
		g.calls = append(g.calls, calls)
	}
	g.components()
	return g
}

// pointer reports whether pointers alone lead from a caller to a callee.
func (g *graph) pointer(caller, callee int) bool {
	return !slices.Contains(g.funcs[caller].Calls, g.funcs[callee]) && slices.Contains(g.calls[caller], callee)
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
