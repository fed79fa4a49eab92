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
	for _, piece := range a.Params[1].AppendPieces(nil) {
		fmt.Println(piece)
	}
	// Output:
	// R4 | R6:R8 -> R4
	// [0:4] R6
	// [4:8] R7
	// [8:12] R8
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
	// parameter 0: an alignment of 3 bytes is no power of two in 1 … 536870912 is bad-align
	// parameter 1: a kernel has no unsized parameters is unsized-place
}

// A target that has not been measured can still be asked for.
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
	// target sm_30 has not been measured
	// family: old (assumed: as on sm_35)
	// generation: Kepler (assumed: by its number)
	// parameter registers: R4:R15 (assumed: as on sm_35)
}
