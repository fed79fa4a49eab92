package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/ptx"
)

// The functions that variables of the module are initialised with, its roots, can be
// called by whoever reads such a variable. In a whole program the assembler holds them
// to the ABI once a function that a kernel can come to calls through a register or
// mentions such a variable, whichever: all of them, then.

// rooted marks what only roots lead to, of the functions that reach has just marked:
// those are held to nothing as long as nobody reads the variables.
func (c *checker) rooted(marked []*global) {
	sensitive := len(c.later.far) > 0 || slices.ContainsFunc(marked, func(g *global) bool {
		f := g.formals()
		return hasNarrow(f.Params) || hasNarrow(f.Results) || len(g.protos) > 0
	})
	if !sensitive || c.rootsRead(marked) {
		return
	}
	for _, g := range marked {
		g.rooted = true
	}
}

// rootsRead reports whether a function that a kernel can come to, which those that
// are marked last are not, calls through a register or mentions a variable that holds
// functions.
func (c *checker) rootsRead(marked []*global) bool {
	by := make(map[*global]bool, len(marked))
	for _, g := range marked {
		by[g] = true
	}
	for _, g := range c.order {
		if !g.reached || by[g] || g.def == nil {
			continue
		}
		if g.indirect.IsValid() || c.mentionsRoot(g.def) {
			return true
		}
	}
	return false
}

func (c *checker) mentionsRoot(f *ptx.Func) bool {
	body := f.Body
	if c.read != nil {
		body = c.read(f)
	}
	for _, s := range body {
		if in, ok := s.(*ptx.Instr); ok {
			for name := range identifiers(in.Args) {
				if c.rootVars[name] {
					return true
				}
			}
		}
	}
	return false
}
