package sass

import "fmt"

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
		{Op: "ISETP.NE.U32.AND", Args: []Operand{P("P0"), P("PT"), R(RZ), U(2), P("PT")}},
		{Guard: "@P0", Op: "BRA", Args: []Operand{Sym(EntryEnd)}},
		{Op: "BMOV.32", Args: []Operand{barrier(0), I(0xffffffff)}},
	}
	for n := 1; n <= lastBarrier; n++ {
		list = append(list, Instr{Op: "BMOV.32.CLEAR", Args: []Operand{barrier(n), barrier(n - 1)}})
	}
	return append(list,
		Instr{Op: "BMOV.32", Args: []Operand{barrier(lastBarrier), I(0)}},
		Instr{Op: "UMOV", Args: []Operand{U(2), I(1)}})
}

const lastBarrier = 15

// barrier is a convergence barrier as an operand.
func barrier(n int) Operand { return X(fmt.Sprintf("B%d", n)) }
