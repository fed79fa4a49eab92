package flow

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A jumpTable says where the jumps of a body go.
//
// A label is visible in the block { … } that holds it and in those within, from
// before it on. The same name may stand in several blocks: the innermost one
// that is open at the jump is meant.
type jumpTable struct {
	target []bool // the statement is a label that a jump names
	exit   []exit
	also   []bool
	to     map[int][]int32 // jump → labels; shared by jumps through one list
	// through is the list that a jump goes through, plus 1; none if it names its
	// label. first holds, for each list that several do, the first one.
	through map[int]int32
	first   []int
}

// shared appends a block to g, which has n, for each list that several jumps go
// through; the body has that many statements. It returns the numbers of the new
// blocks by list.
func (t *jumpTable) shared(n, statements int, g *Graph) map[int32]int {
	times := make(map[int32]int)
	for _, list := range t.through {
		times[list]++
	}
	node := make(map[int32]int)
	for b := range g.Blocks[:n] {
		jump := g.Blocks[b].End - 1
		list := t.through[jump]
		if list == 0 || times[list] < 2 || node[list] > 0 {
			continue
		}
		node[list] = len(g.Blocks)
		g.Blocks = append(g.Blocks, Block{First: statements, End: statements})
		t.first = append(t.first, jump)
	}
	return node
}

// resolve finds the labels that each jump means.
func resolve(body []ptx.Stmt) *jumpTable {
	t := &jumpTable{
		target: make([]bool, len(body)),
		exit:   make([]exit, len(body)),
		also:   make([]bool, len(body)),
		to:     make(map[int][]int32),

		through: make(map[int]int32),
	}
	r := resolver{body: body, jumpTable: t, now: make(map[string]int32)}
	r.gather()
	r.enter(0)
	for i, s := range body {
		switch s := s.(type) {
		case *ptx.Open:
			r.enter(r.scope[i])
		case *ptx.Close:
			r.leave()
		case *ptx.Instr:
			if name, _, _ := strings.Cut(s.Op, "."); name == "bra" || name == "brx" {
				r.jump(i, s)
			}
		}
	}
	return t
}

// A resolver walks over a body with the names that are visible.
type resolver struct {
	body []ptx.Stmt
	*jumpTable

	scope  map[int]int // *ptx.Open → number of its block; the body is 0
	names  [][]int32   // of each block: labels and lists of targets in it
	listed map[int32][]int32

	now   map[string]int32 // what a name means here
	undo  []binding
	marks []int
}

type binding struct {
	name string
	was  int32
	had  bool
}

// gather assigns the names to the blocks that hold them.
func (r *resolver) gather() {
	r.scope = make(map[int]int)
	r.names = make([][]int32, 1)
	r.listed = make(map[int32][]int32)
	open := []int{0}
	for i, s := range r.body {
		switch s.(type) {
		case *ptx.Open:
			r.scope[i] = len(r.names)
			open = append(open, len(r.names))
			r.names = append(r.names, nil)
		case *ptx.Close:
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case *ptx.Label, *ptx.TargetList:
			n := open[len(open)-1]
			r.names[n] = append(r.names[n], int32(i))
		}
	}
}

func (r *resolver) enter(scope int) {
	r.marks = append(r.marks, len(r.undo))
	for _, at := range r.names[scope] {
		name := ""
		switch s := r.body[at].(type) {
		case *ptx.Label:
			name = s.Name
		case *ptx.TargetList:
			name = s.Name
		}
		was, had := r.now[name]
		r.undo = append(r.undo, binding{name, was, had})
		r.now[name] = at
	}
	// The lists of this block name labels that are visible in it.
	for _, at := range r.names[scope] {
		if list, ok := r.body[at].(*ptx.TargetList); ok && list.Branch {
			var to []int32
			for i := range list.Names {
				to = r.label(to, list.Names[i].Text)
			}
			r.listed[at] = to
		}
	}
}

func (r *resolver) leave() {
	if len(r.marks) < 2 {
		return
	}
	mark := r.marks[len(r.marks)-1]
	r.marks = r.marks[:len(r.marks)-1]
	for i := len(r.undo) - 1; i >= mark; i-- {
		if b := r.undo[i]; b.had {
			r.now[b.name] = b.was
		} else {
			delete(r.now, b.name)
		}
	}
	r.undo = r.undo[:mark]
}

// label appends the label that a name means here, if it means one.
func (r *resolver) label(to []int32, name string) []int32 {
	at, ok := r.now[name]
	if !ok {
		return to
	}
	if _, ok := r.body[at].(*ptx.Label); !ok {
		return to
	}
	r.target[at] = true
	return append(to, at)
}

// jump notes where the jump at index i goes.
//
//	jump = "bra" [ ".uni" ] label | "bra" register "," list | "brx.idx" [ ".uni" ] register "," list .
func (r *resolver) jump(i int, in *ptx.Instr) {
	args := in.Args
	if in.Ragged {
		args = string(ptx.AppendTokens(nil, args))
	}
	first, list, ok := strings.Cut(args, ",")
	name := strings.TrimSpace(first)
	if ok {
		name = strings.TrimSpace(list)
		if at, ok := r.now[name]; ok {
			if _, ok := r.body[at].(*ptx.TargetList); ok {
				r.to[i], r.through[i] = r.listed[at], at+1
				return
			}
		}
	}
	r.to[i] = r.label(nil, name)
}
