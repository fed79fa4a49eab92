package link

import "github.com/ptxabi/ptxabi/diag"

// Codes of diagnostics beside those of package check about several modules.
const (
	// MismatchedVariable is a variable that the linker refuses to join.
	MismatchedVariable diag.Code = "MismatchedVariable"
	// MisalignedVariable is a variable that a file wants more aligned than it is.
	MisalignedVariable diag.Code = "MisalignedVariable"
	// DifferentValue is a variable that several files may define, with different initial values.
	DifferentValue diag.Code = "DifferentValue"
	// RegisterLimit is a function that needs more registers than a kernel leaves it.
	RegisterLimit diag.Code = "RegisterLimit"
	// MixedTargets is files for architectures that the linker does not join.
	MixedTargets diag.Code = "MixedTargets"
	// MixedReleases is objects of releases that the linker does not join.
	MixedReleases diag.Code = "MixedReleases"
	// UnusedAlias is an alias of which the linkers keep one name and not the other.
	UnusedAlias diag.Code = "UnusedAlias"
	// LeftOut is what takes no part, and a note.
	LeftOut diag.Code = "LeftOut"
)
