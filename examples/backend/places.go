package main

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/sass"
)

// regAlign is the largest alignment in bytes that counts in registers. Another
// than 16 is a bug.
var regAlign = 16

// places says where the toy backend keeps the values of a function: in the first
// free registers of R4 to R15 that its alignment allows, else on the stack. It compiles neither
// kernels nor functions with .abi_preserve.
func places(f *abitest.Function) (abi.Assignment, error) {
	var a abi.Assignment
	if f.Kernel || f.Preserve.Given {
		return a, abitest.ErrUnsupported
	}
	var taken [16]bool
	sig := f.ABI()
	for _, v := range sig.Results {
		loc := abi.Loc{Kind: abi.InReg, Reg: 4}
		if v.Size > 48 {
			a.Sret, loc.Kind = loc, abi.Indirect
			taken[4] = true
		}
		a.Results = append(a.Results, abi.Placement{Loc: loc})
	}
	for _, v := range sig.Params {
		words, align := (v.Size+3)/4, max(v.Align, 4)
		step := min(align, regAlign) / 4
		loc := abi.Loc{Kind: abi.OnStack}
		for first := 4; v.Kind == abi.Data && first+words <= 16; first++ {
			if first%step == 0 && !slices.Contains(taken[first:first+words], true) {
				for r := range words {
					taken[first+r] = true
				}
				loc = abi.Loc{Kind: abi.InReg, Reg: sass.Reg(first)}
				break
			}
		}
		if loc.Kind == abi.OnStack {
			loc.Off = (a.StackBytes + align - 1) / align * align
			a.StackBytes = loc.Off + 4*words
		}
		a.Params = append(a.Params, abi.Placement{Loc: loc})
	}
	return a, nil
}
