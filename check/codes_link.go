package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about several modules. codes.go tells how their
// comments are read.
const (
	// MismatchedModules occurs when two modules declare one function with different numbers, sizes,
	// extents or classes of formals, with different .abi_preserve or .abi_preserve_control, or as kernel
	// and function; the vendor's linker refuses it. Of a vector it sees the size alone.
	//
	// Severity: error.
	// Mend: make the declarations equal.
	// Source: measured with the assemblers and linkers 11.8 and 12.4, vectors with all from 11.8 to 13.5,
	// and the directives with 13.0, 13.4 and 13.5.
	//
	// Example:
	//
	//	-- a.ptx --
	//	.extern .func f(.param .b32 x);
	//	.visible .entry k() { call f, (1); ret; }
	//	-- b.ptx --
	//	.visible .func f(.param .b64 x) { ret; }
	MismatchedModules diag.Code = "MismatchedModules"

	// SilentMismatch occurs when two modules declare one function so that the vendor's linker takes it
	// and caller and callee look for a value in different places, mostly for a difference in
	// alignment.
	//
	// Severity: error.
	// Mend: make the declarations equal.
	// Source: measured with the assemblers and linkers 11.8 and 12.4.
	//
	// Example:
	//
	//	-- a.ptx --
	//	.extern .func f(.reg .b32 n, .param .align 4 .b8 x[8]);
	//	.visible .entry k() { .param .align 4 .b8 a[8]; st.param.b32 [a], 0; call f, (1, a); ret; }
	//	-- b.ptx --
	//	.visible .func f(.reg .b32 n, .param .align 8 .b8 x[8]) { ret; }
	SilentMismatch diag.Code = "SilentMismatch"

	// LooseDeclaration occurs when two modules declare one function differently, and the vendor's
	// linker and the convention both take it.
	//
	// Severity: warning.
	// Mend: make the declarations equal.
	// Source: measured with the assemblers and linkers 11.8 and 12.4.
	//
	// Example:
	//
	//	-- a.ptx --
	//	.extern .func f(.param .u32 x);
	//	.visible .entry k() { call f, (1); ret; }
	//	-- b.ptx --
	//	.visible .func f(.param .s32 x) { ret; }
	LooseDeclaration diag.Code = "LooseDeclaration"

	// MissingDefinition occurs when no module of a link defines a function that one of them calls.
	//
	// Severity: warning.
	// Mend: add the module that does.
	// Source: PTX ISA, ".extern".
	//
	// Example:
	//
	//	-- a.ptx --
	//	.extern .func f();
	//	.visible .entry k() { call f; ret; }
	//	-- b.ptx --
	//	.visible .func g() { ret; }
	MissingDefinition diag.Code = "MissingDefinition"

	// RepeatedDefinition occurs when two modules define one function that both show and that is not
	// .weak.
	//
	// Severity: error.
	// Mend: make one .weak, or drop .visible.
	// Source: PTX ISA, "Linking Directives".
	//
	// Example:
	//
	//	-- a.ptx --
	//	.visible .func f() { ret; }
	//	-- b.ptx --
	//	.visible .func f() { ret; }
	RepeatedDefinition diag.Code = "RepeatedDefinition"
)
