package symexec

import (
	"github.com/ptxabi/ptxabi/abi/abitest"
)

// What is compared are functions of the test kit.
type (
	Signature = abitest.Function
	Formal    = abitest.Formal
)

// touched returns the number of bytes that a probe may touch of parameter i.
func touched(s *Signature, i int) int {
	if s.Params[i].Unsized() {
		return s.Tail
	}
	return s.Params[i].Value().Size
}

// withoutVectors is a copy of s with arrays of the same size and alignment in
// place of vectors.
func withoutVectors(s *Signature) *Signature {
	s = s.Clone()
	for i, f := range s.Params {
		s.Params[i] = arrayOf(f)
	}
	if s.Result != nil {
		*s.Result = arrayOf(*s.Result)
	}
	return s
}

// arrayOf is f, or an array in place of a vector.
func arrayOf(f Formal) Formal {
	if f.Vec == 0 {
		return f
	}
	v := f.Value()
	return Formal{Type: "b8", Len: v.Size, Align: v.Align}
}
