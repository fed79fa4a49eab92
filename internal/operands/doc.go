// Package operands says what instructions of PTX that are kept as their text do with their
// operands: which they write and which they read.
//
// It has a table of the opcodes of PTX ISA 9.0, and imports the standard library alone. An
// opcode that the table does not have is reported as unknown, and everything that it names
// counts as read and written.
package operands
