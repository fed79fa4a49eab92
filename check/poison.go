package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// A poison keeps what is wrong already from being complained about again where
// it is used.
type poison struct {
	vars    map[*ptx.Var]bool             // declared with an error
	needed  map[string]bool               // features that the module lacks
	nested  map[*ptx.Var]*diag.Diagnostic // warnings about arrays of arrays, nil once an error took the place
	narrow  []dependent                   // complaints that stand if the declaration is no error
	dropped map[*diag.Diagnostic]bool     // complaints that others took the place of
}

// A dependent is a complaint about the use of a variable.
type dependent struct {
	v   *ptx.Var
	err *diag.Diagnostic
}

// spoil marks a variable if its declaration drew an error, one behind the first
// said complaints.
func (c *checker) spoil(v *ptx.Var, said int) {
	for _, err := range c.errs[said:] {
		if err.Severity == diag.Error || c.opts.Lowering {
			c.markBad(v)
			return
		}
	}
}

func (c *checker) markBad(v *ptx.Var) {
	if c.bad.vars == nil {
		c.bad.vars = make(map[*ptx.Var]bool)
	}
	c.bad.vars[v] = true
}

// spoilOdd marks the formals of a declaration that are not those of the first.
func (c *checker) spoilOdd(first, f *ptx.Func) {
	mark := func(was, is []ptx.Formal) {
		for i := range is {
			if i >= len(was) || !alike(&was[i], &is[i]) {
				c.markBad(&is[i].Var)
			}
		}
	}
	mark(first.Results, f.Results)
	mark(first.Params, f.Params)
}

// spoiled reports whether one of the formals was declared with an error.
func (c *checker) spoiled(f *ptx.Func) bool {
	return c.spoiledList(f.Results) || c.spoiledList(f.Params)
}

func (c *checker) spoiledList(list []ptx.Formal) bool {
	for i := range list {
		if c.bad.vars[&list[i].Var] {
			return true
		}
	}
	return false
}

// drop takes a complaint back.
func (c *checker) drop(err *diag.Diagnostic) {
	if c.bad.dropped == nil {
		c.bad.dropped = make(map[*diag.Diagnostic]bool)
	}
	c.bad.dropped[err] = true
}

// depends notes the last complaint, if there is one behind the first said, as
// one about the use of a sub-word scalar: whether the ABI passes that is known
// at the end.
func (c *checker) depends(v *ptx.Var, t ptx.Type, said int) {
	if n := len(c.errs); n > said && t.Class() == ptx.Integer && t.Size() < 4 && len(v.Dims) == 0 {
		c.bad.narrow = append(c.bad.narrow, dependent{v, c.errs[n-1]})
	}
}

// dependents takes back what follows from declarations that turned out wrong.
func (c *checker) dependents() {
	for _, d := range c.bad.narrow {
		if c.bad.vars[d.v] {
			c.drop(d.err)
		}
	}
}
