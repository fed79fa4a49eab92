package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// suppressed is what is wrong already, so that it is not reported again where it is
// used.
type suppressed struct {
	vars      map[*ptx.Var]bool             // declared with an error
	needed    map[string]bool               // features that the module lacks
	nested    map[*ptx.Var]*diag.Diagnostic // warnings about arrays of arrays, nil once an error took the place
	undefined map[string]bool               // functions that nothing declares
}

// A dependent is a diagnostic about the use of a variable.
type dependent struct {
	v   *ptx.Var
	err *diag.Diagnostic
}

// spoil marks a variable if its declaration is an error: one of what was reported after
// the first said diagnostics.
func (c *checker) spoil(v *ptx.Var, said int) {
	for _, err := range c.list[said:] {
		if err.Severity == diag.Error || c.lowering {
			c.markBad(v)
			return
		}
	}
}

func (s *suppressed) markBad(v *ptx.Var) {
	if s.vars == nil {
		s.vars = make(map[*ptx.Var]bool)
	}
	s.vars[v] = true
}

// spoilOdd marks the formals of a declaration that are not those of the first.
func (s *suppressed) spoilOdd(first, f *ptx.Func) {
	mark := func(was, is []ptx.Formal) {
		for i := range is {
			if i >= len(was) || !alike(&was[i], &is[i]) {
				s.markBad(&is[i].Var)
			}
		}
	}
	mark(first.Results, f.Results)
	mark(first.Params, f.Params)
}

// spoiled reports whether one of the formals was declared with an error.
func (s *suppressed) spoiled(f *ptx.Func) bool {
	return s.spoiledList(f.Results) || s.spoiledList(f.Params)
}

func (s *suppressed) spoiledList(list []ptx.Formal) bool {
	for i := range list {
		if s.vars[&list[i].Var] {
			return true
		}
	}
	return false
}

// depends notes the last diagnostic, if there is one after the first said, as
// one about the use of a sub-word scalar: whether the ABI passes that is known
// at the end.
func (c *checker) depends(v *ptx.Var, t ptx.Type, said int) {
	if n := len(c.list); n > said && t.Class() == ptx.Integer && t.Size() < 4 && len(v.Dims) == 0 {
		c.later.narrow = append(c.later.narrow, dependent{v, c.list[n-1]})
	}
}

// dependents takes back what follows from declarations that turned out wrong.
func (c *checker) dependents() {
	for _, d := range c.later.narrow {
		if c.vars[d.v] {
			c.drop(d.err)
		}
	}
}
