// Package checking lets package lower, and commands that lower, call internal functions of
// package check. In these, diagnostics of code that lower handles though the assembler refuses it
// are warnings, and a module can be checked body by body. Package check sets the functions when
// it is initialised; callers have to import it.
package checking

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Module does what check.Module does.
var Module func(m *ptx.Module) diag.List

// New begins to check an outline, which must not be nil.
var New func(o *ptx.Outline) Walk

// A Walk does what Module does, for a module whose bodies nobody keeps. It is given them
// one after the other. It is of use where nothing is wrong, and says early when something
// is: what it says then, Module says of the whole module.
type Walk interface {
	// Outside checks what stands outside of bodies, and reports whether there is no error:
	// what heads say against each other may be said far after a body that they are wrong
	// for. It is called before Body, which checks the same again, but faster.
	Outside() bool
	// Body checks everything from the function before up to and with f, whose body is
	// given. Functions must come in source order, and none with a body be left out. It
	// reports whether the walk goes on to hold nodes of the body, which then must stay as
	// they are, and whether there is no error so far; after one there is no use in going
	// on. A body that declares functions, or the first .param variables of the module with
	// a % before their names, says something about the whole of it. That counts as an
	// error.
	Body(f *ptx.Func, in *resolved.Body) (kept, ok bool)
	// Finish checks what is left and returns every diagnostic, sorted. It calls read for
	// bodies that it has to see again; what read returns is used before the next call. The
	// walk is over then, and no other method may be called.
	Finish(read func(*ptx.Func) []ptx.Stmt) diag.List
	// Names returns what names of the module mean: to find out takes as long as Outside.
	Names() *resolve.Table
}
