package diff

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// taken says of which functions a module takes the address, and in which line it
// first does: in an initialiser, in a list of call targets, or as an operand of
// whatever is no call of it. The address of an alias is that of its aliasee.
func taken(m *ptx.Module, table *resolve.Table) map[string]int {
	lines := make(map[string]int)
	take := func(text string, pos diag.Pos) {
		for name := range ptx.TextNames(text) {
			c := table.Lookup(name)
			if c == nil {
				continue
			}
			if _, ok := lines[c.Func.Name]; !ok {
				lines[c.Func.Name] = int(pos.Line)
			}
		}
	}
	vars := func(d *ptx.Decl) {
		for i := range d.Vars {
			take(d.Vars[i].Init, d.Vars[i].Pos)
		}
	}
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Decl:
			vars(it)
		case *ptx.Func:
			for _, s := range it.Body {
				switch s := s.(type) {
				case *ptx.Decl:
					vars(s)
				case *ptx.TargetList:
					if !s.Branch {
						take(s.Text[min(len(s.Name), len(s.Text)):], s.Pos)
					}
				case *ptx.Instr:
					take(s.Args, s.Pos)
				case *ptx.Access:
					take(s.Args, s.Pos)
				}
			}
		}
	}
	return lines
}
