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

// callRules explain these codes, in their order.
var callRules = []Rule{
	{
		Code:     MisplacedPrototype,
		Severity: diag.Error,
		When:     "MisplacedPrototype occurs when a .callprototype or a list of targets stands outside a function.",
		Fix:      "move it into the body that calls through it.",
		Source:   `PTX ISA, ".callprototype".`,
		Example:  `p: .callprototype _ (.param .b32 _);`,
	},
	{
		Code:     MissingPrototype,
		Severity: diag.Error,
		When:     "MissingPrototype occurs when a call through a register names no prototype and no list of targets.",
		Fix:      "add one after the arguments.",
		Source:   `PTX ISA, "call".`,
		Example:  `.func f(.reg .b64 x) { call x; ret; }`,
	},
	{
		Code:     UnknownPrototype,
		Severity: diag.Error,
		When: "UnknownPrototype occurs when the prototype of a call is not declared before the call in the same " +
			"function, or when a variable in its place is not a table of functions: an array of .u64, .u32 " +
			"or .u8 in .global or .const space whose initial values are all functions.",
		Fix:     "declare it further up.",
		Source:  `PTX ISA, "call".`,
		Example: `.func f(.reg .b64 x) { call x, p; p: .callprototype _; ret; }`,
	},
	{
		Code:     IllegalCallee,
		Severity: diag.Error,
		When: "IllegalCallee occurs when a callee, or a target in a list, is neither a function nor a register " +
			"of 32 or 64 bits, or when a call that names its function has a prototype too.",
		Fix:    "load the function's address into a register.",
		Source: `PTX ISA, "call".`,
		Example: `.global .b32 v;
.func f() { call v; ret; }`,
	},
	{
		Code:     CalledKernel,
		Severity: diag.Error,
		When:     "CalledKernel occurs when a call names a kernel; it is a warning in a list of call targets.",
		Fix:      "call a function; only the host, or a launch, starts kernels.",
		Source:   `PTX ISA, "call".`,
		Example: `.visible .entry e() { ret; }
.visible .entry k() { call e; ret; }`,
	},
	{
		Code:     PreservedTarget,
		Severity: diag.Error,
		When: "PreservedTarget occurs when a call has a list of targets of which one has .abi_preserve or " +
			".abi_preserve_control, even if all have the same.",
		Fix:    "call through a prototype that has the directive.",
		Source: "measured with the assemblers 13.0, 13.4 and 13.5.",
		Example: `.version 9.0
.target sm_80
.address_size 64
.visible .func f() .abi_preserve 4 { ret; }
.visible .func g(.reg .b64 x) { t: .calltargets f; call x, t; ret; }`,
	},
	{
		Code:     WrongCount,
		Severity: diag.Error,
		When: "WrongCount occurs when a call has more or fewer arguments or results than the callee has formals; an " +
			"array without extent may be left out.",
		Fix:    "pass one for each; write _ for a result that is not needed.",
		Source: `PTX ISA, "call".`,
		Example: `.func f(.reg .b32 x) { ret; }
.func g() { call f; ret; }`,
	},
	{
		Code:     IllegalOperand,
		Severity: diag.Error,
		When: "IllegalOperand occurs when an operand cannot be passed, returned or loaded: a constant or " +
			"an element of a vector as a destination, a special register, a list in braces; when a .param variable stands " +
			"in place of a register; when a branch goes to what is no label, or a label's address is taken; and for operands that alloca, " +
			"stacksave and stackrestore do not take.",
		Fix:    "move the value into a register.",
		Source: `PTX ISA, "call" and "alloca"; measured with the assemblers 11.8 to 13.5.`,
		Example: `.func f(.reg .b32 x) { ret; }
.func g() { call f, (%laneid); ret; }`,
	},
	{
		Code:     WrongSpace,
		Severity: diag.Error,
		When: "WrongSpace occurs when an argument is a variable in .global, .local, .shared or .const space, or a " +
			"function.",
		Fix:    "move its address into a register and pass that.",
		Source: `PTX ISA, "call".`,
		Example: `.global .b64 v;
.func f(.reg .b64 x) { ret; }
.func g() { call f, (v); ret; }`,
	},
	{
		Code:     PassedFormal,
		Severity: diag.Error,
		When:     "PassedFormal occurs when a function passes its own .param formal on, or takes a result in it.",
		Fix:      "copy it with ld.param and st.param into a .param variable of the body.",
		Source:   `PTX ISA, "call".`,
		Example: `.func f(.param .b32 x) { ret; }
.func g(.param .b32 y) { call f, (y); ret; }`,
	},
	{
		Code:     MismatchedType,
		Severity: diag.Error,
		When: "MismatchedType occurs when a scalar differs from its formal in size or class; .bN matches every class " +
			"of its size, and .uN matches .sN.",
		Fix:    "declare both alike.",
		Source: `PTX ISA, "call".`,
		Example: `.func f(.reg .b32 x) { ret; }
.func g() { .reg .b64 %a; call f, (%a); ret; }`,
	},
	{
		Code:     MismatchedArray,
		Severity: diag.Error,
		When: "MismatchedArray occurs when an array differs from its formal in bytes or in the class of elements, or " +
			"one of them is a scalar.",
		Fix:    "declare both alike.",
		Source: `PTX ISA, "call".`,
		Example: `.func f(.param .b8 x[12]) { ret; }
.func g() { .param .b8 a[16]; st.param.b8 [a], 0; call f, (a); ret; }`,
	},
	{
		Code:     MismatchedVector,
		Severity: diag.Error,
		When:     "MismatchedVector occurs when a vector differs from its formal in bytes.",
		Fix:      "declare both alike.",
		Source:   `PTX ISA, "call".`,
		Example: `.func f(.reg .v2 .f32 x) { ret; }
.func g() { .reg .v4 .f32 %v; call f, (%v); ret; }`,
	},
	{
		Code:     MismatchedAlignment,
		Severity: diag.Error,
		When: "MismatchedAlignment occurs when an argument and its formal have different alignments; registers count with " +
			"their own size.",
		Fix:    "write the same .align on both.",
		Source: `PTX ISA, "call".`,
		Example: `.func f(.param .align 8 .b8 x[16]) { ret; }
.func g() { .param .align 4 .b8 a[16]; st.param.b8 [a], 0; call f, (a); ret; }`,
	},
	{
		Code:     MismatchedConstant,
		Severity: diag.Error,
		When: "MismatchedConstant occurs when a constant is passed to a formal that takes none of its kind: an integer " +
			"to a float, a float to an integer, anything to an array or a predicate; or a store has a constant of " +
			"another kind than its type.",
		Fix:    "write a constant of the formal's type.",
		Source: `PTX ISA, "call".`,
		Example: `.func f(.reg .f32 x) { ret; }
.func g() { call f, (1); ret; }`,
	},
	{
		Code:     LooseArray,
		Severity: diag.Warning,
		When:     "LooseArray occurs when two arrays have the same bytes but different elements; the assembler compares only bytes if one of them is .bN.",
		Fix:      "make the elements equal.",
		Source:   `PTX ISA, "call".`,
		Example: `.func f(.param .align 8 .b8 x[16]) { ret; }
.func g() { .param .b64 a[2]; st.param.b64 [a], 0; call f, (a); ret; }`,
	},
	{
		Code:     LooseVector,
		Severity: diag.Warning,
		When:     "LooseVector occurs when a vector and its formal have the same bytes but different elements.",
		Fix:      "make them equal.",
		Source:   `PTX ISA, "call".`,
		Example: `.func f(.reg .v2 .f32 x) { ret; }
.func g() { .reg .v2 .u32 %v; call f, (%v); ret; }`,
	},
	{
		Code:     LoosePair,
		Severity: diag.Warning,
		When: "LoosePair occurs when a typed register or a predicate is passed to an .f16x2 formal, or the other way " +
			"round; the assembler takes anything there.",
		Fix:    "use .b32 or .f16x2 for both.",
		Source: `PTX ISA, "call".`,
		Example: `.func f(.reg .f16x2 x) { ret; }
.func g() { .reg .u32 %a; call f, (%a); ret; }`,
	},
	{
		Code:     UnrepresentableConstant,
		Severity: diag.Warning,
		When: "UnrepresentableConstant occurs when an integer constant does not fit its formal, or 64 bits; the callee " +
			"gets it modulo 2^N.",
		Fix:    "write the value that is meant.",
		Source: `PTX ISA, "call"; measured with the assemblers 11.8 to 13.5.`,
		Example: `.func f(.reg .b16 x, .param .b32 y) { ret; }
.func g() { call f, (1, 4294967296); ret; }`,
		Also: []diag.Code{NarrowRegister},
	},
	{
		Code:     RawFloat,
		Severity: diag.Warning,
		When: "RawFloat occurs when the bits of a floating-point constant are not those of the formal's type: a 0f " +
			"constant to .f64, a decimal one to .b32, any to 16 bits or less.",
		Fix:    "write 0d for .f64 and 0f for 32 bits, and integers for less.",
		Source: "measured with the assemblers 11.8 and 12.4.",
		Example: `.func f(.param .f64 x) { ret; }
.func g() { call f, (0f3F800000); ret; }`,
	},
}
