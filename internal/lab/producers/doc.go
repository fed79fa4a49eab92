// Package producers measures how compilers of C and C++ for the GPU pass values: it makes sources of one
// table of types, has each compiler translate them, and reads the declarations of the PTX that comes
// out. The recordings stand in testdata/measured/producers, with those of compilers of other languages, and
// docs/producers.md says what they have in common.
//
// A new compiler: [Open] finds its programs, measure records it, package layout has a row and what it declares, and
// TestLayout holds that row against the recording.
package producers
