// Package check reports the parameter passing of a PTX module:
// declarations, calls, prototypes, ld.param and st.param, placement, versions.
//
// [Module] judges as NVIDIA's assembler does. What the assembler refuses, or
// crashes on, is an error. What the PTX manual forbids and the assembler takes
// is a warning, and so is what it takes and then translates into something
// else than the text says. Each rule has a code, a constant of this package.
// [Explain] returns its [Rule]: when the code occurs, an example, the fix and the
// source.
//
// A mistake is reported once, without its consequences. All functions take time linear in the
// size of the module.
package check
