// Package dataflow says what a function of PTX does with its registers: which each
// statement reads and writes, where control goes from it, and where which register is
// live. It is what a register allocation needs to know, and what one needs to check it.
//
//	fn := dataflow.New(f, resolve.NewTable(m))
//	for i := range fn.Func.Body {
//		fmt.Println(fn.Uses(i), fn.Defs(i))
//	}
//	for _, l := range fn.Lifetimes() {
//		fmt.Println(fn.Registers[l.Reg].Name, l.Ranges)
//	}
//
// Registers are those that the function and its head declare; a name means what it means
// in its block. Special registers and variables are none. Statements are indices of
// [ptx.Func].Body.
//
// # Instructions
//
// [Operands] has a table of the opcodes of PTX ISA 9.0. Of an opcode that it does not have
// everything that it names counts as read and as written, and
// [Function].Unknown lists the statement. The condition code of add.cc and the like is no register: what
// sets it and what takes it have to stay side by side.
//
// # Liveness
//
// A register is live where its value may be read on some way. What a guarded instruction
// writes, or one that writes an element of a vector register, may keep its old value: it
// is live before as well. The result registers of a function's head are read by its
// returns, and by the end of its body.
//
// The package does no I/O and keeps no state, and nothing here changes a function.
package dataflow
