// Package abitest is a test kit for backends of compilers: it draws functions and
// kernels, and holds where a backend keeps their parameters and results against
// package abi.
//
//	func TestConvention(t *testing.T) {
//		for _, target := range abi.Targets() {
//			if err := abitest.Check(target, 1, 10_000, assign); err != nil {
//				t.Error(err)
//			}
//		}
//	}
//
// where assign is the backend's answer for one function, see [Backend].
//
// # The corpus
//
// [Corpus] is a list of functions and kernels that were chosen by hand, one for
// each rule of the convention and for what is easily got wrong about it. The file
// corpus.txt of this package is the same with the answers, for backends that are
// not written in Go; its head says how to read it.
//
// # Random functions
//
// [Random] draws functions of a seed: the same for the same seed, index and
// [Dialect]. They are the ones that "ptxabi measure" holds against NVIDIA's
// assembler.
//
// The package imports abi and the standard library alone.
package abitest
