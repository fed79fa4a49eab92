// Emitter prints a module of PTX with a function that takes a struct by value,
// and a kernel that hands its own parameter on to it: what a compiler that
// emits PTX does with the constants of a generated file.
package main

import (
	"fmt"
	"io"
	"os"
)

//go:generate go tool ptxparam -type=Ray

// Ray is what the function is called with.
type Ray struct {
	Origin    [3]float32
	Direction [3]float32
	Near, Far float32
	Hits      uintptr
	ID        uint32
}

func main() { emit(os.Stdout) }

func emit(w io.Writer) {
	io.WriteString(w, ".version 7.0\n.target sm_70\n.address_size 64\n\n")

	// float reach(Ray r): the length of the ray.
	fmt.Fprintf(w, ".visible .func (.param .b32 out) reach(%s)\n{\n", fmt.Sprintf(RayDecl, "r"))
	io.WriteString(w, "\t.reg .f32 %f<4>;\n")
	fmt.Fprintln(w, "\t"+fmt.Sprintf(RayLoadNear, "r", "%f1"))
	fmt.Fprintln(w, "\t"+fmt.Sprintf(RayLoadFar, "r", "%f2"))
	io.WriteString(w, "\tsub.f32 %f3, %f2, %f1;\n\tst.param.f32 [out], %f3;\n\tret;\n}\n\n")

	// A kernel that is given a Ray copies it into the call's parameter, by
	// words, since a Ray is aligned to that at least.
	fmt.Fprintf(w, ".visible .entry trace(%s)\n{\n", fmt.Sprintf(RayEntryDecl, "trace_param_0"))
	words := RaySize / RayAlign
	fmt.Fprintf(w, "\t.reg .b64 %%rd<%d>;\n", words+2)
	io.WriteString(w, "\t.reg .f32 %f<2>;\n\t{\n")
	fmt.Fprintf(w, "\t%s;\n\t.param .b32 ret;\n", fmt.Sprintf(RayDecl, "arg"))
	for i := range words {
		fmt.Fprintf(w, "\tld.param.b64 %%rd%d, [trace_param_0+%d];\n", i, i*RayAlign)
	}
	for i := range words {
		fmt.Fprintf(w, "\tst.param.b64 [arg+%d], %%rd%d;\n", i*RayAlign, i)
	}
	io.WriteString(w, "\tcall (ret), reach, (arg);\n\tld.param.f32 %f1, [ret];\n\t}\n")
	hits, global := fmt.Sprintf("%%rd%d", words), fmt.Sprintf("%%rd%d", words+1)
	fmt.Fprintln(w, "\t"+fmt.Sprintf(RayLoadHits, "trace_param_0", hits))
	fmt.Fprintf(w, "\tcvta.to.global.u64 %s, %s;\n\tst.global.f32 [%s], %%f1;\n\tret;\n}\n", global, hits, global)
}
