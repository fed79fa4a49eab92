package abi

import (
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Preserve is the directive .abi_preserve N of a function or prototype. The
// zero Preserve means that there is none.
type Preserve struct {
	Given bool
	N     int // number of callee-saved registers from R16 on
}

// A PreserveRule tells where a target passes the values of functions with [Preserve], the
// directive .abi_preserve N, if they do not fit in the parameter registers. The zero
// PreserveRule is that of a target without the directive.
type PreserveRule struct {
	First Reg // first of the N callee-saved registers
	Most  int // the largest N
	// Budgets has the numbers of registers that the assembler tries, in ascending order.
	// Values are at the upper end of the first that is large enough.
	Budgets [10]int
	// Spare is the number of registers of a budget that stay free, beside those
	// below First, the N, and the values.
	Spare int
	// Top is the number of registers at the end of a budget that are not used.
	Top int
}

// preserving assigns a valid signature of a function with .abi_preserve.
//
//	             the N callee-saved           values         end of the budget
//	├─────────┬────────┬─────────┬───────────┬───────────────┬────┤
//	│ R0 … R15│ R16 …  │R(15+N)  │     …     │ params, result│ –– │
//	├─────────┴────────┴─────────┴───────────┴───────────────┴────┘
func (a *Assignment) preserving(sig Signature, t *Target, why *Explanation) ErrorList {
	var errs ErrorList
	p, n := &t.Passing.Preserving, sig.Preserve.N
	if p.Most == 0 {
		errs.add(-1, false, BadPreserve, "%s has no functions with .abi_preserve", t.Name)
		return errs
	}
	if n < 0 || n > p.Most {
		errs.add(-1, false, BadPreserve, ".abi_preserve %d is not in 0 … %d", n, p.Most)
		return errs
	}
	record, result := preservedWords(sig) // P1
	first, budget, ok := p.first(n, max(record, result), t, &errs)
	if !ok {
		return errs
	}

	for _, v := range sig.Results { // P4
		pl := place(v)
		if v.Size > 0 {
			pl.Loc = Loc{Kind: InReg, Reg: first}
		}
		a.Results = append(a.Results, pl)
	}
	var taken [256]bool
	for _, v := range sig.Params {
		pl := place(v)
		switch {
		case v.Kind == Unsized:
			pl.Loc = Loc{Kind: OnStack}
			a.StackBytes = words(v.Size) * wordSize
		case v.Size > 0:
			align := min(max(pl.Align, wordSize), t.Passing.MaxAlign) / wordSize
			pl.Loc = Loc{Kind: InReg, Reg: lowest(&taken, first, words(v.Size), align)}
		}
		a.Params = append(a.Params, pl)
	}
	if a.StackBytes > t.Passing.MaxLocal {
		errs.add(len(sig.Params)-1, false, TooLarge, "the stack area grows to %d bytes, beyond the %d that local memory offsets reach", a.StackBytes, t.Passing.MaxLocal)
	}
	why.preserving(a, n, record, result, first, budget)
	return errs
}

// preservedWords returns how many registers the parameters of a signature take, laid out as a
// record in memory, and how many its result takes.
func preservedWords(sig Signature) (record, result int) {
	end := 0
	for _, v := range sig.Params {
		if v.Size > 0 || v.Kind == Unsized {
			end = round.Up(end, max(v.Align, wordSize))
		}
		if v.Kind == Data {
			end += words(v.Size) * wordSize
		}
		if end > maxBytes {
			break
		}
	}
	for _, v := range sig.Results {
		result = words(v.Size)
	}
	return words(end), result
}

// first returns the first register for values of n words, if keep
// registers are callee-saved, and the budget at whose end it is, 0 by P2. It reports false, with an
// error, if there is no such register.
func (p *PreserveRule) first(keep, n int, t *Target, errs *ErrorList) (first Reg, budget int, ok bool) {
	at, count := int(t.Passing.First), t.Passing.Count
	if n <= count { // P2
		if keep < 2 && n > count-2 {
			errs.add(-1, false, BadPreserve, ".abi_preserve %d has the return address in %s, where %d words of parameters or of the result are: the assembler refuses it",
				keep, span(t.Passing.First+Reg(count-2), 2), n)
			return 0, 0, false
		}
		return Reg(at), 0, true
	}
	for _, budget := range p.Budgets { // P3
		if int(p.First)+keep+round.Up(n, 4)+p.Spare > budget {
			continue
		}
		first := budget - round.Up(n+p.Top, 4)
		if first+n <= int(t.Regs.Last) {
			return Reg(first), budget, true
		}
		break
	}
	errs.add(-1, false, TooLarge, "%d words of parameters or of the result find no registers above the %d of .abi_preserve", n, keep)
	return 0, 0, false
}

// lowest takes the lowest n consecutive registers from first on that are free, the first
// a multiple of align. There are always so many.
func lowest(taken *[256]bool, first Reg, n, align int) Reg {
	at := round.Up(int(first), align)
	for i := 0; i < n; i++ {
		if taken[at+i] {
			at, i = round.Up(at+i+1, align), -1
		}
	}
	for i := range n {
		taken[at+i] = true
	}
	return Reg(at)
}

// RegsWith returns the registers that a call of a function with .abi_preserve preserves and changes:
// [Target.Regs] with other callee-saved registers and another return address. For a
// function without the directive, and for a target that does not have it, it returns
// Regs. A number that [Assign] refuses counts as the nearest one that it accepts.
//
//	R0 R1 R2 … R15 │ R16 …        R(15+N) │ …
//	   ├───┤         ├────────────┬─────┤
//	   callee-saved  callee-saved return address, the last even pair
//
// The registers of the return address are in neither set: they hold it when the function
// begins and when it returns.
func (t *Target) RegsWith(p Preserve) RegFile {
	t = zero.Or(t)
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
