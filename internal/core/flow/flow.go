// Package flow finds the control flow of a PTX function: basic blocks, the
// edges between them, dominators and loops.
//
// Memory is linear in the length of the body, and so is time in practice: dominators take a few walks over the
// blocks. No function recurses, since an input could choose the depth.
package flow

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Graph is the control flow of one body. It is read-only once made.
type Graph struct {
	// Blocks has the basic blocks in order of the text; Blocks[0] is the start of the
	// function, and exists even if the body is empty. After them comes
	// a block without statements for each list of targets that several jumps use:
	// the jumps lead to it, and it leads to the labels. Without it n jumps
	// through one list of n labels would have n² edges.
	Blocks []Block

	of    []int32 // block of each statement
	order []int32 // reverse postorder of the blocks that can be reached
	rank  []int32 // position in order; -1 for blocks that cannot be reached
	idom  []int32 // immediate dominator; -1 for the first block and unreachable ones
	in    []int32 // preorder number in the tree of dominators
	out   []int32 // the largest such number of the blocks below it, itself included
	loop  []int32 // number of the cycle; -1 for none
}

// A Block is the statements [First, End) of the body. Control enters it at the first and
// leaves it at the last.
type Block struct {
	First, End int
	Succs      []int // the blocks to which control may go next, without duplicates
	Preds      []int // the blocks from which it may come, without duplicates
}

// Options are the options of New.
type Options struct {
	// NoReturn reports whether a call does not return; nil means that all
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
	at    map[int]int // by statement: the index of its jump
	exit  []exit      // by statement
	also  []bool      // by statement: control may go on to the next one too
	text  int         // how many blocks the text has
	lists map[int]int // by list that several jumps use: its block
	first []int       // by block of a list, from text on: one of the jumps
}

// BlockOf returns the block of the statement at index i of the body.
func (g *Graph) BlockOf(i int) int { return int(g.of[i]) }

// Order returns the blocks that can be reached in reverse postorder: each after those that dominate
// it. The caller must not change the slice.
func (g *Graph) Order() []int32 { return g.order }

// Reachable reports whether control can come to block b.
func (g *Graph) Reachable(b int) bool { return g.rank[b] >= 0 }

// An exit tells where control goes after a statement.
type exit uint8

const (
	falls   exit = iota // to the next statement
	leaves              // out of the function
	jumping             // to the targets of a jump
)

// kindOf returns where control goes after statement i, and whether it may also go on to the
// next statement, since a guard may keep it from jumping or leaving.
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

// shared appends a block for each list that several jumps use. statements is the length of the body.
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

// link adds the edges.
func (d *drawing) link() {
	seen := slices.Repeat([]int{-1}, len(d.Blocks)) // by block: the last block that has an edge to it
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
