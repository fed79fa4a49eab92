package diff

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
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
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Decl:
			body.Values(it, take)
		case *ptx.Func:
			for _, s := range it.Body {
				body.Values(s, take)
				if list, ok := s.(*ptx.TargetList); ok && !list.Branch {
					take(list.Text[min(len(list.Name), len(list.Text)):], list.Pos)
				}
			}
		}
	}
	return lines
}
