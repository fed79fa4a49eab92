package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about formals and .param variables: types, shapes, alignment.
const (
	// AlternateFormat is a formal or variable of a type that only instructions have.
	AlternateFormat diag.Code = "AlternateFormat"
	// SubwordFormal is a scalar formal or result of 8 or 16 bits with an integer type in a function that is compiled for the ABI.
	SubwordFormal diag.Code = "SubwordFormal"
	// PredicateFormal is a predicate that is passed in a register, for the ABI or as a vector or array.
	PredicateFormal diag.Code = "PredicateFormal"
	// NarrowRegister is a formal in .reg space with fewer than 32 bits.
	NarrowRegister diag.Code = "NarrowRegister"
	// UnplaceableType is a .param variable of a type that the assembler does not place in .param space.
	UnplaceableType diag.Code = "UnplaceableType"
	// VectorParameter is a .param variable that is a vector.
	VectorParameter diag.Code = "VectorParameter"
	// IllegalVector is a vector with a wrong number of elements or more than 16 bytes.
	IllegalVector diag.Code = "IllegalVector"
	// RegisterArray is a formal in .reg space that is an array or a handle, or registers declared as an array.
	RegisterArray diag.Code = "RegisterArray"
	// NestedArray is a .param variable with more than one dimension.
	NestedArray diag.Code = "NestedArray"
	// OversizedArray is an array whose extent does not fit in 32 bits.
	OversizedArray diag.Code = "OversizedArray"
	// RangedFormal is a formal that declares several names at once.
	RangedFormal diag.Code = "RangedFormal"
	// NamelessFormal is a formal of a function that is named _.
	NamelessFormal diag.Code = "NamelessFormal"
	// DuplicateName is a name that is declared twice in one scope.
	DuplicateName diag.Code = "DuplicateName"
	// WrongFormalSpace is a kernel's parameter outside .param space.
	WrongFormalSpace diag.Code = "WrongFormalSpace"
	// MultipleResults is a function with several results.
	MultipleResults diag.Code = "MultipleResults"
	// KernelResult is a kernel with a result.
	KernelResult diag.Code = "KernelResult"
	// UnsizedResult is a result that is an array without extent.
	UnsizedResult diag.Code = "UnsizedResult"
	// UnsizedFormal is an array without extent where an array must have one.
	UnsizedFormal diag.Code = "UnsizedFormal"
	// UnsizedLocal is a .param variable of a body without a size.
	UnsizedLocal diag.Code = "UnsizedLocal"
	// InitializedParameter is a .param variable with an initial value.
	InitializedParameter diag.Code = "InitializedParameter"

	// Alignment.

	// OddAlignment is an alignment that is not a power of two.
	OddAlignment diag.Code = "OddAlignment"
	// ExcessiveAlignment is a .param variable of a function that is aligned to more than 128 bytes.
	ExcessiveAlignment diag.Code = "ExcessiveAlignment"
	// WideAlignment is a formal of a function that is aligned to 32, 64 or 128 bytes.
	WideAlignment diag.Code = "WideAlignment"
	// LateAlignment is an .align after the type or the vector size.
	LateAlignment diag.Code = "LateAlignment"
)

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
	// ConflictingDeclaration is declarations of one function that differ in their formals or in the registers that they
	// preserve.
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

// Codes about calls: prototypes, callees, arguments against formals.
const (
	// MisplacedPrototype is a prototype or a list of targets outside a function.
	MisplacedPrototype diag.Code = "MisplacedPrototype"
	// MissingPrototype is a call through a register without prototype and list of targets.
	MissingPrototype diag.Code = "MissingPrototype"
	// UnknownPrototype is a call whose prototype, list or table is not declared before it.
	UnknownPrototype diag.Code = "UnknownPrototype"
	// IllegalCallee is a callee that is neither a function nor a register that can hold its address.
	IllegalCallee diag.Code = "IllegalCallee"
	// CalledKernel is a call of a kernel.
	CalledKernel diag.Code = "CalledKernel"
	// PreservedTarget is a list of targets of which one preserves registers.
	PreservedTarget diag.Code = "PreservedTarget"

	// Arguments against formals.

	// WrongCount is a call with more or fewer arguments or results than formals.
	WrongCount diag.Code = "WrongCount"
	// IllegalOperand is an operand that cannot be passed, returned or loaded.
	IllegalOperand diag.Code = "IllegalOperand"
	// WrongSpace is an argument that is a variable in another space, or a function.
	WrongSpace diag.Code = "WrongSpace"
	// PassedFormal is a .param formal that its function passes on, or takes a result in.
	PassedFormal diag.Code = "PassedFormal"
	// MismatchedType is a scalar argument that differs from its formal in size or class.
	MismatchedType diag.Code = "MismatchedType"
	// MismatchedArray is an array that differs from its formal in bytes or class, or meets a scalar.
	MismatchedArray diag.Code = "MismatchedArray"
	// MismatchedVector is a vector that differs from its formal in bytes.
	MismatchedVector diag.Code = "MismatchedVector"
	// MismatchedAlignment is an argument whose alignment differs from that of its formal.
	MismatchedAlignment diag.Code = "MismatchedAlignment"
	// MismatchedConstant is a constant of another kind than its formal, or than the type of its store.
	MismatchedConstant diag.Code = "MismatchedConstant"
	// LooseArray is an array with the bytes of its formal and other elements.
	LooseArray diag.Code = "LooseArray"
	// LooseVector is a vector with the bytes of its formal and other elements.
	LooseVector diag.Code = "LooseVector"
	// LoosePair is a typed register or a predicate for an .f16x2 formal, or the other way round.
	LoosePair diag.Code = "LoosePair"
	// UnrepresentableConstant is an integer constant that does not fit its formal.
	UnrepresentableConstant diag.Code = "UnrepresentableConstant"
	// RawFloat is a floating-point constant whose bits are not those of the formal's type.
	RawFloat diag.Code = "RawFloat"
)

