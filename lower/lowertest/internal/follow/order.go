package follow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
)

// A callGraph says which calls may come after one another. Node 0 is the beginning of the function, node 1 its end.
type callGraph struct {
	calls []*point // of a node, nil for the beginning of a block and for the end
	next  [][]step // to nodes that control comes to: to one that is a call by executing it
}

const endNode = 1

// A step goes to a node of a callGraph, past branches on predicates.
type step struct {
	to    int
	preds []symexec.Byte
	trap  bool // to the end, by a trap
}

// callGraph returns the calls of a function in their order, by names.
func (p *path) callGraph() *callGraph {
	g, blocks := new(callGraph), make(map[int]int)
	add := func(c *point) int {
		g.calls, g.next = append(g.calls, c), append(g.next, nil)
		return len(g.calls) - 1
	}
	block := func(start int) int {
		n, ok := blocks[start]
		if !ok {
			n = add(nil)
			blocks[start] = n
		}
		return n
	}
	block(0)
	add(nil)
	type event struct {
		jump
		kind int // 0: control comes to another block by itself, 1: a point, 2: a jump
		pt   *point
	}
	var events []event
	for _, j := range p.jumps {
		kind := 2
		if j.index == j.to { // a loop of one jump comes to no call either
			kind = 0
		}
		events = append(events, event{j, kind, nil})
	}
	for i := range p.points {
		events = append(events, event{jump{start: p.points[i].start, index: p.points[i].index}, 1, &p.points[i]})
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.index, b.index), cmp.Compare(a.kind, b.kind))
	})
	var at []int // where control may be
	var preds []symexec.Byte
	for i, e := range events {
		if i == 0 || e.start != events[i-1].start {
			at, preds = []int{block(e.start)}, nil
		}
		comes := func(to int) {
			for _, n := range at {
				g.next[n] = append(g.next[n], step{to, preds, e.pt != nil && e.pt.trap})
			}
		}
		pred := ""
		if e.index >= 0 { // code without instructions ends before the first
			pred, _ = guardOf(&p.l.Instrs[e.index])
		}
		if e.kind > 0 && pred != "" {
			preds = append(slices.Clip(preds), e.pred) // that of a call is not known
		}
		switch {
		case e.pt == nil:
			comes(block(e.to))
		case e.pt.kind != callPoint:
			comes(endNode)
		default:
			n := add(e.pt)
			comes(n)
			if pred == "" {
				at = nil
			}
			if e.pt.site != nil && e.pt.site.noreturn {
				g.next[n] = []step{{to: endNode}}
			} else {
				at = append(at, n)
			}
		}
	}
	return g
}

// after returns the nodes that control comes to from some before it comes to a call, in order, with those.
func (g *callGraph) after(list []int) []int {
	seen := make(map[int]bool)
	for len(list) > 0 {
		n := list[0]
		list = list[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, s := range g.next[n] {
			if g.calls[s.to] == nil {
				list = append(list, s.to)
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// of returns the calls of a name that come next after nodes, and the names of all.
func (g *callGraph) of(nodes []int, name string) (calls []int, names []string) {
	for _, n := range nodes {
		for _, s := range g.next[n] {
			if c := g.calls[s.to]; c != nil {
				names = append(names, c.name)
				if c.name == name {
					calls = append(calls, s.to)
				}
			}
		}
	}
	slices.Sort(names)
	return calls, slices.Compact(names)
}

// mostOrders bounds how many pairs of places of both are looked at to compare the order of calls.
const mostOrders = 20_000

// within follows the paths of one graph in another one, by the names of calls: those whose steps after values that branches
// depend on are free. It reports whether each is there, and else calls lacks with the call that is not, nil for the end, and where
// control may be in the other one.
func (g *callGraph) within(other *callGraph, free func(tests []symexec.Byte, s step) ([]symexec.Byte, bool), lacks func(pt *point, at []int)) bool {
	type way struct {
		node  int
		tests []symexec.Byte // what its branches depend on
		at    []int          // in the other one
	}
	seen := make(map[string]bool)
	for work := []way{{at: []int{0}}}; len(work) > 0 && len(seen) < mostOrders; work = work[1:] {
		w := work[0]
		set := other.after(w.at)
		key := fmt.Sprint(w.node, set)
		if seen[key] {
			continue
		}
		seen[key] = true
		if w.node == endNode && !slices.Contains(set, endNode) {
			lacks(nil, set)
			return false
		}
		for _, s := range g.next[w.node] {
			tests, ok := free(w.tests, s)
			if !ok {
				continue
			}
			at := set
			if pt := g.calls[s.to]; pt != nil {
				if at, _ = other.of(set, pt.name); len(at) == 0 {
					lacks(pt, set)
					return false
				}
			}
			work = append(work, way{s.to, tests, at})
		}
	}
	return true
}

// order checks that the calls on each path of theirs are those on some path of ours, one after the other, and that there is a path
// of theirs with the calls of each path of ours which is surely taken for some arguments: each branch on it depends on another
// value that is passed, or that a call or memory gives, and may go either way. It reports whether there are.
func (c *comparison) order() bool {
	theirs, ours := c.theirs.callGraph(), c.ours.callGraph()
	all := func([]symexec.Byte, step) ([]symexec.Byte, bool) { return nil, true }
	if !c.theirs.loose && !theirs.within(ours, all, func(pt *point, at []int) {
		if pt == nil {
			if _, names := ours.of(at, ""); len(names) > 0 {
				c.find(-1, "call of "+strings.Join(names, " or "), "the call", "be there", "a path of the listing ends without it", "", ruleCalls)
			} else {
				c.find(-1, "the end", "the function", "loop", "a path of the listing ends", "", ruleCalls)
			}
			return
		}
		_, names := ours.of(at, pt.name)
		c.find(pt.index, pt.at(), "the call", "be of "+cmp.Or(strings.Join(names, " or "), "nothing"), "no path of the source comes to one of "+pt.name+" there", "", ruleCalls)
	}) {
		return false
	}
	return ours.within(theirs, c.taken, func(pt *point, at []int) {
		if pt == nil {
			if _, names := theirs.of(at, ""); len(names) > 0 {
				c.find(-1, "call of "+strings.Join(names, " or "), "the call", "not be on every path", "the source has a path without it", "", ruleCalls)
			} else {
				c.find(-1, "the end", "the function", "come to it", "the listing loops on a path on which the source ends", "", ruleCalls)
			}
			return
		}
		c.find(-1, "call of "+pt.name, "the call", "be there", fmt.Sprintf("no path of the listing comes to the one in line %d of the source", c.ours.line(pt.index)), "", ruleCalls)
	})
}

// taken reports whether a step of ours is surely taken for some arguments, after others that depend on tests.
func (c *comparison) taken(tests []symexec.Byte, s step) ([]symexec.Byte, bool) {
	tests, free := slices.Clone(tests), !s.trap // after which assemblers leave out the end
	for _, pred := range s.preds {
		of := c.ours.tests[pred.Off]
		free = free && pred.Kind == symexec.TermByte && of != nil && !slices.ContainsFunc(of, func(b symexec.Byte) bool { return slices.Contains(tests, b) })
		tests = append(tests, of...)
	}
	return tests, free
}

// executed reports whether a store of ours is surely executed for some arguments: an assembler may analyse branches further.
func (c *comparison) executed(s store) bool {
	p := *c.ours
	p.points = []point{{kind: endPoint, start: s.start, index: s.index}}
	none := &callGraph{calls: make([]*point, 2), next: make([][]step, 2)}
	return !p.callGraph().within(none, c.taken, func(*point, []int) {})
}
