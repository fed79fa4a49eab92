package abi

import (
	"math/bits"
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// Assign returns the places of the parameters and results of sig on t.
//
// A Func with more than one result, or with an Opaque value, does not follow the ABI: all
// its values are Nowhere, without an error; [Signature.Outside] returns the reason. An empty value, of Kind Data and
// Size 0, is Nowhere too.
//
// The error, if any, is an [ErrorList]; the Assignment is then zero.
func Assign(sig Signature, t *Target) (Assignment, error) { return assign(sig, t, nil) }

// assign is Assign. It records its steps in why, if that is not nil.
func assign(sig Signature, t *Target, why *Explanation) (Assignment, error) {
	errs := validate(sig, t)
	if errs == nil {
		a := Assignment{Kind: sig.Kind, Params: slices.Grow([]Placement(nil), len(sig.Params)), Results: slices.Grow([]Placement(nil), len(sig.Results))}
		if sig.Kind == Entry {
			errs = a.entry(sig, t, why)
		} else {
			errs = a.function(sig, t, why)
		}
		if errs == nil {
			return a, nil
		}
	}
	return Assignment{}, errs
}

// function assigns a valid signature of a function.
//
//	        parameter registers                  caller's frame
//	┌────┬────┬────┬────┬─  ─┬─────┐        ├──────────────────┤
//	│ R4 │ R5 │ R6 │ R7 │ …  │ R15 │        │ stack parameters │ StackBytes
//	└────┴────┴────┴────┴─  ─┴─────┘        └──────────────────┘ ← SP at the call
func (a *Assignment) function(sig Signature, t *Target, why *Explanation) ErrorList {
	if reason := sig.Outside(); reason != "" { // F1
		why.outside(sig, reason)
		a.Params = appendNowhere(a.Params, sig.Params)
		a.Results = appendNowhere(a.Results, sig.Results)
		return nil
	}
	if sig.Preserve.Given {
		return a.preserving(sig, t, why)
	}
	var errs ErrorList
	p := &t.Passing
	free := regMask(1<<p.Count - 1) // F2

	for i, v := range sig.Results { // F3
		pl := place(v)
		switch {
		case v.Size > p.MaxLocal:
			errs.add(i, true, TooLarge, "%d bytes exceed the %d that local memory offsets reach", v.Size, p.MaxLocal)
		case v.Size > p.MaxResult:
			pl.Loc = Loc{Kind: Indirect, Reg: p.First}
			a.Sret = Loc{Kind: InReg, Reg: p.First}
			free &^= 1
		case v.Size > 0:
			pl.Loc = Loc{Kind: InReg, Reg: p.First}
		}
		a.Results = append(a.Results, pl)
		why.result(pl, p)
	}

	for i, v := range sig.Params { // F4
		pl, before, stack := place(v), free, a.StackBytes
		n, align := words(v.Size), min(max(pl.Align, wordSize), p.MaxAlign)/wordSize
		if v.Kind == Data && v.Size > 0 { // F5
			if first, ok := free.take(n, align, p.First); ok {
				pl.Loc = Loc{Kind: InReg, Reg: first}
			}
		}
		if pl.Loc.Kind == Nowhere && (v.Kind == Unsized || v.Size > 0) { // F6
			off := round.Up(a.StackBytes, max(pl.Align, wordSize))
			end := off + n*wordSize
			if end > p.MaxLocal {
				errs.add(i, false, TooLarge, "the stack area grows to %d bytes, beyond the %d that local memory offsets reach", end, p.MaxLocal)
				return errs
			}
			pl.Loc = Loc{Kind: OnStack, Off: off}
			a.StackBytes = end // F7
		}
		a.Params = append(a.Params, pl)
		why.param(pl, request{v.Kind, n, align, before}, stack, a.StackBytes, p, i, len(sig.Params))
	}
	return errs
}

// regMask is the set of the parameter registers that are free: bit i is for
// the i-th.
type regMask uint32

// take removes from m the lowest run of n registers, n ≥ 1, whose first number
// is a multiple of align, a power of two up to 32, and returns the first register of the run. base
// is the register of bit 0. It reports false if there is no such run.
func (m *regMask) take(n, align int, base Reg) (Reg, bool) {
	if n > 32 {
		return 0, false
	}
	// Bit i of run is set if the registers i … i+have-1 are free. A round keeps bit i if bit i+step is set too: step is
	// at most have, so that the two runs leave no gap, and the bit then stands for have+step registers.
	run := uint32(*m)
	for have := 1; have < n; {
		step := min(have, n-have)
		run &= run >> step
		have += step
	}
	// Every align-th bit, beginning with the first register whose number is a multiple of align.
	every := uint32((1<<32 - 1) / (uint64(1)<<align - 1))
	run &= every << (-int(base) & (align - 1))
	if run == 0 {
		return 0, false
	}
	i := bits.TrailingZeros32(run)
	*m &^= regMask(uint64(1)<<n-1) << i
	return base + Reg(i), true
}

// place returns the placement of v with its size and alignment, still Nowhere.
func place(v Value) Placement {
	if v.Kind == Opaque {
		v.Size = 0
	}
	return Placement{Size: v.Size, Align: max(v.Align, 1)}
}

func appendNowhere(dst []Placement, values []Value) []Placement {
	for _, v := range values {
		dst = append(dst, place(v))
	}
	return dst
}

// ParamRegs returns the registers that a caller writes for a call: those of the parameters, and that of the sret
// pointer.
func (a *Assignment) ParamRegs() RegSet {
	a = zero.Or(a)
	set := registers(a.Params)
	if a.Sret.Kind == InReg {
		set = set.Union(Regs(a.Sret.Reg))
	}
	return set
}

// ResultRegs returns the registers in which a callee returns its results.
func (a *Assignment) ResultRegs() RegSet { return registers(zero.Or(a).Results) }

func registers(list []Placement) (set RegSet) {
	for _, p := range list {
		if p.Loc.Kind == InReg && p.Words() > 0 {
			set = set.Union(RegRange(p.Loc.Reg, p.Loc.Reg+Reg(p.Words()-1)))
		}
	}
	return set
}

// StackAlign returns the alignment of the stack pointer when a function begins, in bytes: the
// largest alignment of a parameter on the stack, but at least FuncAlign of the target's frame.
func (a *Assignment) StackAlign(t *Target) int {
	a = zero.Or(a)
	align := zero.Or(t).Frame.FuncAlign
	for _, p := range a.Params {
		if p.Loc.Kind == OnStack {
			align = max(align, p.Align)
		}
	}
	return align
}
