// Package resolve says what the declarations of a PTX module mean: which function,
// variable or alias a name is, which target the module is for, and where the
// parameters and results of each function, kernel, prototype and call live.
//
// [Functions] lists what a module declares, and [Function.Assign] places its values:
//
//	for _, f := range resolve.Functions(m) {
//		places, diags := f.Assign(t)
//		fmt.Println(f.Name, places, diags.Err())
//	}
//
// There are three steps from a declaration to its places, which can be called one by one:
//
//	ptx.Formal ── Value ──> abi.Value          size, alignment and kind
//	ptx.Func ── NewFunction, Signature ──> abi.Signature
//	abi.Signature + target ── abi.Assign ──> abi.Assignment
//
// [Function.Assign] does all of it, and says of names and positions what package abi
// says of indices. A call has the signature of what it calls but for the size of a
// variadic tail, which [Function.Call] takes from what is passed.
//
// The package does no I/O and keeps no state. Nothing here changes a module.
package resolve
