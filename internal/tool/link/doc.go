// Package link compares the declarations and definitions of each name in files that are linked
// together: PTX, relocatable objects, fatbins, and declarations in C and CUDA. It does no I/O.
//
// NVIDIA's linker joins by name, and compares number, size, extent and class of
// formals, and sizes and spaces of variables. What it refuses and what it takes was
// measured with the linkers 11.8 to 13.5; testdata/measured has the recordings of
// the probe links. Alignments are recorded nowhere but in PTX and declarations, so that
// of objects they are not known: the report counts that.
package link
