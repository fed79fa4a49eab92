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

// formalRules explain these codes, in their order.
var formalRules = []Rule{
	{
		Code:     AlternateFormat,
		Severity: diag.Error,
		When: "AlternateFormat occurs when a formal or variable is declared with a type that only instructions have: " +
			"an alternate floating-point format or a packed type.",
		Fix: "declare it with the untyped bits that hold it: .b8 for .e4m3, .b16 for .bf16, .b32 for .tf32 and " +
			".bf16x2, and so on.",
		Source:  `PTX ISA, "Alternate Floating-Point Data Formats" and "Packed Data Types".`,
		Example: `.func f(.param .bf16 x) { ret; }`,
	},
	{
		Code:     SubwordFormal,
		Severity: diag.Error,
		When: "SubwordFormal occurs when a scalar formal or result is .u8, .s8, .u16 or .s16 and the function is " +
			"compiled for the ABI: with -c every one, else those that a kernel can reach.",
		Fix:     "pass .b32, or an array of one element; .b8, .b16 and .f16 are taken as they are.",
		Source:  `PTX ISA, "Restricted Use of Sub-Word Sizes"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.visible .func f(.param .u8 x) { ret; }`,
		Compile: true,
	},
	{
		Code:     PredicateFormal,
		Severity: diag.Error,
		When: "PredicateFormal occurs when a predicate is passed in a register by a function that is compiled for the " +
			"ABI, or is a vector or an array.",
		Fix:     "pass .b32 made with selp, and compare it with setp.",
		Source:  `PTX ISA, "Operand Type Checking" and "Restricted Use of Sub-Word Sizes".`,
		Example: `.visible .func f(.reg .pred p) { ret; }`,
		Compile: true,
	},
	{
		Code:     NarrowRegister,
		Severity: diag.Warning,
		When:     "NarrowRegister occurs when a formal in .reg space has fewer than 32 bits.",
		Fix:      "pass .b32 in the register, or the narrow type in .param space.",
		Source:   `PTX ISA, "Function Declarations and Definitions".`,
		Example:  `.func f(.reg .b16 x) { ret; }`,
	},
	{
		Code:     UnplaceableType,
		Severity: diag.Error,
		When: "UnplaceableType occurs when a .param variable has a type that the assembler does not place in .param " +
			"space: .pred, a scalar .f16x2, a texture, sampler or surface outside a kernel's parameters.",
		Fix:     "pass .b32 for .f16x2 and for predicates, a 64-bit handle for the others.",
		Source:  `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.func f(.param .f16x2 x) { ret; }`,
	},
	{
		Code:     VectorParameter,
		Severity: diag.Error,
		When:     "VectorParameter occurs when a .param variable is a vector; the manual allows it and no assembler does.",
		Fix:      "declare a byte array of the vector's size and alignment.",
		Source:   `PTX ISA, "Function Declarations and Definitions"; measured with the assemblers 11.8 and 12.4.`,
		Example:  `.func f(.param .v2 .b32 x) { ret; }`,
	},
	{
		Code:     IllegalVector,
		Severity: diag.Error,
		When: "IllegalVector occurs when a vector has neither 2 nor 4 elements, or takes more than 16 bytes; and as a " +
			"warning when a register has no such element, at which the assembler crashes.",
		Fix:     "split it.",
		Source:  `PTX ISA, "Vectors".`,
		Example: `.func f(.reg .v4 .b64 x) { ret; }`,
	},
	{
		Code:     RegisterArray,
		Severity: diag.Error,
		When: "RegisterArray occurs when a formal in .reg space is an array or a handle, or registers are declared as " +
			"an array.",
		Fix:     "pass it in .param space; declare registers as x<4>.",
		Source:  `PTX ISA, "Register State Space".`,
		Example: `.func f(.reg .b32 x[4]) { ret; }`,
	},
	{
		Code:     NestedArray,
		Severity: diag.Error,
		When:     "NestedArray occurs when a .param variable has more than one dimension.",
		Fix:      "multiply the extents.",
		Source:   `PTX ISA, "Array Declarations"; measured with the assemblers 11.8 and 12.4.`,
		Example:  `.func f(.param .b32 x[2][3]) { ret; }`,
	},
	{
		Code:     OversizedArray,
		Severity: diag.Error,
		When:     "OversizedArray occurs when the extent of an array does not fit in 32 bits.",
		Fix:      "pass a pointer.",
		Source:   "measured with the assemblers 11.8 and 12.4.",
		Example:  `.func f(.param .b8 x[4294967296]) { ret; }`,
	},
	{
		Code:     RangedFormal,
		Severity: diag.Error,
		When:     "RangedFormal occurs when a formal declares several names at once, as in x<4>; only variables do.",
		Fix:      "declare each formal.",
		Source:   `PTX ISA, "Parameterized Variable Names".`,
		Example:  `.func f(.reg .b32 x<4>) { ret; }`,
	},
	{
		Code:     NamelessFormal,
		Severity: diag.Error,
		When:     "NamelessFormal occurs when a formal of a function is named _.",
		Fix:      "name it; _ stands in prototypes only.",
		Source:   `PTX ISA, ".callprototype".`,
		Example:  `.extern .func f(.param .b32 _);`,
	},
	{
		Code:     DuplicateName,
		Severity: diag.Error,
		When: "DuplicateName occurs when two formals of a function, two variables of the module, or two variables, " +
			"prototypes and lists of targets of a block have one name, ranges of registers included, or a label has " +
			"that of a prototype, a list, another label or a variable of its block.",
		Fix:     "rename one.",
		Source:  `PTX ISA, "Identifiers".`,
		Example: `.func f(.param .b32 x, .param .b32 x) { ret; }`,
	},
	{
		Code:     WrongFormalSpace,
		Severity: diag.Error,
		When:     "WrongFormalSpace occurs when a kernel's parameter is not in .param space.",
		Fix:      "declare it .param.",
		Source:   `PTX ISA, "Kernel Function Parameters".`,
		Example:  `.visible .entry k(.reg .b32 x) { ret; }`,
	},
	{
		Code:     MultipleResults,
		Severity: diag.Warning,
		When: "MultipleResults occurs when a function has several results, which switches the ABI off for the whole " +
			"module; with -c, and where one of them is in .param space, that is an error.",
		Fix:     "return one .param array that holds them all.",
		Source:  `PTX ISA, "Function Declarations and Definitions"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.func (.reg .b32 a, .reg .b32 b) f() { ret; }`,
	},
	{
		Code:     KernelResult,
		Severity: diag.Error,
		When:     "KernelResult occurs when a kernel has a result.",
		Fix:      "return it through global memory.",
		Source:   `PTX ISA, ".entry".`,
		Example:  `.visible .entry (.param .b32 r) k() { ret; }`,
	},
	{
		Code:     UnsizedResult,
		Severity: diag.Error,
		When:     "UnsizedResult occurs when a result is an array without extent.",
		Fix:      "give it an extent.",
		Source:   `PTX ISA, "Function Declarations and Definitions".`,
		Example:  `.func (.param .align 4 .b8 r[]) f() { ret; }`,
	},
	{
		Code:     UnsizedFormal,
		Severity: diag.Error,
		When: "UnsizedFormal occurs when an array without extent, x[] or x[0], is not the last formal of a function, " +
			"or is in .reg space, or belongs to a kernel.",
		Fix:     "move it after the others, and into .param space.",
		Source:  `PTX ISA, "Variadic Functions".`,
		Example: `.func f(.param .b8 x[], .param .b32 n) { ret; }`,
	},
	{
		Code:     UnsizedLocal,
		Severity: diag.Error,
		When:     "UnsizedLocal occurs when a .param variable of a body has no size.",
		Fix:      "give it the size of what is passed, or leave the variadic argument out.",
		Source:   `PTX ISA, "Variadic Functions".`,
		Example:  `.func f() { .param .align 4 .b8 a[0]; ret; }`,
	},
	{
		Code:     InitializedParameter,
		Severity: diag.Error,
		When:     "InitializedParameter occurs when a .param variable has an initial value.",
		Fix:      "store it with st.param.",
		Source:   `PTX ISA, "Initializers".`,
		Example:  `.func f() { .param .b32 a = 5; ret; }`,
	},
	{
		Code:     OddAlignment,
		Severity: diag.Error,
		When:     "OddAlignment occurs when .align says something else than a power of two.",
		Fix:      "say 1, 2, 4, 8 or 16.",
		Source:   `PTX ISA, "Alignment".`,
		Example:  `.func f(.param .align 12 .b8 x[12]) { ret; }`,
	},
	{
		Code:     ExcessiveAlignment,
		Severity: diag.Error,
		When: "ExcessiveAlignment occurs when a .param variable of a function is aligned to more than 128 bytes, the " +
			"most that the assembler takes; in a declaration without a body it is a warning.",
		Fix:     "align it to 16 and copy it where it is needed.",
		Source:  "measured with the assemblers 11.8 and 12.4.",
		Example: `.func f(.param .align 256 .b8 x[4]) { ret; }`,
	},
	{
		Code:     WideAlignment,
		Severity: diag.Warning,
		When: "WideAlignment occurs when a formal of a function is aligned to 32, 64 or 128 bytes, which the assembler " +
			"takes and the manual does not list.",
		Fix:     "align it to 16 and copy it where it is needed.",
		Source:  `PTX ISA, "Function Declarations and Definitions".`,
		Example: `.func f(.param .align 32 .b8 x[32]) { ret; }`,
	},
	{
		Code:     LateAlignment,
		Severity: diag.Error,
		When: "LateAlignment occurs when .align is after the type, as in examples of some documents, or " +
			"after the .v2 or .v4. It is a warning on a parameter of a kernel, where the assemblers from 12.9 on " +
			"take it after the type.",
		Fix:     "put .align before the type.",
		Source:  `PTX ISA, "Alignment"; measured with the assemblers 11.8 to 13.5.`,
		Example: `.func f(.param .b8 .align 8 x[12]) { ret; }`,
	},
}
