// Package layout turns C-like types into bytes: their size, their alignment,
// where each field lies, and the .param byte array of PTX that carries them.
//
// A [Type] says what was declared; [Rules] say by whose conventions it is laid
// out; [Of] combines the two into a [Layout]. The package reads no source text
// and does no I/O.
//
// Two sizes are kept apart throughout. [Layout.Size] is C's sizeof, tail
// padding included, which is what compilers pass. [Layout.DataSize] counts the
// bytes up to the last used one, which is what the examples of the PTX manual
// pass: {double; char[4]} has size 16 and data size 12.
//
// All sizes, alignments and offsets are bytes unless a name says bits. Record
// layout follows the Itanium C++ ABI (and the System V rules it builds on) or
// Microsoft's; section numbers in comments refer to the former.
package layout
