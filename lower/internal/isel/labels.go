package isel

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// emitLabel emits a label, and reports one that its block has already.
func (s *selector) emitLabel(l *ptx.Label) {
	name := s.labels.label(l.Name)
	if n := &s.labels; n.in != nil { // else all labels differ
		if n.emitted[name] {
			s.cannot(l.Pos, "the label %s is in this block already", l.Name)
		}
		n.emitted[name] = true
	}
	s.out.code.Add(lir.Label, "", l.Pos).Name = name
}

// emitTargets lists the labels that a branch through a table may go to.
func (s *selector) emitTargets(l *ptx.TargetList, sym *resolved.Symbol) {
	if !l.Branch {
		return
	}
	list := &sass.BranchList{Name: l.Name + s.plan.Added(sym)}
	for _, o := range l.Names {
		if !s.plan.Names.IsLabel(o.Text) {
			s.Reporter.LetThrough(o.Pos)
		}
		list.Labels = append(list.Labels, s.labels.label(o.Text))
	}
	s.out.comment(list.Name + ": .branchtargets " + strings.Join(list.Labels, ", "))
	if !s.TextOnly {
		s.out.code.Lists = append(s.out.code.Lists, lir.BranchList{Inst: len(s.out.code.List) - 1, BranchList: list})
	}
}

// labelScope has the labels that are visible at the statement at hand. It is empty where
// all labels of a function differ.
type labelScope struct {
	in      map[int][]place.LabelName
	now     map[string]string // the unique name of each label that is visible here
	undo    []place.LabelName // what labels that are visible in open blocks were before
	marks   []int             // length of undo at each open block
	emitted map[string]bool   // the unique names of labels so far
}

// reset begins a function.
func (n *labelScope) reset(in map[int][]place.LabelName) {
	if n.in = in; in == nil {
		return
	}
	n.now, n.emitted = make(map[string]string), make(map[string]bool)
	n.undo, n.marks = n.undo[:0], n.marks[:0]
	n.enter(in[0])
}

func (n *labelScope) open(block int) {
	if n.in == nil {
		return
	}
	n.marks = append(n.marks, len(n.undo))
	n.enter(n.in[block])
}

// enter makes the labels of a block visible.
func (n *labelScope) enter(list []place.LabelName) {
	for _, l := range list {
		n.undo = append(n.undo, place.LabelName{Name: l.Name, Unique: n.now[l.Name]})
		n.now[l.Name] = l.Unique
	}
}

func (n *labelScope) close() {
	if len(n.marks) == 0 {
		return
	}
	mark := n.marks[len(n.marks)-1]
	n.marks = n.marks[:len(n.marks)-1]
	for _, l := range n.undo[mark:] {
		n.now[l.Name] = l.Unique
	}
	n.undo = n.undo[:mark]
}

// label returns the unique name of a label that is declared or used here.
func (n *labelScope) label(name string) string {
	if n.in == nil {
		return name
	}
	if u := n.now[name]; u != "" {
		return u
	}
	return name
}
