package abi

import (
	"slices"

	"github.com/ptxabi/ptxabi/sass"
)

// Machine is what [sass.Verify] has to know of the target.
func (t *Target) Machine() sass.Machine {
	return sass.Machine{
		SP:        t.Regs.SP,
		RetAddr:   t.Regs.RetAddr,
		Last:      t.Regs.Last,
		Preserved: slices.Collect(t.Regs.Preserved.All()),
	}
}
