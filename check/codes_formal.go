package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about formals and .param variables: types, shapes, alignment. codes.go tells how their
// comments are read.
const (
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
	AlternateFormat diag.Code = "AlternateFormat"

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
	SubwordFormal diag.Code = "SubwordFormal"

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
	PredicateFormal diag.Code = "PredicateFormal"

	// NarrowRegister occurs when a formal in .reg space has fewer than 32 bits.
	//
	// Severity: warning.
	// Mend: pass .b32 in the register, or the narrow type in .param space.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func f(.reg .b16 x) { ret; }
	NarrowRegister diag.Code = "NarrowRegister"

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
	UnplaceableType diag.Code = "UnplaceableType"

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
	VectorParameter diag.Code = "VectorParameter"

	// IllegalVector occurs when a vector has neither 2 nor 4 elements, or takes more than 16 bytes.
	//
	// Severity: error.
	// Mend: split it.
	// Source: PTX ISA, "Vectors".
	//
	// Example:
	//
	//	.func f(.reg .v4 .b64 x) { ret; }
	IllegalVector diag.Code = "IllegalVector"

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
	RegisterArray diag.Code = "RegisterArray"

	// NestedArray occurs when a .param variable has more than one dimension.
	//
	// Severity: error.
	// Mend: multiply the extents.
	// Source: PTX ISA, "Array Declarations"; measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b32 x[2][3]) { ret; }
	NestedArray diag.Code = "NestedArray"

	// OversizedArray occurs when the extent of an array does not fit in 32 bits.
	//
	// Severity: error.
	// Mend: pass a pointer.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.func f(.param .b8 x[4294967296]) { ret; }
	OversizedArray diag.Code = "OversizedArray"

	// RangedFormal occurs when a formal declares several names at once, as in x<4>; only variables do.
	//
	// Severity: error.
	// Mend: declare each formal.
	// Source: PTX ISA, "Parameterized Variable Names".
	//
	// Example:
	//
	//	.func f(.reg .b32 x<4>) { ret; }
	RangedFormal diag.Code = "RangedFormal"

	// NamelessFormal occurs when a formal of a function is named _.
	//
	// Severity: error.
	// Mend: name it; _ stands in prototypes only.
	// Source: PTX ISA, ".callprototype".
	//
	// Example:
	//
	//	.extern .func f(.param .b32 _);
	NamelessFormal diag.Code = "NamelessFormal"

	// DuplicateName occurs when two formals of a function, two variables of the module, or two
	// variables, prototypes and lists of targets of a block have one name, ranges of registers included,
	// or a label has that of a prototype or list.
	//
	// Severity: error.
	// Mend: rename one.
	// Source: PTX ISA, "Identifiers".
	//
	// Example:
	//
	//	.func f(.param .b32 x, .param .b32 x) { ret; }
	DuplicateName diag.Code = "DuplicateName"

	// WrongFormalSpace occurs when a kernel's parameter is not in .param space.
	//
	// Severity: error.
	// Mend: declare it .param.
	// Source: PTX ISA, "Kernel Function Parameters".
	//
	// Example:
	//
	//	.visible .entry k(.reg .b32 x) { ret; }
	WrongFormalSpace diag.Code = "WrongFormalSpace"

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
	MultipleResults diag.Code = "MultipleResults"

	// KernelResult occurs when a kernel has a result.
	//
	// Severity: error.
	// Mend: return it through global memory.
	// Source: PTX ISA, ".entry".
	//
	// Example:
	//
	//	.visible .entry (.param .b32 r) k() { ret; }
	KernelResult diag.Code = "KernelResult"

	// UnsizedResult occurs when a result is an array without extent.
	//
	// Severity: error.
	// Mend: give it an extent.
	// Source: PTX ISA, "Function Declarations and Definitions".
	//
	// Example:
	//
	//	.func (.param .align 4 .b8 r[]) f() { ret; }
	UnsizedResult diag.Code = "UnsizedResult"

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
	UnsizedFormal diag.Code = "UnsizedFormal"

	// UnsizedLocal occurs when a .param variable of a body has no size.
	//
	// Severity: error.
	// Mend: give it the size of what is passed, or leave the variadic argument out.
	// Source: PTX ISA, "Variadic Functions".
	//
	// Example:
	//
	//	.func f() { .param .align 4 .b8 a[0]; ret; }
	UnsizedLocal diag.Code = "UnsizedLocal"

	// InitializedParameter occurs when a .param variable has an initial value.
	//
	// Severity: error.
	// Mend: store it with st.param.
	// Source: PTX ISA, "Initializers".
	//
	// Example:
	//
	//	.func f() { .param .b32 a = 5; ret; }
	InitializedParameter diag.Code = "InitializedParameter"

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
	OddAlignment diag.Code = "OddAlignment"

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
	ExcessiveAlignment diag.Code = "ExcessiveAlignment"

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
	WideAlignment diag.Code = "WideAlignment"

	// LateAlignment occurs when .align stands behind the type, as examples in some documents have it, or
	// behind the .v2 or .v4. It is a warning on a parameter of a kernel, where the assemblers from 12.9
	// on take it behind the type.
	//
	// Severity: error.
	// Mend: put .align before the type.
	// Source: PTX ISA, "Alignment"; measured with the assemblers 11.8 to 13.5.
	//
	// Example:
	//
	//	.func f(.param .b8 .align 8 x[12]) { ret; }
	LateAlignment diag.Code = "LateAlignment"
)
