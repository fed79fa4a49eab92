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
