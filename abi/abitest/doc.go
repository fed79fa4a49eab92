// Package abitest is a test kit for backends of compilers. It generates functions and
// kernels, and compares a backend's places of their parameters and results with those of
// package abi.
//
//	func TestConvention(t *testing.T) {
//		for _, target := range abi.Targets() {
//			if err := abitest.CheckPlaces(target, 1, 10_000, assign); err != nil {
//				t.Error(err)
//			}
//		}
//	}
//
// where 1 is the seed, 10_000 is the number of random functions, and assign is the backend's
// answer for one function, a [Placer]:
//
//	func assign(f *abitest.Function) (abi.Assignment, error) {
//		if f.Kernel || f.Preserve.Given {
//			return abi.Assignment{}, abitest.ErrUnsupported // if the backend does not compile these
//		}
//		var a abi.Assignment
//		for _, v := range f.ABI().Params { // sizes and alignments
//			a.Params = append(a.Params, abi.Placement{Loc: place(v)})
//		}
//		// likewise Results, Sret and StackBytes, and Block for a kernel
//		return a, nil
//	}
//
// # The corpus
//
// [Corpus] returns functions and kernels that were chosen by hand, one for each rule of
// the convention and for each common mistake. The file corpus.txt of this package is the
// same list with the answers, for backends that are not written in Go; its head explains
// the form. Functions with several results are outside of the convention and not in the
// list. A function with a handle, which is outside too, is in it.
//
// The file corpus.jsonl, [CorpusJSON], is the corpus for programs, a JSON object for each case on a
// line:
//
//	why        what the case shows
//	ptx        the declaration
//	signature  in the notation of docs/abi.md
//	kind       "func" or "entry"
//	preserve   the number of .abi_preserve; left out where there is none
//	params     what is passed, each {"kind", "size", "align"}: "data", "opaque" or "unsized", bytes
//	results    likewise
//	answers    for each group of targets that agree:
//	    targets  their names
//	    refused  why there is no assignment, as codes of abi.Code; there are no places then
//	    params   the places of the parameters, left out where there are none, each {"where"} and
//	                 "register":  reg, words   so many registers from this one on
//	                 "stack":     off          bytes from the stack pointer at the callee's entry
//	                 "constant":  bank, off    a byte of a constant bank
//	                 "indirect":  reg, off     local memory whose address is in a register; of results
//	                 "none"                    it has no place
//	    results  likewise
//	    hidden   the register of the sret pointer, the address of a result in memory; left out where there is none
//	    stack    the size of the stack area in bytes
//	    block    of kernels: {"bank", "base", "size"} of the parameter block, in bytes
//
// Fields may be added; none is ever removed. examples/corpus/run.py compares a backend in any
// language with the file.
//
// # What a backend needs
//
// Of a function or kernel: for each value its size and alignment, whether it is an array without
// extent or an opaque handle, and .abi_preserve. A [Formal] has them as PTX declares them, Formal.Value
// as numbers. A backend that does not compile something answers [ErrUnsupported].
//
// [CheckPlaces] compares the place of each value, the register of the sret pointer, the size of
// the stack area, and the parameter block. Package lowertest compares instructions.
// Functions that have no assignment, or that do not follow the convention, are not
// compared.
//
// # Random functions
//
// [Random] returns a function that depends on a seed, an index and a [Dialect] alone,
// with .abi_preserve if the assembler takes it. internal/lab/ptxmeasure compares the same
// functions with NVIDIA's assembler.
//
// The package imports abi, and ptx for random functions.
package abitest
