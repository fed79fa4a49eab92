// Package producers asks compilers for the GPU how they pass values: it makes sources of one
// table of types, has each compiler translate them, and reads the declarations of the PTX that comes
// out. What was asked stands in testdata/measured/producers, and docs/producers.md is made of it.
package producers
