package place

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// TakenBy adds the functions whose address a statement takes to those that are taken.
func (u *Unit) TakenBy(s ptx.Stmt, taken map[string]bool) {
	switch s := s.(type) {
	case *ptx.Decl:
		for i := range s.Vars {
			for name := range ptx.TextNames(s.Vars[i].Init) {
				u.take(name, taken)
			}
		}
	case *ptx.TargetList:
		for i := range s.Names {
			if !s.Branch {
				u.take(s.Names[i].Text, taken)
			}
		}
	case *ptx.Instr:
		if strings.HasPrefix(s.Op, "mov") {
			for n := range ptx.Names(s.Ops()) {
				u.take(n.Name(), taken)
			}
		}
	}
}

// take takes note of a function whose address is taken by one of its names.
func (u *Unit) take(name string, taken map[string]bool) {
	if c := u.Table.Lookup(name); c != nil {
		taken[c.Func.Name] = true
	}
}

// taking takes note of the functions whose address the statement at hand takes, where
// bodies are read one by one.
func (pl *Placer) taking(s ptx.Stmt) {
	if pl.Apart {
		if pl.TakenHere == nil {
			pl.TakenHere = make(map[string]bool)
		}
		pl.TakenBy(s, pl.TakenHere)
	}
}
