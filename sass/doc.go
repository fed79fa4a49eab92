// Package sass is a vocabulary and a printer of pseudo-SASS: instructions that
// a reader of nvdisasm's output recognises, with registers that may still be
// virtual. It knows nothing of PTX and nothing of calling conventions.
//
// # Text
//
// A program begins with a line that names its target. Each function stands
// under the line with which nvdisasm announces a section, then its own label.
// Labels stand at the margin, instructions behind a tab and before " ;", and
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
// Every mnemonic below was seen in nvdisasm's output for code of our own,
// compiled by ptxas 11.8 (sm_35), 12.4 (sm_50 to sm_90), 12.9 (sm_100, sm_120)
// and 13.5 (sm_107). Destinations come first. d, s and u are registers, t is one
// or an immediate, i an immediate, P a predicate, B a barrier, ur
// a uniform register, [a] a byte address in local
// memory, c[b][o] a constant bank.
//
//	mnemonic              operands                    meaning                                    on
//	MOV                   d, s                        d = s                                      all
//	MOV                   d, c[b][o]                  d = the word at c[b][o]                    to sm_89
//	MOV                   d, i                        d = i                                      from sm_70
//	MOV32I                d, i                        d = i                                      to sm_62
//	PRMT                  d, s, i, u                  d = four bytes chosen out of u:s           all
//	IADD3                 d, s, t, u                  d = s + t + u                              sm_70 to sm_90
//	IADD3                 d, PT, PT, s, t, u          likewise                                   from sm_100, but sm_107
//	IADD3                 d, P, s, t, u               likewise, P = the carry                    sm_70 to sm_90
//	IADD3                 d, P, PT, s, t, u           likewise                                   from sm_100, but sm_107
//	IADD3.X               d, s, t, u, P, !PT          d = s + t + u + P                          sm_70 to sm_90
//	IADD3.X               d, PT, PT, s, t, u, P, !PT  likewise                                   from sm_100, but sm_107
//	IADD32I               d, s, i                     d = s + i                                  to sm_62
//	IADD                  d, s, t                     d = s + t                                  to sm_62, sm_107, from sm_120
//	LOP3.LUT              d, s, t, u, i, !PT          d = bitwise function i of s, t and u       from sm_70
//	LOP3.LUT              d, s, t, u, i               likewise                                   sm_50 to sm_62
//	LOP32I.AND            d, s, i                     d = s & i                                  to sm_62
//	LOP.OR                d, s, t                     d = s | t                                  to sm_53
//	SHF.L.U32             d, s, i, RZ                 d = s << i                                 from sm_70
//	SHF.R.U32.HI          d, RZ, i, s                 d = s >> i, zeros shifted in               from sm_70
//	SHF.R.S32.HI          d, RZ, i, s                 d = s >> i, the sign shifted in            from sm_70
//	SHL                   d, s, i                     d = s << i                                 to sm_62
//	SHR.U32               d, s, i                     d = s >> i, zeros shifted in               to sm_62
//	SHR                   d, s, i                     d = s >> i, the sign shifted in            to sm_62
//	LDC                   d, c[b][o]                  d = the word at c[b][o]                    all
//	LDC.U8 .S8 .U16 .S16  d, c[b][o]                  d = that byte or half, extended            all
//	LDC.64                d, c[b][o]                  d, d+1 = the two words at c[b][o]          all
//	LDL                   d, [a]                      d = the word at a                          all
//	LDL.U8 .S8 .U16 .S16  d, [a]                      d = that byte or half, extended            all
//	LDL.64 .128           d, [a]                      d, d+1 (to d+3) = the words at a           all
//	STL                   [a], s                      the word at a = s                          all
//	STL.U8 .U16           [a], s                      the byte or half at a = the low bits of s  all
//	STL.64 .128           [a], s                      the words at a = s, s+1 (to s+3)           all
//	SEL                   d, s, i, !P                 d = s if P is false, else i                all
//	ISETP.NE.AND          P, PT, s, t, PT             P = s differs from t                       all
//	ISETP.NE.U32.AND      P, PT, RZ, ur, PT           P = the uniform register differs from 0    sm_87
//	BMOV.32               B, i                        the barrier = i                            sm_87
//	BMOV.32.CLEAR         B, B                        the first = the second, which becomes 0    sm_87
//	UMOV                  ur, i                       the uniform register = i                   sm_87
//	BRA                   `(label)                    go on at the label                         all
//	CALL.ABS.NOINC        `(f)                        go on at f; writes no register             from sm_70
//	CALL.ABS.NOINC        s                           go on at the address in s, s+1             sm_70 to sm_89
//	CALL.ABS.NOINC        s `(__UFT_OFFSET)           go on at that entry of the function table  from sm_90
//	CALL.REL.NOINC        `(f)                        a function calls itself                    from sm_70
//	RET.ABS.NODEC         s 0x0                       return to the address in s, s+1            from sm_70
//	JCAL                  `(f)                        push the return address, go on at f        to sm_62
//	CAL                   `(f)                        a function calls itself, likewise          to sm_62
//	PRET                  `(label)                    push the address of the label              to sm_62
//	JMX                   s                           go on at the address in s                  to sm_62
//	RET                                               pop the return address and go on there     to sm_62
//	EXIT                                              the thread ends                            all
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
