package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
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
func (pl *Plan) regsWith(p abi.Preserve) *abi.RegFile {
	if !p.Given {
		return &pl.T.Regs
	}
	regs := pl.T.RegsWith(p)
	return &regs
}

// lostBy returns the registers that the caller of this function wants back and
// that a call in it changes. Nothing wants back those of a kernel.
func (pl *Plan) lostBy(s *Site) abi.RegSet {
	switch {
	case pl.F.Entry:
		return abi.RegSet{}
	case s.Regs == pl.Conv: // both without the directive
		return stack.RetAddr(pl.Conv)
	}
	return pl.Conv.CalleeSaved.Union(stack.RetAddr(pl.Conv)).Minus(s.Regs.CalleeSaved)
}

// keptByCalls returns the registers that all calls of the function preserve.
func (pl *Plan) keptByCalls() abi.RegSet {
	kept := abi.RegRange(0, pl.T.Regs.Last)
	for i := range pl.Sites {
		kept = kept.Intersect(pl.Sites[i].Regs.CalleeSaved)
	}
	return kept
}

// lostIn reports whether one of the calls does not preserve a home.
func (pl *Plan) lostIn(h *Home, calls []Site) bool {
	for i := range calls {
		for k := range h.Words {
			if !calls[i].Regs.CalleeSaved.Has(h.Reg + sass.Reg(k)) {
				return true
			}
		}
	}
	return h.Words == 0 && len(calls) > 0
}

// beyond returns the registers outside of the parameter registers that values of
// this function or of its calls are in, and the return addresses. Only
// .abi_preserve has values there.
func (pl *Plan) beyond() abi.RegSet {
	set := abi.RegSet{}
	add := func(list []abi.Placement) {
		for _, p := range list {
			set = set.Union(abi.Regs(inRegisters(p)...))
		}
	}
	if pl.Conv != &pl.T.Regs {
		add(pl.Asn.Params)
		add(pl.Asn.Results)
	}
	if pl.Frame.Kept.Kind() == sass.KindRegister {
		set = set.Union(abi.Regs(pl.Frame.Kept.Num()))
	}
	for i := range pl.Sites {
		if s := &pl.Sites[i]; s.Regs != &pl.T.Regs {
			add(s.Asn.Params)
			add(s.Asn.Results)
		}
	}
	return set
}

// keepOldSP chooses what keeps the stack pointer of the entry of a realigned frame. Where a register addresses the
// frame, that is the lowest one that nothing else has a use for. A call of a function with .abi_preserve 0 or 2 leaves
// none, and then a slot of the frame does.
func (pl *planner) keepOldSP() lir.Reg {
	fr, t := &pl.plan.Frame, &pl.plan.T.Frame
	switch {
	case !fr.Based && !fr.Calls && pl.plan.AllVirtual:
		return lir.Phys(t.OldSP) // where it is first
	case !fr.Based || fr.Entry:
		return lir.Phys(t.KeptSP)
	}
	free := pl.plan.keptByCalls().Intersect(abi.RegRange(t.KeptSPAlloca, pl.plan.T.Regs.Last)).Minus(stack.RetAddr(pl.plan.Conv))
	for _, list := range [][]abi.Placement{pl.plan.Asn.Params, pl.plan.Asn.Results} {
		for _, p := range list {
			free = free.Minus(abi.Regs(inRegisters(p)...))
		}
	}
	for r := range free.Minus(pl.plan.Used).All() {
		return lir.Phys(r)
	}
	return pl.newSlot("entry@")
}
