package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// ownName complains about an access to a parameter with the name of the function,
// which the assembler takes for each other once it compiles for linking. It crashes on
// stores, and on loads of a value that is used, if there are no branches. Nothing was
// seen to happen where the module calls the function.
func (b *body) ownName(a *ptx.Access, sym *resolved.Symbol) {
	if !b.ownNamed(a.Addr.Base) {
		return
	}
	err := &diag.Diagnostic{
		File: b.m.Name, Pos: a.Addr.Pos, Severity: b.refused(), Code: OwnName,
		Msg:     sprintf("%s has the name of its function; rename it: with -c the assembler crashes on it", a.Addr.Base),
		Related: []diag.Related{related(sym.Var.Pos, "declared here")},
	}
	label := func(s ptx.Stmt) bool { _, ok := s.(*ptx.Label); return ok }
	if b.unusedLoad(a) || !a.Store && slices.ContainsFunc(b.Body, label) {
		err.Severity = b.forbidden()
		err.Msg += " where it depends on the value"
	}
	b.list.Add(err)
	b.later.named = append(b.later.named, inFunction{b.g, err})
}

// ownNames makes warnings of complaints about functions that the module calls.
func (c *checker) ownNames() {
	for _, n := range c.later.named {
		if n.g.called.IsValid() && n.err.Severity == diag.Error {
			n.err.Severity = c.forbidden()
			n.err.Msg += " if nothing calls the function"
		}
	}
}

// ownNamed reports whether a name is that of the function, and the assembler cares.
func (b *body) ownNamed(name string) bool {
	return b.Compile && !b.Entry && name == b.Name
}

// unusedLoad reports whether an access loads registers that nothing else in the body
// mentions: most crashes need a value that is used.
func (b *body) unusedLoad(a *ptx.Access) bool {
	if a.Store {
		return false
	}
	used := func(text string) bool {
		for name := range identifiers(text) {
			if slices.ContainsFunc(a.Regs, func(o ptx.Operand) bool { return o.Name() == name }) {
				return true
			}
		}
		return false
	}
	for _, s := range b.Body {
		switch s := s.(type) {
		case *ptx.Instr:
			if s.Guard != nil && used(s.Guard.Name) || used(s.Args) {
				return false
			}
		case *ptx.Call:
			if s.Guard != nil && used(s.Guard.Name) || used(s.Args) {
				return false
			}
		case *ptx.Access:
			if s != a && (s.Guard != nil && used(s.Guard.Name) || used(s.Args)) {
				return false
			}
		}
	}
	return true
}
