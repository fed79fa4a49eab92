// Package ptxabi is about NVIDIA's device calling convention: the register, stack slot or
// constant-bank address of every parameter and result of a PTX function or kernel. This
// package has only documentation; the code is in the packages below it.
//
// # The model
//
// PTX passes parameters by name. Machine code has registers, words of a stack in local
// memory, and bytes of a constant bank. The convention assigns these to parameters, so
// that two functions that were compiled separately can call each other.
//
// A value is a parameter or result as the convention sees it: its size and its alignment.
// The values of a function in order are its signature. A target is the facts about an
// architecture, each with its source: measured in the output of NVIDIA's assembler,
// documented by NVIDIA, or assumed. The function [github.com/ptxabi/ptxabi/abi.Assign]
// returns the assignment of a signature on a target: a place for every value, and the
// size of the stack area or parameter block. Caller and callee have the same assignment.
//
//	PTX text ── ptx.Parse ──> module ── lower.Module ──> pseudo-SASS
//	                                         │
//	                   signature + target ── abi.Assign ──> assignment
//
// Functions take their parameters in the registers R4 to R15, or whole on the
// stack, and return a result of up to 48 bytes from R4 up; a larger one is
// written to local memory whose address the caller passes in R4. Kernels find
// their parameters in constant bank 0. The file docs/abi.md states the
// convention in numbered steps, with its surprises and open questions.
//
// The packages:
//
//   - ptx reads and prints PTX; ptx/dataflow has the registers that instructions
//     read and write, control flow, and liveness
//   - abi has the targets and the assignment; abi/abitest compares a backend's
//     places of values with it
//   - resolve finds the target of a module, the signatures of its functions and
//     calls, and their assignments
//   - check reports mistakes in the parameter passing of modules
//   - lower turns a text or a module into pseudo-SASS; lower/lowertest compares a backend's
//     listings with that, and its register allocation with the PTX
//   - sass has the instructions of pseudo-SASS, prints it, and reads listings
//   - layout computes layouts of C and C++ types, and their .param declarations
//   - diag has places in files, diagnostics and fixes
//
// The commands are cmd/ptxabi, and cmd/ptxparam for go generate.
//
// # An example
//
// The kernel k passes a number and a record of a double and an int to the
// function bar:
//
//	.version 7.8
//	.target sm_80
//	.address_size 64
//
//	.func (.reg .s32 out) bar (.reg .s32 x, .param .align 8 .b8 y[16])
//	{
//		.reg .s32 %r<2>;
//		ld.param.s32 %r1, [y+8];
//		add.s32 out, x, %r1;
//		ret;
//	}
//
//	.entry k (.param .u32 n)
//	{
//		.reg .s32 %r<3>;
//		.reg .f64 %fd<2>;
//		ld.param.u32 %r1, [n];
//		cvt.rn.f64.s32 %fd1, %r1;
//		{
//			.param .align 8 .b8 y[16];
//			st.param.f64 [y], %fd1;
//			st.param.s32 [y+8], %r1;
//			call.uni (%r2), bar, (%r1, y);
//		}
//		ret;
//	}
//
// The record needs an even register and leaves R5 free; its last four bytes, in R9, are
// padding, which no instruction moves. The instructions that the convention needs are
// SASS, with the bytes that each moves after it; all others stay PTX, and registers keep
// their names:
//
//	// pseudo-SASS for sm_80: calling convention only, not assemblable
//
//	//--------------------- .text.bar --------------------------
//	bar:
//		// param  x: R4, size 4 align 4
//		// param  y: R6:R9, size 16 align 8
//		// result out: R4, size 4 align 4
//		MOV x, R4 ;                                     // x[0:4]
//		MOV %r1, R8 ;                                   // y[8:12]
//		add.s32 out, x, %r1 ;
//		MOV R4, out ;                                   // out[0:4]
//		RET.ABS.NODEC R20 0x0 ;
//
//	//--------------------- .text.k --------------------------
//	k:
//		// param  n: c[0x0][0x160], size 4 align 4
//		MOV R1, c[0x0][0x28] ;                          // stack pointer
//		MOV %r1, c[0x0][0x160] ;                        // n[0:4]
//		cvt.rn.f64.s32 %fd1, %r1 ;
//		MOV R4, %r1 ;                                   // x[0:4]
//		MOV R6, %fd1.lo ;                               // y[0:4]
//		MOV R7, %fd1.hi ;                               // y[4:8]
//		MOV R8, %r1 ;                                   // y[8:12]
//		MOV R20, 32@lo((k + .L_x_0@srel)) ;             // return address
//		MOV R21, 32@hi((k + .L_x_0@srel)) ;
//		CALL.ABS.NOINC `(bar) ;                         // local function: the assembler may differ
//	.L_x_0:
//		MOV %r2, R4 ;                                   // out[0:4]
//		EXIT ;
package ptxabi
