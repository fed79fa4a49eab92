// Package ptx reads and writes PTX text.
//
// [Parse] turns a module into a tree with positions. It always returns the tree it could
// build, and a [diag.List] of every syntax error in the text. Functions and their
// formals, declarations, ld.param and st.param, calls and prototypes become typed nodes.
// Every other instruction has its operands as nodes. All of them print with the tokens that were read.
//
// The package has the syntax of PTX ISA 1.0 to 9.5, but not the rules for legal modules: a
// .pred parameter of three dimensions parses, and package check reports it.
// grammar.ebnf has the grammar, and the comment of each node its production.
//
// [ParseOutline] reads a module without its bodies, which a [Reader] reads one by one,
// with the same result. [Module.All] iterates over a tree.
//
// All strings of a tree are parts of one copy of the source, which the tree
// keeps alive. A tree may be read from several goroutines at once.
package ptx
