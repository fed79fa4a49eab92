// Package measured has the recordings of what NVIDIA's assembler makes of probes,
// PTX of our own. Its tests derive from them what the rows of package abi state.
//
// A probe is a PTX file whose first lines, comments, say how it is recorded:
//
//	// record: -c -O1          options of the assembler; one recording for each such line
//	// keep: REGEXP            the instructions that are kept; all where there is no such line
//	// drop: REGEXP            those that are not, of these
//	// show: code relocs …     what is kept beside: code relocs functions names kernels unwind
//	// version: kept           the .version is the module's own
//
// Its .target is replaced by the architecture, and its .version, unless it is
// kept, by the newest that the assembler takes. A line "// module NAME" begins a module of its own;
// what stands before the first such line begins all of them.
//
// The recordings of a probe with one release of the assembler are a file. It
// begins with lines that say what made it. A section is the recording for one or several
// architectures, which its title names; where several options gave the same
// to the same architectures, it names them all, "-c -O2, -c -O3":
//
//	-- callee8 | -c -O1 | sm_80 sm_86 --
//	//--------------------- .text.f --------------------------
//	f:
//		/*0000*/ IADD3 R1, R1, -0x8, RZ ;
//	# reloc f+0xa0: R_CUDA_ABS47_34 ext+0x0
//	! error   : Feature '.abi_preserve' requires .target sm_80 or higher
//
// Code is the disassembler's, with the address of each instruction, without
// encodings, padding and the braces of dual issue. Lines with # say what the
// cubin records, lines with ! are the assembler's diagnostics, in place of all
// else.
package measured
