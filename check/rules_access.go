package check

import "github.com/ptxabi/ptxabi/diag"

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
	// TruncatedQuad is a scalar .b128 that is a formal of a function, or is loaded from a formal.
	TruncatedQuad diag.Code = "TruncatedQuad"
)
