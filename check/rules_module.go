package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about kernel parameters, names, declarations and the module as a whole.
const (
	// MisplacedPointer is a .ptr that is not on a kernel's parameter, or has a wrong
	// space.
	MisplacedPointer diag.Code = "MisplacedPointer"
	// PointlessPointer is a .ptr on a parameter that is not a pointer.
	PointlessPointer diag.Code = "PointlessPointer"
	// OversizedBlock is a kernel with too many bytes of parameters, or too large an alignment of one.
	OversizedBlock diag.Code = "OversizedBlock"

	// Names, declarations and what the module is.

	// UndeclaredCallee is a call of a function that is not declared before it.
	UndeclaredCallee diag.Code = "UndeclaredCallee"
	// UndeclaredName is an operand that is not declared at its place.
	UndeclaredName diag.Code = "UndeclaredName"
	// ForeignParameter is a use of a .param variable outside the block that declares it, or before its declaration.
	ForeignParameter diag.Code = "ForeignParameter"
	// UndefinedFunction is a function that is declared without .extern and never defined.
	UndefinedFunction diag.Code = "UndefinedFunction"
	// UnresolvedExtern is an .extern function that a whole program mentions.
	UnresolvedExtern diag.Code = "UnresolvedExtern"
	// ConflictingDeclaration is declarations of one function that differ in their formals or in what they preserve.
	ConflictingDeclaration diag.Code = "ConflictingDeclaration"
	// ConflictingLinkage is linking directives or a .noreturn that do not go together.
	ConflictingLinkage diag.Code = "ConflictingLinkage"
	// ConflictingName is a function with the name of a variable or of a kernel.
	ConflictingName diag.Code = "ConflictingName"
	// DuplicateDefinition is a function that is defined twice, or declared again after its definition.
	DuplicateDefinition diag.Code = "DuplicateDefinition"
	// IllegalAlias is an .alias of functions that cannot be one.
	IllegalAlias diag.Code = "IllegalAlias"
	// ModuleParameter is a .param variable outside functions.
	ModuleParameter diag.Code = "ModuleParameter"
	// ModuleRegister is a .reg or .local variable outside functions.
	ModuleRegister diag.Code = "ModuleRegister"
	// DisabledABI is a .reg or .local variable outside functions before PTX 3.0, which switches the ABI off.
	DisabledABI diag.Code = "DisabledABI"
	// MissingABI is a call through a register in a module without ABI.
	MissingABI diag.Code = "MissingABI"
	// RecursiveFunction is a recursive function in a module without ABI.
	RecursiveFunction diag.Code = "RecursiveFunction"
	// MisplacedDirective is a directive on a function, prototype, kernel or formal that
	// cannot have it there.
	MisplacedDirective diag.Code = "MisplacedDirective"
	// UnknownWord is a directive, a type, a state space, an instruction or a modifier that PTX does not have.
	UnknownWord diag.Code = "UnknownWord"
	// NarrowAddresses is .address_size 32 where no release of the assembler takes it.
	NarrowAddresses diag.Code = "NarrowAddresses"
	// RepeatedDirective is a directive that is twice on one function or prototype.
	RepeatedDirective diag.Code = "RepeatedDirective"
	// IllegalPreserve is an .abi_preserve or .abi_preserve_control with an invalid
	// number.
	IllegalPreserve diag.Code = "IllegalPreserve"
	// NoreturnResult is a .noreturn function or prototype with a result.
	NoreturnResult diag.Code = "NoreturnResult"
	// UnifiedFunction is a function or parameter with .attribute(.unified) in a whole program.
	UnifiedFunction diag.Code = "UnifiedFunction"
	// NewerFeature is something that needs a newer .version or .target.
	NewerFeature diag.Code = "NewerFeature"
	// TrailingNul is a module that ends with NUL characters.
	TrailingNul diag.Code = "TrailingNul"
	// ParameterAddress is a variable that is initialised with the address of a parameter.
	ParameterAddress diag.Code = "ParameterAddress"
)

