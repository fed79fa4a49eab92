package check

import (
	"slices"

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
	// Pedantic reports PTX that the manual forbids and the assembler accepts as errors, not as warnings.
	Pedantic bool
	// Lower checks for package lower. PTX that the assembler refuses and package lower handles, such as
	// 8-bit formals and predicated stores to arguments, is a warning; operands for which it has no
	// code are errors. Lower implies Compile.
	Lower bool
	// Release is the release of the assembler that will read the module; its own defects are reported as warnings. If it
	// is zero, it is the release in the head of the module, where NVIDIA's compilers write it, or none.
	Release ptx.Version
	// Workers is the number of goroutines that read the next bodies at the same time; 0 and 1 start none. The result does
	// not depend on it.
	Workers int
}

// Module returns every diagnostic about the parameter passing of m, sorted. It does not
// change m, and does not panic for a tree that ptx.Parse has returned. A nil m is an
// error without a place.
//
// If m.Errors has syntax errors, the tree may lack declarations. Undeclared names are then not
// reported: in the bodies with errors if all errors are in bodies, otherwise in the whole module.
func Module(m *ptx.Module, opts Options) (list diag.List) {
	if m == nil {
		return diag.List{{Msg: "no module"}}
	}
	if list := m.Validate(); len(list) > 0 { // other diagnostics would follow from these
		return list
	}
	for b := range Bodies(m, nil, nil, opts, &list) {
		b.Release()
	}
	return list
}

// Source reads a module and returns it with every diagnostic about it, sorted: those of
// [ptx.Parse] and those of [Module]. The name is the file name.
func Source(name string, src []byte, opts Options) (*ptx.Module, diag.List) {
	m, _ := ptx.Parse(name, src)
	return m, with(m.Errors, Module(m, opts))
}

// Text is like [Source], for a string and without the bodies of functions: it reads them one by
// one, and keeps only the text, the declarations and one body in memory.
func Text(name, text string, opts Options) (*ptx.Outline, diag.List) {
	o, _ := ptx.ParseOutline(name, text)
	return o, Outline(o, opts)
}

// Outline is [Text] for a text whose outline has been read.
func Outline(o *ptx.Outline, opts Options) (list diag.List) {
	if o == nil {
		return Module(nil, opts)
	}
	for b := range Bodies(o.Module(), o, nil, opts, &list) {
		b.Release()
	}
	return with(o.Module().Errors, list)
}

// with returns both lists as one, sorted.
func with(syntax, all diag.List) diag.List {
	all = slices.Concat(syntax, all)
	all.Sort()
	return all
}
