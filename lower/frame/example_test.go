package frame_test

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/lower/frame"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A function that takes a struct and a number, and passes the number and the struct on.
func ExampleNew() {
	t, err := abi.Lookup("sm_90")
	if err != nil {
		fmt.Println(err)
		return
	}
	pair, err := layout.Of(&layout.Record{Name: "Pair", Fields: []layout.Field{
		{Name: "a", Type: layout.Scalar{Kind: layout.Int}},
		{Name: "b", Type: layout.Scalar{Kind: layout.Int}},
	}}, layout.LP64.NVCC())
	if err != nil {
		fmt.Println(err)
		return
	}
	formal, err := ptx.ParseFormal(pair.Param("p"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, n := resolve.Value(&formal.Spec, &formal.Var), abi.Value{Size: 4, Align: 4}
	f, err1 := abi.Assign(abi.Signature{Params: []abi.Value{p, n}}, t)
	g, err2 := abi.Assign(abi.Signature{Params: []abi.Value{n, p}}, t)
	fr, err3 := frame.New(frame.Func{Target: t, Name: "f", Assignment: f, Calls: []frame.Callee{{Assignment: g}}})
	if err1 != nil || err2 != nil || err3 != nil {
		fmt.Println(err1, err2, err3)
		return
	}
	fmt.Println("takes", f.ParamRegs(), "passes", g.ParamRegs())
	call, err1 := fr.Call(0, frame.To{Name: "g"}, [][]sass.Reg{{6}, {4, 5}})
	end, err2 := fr.Return(nil)
	if err1 != nil || err2 != nil {
		fmt.Println(err1, err2)
		return
	}
	fmt.Print(fr.Func(fr.Prologue(), call, end))
	// Output:
	// takes R4-R6 passes R4-R6
	// //--------------------- .text.f --------------------------
	// f:
	// 	IADD3 R1, R1, -0x8, RZ ;                        // frame of 0x8 bytes
	// 	STL [R1], R20 ;                                 // saved
	// 	STL [R1+0x4], R21 ;                             // saved
	// 	MOV R0, R4 ;
	// 	MOV R4, R6 ;
	// 	MOV R6, R5 ;
	// 	MOV R5, R0 ;
	// 	MOV R20, 32@lo((f + .L_f_0@srel)) ;             // return address
	// 	MOV R21, 32@hi((f + .L_f_0@srel)) ;
	// 	CALL.ABS.NOINC `(g) ;
	// .L_f_0:
	// 	LDL R20, [R1] ;                                 // restored
	// 	LDL R21, [R1+0x4] ;                             // restored
	// 	IADD3 R1, R1, 0x8, RZ ;
	// 	RET.ABS.NODEC R20 0x0 ;
}
