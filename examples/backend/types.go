package main

import "github.com/ptxabi/ptxabi/layout"

// particle is the struct of the toy language's one program:
//
//	struct Particle { double mass; float pos[3]; };
var particle = &layout.Record{Name: "Particle", Fields: []layout.Field{
	{Name: "mass", Type: layout.Scalar{Kind: layout.Double}},
	{Name: "pos", Type: &layout.Array{Elem: layout.Scalar{Kind: layout.Float}, Len: 3}},
}}

// A Param is a parameter of a toy function.
type Param struct {
	Name string
	Type layout.Type
}

// A Func is a function of the toy language: it returns its first parameter, a
// struct, with every float and double in it multiplied by the second.
type Func struct {
	Name   string
	Params []Param
	Result layout.Type
}

var scale = &Func{
	Name:   "scale",
	Params: []Param{{"p", particle}, {"by", layout.Scalar{Kind: layout.Float}}},
	Result: particle,
}
