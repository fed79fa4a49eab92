package lower

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// emitLabel emits a label, and complains of one that its block has already.
func (fn *fn) emitLabel(l *ptx.Label) {
	name := fn.names.label(l.Name)
	if n := &fn.names; n.labelIn != nil { // else all labels differ
		if n.emitted[name] {
			fn.cannot(l.Pos, "the label %s is in this block already", l.Name)
		}
		n.emitted[name] = true
	}
	fn.label(name)
}

// goesSomewhere complains of a branch to what is no label of the function, nor
// a list of such.
func (fn *fn) goesSomewhere(in *ptx.Instr) {
	args := in.Args
	if in.Ragged {
		args = string(ptx.AppendTokens(nil, args))
	}
	_, list, indexed := strings.Cut(args, ",")
	if !indexed {
		if name := strings.TrimSpace(args); !fn.names.isLabel(name) {
			fn.cannot(in.Pos, "%s has no label %s", fn.f.Name, name)
		}
		return
	}
	name := strings.TrimSpace(list)
	if sym := fn.scope.Lookup(name); sym == nil || sym.Targets == nil || !sym.Targets.Branch {
		fn.cannot(in.Pos, "%s is no list of labels that is declared here", name)
	}
}

// emitTargets lists the labels that a branch through a table may go to.
func (fn *fn) emitTargets(l *ptx.TargetList) {
	if !l.Branch {
		return
	}
	text := fn.names.use(fn, l.Name) + ": .branchtargets"
	for i, o := range l.Names {
		if !fn.names.isLabel(o.Text) {
			fn.cannot(o.Pos, "%s has no label %s", fn.f.Name, o.Text)
		}
		if i > 0 {
			text += ","
		}
		text += " " + fn.names.label(o.Text)
	}
	fn.comment(text)
}

// uniqueLabels gives labels that are declared in several blocks unique names.
func (n *nameTable) uniqueLabels(f *ptx.Func) {
	taken := make(map[string]int, len(n.counts))
	for i, times := range n.counts {
		taken[n.labels.Name(i)] = times
	}
	n.emitted = make(map[string]bool)
	n.labelIn = make(map[int][]labelName)
	type place struct {
		block int
		name  string
	}
	in := make(map[place]bool)
	first := make(map[string]bool)
	next := make(map[string]int)
	blocks := []int{-1} // those that are open
	for i, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Open:
			blocks = append(blocks, i)
		case *ptx.Close:
			blocks = blocks[:max(len(blocks)-1, 1)]
		case *ptx.Label:
			block := blocks[len(blocks)-1]
			name := s.Name
			for first[s.Name] && taken[name] > 0 {
				next[s.Name]++
				name = s.Name + "$" + strconv.Itoa(next[s.Name])
			}
			first[s.Name] = true
			taken[name]++
			if at := (place{block, s.Name}); !in[at] {
				in[at] = true
				n.labelIn[block] = append(n.labelIn[block], labelName{s.Name, name})
			}
		}
	}
}

// reset begins another walk over the body.
func (n *nameTable) reset() {
	if n.labelIn == nil {
		return
	}
	n.now = make(map[string]string)
	n.undo, n.marks = n.undo[:0], n.marks[:0]
	n.enter(n.labelIn[-1])
}

func (n *nameTable) open(at int) {
	if n.labelIn == nil {
		return
	}
	n.marks = append(n.marks, len(n.undo))
	n.enter(n.labelIn[at])
}

// enter makes the labels of a block visible.
func (n *nameTable) enter(list []labelName) {
	for _, l := range list {
		n.undo = append(n.undo, labelName{l.name, n.now[l.name]})
		n.now[l.name] = l.unique
	}
}

func (n *nameTable) close() {
	if len(n.marks) == 0 {
		return
	}
	mark := n.marks[len(n.marks)-1]
	n.marks = n.marks[:len(n.marks)-1]
	for _, l := range n.undo[mark:] {
		n.now[l.name] = l.unique
	}
	n.undo = n.undo[:mark]
}

// label returns the unique name of a label that is declared or used here.
func (n *nameTable) label(name string) string {
	if n.labelIn == nil {
		return name
	}
	if u := n.now[name]; u != "" {
		return u
	}
	return name
}
