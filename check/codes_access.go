package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about accesses to parameters. codes.go tells how their
// comments are read.
const (
	// WrittenInput occurs when st.param writes an input of the function or kernel it stands in.
	//
	// Severity: error.
	// Mend: use a register or .local memory.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { st.param.b32 [x], 1; ret; }
	WrittenInput diag.Code = "WrittenInput"

	// ReadResult occurs when ld.param reads the result of the function it stands in.
	//
	// Severity: error.
	// Mend: keep the value in a register.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func (.param .b32 r) f() { .reg .b32 %a; ld.param.b32 %a, [r]; ret; }
	ReadResult diag.Code = "ReadResult"

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
	StoredInput diag.Code = "StoredInput"

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
	PredicatedAccess diag.Code = "PredicatedAccess"

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
	LocalAddress diag.Code = "LocalAddress"

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
	MismatchedSpace diag.Code = "MismatchedSpace"

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
	WrongWindow diag.Code = "WrongWindow"

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
	WrongQualifier diag.Code = "WrongQualifier"

	// IllegalModifier occurs when an access to .param has a modifier that goes with other spaces, such
	// as .volatile or .relaxed, or two types, spaces, vectors or cache operators, or st.param has
	// ::entry.
	//
	// Severity: error.
	// Mend: drop it.
	// Source: PTX ISA, "ld" and "st".
	//
	// Example:
	//
	//	.func f(.param .b32 x) { .reg .b32 %a; ld.volatile.param.b32 %a, [x]; ret; }
	IllegalModifier diag.Code = "IllegalModifier"

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
	IllegalAccessType diag.Code = "IllegalAccessType"

	// IllegalAddress occurs when the address of an access is a bare number, a float, an element of what
	// is no array, or subtracts with -.
	//
	// Severity: error.
	// Mend: name a variable or an integer register, and write [x+-4].
	// Source: PTX ISA, "Addresses as Operands".
	//
	// Example:
	//
	//	.func f(.param .b32 x[2]) { .reg .b32 %a; ld.param.b32 %a, [8]; ret; }
	IllegalAddress diag.Code = "IllegalAddress"

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
	MismatchedRegister diag.Code = "MismatchedRegister"

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
	MisalignedAccess diag.Code = "MisalignedAccess"

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
	OutOfBounds diag.Code = "OutOfBounds"

	// WideAccess occurs when an access is wider than its scalar variable.
	//
	// Severity: warning.
	// Mend: access the variable with its own width.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.visible .entry k(.param .align 8 .b32 x) { .reg .b64 %a; ld.param.b64 %a, [x]; ret; }
	WideAccess diag.Code = "WideAccess"

	// NegativeOffset occurs when an access goes before the beginning of its variable.
	//
	// Severity: warning.
	// Mend: keep the offset within the variable.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example:
	//
	//	.visible .entry k(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x+-4]; ret; }
	NegativeOffset diag.Code = "NegativeOffset"

	// OwnName occurs when a function accesses a .param variable or formal that has the function's own
	// name, and is compiled with -c; the assembler crashes. It is a warning where nothing uses what is
	// loaded, for loads in functions with branches, and where the module calls the function: there it was
	// seen to get along.
	//
	// Severity: error.
	// Mend: rename it.
	// Source: measured with the assemblers 11.8 to 13.5.
	//
	// Example with -c:
	//
	//	.visible .func (.param .b32 r) r() { st.param.b32 [r], 1; ret; }
	OwnName diag.Code = "OwnName"

	// FarAccess occurs when an access goes far past a variable that is in registers, or before it; the
	// assembler crashes. It is a warning where nothing uses what is loaded.
	//
	// Severity: error.
	// Mend: keep offset and width within the variable.
	// Source: measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c:
	//
	//	.visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x+4096]; st.param.b32 [r], %a; ret; }
	FarAccess diag.Code = "FarAccess"

	// TruncatedQuad occurs when a scalar .b128 is a formal of a function, or ld.param.b128 reads a
	// formal; releases 12.4 to 13.5 of the assembler move part of it.
	//
	// Severity: warning.
	// Mend: pass .align 16 .b8 x[16] and load .v2.b64.
	// Source: measured with the assemblers 12.4, 12.5, 12.8, 12.9, 13.0, 13.4 and 13.5.
	//
	// Example:
	//
	//	.func f(.param .b128 x) { ret; }
	TruncatedQuad diag.Code = "TruncatedQuad"
)
