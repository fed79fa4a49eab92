// Package symexec executes a function of a listing of SASS on the origins of bytes: what a register or a
// byte of memory holds is where it came from, "byte 2 of R4 at entry", or which instruction made it.
//
// [Parse] reads the listings of a disassembler, [Run] executes one that has a single path, and a
// [Machine] executes instructions one at a time for those who follow all paths.
//
// The machine never guesses: an instruction that it does not have is an error, and a byte that was made in
// a way that it does not follow names the instruction that made it.
package symexec
