package verify

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A Binary is a cubin with the name of the file it is in, or PTX that stands in its place.
type Binary struct {
	*cubin.File
	Name   string
	PTX    *PTX // nil: it is a cubin
	Number int  // of PTX in the file, from 1
	Host   Host // of the program that a cubin is in
}

// Compare compares a binary with a source. The kernels and functions of the
// source come first, in its order, then those that the binary alone has, by name:
// the order of its symbols is the assembler's business.
func (b *Binary) Compare(s *Source) *Report {
	r := b.report(s.Name, s.Target)
	r.compare(b.compiled(), s)
	return r
}

// CompareStruct compares a kernel with a struct: with one parameter of it that
// is passed by value, or, for [Whole], with all of them, each a field of the
// struct, which is what a launch passes as one buffer. A field
// named _ is padding.
//
// Of a parameter a cubin records the place and the size, and nothing of what is
// in it. The other parameters are taken as they are.
func (b *Binary) CompareStruct(s Struct, t *abi.Target, kernel string, param int) *Report {
	r := b.report(s.File, t)
	r.compareStruct(b.compiled(), s, t, kernel, param)
	return r
}

// report is one in which nothing is compared yet.
func (b *Binary) report(source string, t *abi.Target) *Report {
	r := &Report{
		Cubin: b.Name, Source: source, Target: b.Arch, Toolkit: b.Toolkit.String(),
		Assumed: t.AssumedFrom != "", assumedFrom: t.AssumedFrom,
		General: []string{}, Kernels: []Kernel{}, Functions: []Function{},
	}
	if b.PTX != nil {
		r.Kind, r.Image, r.ptx = "ptx", b.Number, b.PTX
	}
	return r
}
