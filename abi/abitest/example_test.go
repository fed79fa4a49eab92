package abitest_test

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// naive is a backend that hands out parameter registers from R4 up. Its author
// took care of alignments, and overlooked that a later parameter may go into the
// hole that one leaves.
func naive(f *abitest.Function) (abi.Assignment, error) {
	var a abi.Assignment
	next, stack := 4, 0
	if f.Result != nil {
		v := f.Result.Value()
		loc := abi.Loc{Kind: abi.InReg, Reg: 4}
		if v.Size > 48 {
			a.Sret = loc
			loc.Kind = abi.Indirect
			next++
		}
		a.Results = []abi.Placement{{Loc: loc}}
	}
	for _, v := range f.ABI().Params {
		words, align := (v.Size+3)/4, max(v.Align, 4)
		up := min(align, 16) / 4
		first := (next + up - 1) &^ (up - 1)
		if v.Kind == abi.Data && first+words <= 16 {
			a.Params = append(a.Params, abi.Placement{Loc: abi.Loc{Kind: abi.InReg, Reg: sass.Reg(first)}})
			next = first + words
			continue
		}
		stack = (stack + align - 1) &^ (align - 1)
		a.Params = append(a.Params, abi.Placement{Loc: abi.Loc{Kind: abi.OnStack, Off: stack}})
		stack += 4 * words
	}
	a.StackBytes = stack
	return a, nil
}

// A backend with a bug, and what the kit says of it.
func ExampleCheckPlaces() {
	target, err := abi.Lookup("sm_90")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(abitest.CheckPlaces(target, 1, 1000, naive))
	// Output:
	// sm_90: parameter 2: the backend says R8, the convention R5
	// 	.func f (.param .b32 p0, .param .b64 p1, .param .b32 p2)
	// 	func(4@4, 8@8, 4@4)
}

// The same, with the parts of the difference.
func ExampleDisagreement() {
	target, err := abi.Lookup("sm_90")
	if err != nil {
		fmt.Println(err)
		return
	}
	var d *abitest.Disagreement
	if errors.As(abitest.CheckPlaces(target, 1, 1000, naive), &d) {
		fmt.Println(d.What, d.Got, d.Want, len(d.Function.Params))
	}
	// Output:
	// parameter 2 R8 R5 3
}

// Functions are drawn with the types of their declarations, for a backend that
// starts from those.
func ExampleRandom() {
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	f := abitest.Random(7, 5, abitest.DialectOf(target, ptx.Version{}))
	fmt.Println(f)
	fmt.Println(f.ABI())
	// Output:
	// .func (.param .align 32 .b8 res[6]) f (.param .b64 p0, .param .u64 p1)
	// func(8@8, 8@8) -> 6@32
}

// The corpus, as a backend in another language reads it.
func ExampleCorpus() {
	c := abitest.Corpus()[4]
	fmt.Println(c.Why)
	fmt.Println(c.Function)
	// Output:
	// the hole that an alignment leaves is filled
	// .func f (.param .b32 p0, .param .b64 p1, .param .b32 p2)
}
