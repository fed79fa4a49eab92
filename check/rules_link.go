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

// linkRules explain these codes, in their order.
var linkRules = []Rule{
	{
		Code:     MismatchedModules,
		Severity: diag.Error,
		When: "MismatchedModules occurs when two modules declare one function with different numbers, sizes, extents " +
			"or classes of formals, with different .abi_preserve or .abi_preserve_control, or as kernel and " +
			"function; NVIDIA's linker refuses it. Of a vector it compares only the size.",
		Fix: "make the declarations equal.",
		Source: "measured with the assemblers and linkers 11.8 and 12.4, vectors with all from 11.8 to 13.5, and the " +
			"directives with 13.0, 13.4 and 13.5.",
		Modules: []string{
			`.extern .func f(.param .b32 x);
.visible .entry k() { call f, (1); ret; }
`,
			`.visible .func f(.param .b64 x) { ret; }
`,
		},
	},
	{
		Code:     SilentMismatch,
		Severity: diag.Error,
		When: "SilentMismatch occurs when two modules declare one function so that NVIDIA's linker takes it, but " +
			"caller and callee use different places for a value, mostly because of a difference in alignment.",
		Fix:    "make the declarations equal.",
		Source: "measured with the assemblers and linkers 11.8 and 12.4.",
		Modules: []string{
			`.extern .func f(.reg .b32 n, .param .align 4 .b8 x[8]);
.visible .entry k() { .param .align 4 .b8 a[8]; st.param.b32 [a], 0; call f, (1, a); ret; }
`,
			`.visible .func f(.reg .b32 n, .param .align 8 .b8 x[8]) { ret; }
`,
		},
	},
	{
		Code:     LooseDeclaration,
		Severity: diag.Warning,
		When: "LooseDeclaration occurs when two modules declare one function differently, and NVIDIA's linker takes " +
			"it, without a difference in the places of values.",
		Fix:    "make the declarations equal.",
		Source: "measured with the assemblers and linkers 11.8 and 12.4.",
		Modules: []string{
			`.extern .func f(.param .u32 x);
.visible .entry k() { call f, (1); ret; }
`,
			`.visible .func f(.param .s32 x) { ret; }
`,
		},
	},
	{
		Code:     MissingDefinition,
		Severity: diag.Warning,
		When:     "MissingDefinition occurs when no module of a link defines a function that one of them calls.",
		Fix:      "add the module that does.",
		Source:   `PTX ISA, ".extern".`,
		Modules: []string{
			`.extern .func f();
.visible .entry k() { call f; ret; }
`,
			`.visible .func g() { ret; }
`,
		},
	},
	{
		Code:     RepeatedDefinition,
		Severity: diag.Error,
		When:     "RepeatedDefinition occurs when two modules define one function that both show and that is not .weak.",
		Fix:      "make one .weak, or drop .visible.",
		Source:   `PTX ISA, "Linking Directives".`,
		Modules: []string{
			`.visible .func f() { ret; }
`,
			`.visible .func f() { ret; }
`,
		},
	},
}
