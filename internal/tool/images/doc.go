// Package images describes the device code that files carry: what there is, and what
// its kernels and functions take.
//
// Of a cubin, the offsets and sizes of parameters are those that it records. Names, types
// and alignments are not recorded: they come from PTX of the same module, from what there
// is for debuggers, or from the mangled name, and only where these agree with the records.
package images