// Codes about accesses to parameters.
const (
	// WrittenInput is an st.param to an input.
	WrittenInput diag.Code = "WrittenInput"
	// ReadResult is an ld.param from the function's own result.
	ReadResult diag.Code = "ReadResult"
	// StoredInput is an st.param through a register that points to an input.
	StoredInput diag.Code = "StoredInput"
	// PredicatedAccess is a predicated store to an argument or load of a result.
	PredicatedAccess diag.Code = "PredicatedAccess"
	// LocalAddress is the address of a .param variable of a body.
	LocalAddress diag.Code = "LocalAddress"
	// MismatchedSpace is an access of another space to a parameter, or ld.param of something else.
	MismatchedSpace diag.Code = "MismatchedSpace"
	// WrongWindow is a parameter's address that is used in another space.
	WrongWindow diag.Code = "WrongWindow"
	// WrongQualifier is ::entry on a parameter of a function, or ::func on one of a kernel.
	WrongQualifier diag.Code = "WrongQualifier"
	// ShadowedFormal is an access to a .param variable of a block that has the name of a formal.
	ShadowedFormal diag.Code = "ShadowedFormal"
	// IllegalModifier is a modifier that accesses to .param do not have.
	IllegalModifier diag.Code = "IllegalModifier"
	// IllegalAccessType is an access to .param with a type that memory accesses do not have.
	IllegalAccessType diag.Code = "IllegalAccessType"
	// IllegalAddress is an access to .param with an invalid address.
	IllegalAddress diag.Code = "IllegalAddress"
	// MismatchedRegister is a register that does not match the type of its access.
	MismatchedRegister diag.Code = "MismatchedRegister"
	// MisalignedAccess is an access that is not aligned to its size.
	MisalignedAccess diag.Code = "MisalignedAccess"
	// OutOfBounds is an access past the end of its variable.
	OutOfBounds diag.Code = "OutOfBounds"
	// WideAccess is an access that is wider than its scalar variable.
	WideAccess diag.Code = "WideAccess"
	// NegativeOffset is an access before the beginning of its variable.
	NegativeOffset diag.Code = "NegativeOffset"
	// OwnName is an access to a variable or formal with its function's own name.
	OwnName diag.Code = "OwnName"
	// MismatchedTail is a store into a variadic tail that the callee loads at other offsets.
	MismatchedTail diag.Code = "MismatchedTail"
	// FarAccess is an access far outside a variable that is in registers.
	FarAccess diag.Code = "FarAccess"
	// MisreadPart is a part of a word of a kernel's parameters that some releases pass on wrongly.
	MisreadPart diag.Code = "MisreadPart"
	// TruncatedQuad is 128 bits in a formal in .reg space, in the register of a result, or in a load of a formal or a result.
	TruncatedQuad diag.Code = "TruncatedQuad"
)

// Codes about the order of stores to arguments, calls and loads of results: the paths of
// control that they are on, other instructions between them, and missing ones.
const (
	// SeparatedStore is an instruction between a store to an argument and its call.
	SeparatedStore diag.Code = "SeparatedStore"
	// SeparatedLoad is an instruction between a call and a load of its result.
	SeparatedLoad diag.Code = "SeparatedLoad"
	// SplitCall is control flow or a label between a call and its stores or loads.
	SplitCall diag.Code = "SplitCall"
	// BranchedStore is stores of the same bytes of an argument on different paths to a call.
	BranchedStore diag.Code = "BranchedStore"
	// StaleArgument is an argument that was stored for an earlier call.
	StaleArgument diag.Code = "StaleArgument"
	// StaleResult is a result that is read after another call with arguments.
	StaleResult diag.Code = "StaleResult"
	// UnwrittenArgument is an argument without a store before the call.
	UnwrittenArgument diag.Code = "UnwrittenArgument"
	// UncollectedResult is a result in a .param variable that nothing reads.
	UncollectedResult diag.Code = "UncollectedResult"
	// AbandonedResult is a result in memory that nothing loads.
	AbandonedResult diag.Code = "AbandonedResult"
	// LoneResult is a result in memory of a call without arguments, below sm_80.
	LoneResult diag.Code = "LoneResult"
	// SharedParameter is a .param variable that serves two calls.
	SharedParameter diag.Code = "SharedParameter"
	// PrematureLoad is a read of a .param variable that no earlier call returns into.
	PrematureLoad diag.Code = "PrematureLoad"
)

// Codes about several modules.
const (
	// MismatchedModules is declarations in two modules that the linker refuses to join.
	MismatchedModules diag.Code = "MismatchedModules"
	// SilentMismatch is declarations in two modules that the linker takes, though caller
	// and callee use different places.
	SilentMismatch diag.Code = "SilentMismatch"
	// LooseDeclaration is declarations in two modules that differ without effect.
	LooseDeclaration diag.Code = "LooseDeclaration"
	// LostReturn is a call that does not come back of a function that does.
	LostReturn diag.Code = "LostReturn"
	// MissingDefinition is a function that a module calls and none defines.
	MissingDefinition diag.Code = "MissingDefinition"
	// RepeatedDefinition is a function that two modules define.
	RepeatedDefinition diag.Code = "RepeatedDefinition"
)
