// Command start prints where a function of a struct and a number takes them.
package main

import (
	"fmt"
	"log"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func main() {
	// struct Particle { double mass; float pos[3]; };
	particle := &layout.Record{Name: "Particle", Fields: []layout.Field{
		{Name: "mass", Type: layout.Scalar{Kind: layout.Double}},
		{Name: "pos", Type: &layout.Array{Elem: layout.Scalar{Kind: layout.Float}, Len: 3}},
	}}
	l, err := layout.Of(particle, layout.LP64.NVCC())
	if err != nil {
		log.Fatal(err)
	}
	p, err := ptx.ParseFormal(l.Param("p"))
	if err != nil {
		log.Fatal(err)
	}
	t, err := abi.Lookup("sm_90")
	if err != nil {
		log.Fatal(err)
	}
	sig := abi.Signature{Params: []abi.Value{resolve.Value(&p.Spec, &p.Var), {Size: 4, Align: 4}}}
	a, err := abi.Assign(sig, t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Param("p"), "is in", a.Params[0])
	fmt.Println("by is in", a.Params[1])
}
