package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about calls: prototypes, callees, arguments against formals. codes.go tells how their
// comments are read.
const (
	// MisplacedPrototype occurs when a .callprototype or a list of targets stands outside a function.
	//
	// Severity: error.
	// Mend: move it into the body that calls through it.
	// Source: PTX ISA, ".callprototype".
	//
	// Example:
	//
	//	p: .callprototype _ (.param .b32 _);
	MisplacedPrototype diag.Code = "MisplacedPrototype"

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
	MissingPrototype diag.Code = "MissingPrototype"

	// UnknownPrototype occurs when the prototype of a call is not declared before the call in the same
	// function, and when a variable that stands in its place is no table of functions: an array of .u64,
	// .u32 or .u8 in .global or .const space whose initial values are functions, all of them.
	//
	// Severity: error.
	// Mend: declare it further up.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.func f(.reg .b64 x) { call x, p; p: .callprototype _; ret; }
	UnknownPrototype diag.Code = "UnknownPrototype"

	// IllegalCallee occurs when what is called, or named as a target of calls, is no function and no
	// register of 32 or 64 bits, or a call that names its function has a prototype too.
	//
	// Severity: error.
	// Mend: load the function's address into a register.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.global .b32 v;
	//	.func f() { call v; ret; }
	IllegalCallee diag.Code = "IllegalCallee"

	// CalledKernel occurs when a call names a kernel; it is a warning in a list of call targets.
	//
	// Severity: error.
	// Mend: call a function; only the host, or a launch, starts kernels.
	// Source: PTX ISA, "call".
	//
	// Example:
	//
	//	.visible .entry e() { ret; }
	//	.visible .entry k() { call e; ret; }
	CalledKernel diag.Code = "CalledKernel"

	// PreservedTarget occurs when a call goes by a list of targets of which one has .abi_preserve or
	// .abi_preserve_control, even if all have the same.
	//
	// Severity: error.
	// Mend: call through a prototype that has the directive.
	// Source: measured with the assemblers 13.0, 13.4 and 13.5.
	//
	// Example:
	//
	//	.version 9.0
	//	.target sm_80
	//	.address_size 64
	//	.visible .func f() .abi_preserve 4 { ret; }
	//	.visible .func g(.reg .b64 x) { t: .calltargets f; call x, t; ret; }
	PreservedTarget diag.Code = "PreservedTarget"

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
	WrongCount diag.Code = "WrongCount"

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
	IllegalOperand diag.Code = "IllegalOperand"

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
	WrongSpace diag.Code = "WrongSpace"

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
	PassedFormal diag.Code = "PassedFormal"

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
	MismatchedType diag.Code = "MismatchedType"

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
	MismatchedArray diag.Code = "MismatchedArray"

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
	MismatchedVector diag.Code = "MismatchedVector"

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
	MismatchedAlignment diag.Code = "MismatchedAlignment"

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
	MismatchedConstant diag.Code = "MismatchedConstant"

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
	LooseArray diag.Code = "LooseArray"

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
	LooseVector diag.Code = "LooseVector"

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
	LoosePair diag.Code = "LoosePair"

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
	UnrepresentableConstant diag.Code = "UnrepresentableConstant"

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
	RawFloat diag.Code = "RawFloat"
)
