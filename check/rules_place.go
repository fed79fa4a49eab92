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
