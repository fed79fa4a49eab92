// Package sass is a vocabulary and a printer of pseudo-SASS: instructions that a reader
// of nvdisasm's output recognises, with registers that may still be virtual. It does not
// depend on PTX or on a calling convention.
//
// # Text
//
// A program begins with a line that names its target. A function begins with the line by
// which nvdisasm announces a section, and with its label. Labels are at the margin.
// Instructions are indented by a tab and end in " ;", and their notes are in one column:
//
//	// pseudo-SASS for sm_80: calling convention only, not assemblable
//
//	//--------------------- .text.caller --------------------------
//	caller:
//		MOV R4, %r1 ;                                   // x[0:4]
//		STL [R1+0x8], %rd1.lo ;                         // y[0:4]
//		MOV R20, 32@lo((caller + .L_x_0@srel)) ;
//		MOV R21, 32@hi((caller + .L_x_0@srel)) ;
//		CALL.ABS.NOINC `(f) ;
//	.L_x_0:
//		@P0 MOV %r2, R4 ;                               // out[0:4]
//
// Numbers are in lower-case hexadecimal, with a sign if negative. A virtual register has
// the name of its declaration; a word of a wider one has a suffix, .lo and .hi of 64
// bits, .0 to .3 of 128. An instruction that is passed through keeps the text of its
// source.
//
// [Parse] reads this text back, and the text of NVIDIA's disassemblers. It keeps the parts that only
// disassemblers print: the address before an instruction, /*0018*/, the
// braces around two that are issued together, (*"remarks"*) on relocations, signs and
// suffixes of operands, uniform registers, descriptors.
//
// # Vocabulary
//
// Every mnemonic was seen in nvdisasm's output. docs/sass.md leads to a table of their operands,
// their meaning and the architectures that have them.
//
// From sm_90 on, constants are loaded with LDC: no other instruction was seen there with
// an operand c[b][o].
//
// # Parts of a word
//
// PRMT extracts, extends and combines bytes of words on every architecture. Its immediate
// has one digit for each byte of the result, the lowest digit for the lowest byte: 0 to 3
// are the bytes of the second operand, 4 to 7 those of the fourth, and 8 more than that
// is eight copies of the byte's sign. With RZ as fourth operand:
//
//	0x7770 … 0x7773       byte 0 … 3, zero-extended
//	0x8880, 0x9991,       byte 0 … 3, sign-extended
//	0xaaa2, 0xbbb3
//	0x7710, 0x7732        the low, the high half, zero-extended
//	0x9910, 0xbb32        the low, the high half, sign-extended
//
// With a register as fourth operand, 0x5410 joins the low halves of the two registers.
package sass
