// Package sass is a vocabulary and a printer of pseudo-SASS: instructions that
// a reader of nvdisasm's output recognises, with registers that may still be
// virtual. It knows nothing of PTX and nothing of calling conventions.
//
// # Text
//
// A program begins with a line that names its target. Each function stands
// under the line with which nvdisasm announces a section, then its own label.
// Labels stand at the margin, instructions after a tab and before " ;", and
// notes in a column of their own:
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
// Numbers are lower-case hexadecimal, negative ones with a sign. A register
// that is not allocated has its own name, a word of a wider one a suffix: .lo
// and .hi of 64 bits, .0 to .3 of 128. An instruction taken over from the
// source stands as it was written.
//
// [Parse] reads this text back, and the text of NVIDIA's disassemblers. What
// only those have is kept as well: an instruction's address in front of it as in
// /*0018*/, the braces around two that are issued together, (*"remarks"*) on
// relocations, signs and suffixes of operands, uniform registers, descriptors.
//
// # Vocabulary
//
// Every mnemonic was seen in nvdisasm's output for code of our own. docs/sass.md lists
// them, with their operands, what they do and the architectures that have them, and what
// is known of all other instructions of a disassembly: both are printed from the tables
// that this package works with. [Mnemonics] are the names.
//
// From sm_90 on, a constant is loaded with LDC: no instruction was seen there
// that takes c[b][o] in place of a register.
//
// # Parts of a word
//
// PRMT serves on every architecture to take bytes out of a word, to extend and
// to assemble them. Its immediate has one digit for each byte of the result,
// the lowest digit for the lowest byte: 0 to 3 are the bytes of the second
// operand, 4 to 7 those of the fourth, and 8 more than that is eight copies of
// the byte's sign. With RZ as fourth operand:
//
//	0x7770 … 0x7773       byte 0 … 3, zero-extended
//	0x8880, 0x9991,       byte 0 … 3, sign-extended
//	0xaaa2, 0xbbb3
//	0x7710, 0x7732        the low, the high half, zero-extended
//	0x9910, 0xbb32        the low, the high half, sign-extended
//
// and with a second register 0x5410 joins two low halves to a word.
package sass
