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

// accessRules explain these codes, in their order.
var accessRules = []Rule{
	{
		Code:     WrittenInput,
		Severity: diag.Error,
		When:     "WrittenInput occurs when st.param writes an input of the function or kernel it stands in.",
		Fix:      "use a register or .local memory.",
		Source:   `PTX ISA, "ld" and "st".`,
		Example:  `.func f(.param .b32 x) { st.param.b32 [x], 1; ret; }`,
	},
	{
		Code:     ReadResult,
		Severity: diag.Error,
		When:     "ReadResult occurs when ld.param reads the result of the function it stands in.",
		Fix:      "keep the value in a register.",
		Source:   `PTX ISA, "ld" and "st".`,
		Example:  `.func (.param .b32 r) f() { .reg .b32 %a; ld.param.b32 %a, [r]; ret; }`,
	},
	{
		Code:     StoredInput,
		Severity: diag.Warning,
		When: "StoredInput occurs when st.param goes through a register that points to an input; the machine code " +
			"changes a copy on the stack.",
		Fix:     "use .local memory of your own.",
		Source:  `PTX ISA, "Device Function Parameters"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.func f(.param .b32 x) { .reg .b64 %a; mov.u64 %a, x; st.param.b32 [%a], 1; ret; }`,
	},
	{
		Code:     PredicatedAccess,
		Severity: diag.Error,
		When:     "PredicatedAccess occurs when a store to an argument or a load of a result is predicated.",
		Fix:      "select the value before, or branch around the whole call.",
		Source:   `PTX ISA, "Parameter State Space".`,
		Example: `.extern .func g(.param .b32 x);
.func f() { .reg .pred %p; .param .b32 a; @%p st.param.b32 [a], 1; call g, (a); ret; }`,
		Compile: true,
	},
	{
		Code:     LocalAddress,
		Severity: diag.Error,
		When: "LocalAddress occurs when an instruction takes the address of a .param variable of a body, which has " +
			"none.",
		Fix:     "copy the value into .local memory.",
		Source:  `PTX ISA, "Device Function Parameters".`,
		Example: `.func f() { .reg .b64 %a; .param .b32 x; mov.u64 %a, x; ret; }`,
	},
	{
		Code:     MismatchedSpace,
		Severity: diag.Error,
		When: "MismatchedSpace occurs when an instruction of another space names a parameter, or ld.param names " +
			"something else.",
		Fix:     "use .param, or mov the address into a register.",
		Source:  `PTX ISA, "ld" and "st".`,
		Example: `.func f(.param .b32 x) { .reg .b32 %a; ld.global.b32 %a, [x]; ret; }`,
	},
	{
		Code:     WrongWindow,
		Severity: diag.Warning,
		When: "WrongWindow occurs when a register that holds a parameter's address is used as an address of another " +
			"space; the machine code reads the same number there.",
		Fix: "use ld.param in kernels and ld.local in functions, or cvta first.",
		Source: `PTX ISA, "Kernel Function Parameters" and "Device Function Parameters"; measured with the assemblers ` +
			"11.8 and 12.4.",
		Example: `.visible .entry k(.param .b32 n) { .reg .b64 %a; .reg .b32 %r; mov.u64 %a, n; ld.local.b32 %r, [%a]; ret; }`,
	},
	{
		Code:     WrongQualifier,
		Severity: diag.Warning,
		When: "WrongQualifier occurs when ::entry is on a parameter of a function, or ::func on one of a kernel. " +
			"On names the assembler ignores it, or refuses it from 13.4 on; ::entry through a register that holds the " +
			"address of a function's parameter reads the constant bank at an address of the stack.",
		Fix:     "write the other one.",
		Source:  `PTX ISA, "ld" and "st"; measured with the assemblers 12.4 to 13.5.`,
		Example: `.func f(.param .b32 x) { .reg .b32 %a; ld.param::entry.b32 %a, [x]; ret; }`,
	},
	{
		Code:     ShadowedFormal,
		Severity: diag.Error,
		When: "ShadowedFormal occurs when st.param goes to a .param variable of an inner block that has the name of an " +
			"input of the function or kernel, or ld.param reads one that has the name of its result; the assembler goes " +
			"by the name.",
		Fix:    "rename the variable.",
		Source: "measured with the assemblers 11.8 to 13.5.",
		Example: `.extern .func g(.param .b32 a);
.func f(.param .b32 x) { { .param .b32 x; st.param.b32 [x], 1; call g, (x); } ret; }`,
		Compile: true,
	},
	{
		Code:     IllegalModifier,
		Severity: diag.Error,
		When: "IllegalModifier occurs when an access to .param has a modifier that applies to other spaces, such as " +
			".volatile or .relaxed, or two types, spaces, vectors or cache operators, or st.param has ::entry.",
		Fix:     "drop it.",
		Source:  `PTX ISA, "ld" and "st".`,
		Example: `.func f(.param .b32 x) { .reg .b32 %a; ld.volatile.param.b32 %a, [x]; ret; }`,
	},
	{
		Code:     IllegalAccessType,
		Severity: diag.Error,
		When: "IllegalAccessType occurs when ld.param or st.param has a type that memory accesses do not have, such as " +
			".f16 or .pred, or names a handle.",
		Fix:     "use the untyped bits of the size.",
		Source:  `PTX ISA, "ld" and "st".`,
		Example: `.func f(.param .b16 x) { .reg .b16 %a; ld.param.f16 %a, [x]; ret; }`,
	},
	{
		Code:     IllegalAddress,
		Severity: diag.Error,
		When:     "IllegalAddress occurs when the address of an access is a bare number, a float, a register of 128 bits, an element of a name that is not an array, or subtracts with -.",
		Fix:      "name a variable or an integer register, and write [x+-4].",
		Source:   `PTX ISA, "Addresses as Operands".`,
		Example:  `.func f(.param .b32 x[2]) { .reg .b32 %a; ld.param.b32 %a, [8]; ret; }`,
	},
	{
		Code:     MismatchedRegister,
		Severity: diag.Error,
		When: "MismatchedRegister occurs when a register does not match the type of an access: it is narrower, of " +
			"another class, or not a vector of that size.",
		Fix:     "declare the register as the type.",
		Source:  `PTX ISA, "Operand Size Exceeding Instruction-Type Size".`,
		Example: `.func f(.param .b64 x) { .reg .b32 %a; ld.param.b64 %a, [x]; ret; }`,
	},
	{
		Code:     MisalignedAccess,
		Severity: diag.Warning,
		When: "MisalignedAccess occurs when an access is not aligned to its size; the machine code rounds offsets down " +
			"to a word.",
		Fix:     "access the aligned parts.",
		Source:  `PTX ISA, "Addresses as Operands"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.func f(.param .b32 x[2]) { .reg .b32 %a; ld.param.b32 %a, [x+2]; ret; }`,
	},
	{
		Code:     OutOfBounds,
		Severity: diag.Warning,
		When: "OutOfBounds occurs when an access goes past the end of its variable; the machine code reaches the next " +
			"parameter.",
		Fix:     "keep offset and width within the variable.",
		Source:  "measured with the assemblers 11.8 and 12.4.",
		Example: `.func f(.param .b32 x[2]) { .reg .b32 %a; ld.param.b32 %a, [x+8]; ret; }`,
	},
	{
		Code:     WideAccess,
		Severity: diag.Warning,
		When:     "WideAccess occurs when an access is wider than its scalar variable.",
		Fix:      "access the variable with its own width.",
		Source:   "measured with the assemblers 11.8 and 12.4.",
		Example:  `.visible .entry k(.param .align 8 .b32 x) { .reg .b64 %a; ld.param.b64 %a, [x]; ret; }`,
	},
	{
		Code:     NegativeOffset,
		Severity: diag.Warning,
		When:     "NegativeOffset occurs when an access goes before the beginning of its variable.",
		Fix:      "keep the offset within the variable.",
		Source:   "measured with the assemblers 11.8 and 12.4.",
		Example:  `.visible .entry k(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x+-4]; ret; }`,
	},
	{
		Code:     OwnName,
		Severity: diag.Error,
		When: "OwnName occurs when a function accesses a .param variable or formal that has the function's own name, " +
			"and is compiled with -c; the assembler crashes. It is a warning where nothing uses what is loaded, for " +
			"loads in functions with branches, and where the module calls the function: there the assembler " +
			"was seen to compile it.",
		Fix:     "rename it.",
		Source:  "measured with the assemblers 11.8 to 13.5.",
		Example: `.visible .func (.param .b32 r) r() { st.param.b32 [r], 1; ret; }`,
		Compile: true,
	},
	{
		Code:     MismatchedTail,
		Severity: diag.Warning,
		When: "MismatchedTail occurs when a value that a call stores into the array at the end of a variadic function's " +
			"parameters overlaps one that the function loads there, and neither holds the other: caller and callee count " +
			"other offsets. It is also a load that every call executes, of bytes that one call does not pass or store.",
		Fix:    "align each value of the tail to its own size, on both sides, and pass all that is loaded.",
		Source: "the offsets of the module itself; the assemblers 11.8 to 13.5 take it.",
		Example: `.version 7.8
.target sm_80
.address_size 64
.visible .func f(.param .b32 n, .param .align 8 .b8 rest[]) {
	.reg .b64 %d;
	ld.param.b64 %d, [rest+8];
	ret;
}
.visible .func g() {
	.param .b32 n;
	.param .align 8 .b8 va[16];
	st.param.b32 [n], 1;
	st.param.b32 [va], 2;
	st.param.b64 [va+4], 3;
	call f, (n, va);
	ret;
}`,
		Also: []diag.Code{MisalignedAccess},
	},
	{
		Code:     FarAccess,
		Severity: diag.Error,
		When: "FarAccess occurs when an access goes far past a variable that is in registers, or before it; the " +
			"assembler crashes. It is a warning where nothing uses what is loaded.",
		Fix:     "keep offset and width within the variable.",
		Source:  "measured with the assemblers 11.8 and 12.4.",
		Example: `.visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x+4096]; st.param.b32 [r], %a; ret; }`,
		Compile: true,
	},
	{
		Code:     MisreadPart,
		Severity: diag.Warning,
		When: "MisreadPart occurs when 1 or 2 bytes of a kernel's parameters, at an offset that 4 does not divide, are loaded " +
			"and stored to an argument without an extension, and the release of the assembler is known to be one of 11.8 to " +
			"12.4, by the head that NVIDIA's compilers write or by -release: 11.8 and 12.4, at -O1 and above, pass other bytes.",
		Fix:    "move them to an offset that 4 divides, widen them to 32 bits before they are passed, or assemble with 12.8 or later.",
		Source: "measured with the assemblers 11.8 to 13.5; docs/abi.md, Remarks.",
		Example: `// Cuda compilation tools, release 12.4, V12.4.131
.version 8.3
.target sm_90
.address_size 64
.extern .func f(.param .b16 x);
.visible .entry k(.param .u16 n, .param .u16 m) {
	.reg .b16 %h;
	.param .b16 x;
	ld.param.u16 %h, [m];
	st.param.b16 [x], %h;
	call f, (x);
	ret;
}`,
		Compile: true,
	},
	{
		Code:     TruncatedQuad,
		Severity: diag.Warning,
		When: "TruncatedQuad occurs when a scalar .b128 is a formal of a function, or ld.param.b128 reads a formal; " +
			"releases 12.4 to 13.5 of the assembler move part of it.",
		Fix:     "pass .align 16 .b8 x[16] and load .v2.b64.",
		Source:  "measured with the assemblers 12.4, 12.5, 12.8, 12.9, 13.0, 13.4 and 13.5.",
		Example: `.func f(.param .b128 x) { ret; }`,
	},
}
