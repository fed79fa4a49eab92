package check

import "github.com/ptxabi/ptxabi/diag"

// Codes about the order of stores to arguments, calls and loads of results: the paths of
// control that they are on, other instructions between them, and missing ones.
const (
	// SeparatedStore is an instruction between a store to an argument and its call.
	SeparatedStore diag.Code = "SeparatedStore"
	// SeparatedLoad is an instruction between a call and a load of its result.
	SeparatedLoad diag.Code = "SeparatedLoad"
	// SplitCall is control flow or a label between a call and its stores or loads.
	SplitCall diag.Code = "SplitCall"
	// BranchedStore is stores of the same bytes of an argument on different paths to a call.
	BranchedStore diag.Code = "BranchedStore"
	// StaleArgument is an argument that was stored for an earlier call.
	StaleArgument diag.Code = "StaleArgument"
	// StaleResult is a result that is read after another call with arguments.
	StaleResult diag.Code = "StaleResult"
	// UnwrittenArgument is an argument without a store before the call.
	UnwrittenArgument diag.Code = "UnwrittenArgument"
	// UncollectedResult is a result in a .param variable that nothing reads.
	UncollectedResult diag.Code = "UncollectedResult"
	// AbandonedResult is a result in memory that nothing loads.
	AbandonedResult diag.Code = "AbandonedResult"
	// LoneResult is a result in memory of a call without arguments, below sm_80.
	LoneResult diag.Code = "LoneResult"
	// SharedParameter is a .param variable that serves two calls.
	SharedParameter diag.Code = "SharedParameter"
	// PrematureLoad is a read of a .param variable that no earlier call returns into.
	PrematureLoad diag.Code = "PrematureLoad"
)

