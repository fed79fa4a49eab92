// Package resolve finds the meaning of a PTX module's declarations: the function,
// variable or alias that a name means, the target of the module, and the places of the
// parameters and results of each function, kernel, prototype and call.
//
// [Functions] returns the functions of a module, and [Function.Assign] the places of
// their values:
//
//	for _, f := range resolve.Functions(m) {
//		places, diags := f.Assign(t)
//		fmt.Println(f.Name, places, diags.Err())
//	}
//
// It combines these steps, which can also be called one by one:
//
//	ptx.Formal ── Value ──> abi.Value          size, alignment and kind
//	ptx.Func ── NewFunction, Signature ──> abi.Signature
//	abi.Signature + target ── abi.Assign ──> abi.Assignment
//
// Errors of package abi have indices of formals; the diagnostics of [Function.Assign]
// have names and positions. A call has the signature of its callee, except for the size
// of a variadic tail, which [Function.Call] takes from the arguments.
//
// The package does no I/O, keeps no state, and does not change modules.
package resolve
