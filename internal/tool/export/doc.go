// Package export writes the table of targets and the assignment of package abi as source
// text, for programs that are not written in Go: a header for C99 and C++, a module for
// Rust, and one for Python. Each stands alone: it needs nothing but what comes with its
// language, and allocates nothing where the language lets it choose.
//
// The rows are those of [abi.Targets], field by field. The algorithm is written by hand in
// each language, with the step numbers of docs/abi.md, and is held against [abi.Assign] by
// the tests of this package, on the corpus and on random signatures.
package export