// placeRules explain these codes, in their order.
var placeRules = []Rule{
	{
		Code:     SeparatedStore,
		Severity: diag.Warning,
		When: "SeparatedStore occurs when another instruction is between the last store to an argument and its call, " +
			"or one with an effect of its own, such as a store or a barrier, between two stores. Instructions that only compute " +
			"or load a register may be between two stores: compilers write that.",
		Fix:    "store right before the call.",
		Source: `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 to 13.5.`,
		Example: `.extern .func g(.param .b32 x);
.func f() { .reg .b32 %a; .param .b32 a; st.param.b32 [a], 1; mov.b32 %a, 2; call g, (a); ret; }`,
		Compile: true,
	},
	{
		Code:     SeparatedLoad,
		Severity: diag.Warning,
		When: "SeparatedLoad occurs when another instruction is between a call and the first load of its results, or " +
			"one with an effect of its own, such as a store or a barrier, between two loads. Instructions that only compute " +
			"or load a register may be between two loads: compilers write that.",
		Fix:    "load right after the call.",
		Source: `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 to 13.5.`,
		Example: `.extern .func (.param .b32 r) g();
.func f() { .reg .b32 %a; .param .b32 r; call (r), g; mov.b32 %a, 2; ld.param.b32 %a, [r]; ret; }`,
		Compile: true,
	},
	{
		Code:     SplitCall,
		Severity: diag.Warning,
		When: "SplitCall occurs when control flow or a label is between a store to an argument and its call, or " +
			"between a call and a load of its result.",
		Fix:    "keep them in one basic block.",
		Source: `PTX ISA, "Parameter State Space".`,
		Example: `.extern .func g(.param .b32 x);
.func f() { .param .b32 a; st.param.b32 [a], 1; L: call g, (a); ret; }`,
		Compile: true,
	},
	{
		Code:     BranchedStore,
		Severity: diag.Warning,
		When: "BranchedStore occurs when stores on different paths to a call write the same bytes of an argument; the " +
			"machine code passes the value of the last store in the text, on every path.",
		Fix:    "select the value before one store, or store and call on each path.",
		Source: `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.extern .func g(.param .b32 x);
.func f() { .reg .pred %p; .param .b32 a; @%p bra T; st.param.b32 [a], 1; bra J; T: st.param.b32 [a], 2; J: call g, (a); ret; }`,
		Compile: true,
		Also:    []diag.Code{SplitCall},
	},
	{
		Code:     StaleArgument,
		Severity: diag.Warning,
		When: "StaleArgument occurs when an argument was stored for an earlier call and is passed again; the machine " +
			"code moves it only for the first call.",
		Fix:    "store it again.",
		Source: `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.extern .func g(.param .b32 x);
.func f() { .param .b32 a; st.param.b32 [a], 1; call g, (a); call g, (a); ret; }`,
		Compile: true,
	},
	{
		Code:     StaleResult,
		Severity: diag.Warning,
		When: "StaleResult occurs when a result is read after another call that takes arguments; the machine code " +
			"reads the value that an argument leaves in the register. After a call without arguments the result is right, and the code is SeparatedLoad.",
		Fix:    "load right after the call.",
		Source: `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8, 12.4 and 13.5.`,
		Example: `.extern .func (.param .b32 r) g();
.extern .func h(.reg .b32 x);
.func f() { .reg .b32 %a; .param .b32 r; call (r), g; call h, (5); ld.param.b32 %a, [r]; ret; }`,
		Compile: true,
	},
	{
		Code:     UnwrittenArgument,
		Severity: diag.Warning,
		When: "UnwrittenArgument occurs when there is no store to an argument before the call; the callee gets what is " +
			"left in the register. Padding may stay unwritten, and a store of any byte is enough. It is a note where " +
			"the module defines the callee, not .weak, and the body is not empty and never uses the formal: " +
			"compilers then leave out the store.",
		Fix:    "store it before the call.",
		Source: `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 and 12.4.`,
		Example: `.extern .func g(.param .b32 x);
.func f() { .param .b32 a; call g, (a); ret; }`,
		Compile: true,
	},
	{
		Code:     UncollectedResult,
		Severity: diag.Note,
		When:     "UncollectedResult occurs when nothing reads a result that a call returns into a .param variable.",
		Fix:      "write _ in its place.",
		Source:   `PTX ISA, "Parameter State Space".`,
		Example: `.extern .func (.param .b32 r) g();
.func f() { .param .b32 r; call (r), g; ret; }`,
		Compile: true,
	},
	{
		Code:     AbandonedResult,
		Severity: diag.Warning,
		When: "AbandonedResult occurs when nothing loads a result of more than 48 bytes, which the callee returns in " +
			"memory; with -c, and through registers, releases of the assembler up to 13.0 crash on some of these " +
			"calls, though not on all.",
		Fix:    "load a word of it and use it.",
		Source: "measured with the assemblers 11.8 to 13.0.",
		Example: `.extern .func (.param .b32 r[13]) g();
.func f() { .param .b32 r[13]; call (r), g; ret; }`,
		Compile: true,
	},
	{
		Code:     LoneResult,
		Severity: diag.Warning,
		When: "LoneResult occurs when a call without arguments has a result of more than 48 bytes, which the callee " +
			"returns in memory, and the module is for an architecture below sm_80: with -c, and through registers, " +
			"the assembler crashes on such a call at -O1 and above. Releases of CUDA 11 and 12 crash on all calls that were tried, those of CUDA 13 on some.",
		Fix:    "give the function a parameter.",
		Source: "measured with the assemblers 11.8 to 13.5.",
		Example: `.version 7.8
.target sm_75
.address_size 64
.extern .func (.param .b32 r[13]) g();
.func f() { .param .b32 r[13]; .reg .b32 x; call (r), g; ld.param.b32 x, [r]; ret; }`,
		Compile: true,
	},
	{
		Code:     SharedParameter,
		Severity: diag.Note,
		When: "SharedParameter occurs when one .param variable serves two calls, stored anew for each; it works as " +
			"long as calls and stores keep their order.",
		Fix:    "declare one for each call, in a block of its own.",
		Source: `PTX ISA, "Parameter State Space".`,
		Example: `.extern .func g(.param .b32 x);
.func f() { .param .b32 a; st.param.b32 [a], 1; call g, (a); st.param.b32 [a], 2; call g, (a); ret; }`,
		Compile: true,
	},
	{
		Code:     PrematureLoad,
		Severity: diag.Error,
		When: "PrematureLoad occurs when a .param variable is read without an earlier call in the text that returns into it; the " +
			"assembler crashes, and from 13.4 on refuses it. In a whole program it is a warning in functions that no kernel can reach.",
		Fix:     "move the load after the call.",
		Source:  `PTX ISA, "Parameter State Space"; measured with the assemblers 11.8 to 13.5.`,
		Example: `.func f() { .reg .b32 %a; .param .b32 r; ld.param.b32 %a, [r]; ret; }`,
		Compile: true,
	},
}
