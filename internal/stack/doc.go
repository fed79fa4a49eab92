// Package stack says how much stack the kernels of a program need, and how many
// registers: the deepest way over the call graph, where it has no bound and why, and
// what a launch has to ask for. It does no I/O.
//
// A function's frame is what the assembler records of it, the stack area of the calls
// that it makes included: a way needs the sum of its frames. That is what the linkers
// record as EIATTR_MIN_STACK_SIZE; TestRandom holds one against the other.
package stack
