package lower

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// emitLabel emits a label, and reports one that its block has already.
func (fn *fn) emitLabel(l *ptx.Label) {
	name := fn.names.label(l.Name)
	if n := &fn.names; n.labelIn != nil { // else all labels differ
		if n.emitted[name] {
			fn.cannot(l.Pos, "the label %s is in this block already", l.Name)
		}
		n.emitted[name] = true
	}
	fn.code.Add(lir.Label, "", l.Pos).Name = name
}

// goesSomewhere reports a branch to what is not a label of the function, nor
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
	if sym := fn.in.Lookup(fn.at, name); sym == nil || sym.Targets == nil || !sym.Targets.Branch {
		fn.cannot(in.Pos, "%s is no list of labels that is declared here", name)
	}
}

// emitTargets lists the labels that a branch through a table may go to.
func (fn *fn) emitTargets(l *ptx.TargetList, sym *resolved.Symbol) {
	if !l.Branch {
		return
	}
	list := &sass.BranchList{Name: l.Name + fn.added(sym)}
	for _, o := range l.Names {
		if !fn.names.isLabel(o.Text) {
			fn.cannot(o.Pos, "%s has no label %s", fn.f.Name, o.Text)
		}
		list.Labels = append(list.Labels, fn.names.label(o.Text))
	}
	fn.comment(list.Name + ": .branchtargets " + strings.Join(list.Labels, ", "))
	if !fn.textOnly {
		fn.code.Lists = append(fn.code.Lists, lir.BranchList{Inst: len(fn.code.List) - 1, BranchList: list})
	}
}

// uniqueLabels gives labels that are declared in several blocks unique names.
func (n *nameTable) uniqueLabels(labels []resolved.Label) {
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
	for _, l := range labels {
		name := l.Name
		for first[l.Name] && taken[name] > 0 {
			next[l.Name]++
			name = l.Name + "$" + strconv.Itoa(next[l.Name])
		}
		first[l.Name] = true
		taken[name]++
		if at := (place{l.Block, l.Name}); !in[at] {
			in[at] = true
			n.labelIn[l.Block] = append(n.labelIn[l.Block], labelName{l.Name, name})
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
	n.enter(n.labelIn[0])
}

func (n *nameTable) open(block int) {
	if n.labelIn == nil {
		return
	}
	n.marks = append(n.marks, len(n.undo))
	n.enter(n.labelIn[block])
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