// moduleRules explain these codes, in their order.
var moduleRules = []Rule{
	{
		Code:     MisplacedPointer,
		Severity: diag.Error,
		When:     "MisplacedPointer occurs when .ptr is not on a kernel's parameter, or names a space that pointers cannot point to.",
		Fix:      "drop it, or say .const, .global, .local or .shared.",
		Source:   `PTX ISA, "Kernel Function Parameter Attributes: .ptr".`,
		Example:  `.func f(.param .u64 .ptr .global x) { ret; }`,
	},
	{
		Code:     PointlessPointer,
		Severity: diag.Warning,
		When: "PointlessPointer occurs when .ptr is on a parameter that is not a pointer: an array, a float or " +
			"fewer than 32 bits.",
		Fix:     "use .u32 or .u64.",
		Source:  `PTX ISA, "Kernel Function Parameter Attributes: .ptr".`,
		Example: `.visible .entry k(.param .u8 .ptr x) { ret; }`,
	},
	{
		Code:     OversizedBlock,
		Severity: diag.Error,
		When: "OversizedBlock occurs when a kernel has more than 32,764 bytes of parameters, or one that is aligned to " +
			"65,536 bytes or more.",
		Fix:     "pass a pointer.",
		Source:  `PTX ISA, "Kernel Function Parameters".`,
		Example: `.visible .entry k(.param .b8 x[40000]) { ret; }`,
	},
	{
		Code:     UndeclaredCallee,
		Severity: diag.Error,
		When:     "UndeclaredCallee occurs when a call names a function that is not declared before it in the text.",
		Fix:      "declare it further up.",
		Source:   `PTX ISA, "Function Declarations and Definitions".`,
		Example:  `.visible .entry k() { call f; ret; }`,
	},
	{
		Code:     UndeclaredName,
		Severity: diag.Error,
		When: "UndeclaredName occurs when an operand is a name that is not declared at this place, or the target of a " +
			"branch no label of the block or of one around it.",
		Fix:     "declare it, before its use and in an enclosing block; a label may come later.",
		Source:  `PTX ISA, "Identifiers".`,
		Example: `.func f(.param .b32 x) { ld.param.b32 %r1, [x]; ret; }`,
	},
	{
		Code:     ForeignParameter,
		Severity: diag.Error,
		When: "ForeignParameter occurs when a .param variable is used outside the block that declares it, before its " +
			"declaration, or in another function.",
		Fix:    "move the use in or the declaration out; pass the value to another function.",
		Source: `PTX ISA, "Parameter State Space".`,
		Example: `.extern .func g(.param .b32 x);
.func f() { { .param .b32 a; } call g, (a); ret; }`,
		Compile: true,
	},
	{
		Code:     UndefinedFunction,
		Severity: diag.Error,
		When:     "UndefinedFunction occurs when a function is declared without .extern and never defined.",
		Fix:      "define it, or declare it .extern.",
		Source:   `PTX ISA, "Function Declarations and Definitions".`,
		Example:  `.func f(.param .b32 x);`,
	},
	{
		Code:     UnresolvedExtern,
		Severity: diag.Error,
		When: "UnresolvedExtern occurs when a whole program mentions an .extern function; there is no other module to " +
			"define it.",
		Fix:    "define it, or compile with -c.",
		Source: `PTX ISA, ".extern".`,
		Example: `.extern .func f();
.visible .entry k() { call f; ret; }`,
	},
	{
		Code:     ConflictingDeclaration,
		Severity: diag.Error,
		When: "ConflictingDeclaration occurs when declarations of one function differ in number, space, type, size or " +
			"alignment of formals, in .abi_preserve or in .abi_preserve_control; names may differ.",
		Fix:    "make them equal.",
		Source: `PTX ISA, "Function Declarations and Definitions".`,
		Example: `.func f(.param .u32 x);
.func f(.param .s32 x) { ret; }`,
	},
	{
		Code:     ConflictingLinkage,
		Severity: diag.Error,
		When: "ConflictingLinkage occurs when declarations of one function differ in linking directive or .noreturn, " +
			"those of two variables do not go together, an .extern function has a body, .common stands on a " +
			"function, or a variable of a body has a linking directive.",
		Fix:    "write the same on both.",
		Source: `PTX ISA, "Linking Directives".`,
		Example: `.extern .func f();
.visible .func f() { ret; }`,
	},
	{
		Code:     ConflictingName,
		Severity: diag.Error,
		When:     "ConflictingName occurs when a function has the name of a variable or of a kernel.",
		Fix:      "rename one.",
		Source:   `PTX ISA, "Identifiers".`,
		Example: `.global .b32 f;
.func f() { ret; }`,
	},
	{
		Code:     DuplicateDefinition,
		Severity: diag.Error,
		When:     "DuplicateDefinition occurs when a function is defined twice, or declared again after its definition.",
		Fix:      "remove one.",
		Source:   `PTX ISA, "Function Declarations and Definitions".`,
		Example: `.func f() { ret; }
.func f() { ret; }`,
	},
	{
		Code:     IllegalAlias,
		Severity: diag.Error,
		When: "IllegalAlias occurs when an .alias is not after equal declarations of two different functions, when " +
			"the alias has a body or gets one, or is an alias already, or when the aliasee is " +
			".weak or .extern.",
		Fix:    "declare the alias as the aliasee is declared, above the .alias and without a body.",
		Source: `PTX ISA, ".alias"; measured with the assemblers 11.8, 12.4 and 13.5.`,
		Example: `.visible .func f(.param .u32 x) { ret; }
.visible .func g(.param .u64 x);
.alias g, f;`,
	},
	{
		Code:     ModuleParameter,
		Severity: diag.Error,
		When:     "ModuleParameter occurs when a .param variable is declared outside functions.",
		Fix:      "declare it in the body that passes it.",
		Source:   `PTX ISA, "Parameter State Space".`,
		Example:  `.param .b32 p;`,
	},
	{
		Code:     ModuleRegister,
		Severity: diag.Error,
		When:     "ModuleRegister occurs when a .reg or .local variable is declared outside functions.",
		Fix:      "declare it in each function, or use .global.",
		Source:   `PTX ISA, "Register State Space" and "Local State Space".`,
		Example:  `.reg .b32 %r;`,
	},
	{
		Code:     DisabledABI,
		Severity: diag.Warning,
		When: "DisabledABI occurs when a .reg or .local variable outside functions, before PTX 3.0, switches the ABI " +
			"off for the whole module; with -c that is an error.",
		Fix:    "declare it in each function.",
		Source: `PTX ISA, "Changes from PTX ISA Version 1.x".`,
		Example: `.version 2.3
.target sm_20
.address_size 64
.reg .b32 %r;`,
	},
	{
		Code:     MissingABI,
		Severity: diag.Error,
		When:     "MissingABI occurs when a call through a register is in a module without ABI, even if no kernel can reach it.",
		Fix:      "keep one result and no module-level registers.",
		Source:   `PTX ISA, "Changes from PTX ISA Version 1.x"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.version 2.3
.target sm_20
.address_size 64
.func (.reg .b32 a, .reg .b32 b) f() { ret; }
.entry k() { .reg .b64 %d; p: .callprototype _; call %d, p; ret; }`,
		Also: []diag.Code{MultipleResults},
	},
	{
		Code:     RecursiveFunction,
		Severity: diag.Error,
		When: "RecursiveFunction occurs when a function calls itself, directly or through others, in a module without " +
			"ABI.",
		Fix:    "keep one result and no module-level registers.",
		Source: `PTX ISA, "Changes from PTX ISA Version 1.x"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.func (.reg .b32 a, .reg .b32 b) f() { ret; }
.func g() { call g; ret; }
.visible .entry k() { call g; ret; }`,
		Also: []diag.Code{MultipleResults},
	},
	{
		Code:     MisplacedDirective,
		Severity: diag.Error,
		When: "MisplacedDirective occurs when a directive stands where it has no place, such as .maxntid on a function, " +
			"on a declaration or before the name of a kernel, .noreturn on a kernel or after .abi_preserve, " +
			".attribute on a kernel, or .attribute(.managed) on a formal, a register or a .param variable.",
		Fix:     "drop it, or write it where the message says.",
		Source:  `PTX ISA, "Performance-Tuning Directives"; measured with the assemblers 11.8 to 13.5.`,
		Example: `.func f() .maxnreg 32 { ret; }`,
	},
	{
		Code:     UnknownWord,
		Severity: diag.Error,
		When: "UnknownWord occurs when a directive, a type, a state space, an instruction or a modifier is none of PTX 1.0 to 9.5. It is a " +
			"warning, once for a module, where the module states a later .version, whose words are not known.",
		Fix:     "correct the word; of a later version, look whether a later release of this tool knows it.",
		Source:  `PTX ISA 1.0 to 9.5; measured with the assemblers 11.8 to 13.5.`,
		Example: `.visible .entry k() .maxthreads 32 { ret; }`,
	},
	{
		Code:     NarrowAddresses,
		Severity: diag.Error,
		When: "NarrowAddresses occurs when a module with .address_size 32 is for sm_90 or later, for an assembler of release 12.4 or later, or of a version of PTX after 7.8: " +
			"11.8, the last release that has 32-bit addresses, reads neither.",
		Fix:    "compile for 64-bit addresses.",
		Source: "measured with the assemblers 11.8 to 13.5, sm_50 to sm_90.",
		Example: `.version 7.8
.target sm_90
.address_size 32
.visible .entry k() { ret; }`,
	},
	{
		Code:     RepeatedDirective,
		Severity: diag.Error,
		When: "RepeatedDirective occurs when .noreturn, .abi_preserve or .abi_preserve_control stands twice on one " +
			"function or prototype.",
		Fix:     "remove one.",
		Source:  "measured with the assemblers 11.8 to 13.5.",
		Example: `.func f() .noreturn .noreturn { trap; }`,
	},
	{
		Code:     IllegalPreserve,
		Severity: diag.Error,
		When: "IllegalPreserve occurs when the number of an .abi_preserve or .abi_preserve_control is too large, or " +
			"when the registers that .abi_preserve keeps leave too few for what the function passes: of 0 and 1 for " +
			"11 words or more, where the return address is.",
		Fix:    "keep other registers, or pass fewer words.",
		Source: `PTX ISA, ".abi_preserve" and ".abi_preserve_control"; measured with the assemblers 13.0, 13.4 and 13.5.`,
		Example: `.version 9.0
.target sm_80
.address_size 64
.visible .func f(.param .align 4 .b8 x[44]) .abi_preserve 0 { ret; }`,
	},
	{
		Code:     NoreturnResult,
		Severity: diag.Error,
		When:     "NoreturnResult occurs when a .noreturn function or prototype has a result.",
		Fix:      "drop one.",
		Source:   `PTX ISA, ".noreturn".`,
		Example:  `.func (.param .b32 r) f() .noreturn { trap; }`,
	},
	{
		Code:     UnifiedFunction,
		Severity: diag.Error,
		When: "UnifiedFunction occurs when a function or a parameter has .attribute(.unified) and the module is " +
			"compiled as a whole program.",
		Fix:     "compile with -c.",
		Source:  "measured with the assemblers 11.8 and 12.4.",
		Example: `.func .attribute(.unified(1, 2)) f() { ret; }`,
	},
	{
		Code:     NewerFeature,
		Severity: diag.Error,
		When: "NewerFeature occurs when something needs a newer .version or .target than the module states; the " +
			"message names both.",
		Fix:    "raise the .version or the .target.",
		Source: `PTX ISA, "PTX ISA Notes" and "Target ISA Notes" of each section.`,
		Example: `.version 6.3
.target sm_70
.address_size 64
.func f() .noreturn { trap; }`,
	},
	{
		Code:     TrailingNul,
		Severity: diag.Warning,
		When: "TrailingNul occurs when a module ends with NUL characters, as strings of C do; releases of the assembler up " +
			"to 12.9 stop reading there, and from 13.0 on they refuse it.",
		Fix:     "drop them: give the length of the text without the terminator.",
		Source:  "measured with the assemblers 11.8 to 13.5.",
		Example: ".visible .entry k() { ret; }\x00",
	},
	{
		Code:     ParameterAddress,
		Severity: diag.Error,
		When:     "ParameterAddress occurs when a variable is initialised with the address of a parameter.",
		Fix:      "store it at run time.",
		Source:   `PTX ISA, "Initializers".`,
		Example: `.global .u64 g = x;
.visible .entry k(.param .u32 x) { ret; }`,
	},
}
