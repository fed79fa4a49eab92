package isel

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// emitTargets emits a comment with the labels that a branch through a table may go to.
func (s *selector) emitTargets(l *ptx.TargetList, sym *body.Symbol) {
	if !l.Branch {
		return
	}
	list := &sass.BranchList{Name: l.Name + s.plan.Added(sym)}
	for _, o := range l.Names {
		list.Labels = append(list.Labels, s.label(o.Text))
	}
	in := s.out.comment(list.Name + ": .branchtargets " + strings.Join(list.Labels, ", "))
	if !s.TextOnly {
		in.Targets = list
	}
}

// label returns the unique name of a label that the statement at hand declares or uses: the label is that of the innermost
// block around the statement that has one of this name.
func (s *selector) label(name string) string {
	if s.plan.Names.LabelIn == nil { // all labels differ
		return name
	}
	for b := s.block; b >= 0; b = s.plan.In.Around(b) {
		for _, l := range s.plan.Names.LabelIn[b] {
			if l.Name == name {
				return l.Unique
			}
		}
	}
	return name
}
