package abi

// RegsWith returns what a call of a function with .abi_preserve does to the registers:
// [Target.Regs] with other callee-saved registers and another return address. For a
// function without the directive, and for a target that does not have it, it returns
// Regs. A number that [Assign] refuses counts as the nearest one that it takes.
//
//	R0 R1 R2 … R15 │ R16 …        R(15+N) │ …
//	   ├───┤         ├────────────┬─────┤
//	   preserved     preserved    return address, the last even pair
//
// The registers of the return address are in neither set: they hold it when the function
// begins and when it returns.
func (t *Target) RegsWith(p Preserve) RegFile {
	regs, rule := t.Regs, &t.Passing.Preserving
	if !p.Given || rule.Most == 0 || !regs.HasRetAddr() {
		return regs
	}
	n := min(max(p.N, 0), rule.Most)
	all := regs.CalleeSaved.Union(regs.CallerSaved).Union(Regs(regs.RetAddr, regs.RetAddr+1))
	regs.RetAddr = rule.First - 2 + Reg(n/2*2)
	back := Regs(regs.RetAddr, regs.RetAddr+1)
	regs.CalleeSaved = regs.CalleeSaved.Intersect(RegRange(0, rule.First-1))
	if n > 0 {
		regs.CalleeSaved = regs.CalleeSaved.Union(RegRange(rule.First, rule.First+Reg(n-1)))
	}
	regs.CalleeSaved = regs.CalleeSaved.Minus(back)
	regs.CallerSaved = all.Minus(regs.CalleeSaved).Minus(back)
	return regs
}
