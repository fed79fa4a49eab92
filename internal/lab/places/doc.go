// Package places compares where NVIDIA's assembler keeps every part of every formal with what package abi says:
// it has the probes of signatures assembled, and reads the disassembly.
//
// # How a probe works
//
// A callee loads every word of every formal, and the trailing bytes, and stores
// each to an address of its own with st.volatile.global; it fills its result
// from ld.volatile.global. A caller fills every argument from
// ld.volatile.global, calls an extern function, and stores what it gets back.
// Volatile accesses keep their order, their width and their addresses through
// the assembler. Between them and the function's entry, the call or the return,
// package symexec follows each byte through the disassembly:
//
//	        callee                                  caller
//	entry   R4 R5 … [R1+0] …  c[0x0][…]             ld.volatile.global [in+k]
//	           │ moves, loads, permutes                │ moves, stores, permutes
//	        st.volatile.global [out+k]              R4 R5 … [R1+0] …          call
//	        ld.volatile.global [res+k]              R4 R5 … or local memory   after
//	           │                                       │
//	return  R4 R5 … or through R4's address         st.volatile.global [got+k]
//
// Of one signature in eight every part of every formal is accessed, as far as
// there are not too many; of the others the first part of each formal, one in
// the middle and the last.
//
// # What random signatures leave out
//
// Some declarations have no answer to compare with, because ptxas is wrong or
// contradicts itself. TestDefects holds two of them:
//
//   - a call of a function without parameters whose result goes through memory,
//     before sm_80: ptxas crashes;
//   - half-precision formals in .reg space before sm_53: the caller passes single
//     precision in the register, the callee reads half precision from it;
//   - .reg .b128 formals: ptxas reads 8 bits of them, from 13.5 on 64;
//   - arrays of .f16x2 as arguments: ptxas refuses them, whatever is passed;
//   - opaque handles among kernel parameters: where one follows parameters that
//     end at an offset that is not a multiple of 4, the code reads the next
//     parameter right after them, and the kernel's description for a launch
//     has it at the next multiple of 4.
//
// Not left out, since it is beside the point here: from ptxas 12.8 and sm_80 on,
// loads from global memory into an element of a vector register take their
// descriptor from URZ or from numbers instead of the one in the constant bank;
// from 13.4 on the numbers differ from run to run.
//
// Nothing of the toolkit is opened but its output for PTX made here.
package places
