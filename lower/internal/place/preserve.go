package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/sass"
)

// A function with .abi_preserve has its own convention: it preserves other registers than functions without the
// directive, and its return address is in other registers. So a caller and its callees may have different conventions:
//
//   - a call has its arguments, its return address and its result where the
//     callee's convention wants them;
//   - the caller saves each register that its own convention preserves and that of
//     a callee does not, its return address included, whether it uses the register or
//     not: a function without the directive that calls one with .abi_preserve 4
//     saves R20 to R31, R36 and so on. It does not save registers that all its
//     callees preserve, not even its return address;
//   - a register in which the caller keeps a value of its own across calls must be
//     preserved by all of those calls.

// regsWith returns which registers a function with a directive preserves and changes.
func (pl *Plan) regsWith(p abi.Preserve) *abi.RegFile {
	if !p.Given {
		return &pl.T.Regs
	}
	regs := pl.T.RegsWith(p)
	return &regs
}

// lostBy returns the registers that this function must preserve and that a call in it changes. A kernel preserves none.
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

// beyond returns the registers of values that .abi_preserve puts outside of the parameter registers, those of this
// function and those of its calls, and the register that keeps the stack pointer of the entry.
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

// keepOldSP chooses the register that keeps the stack pointer of the entry of a realigned frame. If a register of its own
// addresses the frame, it is the lowest one that all calls preserve and nothing else uses. A call of a function with
// .abi_preserve 0 or 2 leaves none; a slot of the frame then keeps it.
func (pl *planner) keepOldSP() lir.Reg {
	fr, t := &pl.plan.Frame, &pl.plan.T.Frame
	switch {
	case !fr.Based && !fr.Calls && pl.plan.AllVirtual:
		return lir.Phys(t.OldSP) // the prologue puts it there, and no call changes it
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
