package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// Functions with .abi_preserve do other things to registers than functions of the
// target do: other registers are preserved, and the return address is elsewhere.
// So a caller and its callees may have different conventions:
//
//   - a call has its arguments, its return address and its result where the
//     callee's convention wants them;
//   - whatever the caller's own convention preserves, its own return address
//     included, and a callee's does not, the caller saves, whether it uses it or
//     not: a function without the directive that calls one with .abi_preserve 4
//     saves R20 to R31, R36 and so on. What all its callees leave alone it does
//     not save, not even its return address;
//   - what the caller keeps in registers of its own across calls, all those calls
//     have to preserve.

// regsWith returns what a function with a directive does to registers.
func (pl *plan) regsWith(p abi.Preserve) *abi.RegFile {
	if !p.Given {
		return &pl.t.Regs
	}
	regs := pl.t.RegsWith(p)
	return &regs
}

// convention says what is different with regs; nil where nothing is.
func (pl *plan) convention(regs *abi.RegFile) *sass.Convention {
	if regs == &pl.t.Regs {
		return nil
	}
	return &sass.Convention{RetAddr: regs.RetAddr, Preserved: slices.Collect(regs.CalleeSaved.All())}
}

// retAddr returns the registers of the return address.
func retAddr(regs *abi.RegFile) abi.RegSet {
	if !regs.HasRetAddr() {
		return abi.RegSet{}
	}
	return abi.Regs(regs.RetAddr, regs.RetAddr+1)
}

// lostBy returns the registers that the caller of this function wants back and
// that a call in it changes. Nobody wants back those of a kernel.
func (pl *plan) lostBy(s *site) abi.RegSet {
	switch {
	case pl.f.Entry:
		return abi.RegSet{}
	case s.regs == pl.conv: // both without the directive
		return retAddr(pl.conv)
	}
	return pl.conv.CalleeSaved.Union(retAddr(pl.conv)).Minus(s.regs.CalleeSaved)
}

// keptByCalls returns the registers that all calls of the function preserve.
func (pl *plan) keptByCalls() abi.RegSet {
	kept := abi.RegRange(0, pl.t.Regs.Last)
	for i := range pl.sites {
		if s := &pl.sites[i]; s.ok {
			kept = kept.Intersect(s.regs.CalleeSaved)
		}
	}
	return kept
}

// lostIn reports whether one of the calls does not preserve a home.
func (pl *plan) lostIn(h *home, calls []site) bool {
	for i := range calls {
		regs := calls[i].regs
		if regs == nil { // reported
			regs = &pl.t.Regs
		}
		for k := range h.Words {
			if !regs.CalleeSaved.Has(h.reg + sass.Reg(k)) {
				return true
			}
		}
	}
	return h.Words == 0 && len(calls) > 0
}

// beyond returns the registers outside of the parameter registers that values of
// this function or of its calls are in, and the return addresses. Only
// .abi_preserve has values there.
func (pl *plan) beyond() abi.RegSet {
	set := abi.RegSet{}
	add := func(list []abi.Placement) {
		for _, p := range list {
			set = set.Union(abi.Regs(inRegisters(p)...))
		}
	}
	if pl.conv != &pl.t.Regs {
		add(pl.asn.Params)
		add(pl.asn.Results)
	}
	if pl.frame.realigned {
		set = set.Union(abi.Regs(pl.keptSP().Num()))
	}
	for i := range pl.sites {
		if s := &pl.sites[i]; s.ok && s.regs != &pl.t.Regs {
			add(s.asn.Params)
			add(s.asn.Results)
		}
	}
	return set
}

// resultReg returns the first register of what a call returns.
func (pl *plan) resultReg(call ref) sass.Reg {
	if s := &pl.sites[call.call]; s.ok && len(s.asn.Results) == 1 && s.asn.Results[0].Loc.Kind == abi.InReg {
		return s.asn.Results[0].Loc.Reg
	}
	return pl.t.Passing.First
}

// keepOldSP chooses the register that keeps the stack pointer of the entry where
// another one than usual addresses the frame: the lowest that nothing else has a
// use for. A call of a function with .abi_preserve 0 or 2 leaves none, and then a
// slot of the frame does.
func (pl *placer) keepOldSP() {
	first := pl.t.Frame.KeptSPAlloca
	pl.frame.keptToo = first
	free := pl.keptByCalls().Intersect(abi.RegRange(first, pl.t.Regs.Last)).Minus(retAddr(pl.conv))
	for _, list := range [][]abi.Placement{pl.asn.Params, pl.asn.Results} {
		for _, p := range list {
			free = free.Minus(abi.Regs(inRegisters(p)...))
		}
	}
	free = free.Minus(pl.used)
	for r := range free.All() {
		pl.frame.keptToo = r
		return
	}
	pl.frame.spilledSP = true
	pl.newSlot(entryName)
}

// entryName is the register that keeps the stack pointer of the entry in a slot.
const entryName = "entry@"
