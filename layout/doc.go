// Package layout computes the layout of C types: size, alignment, the offset of each
// field, and the .param byte array of PTX that passes a value.
//
// A [Type] is a declared type, and [Rules] are the conventions of a compiler and a host;
// [Of] returns the [Layout] of one by the other. The package reads no source text and
// does no I/O.
//
// A layout has two sizes. [Layout.Size] is C's sizeof, with tail padding, which is what
// compilers pass. [Layout.DataSize] is the number of bytes up to the last used one, which
// is what the examples of the PTX manual pass: {double; char[4]} has size 16 and data
// size 12.
//
// All sizes, alignments and offsets are bytes unless a name says bits. Record layout
// follows the Itanium C++ ABI, with the System V rules that it builds on, or Microsoft's
// rules. Section numbers in comments are those of the Itanium C++ ABI.
package layout
