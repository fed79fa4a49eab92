package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// An unwritten is a complaint about an argument that nothing stores.
type unwritten struct {
	callee string // "" for a call through a register
	name   string
	args   []passing
	err    *ptx.Error
}

// unreadArguments makes notes of the complaints about arguments that the callee
// never reads. Compilers pass such arguments without a store: they see that
// the value is dead, and may not change the signature.
func (c *checker) unreadArguments() {
	uses := make(map[*ptx.Func]use)
	for _, u := range c.unwritten {
		g := c.globals[u.callee]
		if u.callee == "" || g == nil || g.def == nil || g.def.Linkage == ptx.Weak || g.poisoned {
			continue
		}
		of, ok := uses[g.def]
		if !ok {
			of = c.useOf(g.def)
			uses[g.def] = of
		}
		if !of.idle && !takes(u, g.def, of.read) {
			u.err.Severity = ptx.SeverityNote
			u.err.Msg = sprintf("no byte of argument %s is ever written; %s never reads it", u.name, clip(g.name))
		}
	}
}

// A use is what the body of a callee does with its formals.
type use struct {
	idle bool
	read map[string]bool // formals that it mentions
}

func (c *checker) useOf(f *ptx.Func) use {
	body := f.Body
	if c.read != nil {
		body = c.read(f)
	}
	return use{idle(body), formalsRead(f, body)}
}

// takes reports whether the callee reads one of the formals that an argument
// goes to.
func takes(u unwritten, f *ptx.Func, read map[string]bool) bool {
	return slices.ContainsFunc(u.args, func(a passing) bool { return a.arg >= len(f.Params) || read[f.Params[a.arg].Name] })
}

// formalsRead returns the formals that the body of a function mentions.
func formalsRead(f *ptx.Func, body []ptx.Stmt) map[string]bool {
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

// idle reports whether a body does nothing but return. It stands for one that
// is still to be written: compilers drop calls of functions that do nothing.
func idle(body []ptx.Stmt) bool {
	for _, s := range body {
		var op string
		switch s := s.(type) {
		case *ptx.Instr:
			op = s.Op
		case *ptx.Call, *ptx.Access:
			return false
		}
		if name, _, _ := strings.Cut(op, "."); name != "" && name != "ret" && name != "exit" {
			return false
		}
	}
	return true
}
