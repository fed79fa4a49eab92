// Package flow finds the control flow of a PTX function: basic blocks, the
// edges between them, which block dominates which, and what is a loop.
//
// Memory is linear in the length of the body, and so is time in practice: finding
// which block dominates which takes a few walks over the blocks. Nothing recurses:
// nesting and jumps are the input's to choose.
package flow

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Graph is the control flow of one body. It is read-only once made.
type Graph struct {
	// Blocks are the basic blocks in order of the text; Blocks[0] is where the
	// function begins, and is there even if the body is empty. After them stands
	// one without statements for each list of targets that several jumps go
	// through: they lead to it, and it leads to the labels. Without it n jumps
	// through one list of n labels would have n² edges.
	Blocks []Block

	of    []int32 // block of each statement
	order []int32 // reverse postorder of the blocks that can be reached
	rank  []int32 // position in order; -1 for blocks that cannot be reached
	idom  []int32 // immediate dominator; -1 for the first block and unreachable ones
	in    []int32 // preorder number in the tree of dominators
	out   []int32 // largest such number below
	loop  []int32 // number of the cycle; -1 for none
}

// A Block is the statements [First, End) of the body, of which only the last
// may leave it and only the first may be jumped to.
type Block struct {
	First, End int
	Succs      []int // where control may go next, without duplicates
	Preds      []int // likewise, where it may have come from
}

// Options adjust what New takes for the end of a block.
type Options struct {
	// NoReturn reports whether a call does not come back; nil means that all
	// do.
	NoReturn func(*ptx.Call) bool
}

// New returns the control flow of a body. A jump to a label that is not there
// goes nowhere, and so does one through a register whose targets are not
// listed.
func New(b *body.Body, opts Options) *Graph {
	g := &Graph{of: make([]int32, len(b.Stmts))}
	d := drawing{Graph: g, jumps: b.Jumps(), at: make(map[int]int)}
	d.split(b, opts)
	d.shared(len(b.Stmts))
	d.link()
	g.dfs()
	g.dominators()
	g.number()
	g.loops()
	return g
}

// A drawing is the state of making the blocks and edges of a graph.
type drawing struct {
	*Graph
	jumps []body.Jump
	at    map[int]int // jump by its statement
	exit  []exit
	also  []bool      // the exit may fall through too
	text  int         // blocks of the text
	lists map[int]int // blocks for lists that several jumps go through
	first []int       // for each of these, one of the jumps
}

// BlockOf returns the block of the statement at index i of the body.
func (g *Graph) BlockOf(i int) int { return int(g.of[i]) }

// Order returns the blocks that can be reached, each after those that dominate
// it, in reverse postorder. The slice is the graph's.
func (g *Graph) Order() []int32 { return g.order }

// Reachable reports whether control can come to block b.
func (g *Graph) Reachable(b int) bool { return g.rank[b] >= 0 }

// An exit tells how a statement leaves its block.
type exit uint8

const (
	falls   exit = iota // into the next statement
	leaves              // the function
	jumping             // to its targets
)

// kindOf returns how statement i goes on, and whether it may also fall through to the
// next statement although it jumps or leaves.
func kindOf(b *body.Body, i int, opts Options) (k exit, also bool) {
	switch s := b.Stmts[i].(type) {
	case *ptx.Instr:
		switch b.Op(i).Name {
		case "bra", "brx":
			return jumping, s.Guard != nil
		case "ret", "exit", "trap":
			return leaves, s.Guard != nil
		}
	case *ptx.Call:
		if opts.NoReturn != nil && opts.NoReturn(s) {
			return leaves, s.Guard != nil
		}
	}
	return falls, false
}

// split cuts the body into blocks: after each statement that jumps or leaves,
// and before each label that a jump names.
func (d *drawing) split(b *body.Body, opts Options) {
	n := len(b.Stmts)
	target := make([]bool, n)
	for i, j := range d.jumps {
		d.at[j.At] = i
		for _, to := range j.To {
			target[to] = true
		}
	}
	d.exit, d.also = make([]exit, n), make([]bool, n)
	first, cut := 0, false
	for i := range n {
		if i > first && (cut || target[i]) {
			d.Blocks = append(d.Blocks, Block{First: first, End: i})
			first = i
		}
		d.of[i] = int32(len(d.Blocks))
		d.exit[i], d.also[i] = kindOf(b, i, opts)
		cut = d.exit[i] != falls
	}
	d.Blocks = append(d.Blocks, Block{First: first, End: n})
	d.text = len(d.Blocks)
}

// shared appends a block for each list that several jumps go through; the body has that
// many statements.
func (d *drawing) shared(statements int) {
	times := make(map[int]int)
	for _, j := range d.jumps {
		times[j.List]++
	}
	d.lists = make(map[int]int)
	for i, j := range d.jumps {
		if j.List >= 0 && times[j.List] > 1 && d.lists[j.List] == 0 {
			d.lists[j.List] = len(d.Blocks)
			d.Blocks = append(d.Blocks, Block{First: statements, End: statements})
			d.first = append(d.first, i)
		}
	}
}

// link draws the edges.
func (d *drawing) link() {
	seen := slices.Repeat([]int{-1}, len(d.Blocks)) // last source that has an edge to the block
	for b := range d.Blocks {
		blk := &d.Blocks[b]
		edge := func(to int) {
			if seen[to] != b {
				seen[to] = b
				blk.Succs = append(blk.Succs, to)
				d.Blocks[to].Preds = append(d.Blocks[to].Preds, b)
			}
		}
		labels := func(jump int) {
			for _, to := range d.jumps[jump].To {
				edge(d.BlockOf(int(to)))
			}
		}
		if b >= d.text {
			labels(d.first[b-d.text])
			continue
		}
		last := blk.End - 1
		if last < blk.First || d.exit[last] == falls || d.also[last] {
			if b+1 < d.text {
				edge(b + 1)
			}
		}
		if last < blk.First || d.exit[last] != jumping {
			continue
		}
		jump := d.at[last]
		if n := d.lists[d.jumps[jump].List]; n > 0 {
			edge(n)
		} else {
			labels(jump)
		}
	}
}

// dfs numbers the blocks that can be reached in reverse postorder.
func (g *Graph) dfs() {
	n := len(g.Blocks)
	g.rank = slices.Repeat([]int32{-1}, n)
	next := make([]int32, n) // successor to visit next
	post := make([]int32, 0, n)
	stack := []int32{0}
	g.rank[0] = 0
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		succs := g.Blocks[b].Succs
		if int(next[b]) == len(succs) {
			post = append(post, b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := succs[next[b]]
		next[b]++
		if g.rank[s] < 0 {
			g.rank[s] = 0
			stack = append(stack, int32(s))
		}
	}
	g.order = make([]int32, len(post))
	for i, b := range post {
		at := len(post) - 1 - i
		g.order[at], g.rank[b] = b, int32(at)
	}
}
