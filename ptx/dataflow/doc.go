// Package dataflow analyses the registers of a PTX function: the registers that each statement
// reads and writes, control flow, and liveness. Register allocators and checkers of allocations
// need these.
//
//	fn := dataflow.New(f, resolve.NewTable(m))
//	for i := range fn.Func.Body {
//		fmt.Println(fn.Uses(i), fn.Defs(i))
//	}
//	for _, l := range fn.Lifetimes() {
//		fmt.Println(fn.Registers[l.Reg].Name, l.Ranges)
//	}
//
// The registers are those that the body and the head of the function declare, by the scopes
// of PTX. Special registers and variables are not among them. Statements are indices of
// [ptx.Func].Body.
//
// # Instructions
//
// [Operands] has a table of the opcodes of PTX up to 9.5, but spcompress and spdecompress.
// All operands of an unknown opcode count as read and as written, and [Function].Unknown
// lists the statement. The condition code of add.cc and similar instructions is not a
// register: the instructions that set and read it have to stay next to each other.
//
// # Liveness
//
// A register is live at a place if its value may be read later, on some path. A guarded
// instruction, or one that writes an element of a vector register, may leave the old
// value of its destination: the register is live before it as well. The result registers
// of a function's head are read by its returns, and by the end of its body.
//
// The package does no I/O, keeps no state, and does not change functions.
package dataflow
