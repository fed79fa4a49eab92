// Package check reports mistakes in the parameter passing of PTX modules: in
// declarations, calls, prototypes, ld.param and st.param, in the order of stores,
// calls and loads, and features that the module's version or target lacks.
//
// [Module] follows NVIDIA's assembler. PTX that the assembler refuses, or
// crashes on, is an error. PTX that the PTX manual forbids and the assembler accepts
// is a warning, and so is PTX that the assembler compiles to code with another
// meaning. Each rule has a code, a constant of this package. [Explain] returns
// its [Rule]: when the code occurs, an example, the fix and the source.
//
// A mistake is reported once, without its consequences. All functions take time linear in the
// size of the module.
package check
