package abi_test

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
)

// Where the parameters and the result of
//
//	.func (.reg .s32 out) bar (.reg .s32 x, .param .align 8 .b8 y[12])
//
// live on sm_80.
func ExampleAssign() {
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := abi.Assign(abi.Signature{
		Params:  []abi.Value{{Size: 4, Align: 4}, {Size: 12, Align: 8}},
		Results: []abi.Value{{Size: 4, Align: 4}},
	}, target)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a)
	for _, piece := range a.Params[1].Pieces() {
		fmt.Println(piece)
	}
	// Output:
	// R4 | R6:R8 -> R4
	// [0:4] R6
	// [4:8] R7
	// [8:12] R8
}

// A signature in the notation of docs/abi.md.
func ExampleParseSignature() {
	sig, err := abi.ParseSignature("func(4@4, 12@8) -> 4@4")
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := abi.Assign(sig, target)
	fmt.Println(sig, "=", a, err)
	_, err = abi.ParseSignature("func(4@4, big) - 4")
	fmt.Println(err)
	// Output:
	// func(4@4, 12@8) -> 4@4 = R4 | R6:R8 -> R4 <nil>
	// column 11: a size, an array such as []@8, or opaque expected, found "big"; column 16: "->", ";" or the end expected, found "-"
}

// All errors of a signature come at once.
func ExampleErrorList() {
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = abi.Assign(abi.Signature{
		Kind:   abi.Entry,
		Params: []abi.Value{{Size: 4, Align: 3}, {Kind: abi.Unsized}},
	}, target)
	if list, ok := err.(abi.ErrorList); ok {
		for _, e := range list {
			fmt.Println(e, "is", e.Code)
		}
	}
	// Output:
	// parameter 0: an alignment of 3 bytes is not a power of two in 1 … 536870912 is bad-align
	// parameter 1: a kernel has no unsized parameters is unsized-place
}

// A target that has not been measured is assumed on request.
func ExampleAssume() {
	_, err := abi.Lookup("sm_30")
	fmt.Println(err)
	target, err := abi.Assume("sm_30")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, fact := range target.Facts()[:3] {
		fmt.Println(fact)
	}
	// Output:
	// target sm_30 has not been measured; abi.Assume takes over the facts of another
	// family: old (assumed: as on sm_35)
	// generation: Kepler (assumed: by its number)
	// parameter registers: R4:R15 (assumed: as on sm_35)
}

// What is known of a target, and how.
func ExampleLookup() {
	target, err := abi.Lookup("sm_90")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(target.Kernel.ParamBase, target.Passing.MaxResult)
	for _, fact := range target.Facts() {
		if fact.Name == "parameter registers" {
			fmt.Println(fact)
		}
	}
	_, err = abi.Lookup("sm_91")
	fmt.Println(err)
	// Output:
	// 528 48
	// parameter registers: R4:R15 (measured: ptxas 11.8.89, 12.4.131, 12.8.93, 12.9.86, 13.0.88, 13.4.59, 13.5.37)
	// unknown target "sm_91"
}
