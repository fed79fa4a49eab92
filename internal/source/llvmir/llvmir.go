// Package llvmir reads the declarations and definitions of LLVM's intermediate language for nvptx, as text (.ll), as LLVM's
// back end declares them in PTX. The rules are those of LLVM 17 to 23, which were executed: llc of 19, 22 and 23 declares what
// the tests have. Function bodies are read for the names in them.
//
// What cannot be read is a diagnostic, and the rest of the module is there. It does no I/O.
package llvmir

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// A Module is what other modules see of one, and what its functions mention.
type Module struct {
	Triple  string
	CPU     string // sm_75, of the first function that names one
	Funcs   []*Func
	Vars    []*Var
	Aliases []Alias

	datalayout string
}

// A Linkage says who sees a symbol.
type Linkage uint8

// The linkages. A symbol that is defined elsewhere is Extern, also if its value is at hand (available_externally).
const (
	Visible Linkage = iota
	Extern
	Internal
	Weak
	Common
)

// A Func is a function or a kernel.
type Func struct {
	Name     string
	Pos      diag.Pos
	Linkage  Linkage
	Defined  bool
	Kernel   bool
	NoReturn bool
	Result   *Formal // nil without one
	Params   []Formal
	// Unknown says why it is not known how it is declared in PTX, for which Result and Params are then not complete; "" if it is.
	Unknown string
	Uses    []Use // in its body

	result attrs
	ret    layout.Type
	types  []layout.Type
	attrs  []attrs
	groups []string // of attributes
	align  map[int64]int64
}

// A Formal is a value that a function takes or returns, as PTX declares it.
type Formal struct {
	Name  string
	Size  int64 // in bytes; in functions, a number has 4 or 8
	Align int64
	Bytes bool // an array of bytes
}

// A Use is a mention of a symbol.
type Use struct {
	Name string // "": a call of a pointer
	Pos  diag.Pos
	Call bool // otherwise its address is taken
}

// A Var is a variable.
type Var struct {
	Name    string
	Pos     diag.Pos
	Linkage Linkage
	Space   int   // address space: 0 and 1 global, 3 shared, 4 constant
	Size    int64 // in bytes; -1: not known
	Align   int64 // 0: not said
	Unsized bool  // an array without elements
	Managed bool
	Handle  bool  // of a texture, surface or sampler
	Value   bool  // it has an initial value, other than zeros
	Uses    []Use // in its initial value
}

// An Alias is another name of a symbol.
type Alias struct {
	Name, Of string
	Pos      diag.Pos
}
