package sim

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// Around returns the surroundings that the convention of a target gives, without constants, functions and texts. The
// stack of a kernel begins at an address.
func Around(t *abi.Target, stackTop uint32) *Config {
	c := &Config{
		SP: t.Regs.SP, RetAddr: t.Regs.RetAddr, Last: t.Regs.Last, StackTop: stackTop,
		Preserved: slices.DeleteFunc(slices.Collect(t.Regs.CalleeSaved.All()), func(r sass.Reg) bool { return r == t.Regs.SP }),
		Scratch:   slices.Collect(t.Regs.CallerSaved.All()),
	}
	if t.Spelling.Entry != "" {
		c.Barriers = Barriers{Count: 16, Flag: 2, Held: 6}
	}
	return c
}

// ContractOf returns the assignment of a function as its contract.
func ContractOf(t *abi.Target, a *abi.Assignment) Contract {
	c := Contract{Stack: a.StackBytes, Align: t.Frame.FuncAlign}
	for _, p := range a.Params {
		for k := range p.Words() {
			c.Args = append(c.Args, p.Loc.Reg+sass.Reg(k))
		}
		if p.Loc.Kind == abi.OnStack {
			c.Align = max(c.Align, p.Align)
		}
	}
	for _, p := range a.Results {
		for k := range p.Words() {
			c.Results = append(c.Results, p.Loc.Reg+sass.Reg(k))
		}
		if p.Loc.Kind == abi.Indirect {
			c.Hidden, c.HiddenSize, c.HiddenAlign = a.Sret.Reg, p.Size, p.Align
		}
	}
	return c
}
