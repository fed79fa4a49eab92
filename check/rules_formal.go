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
