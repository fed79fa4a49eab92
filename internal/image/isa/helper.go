// Package isa has what is known of code that NVIDIA's assembler has made: of instructions in a
// disassembly, the registers that they write and read, and of functions that it adds.
package isa

import "strings"

// Helper reports whether a function of that name is the assembler's own: code that it adds for
// divisions and roots, and, for optimisations that are off or for later architectures, for
// instructions on a whole warp. The copies that it makes for a kernel, $kernel$__cuda_sm20_div_u64,
// are helpers too.
//
// Measured with all releases for all their architectures (testdata/measured, probe helpers). In an
// object most helpers are local where the assembler optimises, and all are weak at -O0, with records, prototypes
// and relocations as a program's own weak functions have; some nothing refers to. Only the name
// distinguishes them. It is __cuda_sm, a number, and what they do, or __cuda_reduxsync_ and that. A
// program cannot define one that the assembler adds: it refuses such a module.
func Helper(name string) bool {
	if i := strings.LastIndexByte(name, '$'); i >= 0 && name[0] == '$' {
		name = name[i+1:]
	}
	rest, ok := strings.CutPrefix(name, "__cuda_")
	if !ok {
		return false
	}
	if strings.HasPrefix(rest, "reduxsync_") {
		return true
	}
	rest, ok = strings.CutPrefix(rest, "sm")
	number, _, found := strings.Cut(strings.TrimPrefix(rest, "_"), "_")
	number = strings.TrimSuffix(number, "x")
	return ok && found && number != "" && strings.Trim(number, "0123456789") == ""
}
