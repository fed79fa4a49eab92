package stack

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/sass"
)

// entryEnd is the label after the instructions of [EntryCode]. The branch among them goes there.
const entryEnd = "after"

// EntryCode returns the instructions with which every function and kernel of a target
// begins, before it makes its frame; nil for none. On sm_87 they make all barriers
// ready, unless UR2 shows that it has been done. UR2 is callee-saved, and no other instruction uses it.
func EntryCode(t *abi.Target) []sass.Instr {
	if machine.Of(t.SM).Spelling.Entry == "" {
		return nil
	}
	list := []sass.Instr{
		{Op: "ISETP.NE.U32.AND", Args: []sass.Operand{sass.Pred("P0"), sass.Pred("PT"), sass.Register(sass.RZ), sass.Uniform(2), sass.Pred("PT")}},
		{Guard: "@P0", Op: "BRA", Args: []sass.Operand{sass.Symbol(entryEnd)}},
		{Op: "BMOV.32", Args: []sass.Operand{barrier(0), sass.Imm(0xffffffff)}},
	}
	for n := 1; n <= lastBarrier; n++ {
		list = append(list, sass.Instr{Op: "BMOV.32.CLEAR", Args: []sass.Operand{barrier(n), barrier(n - 1)}})
	}
	return append(list,
		sass.Instr{Op: "BMOV.32", Args: []sass.Operand{barrier(lastBarrier), sass.Imm(0)}},
		sass.Instr{Op: "UMOV", Args: []sass.Operand{sass.Uniform(2), sass.Imm(1)}})
}

const lastBarrier = 15

// barrier is a convergence barrier as an operand.
func barrier(n int) sass.Operand {
	return sass.Operand{Kind: sass.KindOther, Name: fmt.Sprintf("B%d", n)}
}
