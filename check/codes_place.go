package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about the order of stores, calls and loads. codes.go tells how their
// comments are read.
const (
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
	SeparatedStore diag.Code = "SeparatedStore"

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
	SeparatedLoad diag.Code = "SeparatedLoad"

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
	SplitCall diag.Code = "SplitCall"

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
	BranchedStore diag.Code = "BranchedStore"

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
	StaleArgument diag.Code = "StaleArgument"

	// StaleResult occurs when a result is read behind another call that takes arguments; the machine
	// code reads what such an argument leaves in the register. Behind a call without arguments the
	// result is the right one, and the code is SeparatedLoad.
	//
	// Severity: warning.
	// Mend: load right behind the call.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8, 12.4 and 13.5.
	//
	// Example with -c:
	//
	//	.extern .func (.param .b32 r) g();
	//	.extern .func h(.reg .b32 x);
	//	.func f() { .reg .b32 %a; .param .b32 r; call (r), g; call h, (5); ld.param.b32 %a, [r]; ret; }
	StaleResult diag.Code = "StaleResult"

	// UnwrittenArgument occurs when no store to an argument stands before the call; the callee gets
	// what is left in the register. Padding may stay unwritten, and a store of any byte is enough. It
	// is a note where the module defines the callee, not .weak, and the body does something and never
	// mentions the formal: compilers leave the store out where they see that.
	//
	// Severity: warning.
	// Mend: store it before the call.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.
	//
	// Example with -c:
	//
	//	.extern .func g(.param .b32 x);
	//	.func f() { .param .b32 a; call g, (a); ret; }
	UnwrittenArgument diag.Code = "UnwrittenArgument"

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
	UncollectedResult diag.Code = "UncollectedResult"

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
	AbandonedResult diag.Code = "AbandonedResult"

	// LoneResult occurs when a call without arguments has a result of more than 48 bytes, which the
	// callee returns in memory, and the module is for an architecture below sm_80: with -c, and through
	// registers, the assembler crashes on such a call at -O1 and above. Releases of CUDA 11 and 12 do on
	// all that were tried, those of CUDA 13 on some.
	//
	// Severity: warning.
	// Mend: give the function a parameter.
	// Source: measured with the assemblers 11.8 to 13.5.
	//
	// Example with -c:
	//
	//	.version 7.8
	//	.target sm_75
	//	.address_size 64
	//	.extern .func (.param .b32 r[13]) g();
	//	.func f() { .param .b32 r[13]; .reg .b32 x; call (r), g; ld.param.b32 x, [r]; ret; }
	LoneResult diag.Code = "LoneResult"

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
	SharedParameter diag.Code = "SharedParameter"

	// PrematureLoad occurs when a .param variable is read that no earlier call in the text returns
	// into; the assembler crashes, and from 13.4 on refuses it. In a whole program it is a warning in
	// functions that no kernel can come to.
	//
	// Severity: error.
	// Mend: move the load behind the call.
	// Source: PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 to 13.5.
	//
	// Example with -c:
	//
	//	.func f() { .reg .b32 %a; .param .b32 r; ld.param.b32 %a, [r]; ret; }
	PrematureLoad diag.Code = "PrematureLoad"
)
