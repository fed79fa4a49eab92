package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// An unwritten is a complaint about an argument that nothing stores.
type unwritten struct {
	callee string // "" for a call through a register
	name   string
	args   []passing
	err    *diag.Diagnostic
}

// unreadArguments makes notes of the complaints about arguments that the callee
// never reads. Compilers pass such arguments without a store: they see that
// the value is dead, and may not change the signature.
func (c *checker) unreadArguments() {
	read := make(map[*ptx.Func]map[string]bool)
	absent := make(map[*ptx.Formal]bool)
	for _, u := range c.unwritten {
		g := c.globals[u.callee]
		if u.callee == "" || g == nil || g.def == nil || g.def.Linkage == ptx.Weak || g.poisoned || !g.busy {
			continue
		}
		if !c.takes(u, g.def, read, absent) {
			u.err.Severity = diag.Note
			u.err.Msg = "no byte of argument " + u.name + " is ever written; " + clip(g.name) + " never reads it"
		}
	}
}

// takes reports whether the callee reads one of the formals that an argument
// goes to. It keeps what each callee reads, and which formals no text of a body has.
func (c *checker) takes(u unwritten, f *ptx.Func, read map[*ptx.Func]map[string]bool, absent map[*ptx.Formal]bool) bool {
	return slices.ContainsFunc(u.args, func(a passing) bool {
		if a.arg >= len(f.Params) {
			return true
		}
		p := &f.Params[a.arg]
		name := p.Name
		if absent[p] {
			return false
		}
		if c.read != nil && !strings.Contains(c.outline.BodyText(f), name) {
			absent[p] = true
			return false // which spares reading the body again
		}
		if read[f] == nil {
			read[f] = c.formalsRead(f)
		}
		return read[f][name]
	})
}

// formalsRead returns the formals that the body of a function mentions.
func (c *checker) formalsRead(f *ptx.Func) map[string]bool {
	body := f.Body
	if c.read != nil {
		body = c.read(f)
	}
	read := make(map[string]bool)
	for i := range f.Params {
		read[f.Params[i].Name] = false
	}
	for _, s := range body {
		for name := range identifiers(operandText(s)) {
			if _, ok := read[name]; ok {
				read[name] = true
			}
		}
	}
	return read
}

// operandText returns the text of a statement that may mention a formal.
func operandText(s ptx.Stmt) string {
	switch s := s.(type) {
	case *ptx.Instr:
		return s.Args
	case *ptx.Call:
		return s.Args
	case *ptx.Access:
		return s.Args
	case *ptx.Decl:
		return s.Text
	}
	return ""
}
