// Package stack computes the stack and the registers that the kernels of a program need: the
// deepest path in the call graph, the functions that recurse, and the limits of a launch. It does
// no I/O.
//
// The frame of a function is the number that the assembler records, which includes the stack area
// of its calls. A path needs the sum of its frames. The linkers record the same number as
// EIATTR_MIN_STACK_SIZE.
package stack
