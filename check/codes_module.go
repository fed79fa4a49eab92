package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about kernel parameters, names, declarations and the module as a whole. codes.go tells how their
// comments are read.
const (
	// MisplacedPointer occurs when .ptr stands elsewhere than on a kernel's parameter, or names a
	// space that pointers do not lead to.
	//
	// Severity: error.
	// Mend: drop it, or say .const, .global, .local or .shared.
	// Source: PTX ISA, "Kernel Function Parameter Attributes: .ptr".
	//
	// Example:
	//
	//	.func f(.param .u64 .ptr .global x) { ret; }
	MisplacedPointer diag.Code = "MisplacedPointer"

	// PointlessPointer occurs when .ptr stands on a parameter that holds no pointer: an array, a float
	// or fewer than 32 bits.
	//
	// Severity: warning.
	// Mend: use .u32 or .u64.
	// Source: PTX ISA, "Kernel Function Parameter Attributes: .ptr".
	//
	// Example:
	//
	//	.visible .entry k(.param .u8 .ptr x) { ret; }
	PointlessPointer diag.Code = "PointlessPointer"

	// OversizedBlock occurs when a kernel has more than 32,764 bytes of parameters, or one that is
	// aligned to 65,536 bytes or more.
	//
	// Severity: error.
	// Mend: pass a pointer.
	// Source: PTX ISA, "Kernel Function Parameters".
	//
	// Example:
	//
	//	.visible .entry k(.param .b8 x[40000]) { ret; }
	OversizedBlock diag.Code = "OversizedBlock"

	// Names, declarations and what the module is.

	// UndeclaredCallee occurs when a call names a function that is not declared before it in the text.
	//
	// Severity: error.
	// Mend: declare it further up.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.visible .entry k() { call f; ret; }
	UndeclaredCallee diag.Code = "UndeclaredCallee"

	// UndeclaredName occurs when an operand is a name that is not declared at this place.
	//
	// Severity: error.
	// Mend: declare it, before its use and in an enclosing block.
	// Source: PTX ISA, "Identifiers".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { ld.param.b32 %r1, [x]; ret; }
	UndeclaredName diag.Code = "UndeclaredName"

	// ForeignParameter occurs when a .param variable is used outside the block that declares it,
	// before its declaration, or in another function.
	//
	// Severity: error.
	// Mend: move the use in or the declaration out; pass the value to another function.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { { .param .b32 a; } call g, (a); ret; }
	ForeignParameter diag.Code = "ForeignParameter"

	// UndefinedFunction occurs when a function is declared without .extern and never defined.
	//
	// Severity: error.
	// Mend: define it, or declare it .extern.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f(.param .b32 x);
	UndefinedFunction diag.Code = "UndefinedFunction"

	// UnresolvedExtern occurs when a whole program mentions an .extern function; there is no other
	// module to define it.
	//
	// Severity: error.
	// Mend: define it, or compile with -c.
	// Source: PTX ISA, ".extern".
	//
	// Example:
	//
	//	.extern .func f();
	//	.visible .entry k() { call f; ret; }
	UnresolvedExtern diag.Code = "UnresolvedExtern"

	// ConflictingDeclaration occurs when declarations of one function differ in number, space, type,
	// size or alignment of formals, in .abi_preserve or in .abi_preserve_control; names may differ.
	//
	// Severity: error.
	// Mend: make them equal.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f(.param .u32 x);
	//	.func f(.param .s32 x) { ret; }
	ConflictingDeclaration diag.Code = "ConflictingDeclaration"

	// ConflictingLinkage occurs when declarations of one function differ in linking directive or
	// .noreturn, those of two variables do not go together, an .extern function has a body, .common
	// stands on a function, or a variable of a body has a linking directive.
	//
	// Severity: error.
	// Mend: write the same on both.
	// Source: PTX ISA, "Linking Directives".
	//
	// Example:
	//
	//	.extern .func f();
	//	.visible .func f() { ret; }
	ConflictingLinkage diag.Code = "ConflictingLinkage"

	// ConflictingName occurs when a function has the name of a variable or of a kernel.
	//
	// Severity: error.
	// Mend: rename one.
	// Source: PTX ISA, "Identifiers".
	//
	// Example:
	//
	//	.global .b32 f;
	//	.func f() { ret; }
	ConflictingName diag.Code = "ConflictingName"

	// DuplicateDefinition occurs when a function is defined twice, or declared again behind its
	// definition.
	//
	// Severity: error.
	// Mend: remove one.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f() { ret; }
	//	.func f() { ret; }
	DuplicateDefinition diag.Code = "DuplicateDefinition"

	// IllegalAlias occurs when an .alias does not stand behind the declarations of two different
	// functions that are alike, when the alias has a body or gets one, or is an alias already, or when
	// the aliasee is .weak or .extern.
	//
	// Severity: error.
	// Mend: declare the alias as the aliasee is declared, above the .alias and without a body.
	// Source: PTX ISA, ".alias"; measured with the assemblers 11.8, 12.4 and 13.5.
	//
	// Example:
	//
	//	.visible .func f(.param .u32 x) { ret; }
	//	.visible .func g(.param .u64 x);
	//	.alias g, f;
	IllegalAlias diag.Code = "IllegalAlias"

	// ModuleParameter occurs when a .param variable is declared outside functions.
	//
	// Severity: error.
	// Mend: declare it in the body that passes it.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example:
	//
	//	.param .b32 p;
	ModuleParameter diag.Code = "ModuleParameter"

	// ModuleRegister occurs when a .reg or .local variable is declared outside functions.
	//
	// Severity: error.
	// Mend: declare it in each function, or use .global.
	// Source: PTX ISA, "Register State Space" and "Local State Space".
	//
	// Example:
	//
	//	.reg .b32 %r;
	ModuleRegister diag.Code = "ModuleRegister"

	// DisabledABI occurs when a .reg or .local variable outside functions, before PTX 3.0, switches
	// the ABI off for the whole module; with -c that is an error.
	//
	// Severity: warning.
	// Mend: declare it in each function.
	// Source: PTX ISA, "Changes from PTX ISA Version 1.x".
	//
	// Example:
	//
	//	.version 2.3
	//	.target sm_20
	//	.address_size 64
	//	.reg .b32 %r;
	DisabledABI diag.Code = "DisabledABI"

	// MissingABI occurs when a call through a register stands in a module without ABI, whether a kernel
	// can come to it or not.
	//
	// Severity: error.
	// Mend: keep one result and no module-level registers.
	// Source: PTX ISA, "Changes from PTX ISA Version 1.x"; measured with the assemblers 11.8 and 12.4.
	//
	// Example, which draws MultipleResults too:
	//
	//	.version 2.3
	//	.target sm_20
	//	.address_size 64
	//	.func (.reg .b32 a, .reg .b32 b) f() { ret; }
	//	.entry k() { .reg .b64 %d; p: .callprototype _; call %d, p; ret; }
	MissingABI diag.Code = "MissingABI"

	// RecursiveFunction occurs when a function calls itself, directly or through others, in a module
	// without ABI.
	//
	// Severity: error.
	// Mend: keep one result and no module-level registers.
	// Source: PTX ISA, "Changes from PTX ISA Version 1.x"; measured with the assemblers
	// 11.8 and 12.4.
	//
	// Example, which draws MultipleResults too:
	//
	//	.func (.reg .b32 a, .reg .b32 b) f() { ret; }
	//	.func g() { call g; ret; }
	//	.visible .entry k() { call g; ret; }
	RecursiveFunction diag.Code = "RecursiveFunction"

	// MisplacedDirective occurs when a performance directive of kernels, such as .maxntid, stands on a
	// function or prototype, or .noreturn, .abi_preserve or .abi_preserve_control on a kernel, before
	// the name of a function, or .noreturn behind one of the others, .attribute on a kernel, or
	// .attribute(.managed) on a formal, a register or a .param variable.
	//
	// Severity: error.
	// Mend: drop it, or write it behind the parameters, .noreturn first.
	// Source: PTX ISA, "Performance-Tuning Directives"; measured with the assemblers 11.8 to 13.5.
	//
	// Example:
	//
	//	.func f() .maxnreg 32 { ret; }
	MisplacedDirective diag.Code = "MisplacedDirective"

	// RepeatedDirective occurs when .noreturn, .abi_preserve or .abi_preserve_control stands twice on
	// one function or prototype.
	//
	// Severity: error.
	// Mend: remove one.
	// Source: measured with the assemblers 11.8 to 13.5.
	//
	// Example:
	//
	//	.func f() .noreturn .noreturn { trap; }
	RepeatedDirective diag.Code = "RepeatedDirective"

	// IllegalPreserve occurs when the number of an .abi_preserve or .abi_preserve_control is too large,
	// or when the registers that .abi_preserve keeps leave too few for what the function passes: of 0
	// and 1 for 11 words or more, where the return address is.
	//
	// Severity: error.
	// Mend: keep other registers, or pass fewer words.
	// Source: PTX ISA, ".abi_preserve" and ".abi_preserve_control"; measured with the assemblers 13.0, 13.4 and 13.5.
	//
	// Example:
	//
	//	.version 9.0
	//	.target sm_80
	//	.address_size 64
	//	.visible .func f(.param .align 4 .b8 x[44]) .abi_preserve 0 { ret; }
	IllegalPreserve diag.Code = "IllegalPreserve"

	// NoreturnResult occurs when a .noreturn function or prototype has a result.
	//
	// Severity: error.
	// Mend: drop one.
	// Source: PTX ISA, ".noreturn".
	//
	// Example:
	//
	//	.func (.param .b32 r) f() .noreturn { trap; }
	NoreturnResult diag.Code = "NoreturnResult"

	// UnifiedFunction occurs when a function or a parameter has .attribute(.unified) and the module is compiled as a
	// whole program.
	//
	// Severity: error.
	// Mend: compile with -c.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func .attribute(.unified(1, 2)) f() { ret; }
	UnifiedFunction diag.Code = "UnifiedFunction"

	// NewerFeature occurs when something needs a newer .version or .target than the module states; the
	// message names both.
	//
	// Severity: error.
	// Mend: raise the .version or the .target.
	// Source: PTX ISA, "PTX ISA Notes" and "Target ISA Notes" of each section.
	//
	// Example:
	//
	//	.version 6.3
	//	.target sm_70
	//	.address_size 64
	//	.func f() .noreturn { trap; }
	NewerFeature diag.Code = "NewerFeature"

	// ParameterAddress occurs when a variable is initialised with the address of a parameter.
	//
	// Severity: error.
	// Mend: store it at run time.
	// Source: PTX ISA, "Initializers".
	//
	// Example:
	//
	//	.global .u64 g = x;
	//	.visible .entry k(.param .u32 x) { ret; }
	ParameterAddress diag.Code = "ParameterAddress"
)
