// Package cubin reads what NVIDIA's assembler and linker write: cubins, which
// are ELF files of the machine EM_CUDA, and the fatbins that carry them.
//
// It reads the parts that depend on the calling convention: architecture, kernels with the
// offsets and sizes of their parameters, functions with their frames and register counts,
// relocations, constant banks and unwind tables. It has no convention and interprets no
// instruction.
//
// NVIDIA documents neither form. All of this was measured: modules of
// our own were assembled with the toolkits 11.8, 12.4, 12.8, 12.9, 13.0, 13.4
// and 13.5 for the architectures of each (sm_35 … sm_121), and the bytes
// compared with what the text of cuobjdump -elf calls them. A number for which
// no name was seen so is shown as a number.
//
// A file, as far as this package goes:
//
//	                    EI_OSABI 0x33, EI_ABIVERSION 7     EI_OSABI 0x41, EI_ABIVERSION 8
//	written by          to 12.9 for sm_35 … sm_90a         12.8, 12.9 for Blackwell; all of 13.x
//	toolkit             e_version, 124 for 12.4            .note.nv.cuinfo, .note.nv.tkinfo
//	e_flags   0 …  7    architecture                       bit 3: "a" (12.8, 12.9); others unknown
//	          8 … 15    bit 10: 64-bit, bit 11: "a"        architecture
//	         16 … 23    architecture of .target            bits 16 … 31: 0x0600, unknown
//	"a" of 13.x         –                                  .nv.compat, attribute 9
//	kernel              st_other 0x10                      same
//	.nv.info…           u8 form, u8 attribute, u16 value;  same
//	                    form 4: that many bytes follow
//
// The family variants ("sm_100f") leave no trace but the command line in
// .note.nv.tkinfo: their files are those of "sm_100".
package cubin
