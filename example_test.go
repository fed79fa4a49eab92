package ptxabi_test

import (
	"fmt"
	"log"
	"os"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// worked is the module of the documentation's example.
const worked = `.version 7.8
.target sm_80
.address_size 64

.func (.reg .s32 out) bar (.reg .s32 x, .param .align 8 .b8 y[16])
{
	.reg .s32 %r<2>;
	ld.param.s32 %r1, [y+8];
	add.s32 out, x, %r1;
	ret;
}

.entry k (.param .u32 n)
{
	.reg .s32 %r<3>;
	.reg .f64 %fd<2>;
	ld.param.u32 %r1, [n];
	cvt.rn.f64.s32 %fd1, %r1;
	{
		.param .align 8 .b8 y[16];
		st.param.f64 [y], %fd1;
		st.param.s32 [y+8], %r1;
		call.uni (%r2), bar, (%r1, y);
	}
	ret;
}
`

// A kernel and the function that it calls.
func Example() {
	m, err := ptx.Parse("x.ptx", []byte(worked))
	if err != nil {
		log.Fatal(err)
	}
	t, err := abi.Lookup(m.Target)
	if err != nil {
		log.Fatal(err)
	}
	prog, err := lower.Module(m, t, lower.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(prog)
	// Output:
	// // pseudo-SASS for sm_80: calling convention only, not assemblable
	//
	// //--------------------- .text.bar --------------------------
	// bar:
	// 	// param  x: R4, size 4 align 4
	// 	// param  y: R6:R9, size 16 align 8
	// 	// result out: R4, size 4 align 4
	// 	MOV x, R4 ;                                     // x[0:4]
	// 	MOV %r1, R8 ;                                   // y[8:12]
	// 	add.s32 out, x, %r1 ;
	// 	MOV R4, out ;                                   // out[0:4]
	// 	RET.ABS.NODEC R20 0x0 ;
	//
	// //--------------------- .text.k --------------------------
	// k:
	// 	// param  n: c[0x0][0x160], size 4 align 4
	// 	MOV R1, c[0x0][0x28] ;                          // stack pointer
	// 	MOV %r1, c[0x0][0x160] ;                        // n[0:4]
	// 	cvt.rn.f64.s32 %fd1, %r1 ;
	// 	MOV R4, %r1 ;                                   // x[0:4]
	// 	MOV R6, %fd1.lo ;                               // y[0:4]
	// 	MOV R7, %fd1.hi ;                               // y[4:8]
	// 	MOV R8, %r1 ;                                   // y[8:12]
	// 	MOV R20, 32@lo((k + .L_x_0@srel)) ;             // return address
	// 	MOV R21, 32@hi((k + .L_x_0@srel)) ;
	// 	CALL.ABS.NOINC `(bar) ;                         // local function: the assembler may differ
	// .L_x_0:
	// 	MOV %r2, R4 ;                                   // out[0:4]
	// 	EXIT ;
}

// What docs/library.md shows.
func Example_library() {
	src := []byte(".version 7.8\n.target sm_80\n.func (.param .b32 r) bar (.param .b32 x, .param .align 8 .b8 y[12]) { ret; }\n")

	m, err := ptx.Parse("x.ptx", src)
	if err != nil {
		log.Fatal(err) // every syntax error, each with its place
	}
	t, err := abi.Lookup("sm_90")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range resolve.Functions(m) {
		places, diags := f.Assign(t)
		fmt.Println(f.Name, places, diags.Err()) // bar R4 | R6:R8 -> R4 <nil>
	}
	err = lower.Write(os.Stdout, string(src), lower.Options{Target: t})
	fmt.Println(err)

	// Output:
	// bar R4 | R6:R8 -> R4 <nil>
	// // pseudo-SASS for sm_90: calling convention only, not assemblable
	//
	// //--------------------- .text.bar --------------------------
	// bar:
	// 	// param  x: R4, size 4 align 4
	// 	// param  y: R6:R8, size 12 align 8
	// 	// result r: R4, size 4 align 4
	// 	RET.ABS.NODEC R20 0x0 ;
	// <nil>
}
