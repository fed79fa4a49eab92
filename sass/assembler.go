package sass

import (
	"fmt"
	"strings"
)

// Helper reports whether a function of that name is the assembler's own: code that it adds for
// divisions and roots, and, for optimisations that are off or for later architectures, for
// instructions on a whole warp. The copies that it makes for a kernel, $kernel$__cuda_sm20_div_u64,
// are helpers too.
//
// Measured with all releases for all their architectures (testdata/measured, probe helpers). In an
// object most helpers are local where the assembler optimises, and all are weak at -O0, with records, prototypes
// and relocations as a program's own weak functions have; some nothing refers to. Only the name
// tells them apart. It is __cuda_sm, a number, and what they do, or __cuda_reduxsync_ and that. A
// program cannot have one that the assembler wants to add: it refuses a module that defines it.
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

// MachineName reports whether a name is that of a register or barrier in listings of
// machine code, or its first letters: R4, RZ, P0, PT, UR4, B0, R.
func MachineName(name string) bool {
	if name == "" || name[0] != 'R' && name[0] != 'P' && name[0] != 'U' && name[0] != 'B' {
		return false
	}
	switch strings.TrimRight(name, "0123456789") {
	case "R", "RZ", "P", "PT", "UR", "URZ", "UP", "UPT", "B":
		return true
	}
	return false
}

// EntryEnd is the label after the instructions of [EntryCode], to which their branch goes.
const EntryEnd = "after"

// EntryCode returns the instructions that every function and kernel of an architecture
// begins with, before it makes its frame; nil for none. On sm_87 they make all barriers
// ready, unless UR2, a flag that is callee-saved, says that it has been done. The flag is
// theirs alone.
func EntryCode(target string) []Instr {
	if target != "sm_87" {
		return nil
	}
	list := []Instr{
		{Op: "ISETP.NE.U32.AND", Args: []Operand{Pred("P0"), Pred("PT"), Register(RZ), Uniform(2), Pred("PT")}},
		{Guard: "@P0", Op: "BRA", Args: []Operand{Symbol(EntryEnd)}},
		{Op: "BMOV.32", Args: []Operand{barrier(0), Imm(0xffffffff)}},
	}
	for n := 1; n <= lastBarrier; n++ {
		list = append(list, Instr{Op: "BMOV.32.CLEAR", Args: []Operand{barrier(n), barrier(n - 1)}})
	}
	return append(list,
		Instr{Op: "BMOV.32", Args: []Operand{barrier(lastBarrier), Imm(0)}},
		Instr{Op: "UMOV", Args: []Operand{Uniform(2), Imm(1)}})
}

const lastBarrier = 15

// barrier is a convergence barrier as an operand.
func barrier(n int) Operand { return Operand{Kind: KindOther, Name: fmt.Sprintf("B%d", n)} }
