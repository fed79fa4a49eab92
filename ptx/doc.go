// Package ptx reads and writes PTX text.
//
// [Parse] turns a module into a tree with positions. It always returns the
// tree it could build, and a [diag.List] of every syntax error in the text.
// What has to do with parameters and calls becomes typed nodes: functions and
// their formals, declarations, ld.param and st.param, call, prototypes. Every
// other instruction is kept as its mnemonic and the text of its operands, and
// prints back token by token as it came in.
//
// The package knows the syntax of PTX ISA 1.0 to 9.x and nothing of what is
// legal: a .pred parameter of three dimensions parses. Package check reports
// it. The grammar is docs/ptx-grammar.md, and stands above each node.
//
// [ParseOutline] reads a module without its bodies, which a [Reader] reads one by
// one. Both read bodies by the same productions. [Module.All] walks over a tree.
//
// All strings of a tree are parts of one copy of the source, which the tree
// keeps alive. A tree may be read from several goroutines at once.
package ptx
