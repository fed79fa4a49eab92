package lower_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

const exampleSource = `
.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b32 r) g (.param .b32 a, .param .b32 b);
.func (.param .b32 r) f (.param .b32 a, .param .b32 b)
{
	.reg .b32 %r<5>;
	ld.param.b32 %r1, [a];
	ld.param.b32 %r2, [b];
	{
	.param .b32 x;
	.param .b32 y;
	.param .b32 z;
	st.param.b32 [x], %r2;
	st.param.b32 [y], %r1;
	call (z), g, (x, y);
	ld.param.b32 %r3, [z];
	}
	add.s32 %r4, %r3, %r2;
	st.param.b32 [r], %r4;
	ret;
}
`

// allocation is the result of a register allocation: %r2 lives across the call.
type allocation map[string]sass.Reg

func (a allocation) Home(_ *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	reg, ok := a[r.Name]
	return reg, ok
}

// A kernel that passes its parameter on, from text to text.
func ExampleWrite() {
	const src = `
.version 7.8
.target sm_90
.address_size 64
.extern .func g (.param .b32 a);
.entry k (.param .b32 n)
{
	.reg .b32 %r<2>;
	.param .b32 x;
	ld.param.b32 %r1, [n];
	st.param.b32 [x], %r1;
	call g, (x);
	ret;
}
`
	if err := lower.Write(os.Stdout, src, lower.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// // pseudo-SASS for sm_90: calling convention only, not assemblable
	//
	// //--------------------- .text.k --------------------------
	// k:
	// 	// param  n: c[0x0][0x210], size 4 align 4
	// 	LDC R1, c[0x0][0x28] ;                          // stack pointer
	// 	LDC R4, c[0x0][0x210] ;                         // a[0:4]
	// 	MOV R20, 32@lo((k + .L_x_0@srel)) ;             // return address
	// 	MOV R21, 32@hi((k + .L_x_0@srel)) ;
	// 	CALL.ABS.NOINC `(g) ;                           // convention binds: extern
	// .L_x_0:
	// 	EXIT ;
}

// A function that passes its two parameters on in the other order.
func ExampleModule() {
	m, err := ptx.Parse("f.ptx", []byte(exampleSource))
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := abi.Lookup("sm_90")
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := lower.Module(m, target, lower.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(prog)
	// Output:
	// // pseudo-SASS for sm_90: calling convention only, not assemblable
	//
	// //--------------------- .text.f --------------------------
	// f:
	// 	// param  a: R4, size 4 align 4
	// 	// param  b: R5, size 4 align 4
	// 	// result r: R4, size 4 align 4
	// 	IADD3 R1, R1, -0x8, RZ ;                        // frame of 0x8 bytes
	// 	STL [R1], R20 ;                                 // saved
	// 	STL [R1+0x4], R21 ;                             // saved
	// 	MOV %r2, R5 ;                                   // b[0:4]
	// 	MOV y.0, R4 ;                                   // y[0:4]
	// 	MOV R4, R5 ;                                    // a[0:4]
	// 	MOV R5, y.0 ;                                   // b[0:4]
	// 	MOV R20, 32@lo((f + .L_x_0@srel)) ;             // return address
	// 	MOV R21, 32@hi((f + .L_x_0@srel)) ;
	// 	CALL.ABS.NOINC `(g) ;                           // convention binds: extern
	// .L_x_0:
	// 	MOV %r3, R4 ;                                   // z[0:4]
	// 	add.s32 %r4, %r3, %r2 ;
	// 	MOV R4, %r4 ;                                   // r[0:4]
	// 	LDL R20, [R1] ;                                 // restored
	// 	LDL R21, [R1+0x4] ;                             // restored
	// 	IADD3 R1, R1, 0x8, RZ ;
	// 	RET.ABS.NODEC R20 0x0 ;
}

// Without homes virtual registers keep their names; with them the operands are
// physical, callee-saved ones are saved, and the moves do not get into each
// other's way.
func ExampleHomes() {
	m, err := ptx.Parse("f.ptx", []byte(exampleSource))
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := lower.Module(m, target, lower.Options{
		Homes: allocation{"%r1": 4, "%r2": 17, "%r3": 4, "%r4": 4},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(prog)
	// Output:
	// // pseudo-SASS for sm_80: calling convention only, not assemblable
	//
	// //--------------------- .text.f --------------------------
	// f:
	// 	// param  a: R4, size 4 align 4
	// 	// param  b: R5, size 4 align 4
	// 	// result r: R4, size 4 align 4
	// 	IADD3 R1, R1, -0x10, RZ ;                       // frame of 0x10 bytes
	// 	STL [R1], R17 ;                                 // saved
	// 	STL [R1+0x4], R20 ;                             // saved
	// 	STL [R1+0x8], R21 ;                             // saved
	// 	MOV R17, R5 ;                                   // b[0:4]
	// 	MOV R5, R4 ;                                    // b[0:4]
	// 	MOV R4, R17 ;                                   // a[0:4]
	// 	MOV R20, 32@lo((f + .L_x_0@srel)) ;             // return address
	// 	MOV R21, 32@hi((f + .L_x_0@srel)) ;
	// 	CALL.ABS.NOINC `(g) ;                           // convention binds: extern
	// .L_x_0:
	// 	add.s32 R4, R4, R17 ;
	// 	LDL R17, [R1] ;                                 // restored
	// 	LDL R20, [R1+0x4] ;                             // restored
	// 	LDL R21, [R1+0x8] ;                             // restored
	// 	IADD3 R1, R1, 0x10, RZ ;
	// 	RET.ABS.NODEC R20 0x0 ;
}

// slots are what an allocation had no register for: where in the frame it lives, by name.
type slots map[string]int

func (s slots) Slot(_ *ptx.Func, r lower.Virtual) (int, bool) {
	off, ok := s[r.Name]
	return off, ok
}

// What an allocation has no register for lives in the frame: it is stored there
// when it arrives, and moves between slots and registers are loads and stores.
func ExampleSlots() {
	const moved = "mov.b32 %r4, %r2;\n\tadd.s32 %r4, %r3, %r4;" // add takes no slot
	source := strings.Replace(exampleSource, "add.s32 %r4, %r3, %r2;", moved, 1)
	m, err := ptx.Parse("f.ptx", []byte(source))
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := lower.Module(m, target, lower.Options{
		Homes: allocation{"%r1": 4, "%r3": 4, "%r4": 5},
		Slots: slots{"%r2": 0},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(prog)
	// Output:
	// // pseudo-SASS for sm_80: calling convention only, not assemblable
	//
	// //--------------------- .text.f --------------------------
	// f:
	// 	// param  a: R4, size 4 align 4
	// 	// param  b: R5, size 4 align 4
	// 	// result r: R4, size 4 align 4
	// 	IADD3 R1, R1, -0x10, RZ ;                       // frame of 0x10 bytes
	// 	STL [R1+0x4], R20 ;                             // saved
	// 	STL [R1+0x8], R21 ;                             // saved
	// 	// slot   %r2[0:4] at [R1]
	// 	STL [R1], R5 ;                                  // b[0:4]
	// 	MOV R5, R4 ;                                    // b[0:4]
	// 	LDL R4, [R1] ;                                  // a[0:4]
	// 	MOV R20, 32@lo((f + .L_x_0@srel)) ;             // return address
	// 	MOV R21, 32@hi((f + .L_x_0@srel)) ;
	// 	CALL.ABS.NOINC `(g) ;                           // convention binds: extern
	// .L_x_0:
	// 	LDL R5, [R1] ;
	// 	add.s32 R5, R4, R5 ;
	// 	MOV R4, R5 ;                                    // r[0:4]
	// 	LDL R20, [R1+0x4] ;                             // restored
	// 	LDL R21, [R1+0x8] ;                             // restored
	// 	IADD3 R1, R1, 0x10, RZ ;
	// 	RET.ABS.NODEC R20 0x0 ;
}
