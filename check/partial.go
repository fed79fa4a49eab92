package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// tornBodies are the functions in whose bodies the syntax errors of a module
// stand. It is nil if one stands elsewhere, or where a body begins or ends: a brace
// may be one that does not belong there, and a declaration of the module, or the
// head of a function, be among what could not be read.
func tornBodies(m *ptx.Module, syntax diag.List) map[*ptx.Func]bool {
	torn := make(map[*ptx.Func]bool)
	for _, e := range syntax {
		f := bodyAt(m, e.Pos)
		if f == nil {
			return nil
		}
		torn[f] = true
	}
	return torn
}

// bodyAt returns the function in whose body a position is, behind where the first
// statement begins; nil if there is none.
func bodyAt(m *ptx.Module, pos diag.Pos) *ptx.Func {
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || len(f.Body) == 0 {
			continue
		}
		if first := stmtPos(f.Body[0]); first.IsValid() && first.Before(pos) && pos.Before(f.EndPos) {
			return f
		}
	}
	return nil
}

// stmtPos is where a statement begins, the zero Pos of one that no body of a compiler's begins with.
func stmtPos(s ptx.Stmt) diag.Pos {
	switch s := s.(type) {
	case *ptx.Decl:
		return s.Pos
	case *ptx.Instr:
		return s.Pos
	case *ptx.Access:
		return s.Pos
	case *ptx.Call:
		return s.Pos
	case *ptx.Label:
		return s.Pos
	case *ptx.Directive:
		return s.Pos
	}
	return diag.Pos{}
}

// partial reports whether the module's declarations may lack some, or those of the
// function whose body is read.
func (c *checker) partial() bool {
	return c.partialHeads() || c.fn != nil && c.torn[c.fn.Func]
}

// partialHeads reports whether the module's declarations may lack some.
func (c *checker) partialHeads() bool { return c.opts.Partial && c.torn == nil }
