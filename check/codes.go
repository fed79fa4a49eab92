package check

// Codes of the complaints. They are stable: scripts and comments in sources may
// name them.
//
// A code is an adjective and a noun. Each comment says when the code occurs,
// at which severity, what mends it and where the rule comes from, and has an
// example that a test holds to: it draws this code and no other. Examples
// without a .version are meant for .version 8.3 and .target sm_90. [Explain]
// reads these comments, so their form is fixed.
const (

	// Types and shapes of formals and .param variables.

	// AlternateFormat occurs when a formal or variable is declared with a type that only instructions
	// have: an alternate floating-point format or a packed type.
	//
	// Severity: error.
	// Mend: declare it with the untyped bits that hold it: .b8 for .e4m3, .b16 for .bf16, .b32 for
	// .tf32 and .bf16x2, and so on.
	// Source: PTX ISA, "Alternate Floating-Point Data Formats" and "Packed Data Types".
	//
	// Example:
	//
	//	.func f(.param .bf16 x) { ret; }
	AlternateFormat = "AlternateFormat"

	// SubwordFormal occurs when a scalar formal or result is .u8, .s8, .u16 or .s16 and the function
	// is compiled for the ABI: with -c every one, else those that a kernel can come to.
	//
	// Severity: error.
	// Mend: pass .b32, or an array of one element; .b8, .b16 and .f16 are taken as they are.
	// Source: PTX ISA, "Restricted Use of Sub-Word Sizes"; measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c:
	//
	//	.visible .func f(.param .u8 x) { ret; }
	SubwordFormal = "SubwordFormal"

	// PredicateFormal occurs when a predicate is passed in a register by a function that is compiled
	// for the ABI, or is a vector or an array.
	//
	// Severity: error.
	// Mend: pass .b32 made with selp, and compare it with setp.
	// Source: PTX ISA, "Operand Type Checking" and "Restricted Use of Sub-Word Sizes".
	//
	// Example with -c:
	//
	//	.visible .func f(.reg .pred p) { ret; }
	PredicateFormal = "PredicateFormal"

	// NarrowRegister occurs when a formal in .reg space has fewer than 32 bits.
	//
	// Severity: warning.
	// Mend: pass .b32 in the register, or the narrow type in .param space.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f(.reg .b16 x) { ret; }
	NarrowRegister = "NarrowRegister"

	// UnplaceableType occurs when a .param variable has a type that the assembler does not place in
	// .param space: .pred, a scalar .f16x2, a texture, sampler or surface outside a kernel's
	// parameters.
	//
	// Severity: error.
	// Mend: pass .b32 for .f16x2 and for predicates, a 64-bit handle for the others.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .f16x2 x) { ret; }
	UnplaceableType = "UnplaceableType"

	// VectorParameter occurs when a .param variable is a vector; the manual allows it and no assembler
	// does.
	//
	// Severity: error.
	// Mend: declare a byte array of the vector's size and alignment.
	// Source: PTX ISA, "Function Declarations and Definitions"; measured with the assemblers 11.8 and
	// 12.4.
	//
	// Example:
	//
	//	.func f(.param .v2 .b32 x) { ret; }
	VectorParameter = "VectorParameter"

	// IllegalVector occurs when a vector has neither 2 nor 4 elements, or takes more than 16 bytes.
	//
	// Severity: error.
	// Mend: split it.
	// Source: PTX ISA, "Vectors".
	//
	// Example:
	//
	//	.func f(.reg .v4 .b64 x) { ret; }
	IllegalVector = "IllegalVector"

	// RegisterArray occurs when a formal in .reg space is an array or a handle, or registers are
	// declared as an array.
	//
	// Severity: error.
	// Mend: pass it in .param space; declare registers as x<4>.
	// Source: PTX ISA, "Register State Space".
	//
	// Example:
	//
	//	.func f(.reg .b32 x[4]) { ret; }
	RegisterArray = "RegisterArray"

	// NestedArray occurs when a .param variable has more than one dimension.
	//
	// Severity: error.
	// Mend: multiply the extents.
	// Source: PTX ISA, "Array Declarations"; measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b32 x[2][3]) { ret; }
	NestedArray = "NestedArray"

	// OversizedArray occurs when the extent of an array does not fit in 32 bits.
	//
	// Severity: error.
	// Mend: pass a pointer.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b8 x[4294967296]) { ret; }
	OversizedArray = "OversizedArray"

	// RangedFormal occurs when a formal declares several names at once, as in x<4>; only variables do.
	//
	// Severity: error.
	// Mend: declare each formal.
	// Source: PTX ISA, "Parameterized Variable Names".
	//
	// Example:
	//
	//	.func f(.reg .b32 x<4>) { ret; }
	RangedFormal = "RangedFormal"

	// NamelessFormal occurs when a formal of a function is named _.
	//
	// Severity: error.
	// Mend: name it; _ stands in prototypes only.
	// Source: PTX ISA, ".callprototype".
	//
	// Example:
	//
	//	.extern .func f(.param .b32 _);
	NamelessFormal = "NamelessFormal"

	// DuplicateName occurs when two formals of a function, or two variables of a block, have one name.
	//
	// Severity: error.
	// Mend: rename one.
	// Source: PTX ISA, "Identifiers".
	//
	// Example:
	//
	//	.func f(.param .b32 x, .param .b32 x) { ret; }
	DuplicateName = "DuplicateName"

	// WrongFormalSpace occurs when a kernel's parameter is not in .param space.
	//
	// Severity: error.
	// Mend: declare it .param.
	// Source: PTX ISA, "Kernel Function Parameters".
	//
	// Example:
	//
	//	.visible .entry k(.reg .b32 x) { ret; }
	WrongFormalSpace = "WrongFormalSpace"

	// MultipleResults occurs when a function has several results, which switches the ABI off for the
	// whole module; with -c, and where one of them is in .param space, that is an error.
	//
	// Severity: warning.
	// Mend: return one .param array that holds them all.
	// Source: PTX ISA, "Function Declarations and Definitions"; measured with the assemblers 11.8 and
	// 12.4.
	//
	// Example:
	//
	//	.func (.reg .b32 a, .reg .b32 b) f() { ret; }
	MultipleResults = "MultipleResults"

	// KernelResult occurs when a kernel has a result.
	//
	// Severity: error.
	// Mend: return it through global memory.
	// Source: PTX ISA, ".entry".
	//
	// Example:
	//
	//	.visible .entry (.param .b32 r) k() { ret; }
	KernelResult = "KernelResult"

	// UnsizedResult occurs when a result is an array without extent.
	//
	// Severity: error.
	// Mend: give it an extent.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func (.param .align 4 .b8 r[]) f() { ret; }
	UnsizedResult = "UnsizedResult"

	// UnsizedFormal occurs when an array without extent, x[] or x[0], is not the last formal of a
	// function, or is in .reg space, or belongs to a kernel.
	//
	// Severity: error.
	// Mend: move it behind the others, and into .param space.
	// Source: PTX ISA, "Variadic Functions".
	//
	// Example:
	//
	//	.func f(.param .b8 x[], .param .b32 n) { ret; }
	UnsizedFormal = "UnsizedFormal"

	// UnsizedLocal occurs when a .param variable of a body has no size.
	//
	// Severity: error.
	// Mend: give it the size of what is passed, or leave the variadic argument out.
	// Source: PTX ISA, "Variadic Functions".
	//
	// Example:
	//
	//	.func f() { .param .align 4 .b8 a[0]; ret; }
	UnsizedLocal = "UnsizedLocal"

	// InitializedParameter occurs when a .param variable has an initial value.
	//
	// Severity: error.
	// Mend: store it with st.param.
	// Source: PTX ISA, "Initializers".
	//
	// Example:
	//
	//	.func f() { .param .b32 a = 5; ret; }
	InitializedParameter = "InitializedParameter"

	// Alignment.

	// OddAlignment occurs when .align says something else than a power of two.
	//
	// Severity: error.
	// Mend: say 1, 2, 4, 8 or 16.
	// Source: PTX ISA, "Alignment".
	//
	// Example:
	//
	//	.func f(.param .align 12 .b8 x[12]) { ret; }
	OddAlignment = "OddAlignment"

	// ExcessiveAlignment occurs when a .param variable of a function is aligned to more than 128
	// bytes, the most that the assembler takes; a declaration that says so is a warning.
	//
	// Severity: error.
	// Mend: align it to 16 and copy it where it is needed.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .align 256 .b8 x[4]) { ret; }
	ExcessiveAlignment = "ExcessiveAlignment"

	// WideAlignment occurs when a formal of a function is aligned to 32, 64 or 128 bytes, which the
	// assembler takes and the manual does not list.
	//
	// Severity: warning.
	// Mend: align it to 16 and copy it where it is needed.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f(.param .align 32 .b8 x[32]) { ret; }
	WideAlignment = "WideAlignment"

	// LateAlignment occurs when .align stands behind the type, as examples in some documents have it.
	//
	// Severity: error.
	// Mend: put .align before the type.
	// Source: PTX ISA, "Alignment"; measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b8 .align 8 x[12]) { ret; }
	LateAlignment = "LateAlignment"

	// Kernel parameters.

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
	MisplacedPointer = "MisplacedPointer"

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
	PointlessPointer = "PointlessPointer"

	// OversizedBlock occurs when a kernel has more than 32,764 bytes of parameters.
	//
	// Severity: error.
	// Mend: pass a pointer.
	// Source: PTX ISA, "Kernel Function Parameters".
	//
	// Example:
	//
	//	.visible .entry k(.param .b8 x[40000]) { ret; }
	OversizedBlock = "OversizedBlock"

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
	UndeclaredCallee = "UndeclaredCallee"

	// UndeclaredName occurs when an operand is a name that is not declared at this place.
	//
	// Severity: error.
	// Mend: declare it, before its use and in an enclosing block.
	// Source: PTX ISA, "Identifiers".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { ld.param.b32 %r1, [x]; ret; }
	UndeclaredName = "UndeclaredName"

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
	ForeignParameter = "ForeignParameter"

	// UndefinedFunction occurs when a function is declared without .extern and never defined.
	//
	// Severity: error.
	// Mend: define it, or declare it .extern.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f(.param .b32 x);
	UndefinedFunction = "UndefinedFunction"

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
	UnresolvedExtern = "UnresolvedExtern"

	// ConflictingDeclaration occurs when declarations of one function differ in number, space, type,
	// size or alignment of formals; names may differ.
	//
	// Severity: error.
	// Mend: make them equal.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f(.param .u32 x);
	//	.func f(.param .s32 x) { ret; }
	ConflictingDeclaration = "ConflictingDeclaration"

	// ConflictingLinkage occurs when declarations of one function differ in linking directive or
	// .noreturn, an .extern function has a body, or .common stands on a function.
	//
	// Severity: error.
	// Mend: write the same on both.
	// Source: PTX ISA, "Linking Directives".
	//
	// Example:
	//
	//	.extern .func f();
	//	.visible .func f() { ret; }
	ConflictingLinkage = "ConflictingLinkage"

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
	ConflictingName = "ConflictingName"

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
	DuplicateDefinition = "DuplicateDefinition"

	// ModuleParameter occurs when a .param variable is declared outside functions.
	//
	// Severity: error.
	// Mend: declare it in the body that passes it.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example:
	//
	//	.param .b32 p;
	ModuleParameter = "ModuleParameter"

	// ModuleRegister occurs when a .reg or .local variable is declared outside functions.
	//
	// Severity: error.
	// Mend: declare it in each function, or use .global.
	// Source: PTX ISA, "Register State Space" and "Local State Space".
	//
	// Example:
	//
	//	.reg .b32 %r;
	ModuleRegister = "ModuleRegister"

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
	DisabledABI = "DisabledABI"

	// MissingABI occurs when a call through a register stands in a module without ABI.
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
	MissingABI = "MissingABI"

	// RecursiveFunction occurs when a function calls itself, directly or through others, in a module
	// without ABI.
	//
	// Severity: error.
	// Mend: keep one result and no module-level registers.
	// Source: PTX ISA, "Alloca" and "Changes from PTX ISA Version 1.x"; measured with the assemblers
	// 11.8 and 12.4.
	//
	// Example, which draws MultipleResults too:
	//
	//	.func (.reg .b32 a, .reg .b32 b) f() { ret; }
	//	.func g() { call g; ret; }
	//	.visible .entry k() { call g; ret; }
	RecursiveFunction = "RecursiveFunction"

	// MisplacedDirective occurs when a performance directive of kernels, such as .maxntid, stands on a
	// function, or .noreturn on a kernel.
	//
	// Severity: error.
	// Mend: drop it.
	// Source: PTX ISA, "Performance-Tuning Directives".
	//
	// Example:
	//
	//	.func f() .maxnreg 32 { ret; }
	MisplacedDirective = "MisplacedDirective"

	// NoreturnResult occurs when a .noreturn function or prototype has a result.
	//
	// Severity: error.
	// Mend: drop one.
	// Source: PTX ISA, ".noreturn".
	//
	// Example:
	//
	//	.func (.param .b32 r) f() .noreturn { trap; }
	NoreturnResult = "NoreturnResult"

	// UnifiedFunction occurs when a function has .attribute(.unified) and the module is compiled as a
	// whole program.
	//
	// Severity: error.
	// Mend: compile with -c.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func .attribute(.unified(1, 2)) f() { ret; }
	UnifiedFunction = "UnifiedFunction"

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
	NewerFeature = "NewerFeature"

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
	ParameterAddress = "ParameterAddress"

	// Prototypes and callees.

	// MisplacedPrototype occurs when a .callprototype or a list of targets stands outside a function.
	//
	// Severity: error.
	// Mend: move it into the body that calls through it.
	// Source: PTX ISA, ".callprototype".
	//
	// Example:
	//
	//	p: .callprototype _ (.param .b32 _);
	MisplacedPrototype = "MisplacedPrototype"

	// MissingPrototype occurs when a call through a register names no prototype and no list of
	// targets.
	//
	// Severity: error.
	// Mend: add one behind the arguments.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .b64 x) { call x; ret; }
	MissingPrototype = "MissingPrototype"

	// UnknownPrototype occurs when the prototype of a call is not declared before the call in the same
	// function.
	//
	// Severity: error.
	// Mend: declare it further up.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .b64 x) { call x, p; p: .callprototype _; ret; }
	UnknownPrototype = "UnknownPrototype"

	// IllegalCallee occurs when what is called, or named as a target of calls, is no function and no
	// register.
	//
	// Severity: error.
	// Mend: load the function's address into a register.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.global .b32 v;
	//	.func f() { call v; ret; }
	IllegalCallee = "IllegalCallee"

	// CalledKernel occurs when a call names a kernel.
	//
	// Severity: error.
	// Mend: call a function; only the host, or a launch, starts kernels.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.visible .entry e() { ret; }
	//	.visible .entry k() { call e; ret; }
	CalledKernel = "CalledKernel"

	// Arguments against formals.

	// WrongCount occurs when a call has more or fewer arguments or results than the callee has
	// formals; an array without extent may be left out.
	//
	// Severity: error.
	// Mend: pass one for each; write _ for a result that nobody wants.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .b32 x) { ret; }
	//	.func g() { call f; ret; }
	WrongCount = "WrongCount"

	// IllegalOperand occurs when an operand is nothing that can be passed, returned or loaded: a
	// constant or an element of a vector as a destination, a special register, a list in braces.
	//
	// Severity: error.
	// Mend: move the value into a register.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .b32 x) { ret; }
	//	.func g() { call f, (%laneid); ret; }
	IllegalOperand = "IllegalOperand"

	// WrongSpace occurs when an argument is a variable in .global, .local, .shared or .const space, or
	// a function.
	//
	// Severity: error.
	// Mend: move its address into a register and pass that.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.global .b64 v;
	//	.func f(.reg .b64 x) { ret; }
	//	.func g() { call f, (v); ret; }
	WrongSpace = "WrongSpace"

	// PassedFormal occurs when a function passes its own .param formal on, or takes a result in it.
	//
	// Severity: error.
	// Mend: copy it with ld.param and st.param into a .param variable of the body.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { ret; }
	//	.func g(.param .b32 y) { call f, (y); ret; }
	PassedFormal = "PassedFormal"

	// MismatchedType occurs when a scalar differs from its formal in size or class; .bN goes with
	// every class of its size, .uN with .sN.
	//
	// Severity: error.
	// Mend: declare both alike.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .b32 x) { ret; }
	//	.func g() { .reg .b64 %a; call f, (%a); ret; }
	MismatchedType = "MismatchedType"

	// MismatchedArray occurs when an array differs from its formal in bytes or in the class of
	// elements, or one of them is a scalar.
	//
	// Severity: error.
	// Mend: declare both alike.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.param .b8 x[12]) { ret; }
	//	.func g() { .param .b8 a[16]; st.param.b8 [a], 0; call f, (a); ret; }
	MismatchedArray = "MismatchedArray"

	// MismatchedVector occurs when a vector differs from its formal in bytes.
	//
	// Severity: error.
	// Mend: declare both alike.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .v2 .f32 x) { ret; }
	//	.func g() { .reg .v4 .f32 %v; call f, (%v); ret; }
	MismatchedVector = "MismatchedVector"

	// MismatchedAlignment occurs when an argument is aligned otherwise than its formal; registers
	// count with their own size.
	//
	// Severity: error.
	// Mend: write the same .align on both.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.param .align 8 .b8 x[16]) { ret; }
	//	.func g() { .param .align 4 .b8 a[16]; st.param.b8 [a], 0; call f, (a); ret; }
	MismatchedAlignment = "MismatchedAlignment"

	// MismatchedConstant occurs when a constant is passed to a formal that takes none of its kind: an
	// integer to a float, a float to an integer, anything to an array or a predicate; or a store has a
	// constant of another kind than its type.
	//
	// Severity: error.
	// Mend: write a constant of the formal's type.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .f32 x) { ret; }
	//	.func g() { call f, (1); ret; }
	MismatchedConstant = "MismatchedConstant"

	// LooseArray occurs when two arrays have the same bytes but different elements; the assembler
	// compares bytes alone once one of them is .bN.
	//
	// Severity: warning.
	// Mend: make the elements equal.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.param .align 8 .b8 x[16]) { ret; }
	//	.func g() { .param .b64 a[2]; st.param.b64 [a], 0; call f, (a); ret; }
	LooseArray = "LooseArray"

	// LooseVector occurs when a vector and its formal have the same bytes but different elements.
	//
	// Severity: warning.
	// Mend: make them equal.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .v2 .f32 x) { ret; }
	//	.func g() { .reg .v2 .u32 %v; call f, (%v); ret; }
	LooseVector = "LooseVector"

	// LoosePair occurs when a typed register or a predicate is passed to an .f16x2 formal, or the
	// other way round; the assembler takes anything there.
	//
	// Severity: warning.
	// Mend: use .b32 or .f16x2 for both.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .f16x2 x) { ret; }
	//	.func g() { .reg .u32 %a; call f, (%a); ret; }
	LoosePair = "LoosePair"

	// UnrepresentableConstant occurs when an integer constant does not fit its formal; the callee gets
	// it modulo 2^N.
	//
	// Severity: warning.
	// Mend: write the value that is meant.
	// Source: PTX ISA, "call"; measured with the assemblers 11.8 and 12.4.
	//
	// Example, which draws NarrowRegister too:
	//
	//	.func f(.reg .b16 x, .param .b32 y) { ret; }
	//	.func g() { call f, (1, 4294967296); ret; }
	UnrepresentableConstant = "UnrepresentableConstant"

	// RawFloat occurs when the bits of a floating-point constant are not those of the formal's type: a
	// 0f constant to .f64, a decimal one to .b32, any to 16 bits or less.
	//
	// Severity: warning.
	// Mend: write 0d for .f64 and 0f for 32 bits, and integers for less.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .f64 x) { ret; }
	//	.func g() { call f, (0f3F800000); ret; }
	RawFloat = "RawFloat"

	// Accesses to parameters.

	// WrittenInput occurs when st.param writes an input of the function or kernel it stands in.
	//
	// Severity: error.
	// Mend: use a register or .local memory.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { st.param.b32 [x], 1; ret; }
	WrittenInput = "WrittenInput"

	// ReadResult occurs when ld.param reads the result of the function it stands in.
	//
	// Severity: error.
	// Mend: keep the value in a register.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func (.param .b32 r) f() { .reg .b32 %a; ld.param.b32 %a, [r]; ret; }
	ReadResult = "ReadResult"

	// StoredInput occurs when st.param goes through a register that points to an input; the machine
	// code changes a copy on the stack.
	//
	// Severity: warning.
	// Mend: use .local memory of your own.
	// Source: PTX ISA, "Device Function Parameters"; measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b32 x) { .reg .b64 %a; mov.u64 %a, x; st.param.b32 [%a], 1; ret; }
	StoredInput = "StoredInput"

	// PredicatedAccess occurs when a store to an argument or a load of a result is predicated.
	//
	// Severity: error.
	// Mend: select the value before, or branch around the whole call.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .reg .pred %p; .param .b32 a; @%p st.param.b32 [a], 1; call g, (a); ret; }
	PredicatedAccess = "PredicatedAccess"

	// LocalAddress occurs when an instruction takes the address of a .param variable of a body, which
	// has none.
	//
	// Severity: error.
	// Mend: copy the value into .local memory.
	// Source: PTX ISA, "Device Function Parameters".
	//
	// Example:
	//
	//	.func f() { .reg .b64 %a; .param .b32 x; mov.u64 %a, x; ret; }
	LocalAddress = "LocalAddress"

	// MismatchedSpace occurs when an instruction of another space names a parameter, or ld.param names
	// something else.
	//
	// Severity: error.
	// Mend: use .param, or mov the address into a register.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { .reg .b32 %a; ld.global.b32 %a, [x]; ret; }
	MismatchedSpace = "MismatchedSpace"

	// WrongWindow occurs when a register that holds a parameter's address is used as an address of
	// another space; the machine code reads the same number there.
	//
	// Severity: warning.
	// Mend: use ld.param in kernels and ld.local in functions, or cvta first.
	// Source: PTX ISA, "Kernel Function Parameters" and "Device Function Parameters"; measured with
	// the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.visible .entry k(.param .b32 n) { .reg .b64 %a; .reg .b32 %r; mov.u64 %a, n; ld.local.b32 %r, [%a]; ret; }
	WrongWindow = "WrongWindow"

	// WrongQualifier occurs when ::entry stands on a parameter of a function, or ::func on one of a
	// kernel; the assembler ignores it on names.
	//
	// Severity: warning.
	// Mend: write the other one.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { .reg .b32 %a; ld.param::entry.b32 %a, [x]; ret; }
	WrongQualifier = "WrongQualifier"

	// IllegalModifier occurs when an access to .param has a modifier that goes with other spaces, such
	// as .volatile or .relaxed, or st.param has ::entry.
	//
	// Severity: error.
	// Mend: drop it.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { .reg .b32 %a; ld.volatile.param.b32 %a, [x]; ret; }
	IllegalModifier = "IllegalModifier"

	// IllegalAccessType occurs when ld.param or st.param has a type that memory accesses do not have,
	// such as .f16 or .pred, or names a handle.
	//
	// Severity: error.
	// Mend: use the untyped bits of the size.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func f(.param .b16 x) { .reg .b16 %a; ld.param.f16 %a, [x]; ret; }
	IllegalAccessType = "IllegalAccessType"

	// IllegalAddress occurs when the address of an access is a bare number, a float, or subtracts with
	// -.
	//
	// Severity: error.
	// Mend: name a variable or an integer register, and write [x+-4].
	// Source: PTX ISA, "Addresses as Operands".
	//
	// Example:
	//
	//	.func f(.param .b32 x[2]) { .reg .b32 %a; ld.param.b32 %a, [8]; ret; }
	IllegalAddress = "IllegalAddress"

	// MismatchedRegister occurs when a register does not go with the type of an access: it is
	// narrower, of another class, or no vector of that size.
	//
	// Severity: error.
	// Mend: declare the register as the type.
	// Source: PTX ISA, "Operand Size Exceeding Instruction-Type Size".
	//
	// Example:
	//
	//	.func f(.param .b64 x) { .reg .b32 %a; ld.param.b64 %a, [x]; ret; }
	MismatchedRegister = "MismatchedRegister"

	// MisalignedAccess occurs when an access is not aligned to its size; the machine code rounds
	// offsets down to a word.
	//
	// Severity: warning.
	// Mend: access the aligned parts.
	// Source: PTX ISA, "Addresses as Operands"; measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b32 x[2]) { .reg .b32 %a; ld.param.b32 %a, [x+2]; ret; }
	MisalignedAccess = "MisalignedAccess"

	// OutOfBounds occurs when an access goes past the end of its variable; the machine code reaches
	// the next parameter.
	//
	// Severity: warning.
	// Mend: keep offset and width within the variable.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b32 x[2]) { .reg .b32 %a; ld.param.b32 %a, [x+8]; ret; }
	OutOfBounds = "OutOfBounds"

	// WideAccess occurs when an access is wider than its scalar variable.
	//
	// Severity: warning.
	// Mend: access the variable with its own width.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.visible .entry k(.param .align 8 .b32 x) { .reg .b64 %a; ld.param.b64 %a, [x]; ret; }
	WideAccess = "WideAccess"

	// NegativeOffset occurs when an access goes before the beginning of its variable.
	//
	// Severity: warning.
	// Mend: keep the offset within the variable.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.visible .entry k(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x+-4]; ret; }
	NegativeOffset = "NegativeOffset"

	// FarAccess occurs when an access goes far past a variable that is in registers, or before it; the
	// assembler crashes.
	//
	// Severity: error.
	// Mend: keep offset and width within the variable.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c:
	//
	//	.visible .func f(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x+4096]; ret; }
	FarAccess = "FarAccess"

	// TruncatedQuad occurs when a scalar .b128 is a formal of a function, or ld.param.b128 reads a
	// formal; releases 12.4 and 12.5 of the assembler move part of it.
	//
	// Severity: warning.
	// Mend: pass .align 16 .b8 x[16] and load .v2.b64.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b128 x) { ret; }
	TruncatedQuad = "TruncatedQuad"

	// Placement of stores, calls and loads.

	// SeparatedStore occurs when another instruction stands between a store to an argument and its
	// call.
	//
	// Severity: warning.
	// Mend: store right before the call.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .reg .b32 %a; .param .b32 a; st.param.b32 [a], 1; mov.b32 %a, 2; call g, (a); ret; }
	SeparatedStore = "SeparatedStore"

	// SeparatedLoad occurs when another instruction stands between a call and a load of its result.
	//
	// Severity: warning.
	// Mend: load right behind the call.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example with -c:
	//
	//	.extern .func (.param .b32 r) g();
	//	.func f() { .reg .b32 %a; .param .b32 r; call (r), g; mov.b32 %a, 2; ld.param.b32 %a, [r]; ret; }
	SeparatedLoad = "SeparatedLoad"

	// SplitCall occurs when control flow or a label stands between a store to an argument and its
	// call, or between a call and a load of its result.
	//
	// Severity: warning.
	// Mend: keep them in one basic block.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .param .b32 a; st.param.b32 [a], 1; L: call g, (a); ret; }
	SplitCall = "SplitCall"

	// BranchedStore occurs when stores on different ways to a call write the same bytes of an
	// argument; the machine code passes what the last store in the text says, on every way.
	//
	// Severity: warning.
	// Mend: select the value before one store, or store and call on each way.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c, which draws SplitCall too:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .reg .pred %p; .param .b32 a; @%p bra T; st.param.b32 [a], 1; bra J; T: st.param.b32 [a], 2; J: call g, (a); ret; }
	BranchedStore = "BranchedStore"

	// StaleArgument occurs when an argument was stored for an earlier call and is passed again; the
	// machine code moves it for the first call alone.
	//
	// Severity: warning.
	// Mend: store it again.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .param .b32 a; st.param.b32 [a], 1; call g, (a); call g, (a); ret; }
	StaleArgument = "StaleArgument"

	// StaleResult occurs when a result is read behind another call; the machine code reads what that
	// call left in the register.
	//
	// Severity: warning.
	// Mend: load right behind the call.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c:
	//
	//	.extern .func (.param .b32 r) g();
	//	.extern .func h();
	//	.func f() { .reg .b32 %a; .param .b32 r; call (r), g; call h; ld.param.b32 %a, [r]; ret; }
	StaleResult = "StaleResult"

	// UnwrittenArgument occurs when no store to an argument stands before the call; the callee gets
	// what is left in the register. Padding may stay unwritten, and a store of any byte is enough.
	//
	// Severity: warning.
	// Mend: store it before the call.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .param .b32 a; call g, (a); ret; }
	UnwrittenArgument = "UnwrittenArgument"

	// UncollectedResult occurs when nothing reads a result that a call returns into a .param variable.
	//
	// Severity: note.
	// Mend: write _ in its place.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example with -c:
	//
	//	.extern .func (.param .b32 r) g();
	//	.func f() { .param .b32 r; call (r), g; ret; }
	UncollectedResult = "UncollectedResult"

	// AbandonedResult occurs when nothing loads a result of more than 48 bytes, which the callee
	// returns in memory; with -c, and through registers, releases of the assembler up to 13.0 crash on
	// some of these calls, though not on all.
	//
	// Severity: warning.
	// Mend: load a word of it and use it.
	// Source: measured with the assemblers 11.8 to 13.0.
	//
	// Example with -c:
	//
	//	.extern .func (.param .b32 r[13]) g();
	//	.func f() { .param .b32 r[13]; call (r), g; ret; }
	AbandonedResult = "AbandonedResult"

	// SharedParameter occurs when one .param variable serves two calls, stored anew for each; it works
	// as long as calls and stores keep their order.
	//
	// Severity: note.
	// Mend: declare one for each call, in a block of its own.
	// Source: PTX ISA, "Parameter State Space".
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .param .b32 a; st.param.b32 [a], 1; call g, (a); st.param.b32 [a], 2; call g, (a); ret; }
	SharedParameter = "SharedParameter"

	// PrematureLoad occurs when a .param variable is read that no earlier call in the text returns
	// into; the assembler crashes.
	//
	// Severity: error.
	// Mend: move the load behind the call.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f() { .reg .b32 %a; .param .b32 r; ld.param.b32 %a, [r]; ret; }
	PrematureLoad = "PrematureLoad"

	// Across modules.

	// MismatchedModules occurs when two modules declare one function with different numbers, sizes,
	// extents or classes of formals, or as kernel and function; the vendor's linker refuses it.
	//
	// Severity: error.
	// Mend: make the declarations equal.
	// Source: measured with the assemblers and linkers 11.8 and 12.4.
	//
	// Example:
	//
	//	-- a.ptx --
	//	.extern .func f(.param .b32 x);
	//	.visible .entry k() { call f, (1); ret; }
	//	-- b.ptx --
	//	.visible .func f(.param .b64 x) { ret; }
	MismatchedModules = "MismatchedModules"

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
	SilentMismatch = "SilentMismatch"

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
	LooseDeclaration = "LooseDeclaration"

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
	MissingDefinition = "MissingDefinition"

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
	RepeatedDefinition = "RepeatedDefinition"
)
