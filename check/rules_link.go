package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about several modules.
const (
	// MismatchedModules is declarations in two modules that the linker refuses to join.
	MismatchedModules diag.Code = "MismatchedModules"
	// SilentMismatch is declarations in two modules that the linker takes, though caller
	// and callee use different places.
	SilentMismatch diag.Code = "SilentMismatch"
	// LooseDeclaration is declarations in two modules that differ without effect.
	LooseDeclaration diag.Code = "LooseDeclaration"
	// MissingDefinition is a function that a module calls and none defines.
	MissingDefinition diag.Code = "MissingDefinition"
	// RepeatedDefinition is a function that two modules define.
	RepeatedDefinition diag.Code = "RepeatedDefinition"
)
