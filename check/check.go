package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// Options are the options of a check. With the zero Options, a module is checked as a
// whole program.
type Options struct {
	// Compile is the assembler's -c: the module is one of several. Externs may stay unresolved,
	// and the rules of the ABI apply to every function, not only to those that a kernel can
	// reach.
	Compile bool
	// Pedantic reports what the manual forbids as errors, not as warnings.
	Pedantic bool
}

// Module returns every diagnostic about the parameter passing of m, sorted. It does not
// change m, and does not panic for a tree that ptx.Parse has returned. A nil m is an
// error without a place.
//
// If m.Errors has syntax errors, the tree may lack declarations. Undeclared names are then not
// reported: in the bodies with errors if all errors are in bodies, otherwise in the whole module.
func Module(m *ptx.Module, opts Options) diag.List { return module(m, policy{Options: opts}) }

func module(m *ptx.Module, p policy) diag.List {
	if m == nil {
		return diag.List{{Msg: "no module"}}
	}
	c := newChecker(m, p)
	c.module()
	return c.end()
}

// Source reads a module and returns it with every diagnostic about it, sorted: those of
// [ptx.Parse] and those of [Module]. The name is the file name.
func Source(name string, src []byte, opts Options) (*ptx.Module, diag.List) {
	m, _ := ptx.Parse(name, src)
	all := append(diag.List{}, m.Errors...)
	all = append(all, Module(m, opts)...)
	all.Sort()
	return m, all
}

// Text is like [Source], for a string and without the bodies of functions: it reads a module
// without errors body by body, and keeps only its text, its declarations and one body in memory.
func Text(name, text string, opts Options) (*ptx.Outline, diag.List) {
	p := policy{Options: opts}
	o, err := ptx.ParseOutline(name, text)
	if err == nil {
		if all, ok := outline(o, p); ok {
			return o, all
		}
	}
	m, _ := ptx.ParseString(name, text)
	all := append(diag.List{}, m.Errors...)
	all = append(all, module(m, p)...)
	all.Sort()
	return o, all
}
