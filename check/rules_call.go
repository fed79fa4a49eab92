package check

import "github.com/ptxabi/ptxabi/diag"

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
