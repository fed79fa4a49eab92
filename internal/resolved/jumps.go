package resolved

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A Jump is a bra or brx of a body.
type Jump struct {
	At int // index of the statement
	// To are the labels that it may go to, as indices of statements. All jumps through one
	// list share them. A name that is no label is left out.
	To   []int32
	List int // index in Body.Lists of the list that it goes through, -1 for none
}

// Jumps returns the jumps of a body in the order of the text.
//
// A label or a list can be seen in the block that holds it and in those within, from
// before it on. Where several blocks hold the name, the innermost one around the jump is
// meant.
//
//	jump = "bra" [ ".uni" ] label | "bra" register "," list | "brx.idx" [ ".uni" ] register "," list .
func (b *Body) Jumps() []Jump {
	f := jumpFinder{Body: b, now: make(map[string]jumpName), lists: make([][]int32, len(b.Lists))}
	f.gather()
	f.enter(0)
	blocks := 0
	for i, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Open:
			blocks++
			f.enter(blocks)
		case *ptx.Close:
			f.leave()
		case *ptx.Instr:
			if name, _, _ := strings.Cut(s.Op, "."); name == "bra" || name == "brx" {
				f.jump(i, s)
			}
		}
	}
	return f.jumps
}

// A jumpFinder walks over a body with the labels and lists that can be seen.
type jumpFinder struct {
	*Body
	jumps []Jump
	names [][]jumpName // of each block, in the order of the text
	now   map[string]jumpName
	undo  []jumpName // what names meant before; of an open block from its mark on
	marks []int
	lists [][]int32 // the labels of each list
}

// A jumpName is what a name means to jumps: a label, or a list of targets. The zero
// jumpName means nothing.
type jumpName struct {
	name  string
	at    int // the statement of a label, plus 1; 0 for a list
	list  int // index of a list
	known bool
}

// gather finds the names of each block.
func (f *jumpFinder) gather() {
	f.names = make([][]jumpName, len(f.blocks))
	k := 0
	lists := func(before int32) {
		for ; k < len(f.Lists) && f.Lists[k].Sym.From < before; k++ {
			if t := f.Lists[k].Sym.Targets; t != nil {
				in := &f.names[f.Lists[k].Block]
				*in = append(*in, jumpName{name: t.Name, list: k, known: true})
			}
		}
	}
	for _, l := range f.Labels {
		lists(int32(l.At))
		f.names[l.Block] = append(f.names[l.Block], jumpName{name: l.Name, at: l.At + 1, known: true})
	}
	lists(int32(len(f.Stmts)))
}

// enter makes the names of a block mean what they mean in it: the last of equal ones
// counts.
func (f *jumpFinder) enter(block int) {
	f.marks = append(f.marks, len(f.undo))
	for _, n := range f.names[block] {
		was := f.now[n.name]
		was.name = n.name
		f.undo = append(f.undo, was)
		f.now[n.name] = n
	}
	// The lists of this block name labels that can be seen in it.
	for _, n := range f.names[block] {
		if t := f.Lists; n.at == 0 && t[n.list].Sym.Targets.Branch {
			for _, o := range t[n.list].Sym.Targets.Names {
				f.lists[n.list] = f.label(f.lists[n.list], o.Text)
			}
		}
	}
}

func (f *jumpFinder) leave() {
	if len(f.marks) < 2 {
		return
	}
	mark := f.marks[len(f.marks)-1]
	f.marks = f.marks[:len(f.marks)-1]
	for i := len(f.undo) - 1; i >= mark; i-- {
		f.now[f.undo[i].name] = f.undo[i]
	}
	f.undo = f.undo[:mark]
}

// label appends the label that a name means here, if it means one.
func (f *jumpFinder) label(to []int32, name string) []int32 {
	if n := f.now[name]; n.at > 0 {
		to = append(to, int32(n.at-1))
	}
	return to
}

// jump notes where a jump goes.
func (f *jumpFinder) jump(i int, in *ptx.Instr) {
	args := in.Args
	if in.Ragged {
		args = string(ptx.AppendTokens(nil, args))
	}
	first, rest, through := strings.Cut(args, ",")
	name := strings.TrimSpace(first)
	if through {
		name = strings.TrimSpace(rest)
	}
	j := Jump{At: i, List: -1}
	if n := f.now[name]; n.known && n.at == 0 && through {
		j.List, j.To = n.list, f.lists[n.list]
	} else {
		j.To = f.label(nil, name)
	}
	f.jumps = append(f.jumps, j)
}
