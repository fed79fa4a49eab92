package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// Options say how to judge a module. The zero Options judge it as a whole program.
type Options struct {
	// Compile is the assembler's -c: the module is one of several. Externs may
	// stay unresolved, and every function is held to the ABI, not only those
	// that a kernel can come to.
	Compile bool
	// Pedantic makes errors of the warnings about what the manual forbids.
	Pedantic bool
}

// Module returns every diagnostic about the parameter passing of m, sorted. It
// does not change m, and never panics on a tree that ptx.Parse made. A nil m is an
// error without a place.
//
// Where m.Errors says that the text had syntax errors, the tree may lack
// declarations: names that it does not declare are not reported then, those of one
// body if all errors are in that, and those of the module otherwise.
func Module(m *ptx.Module, opts Options) diag.List { return module(m, policy{Options: opts}) }

func module(m *ptx.Module, p policy) diag.List {
	if m == nil {
		return diag.List{{Msg: "no module"}}
	}
	c := newChecker(m, p)
	c.module()
	return c.end()
}

// Source reads a module and returns it with every diagnostic about it, sorted:
// those of [ptx.Parse] and those of [Module]. The name is that of the file.
func Source(name string, src []byte, opts Options) (*ptx.Module, diag.List) {
	m, _ := ptx.Parse(name, src)
	all := append(diag.List{}, m.Errors...)
	all = append(all, Module(m, opts)...)
	all.Sort()
	return m, all
}

// Text is [Source] for text that is a string, and for who does without the bodies: it
// reads a module without errors body by body, so that there is room in memory for its text,
// its declarations and one body. The functions of the module lack bodies then.
func Text(name, text string, opts Options) (*ptx.Module, diag.List) {
	p := policy{Options: opts}
	if o, err := ptx.ParseOutline(name, text); err == nil {
		if all, ok := outline(o, p); ok {
			return o.Module(), all
		}
	}
	m, _ := ptx.ParseString(name, text)
	all := append(diag.List{}, m.Errors...)
	all = append(all, module(m, p)...)
	all.Sort()
	return m, all
}
