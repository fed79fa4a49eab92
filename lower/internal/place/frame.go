package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A frame, from the body's stack pointer up:
//
//	        ┌──────────────────────────┐  entry R1 → incoming parameters
//	        │ padding to align         │
//	        ├──────────────────────────┤
//	saved → │ R2, R16 … R20 R21 … used │  4 bytes each
//	        ├──────────────────────────┤
//	spills →│ registers in slots       │  where Slots has them
//	        ├──────────────────────────┤
//	        │ locals: .local variables,│  in order of declaration,
//	        │ copies of formals whose  │  each at its alignment
//	        │ address is taken, memory │
//	        │ for large results        │
//	        ├──────────────────────────┤
//	    0 → │ outgoing parameters      │  the largest area of all calls
//	        └──────────────────────────┘  body R1
//
// docs/abi.md, section on frames, has the measurements.
type frame struct {
	stack.Frame
	Outgoing int        // bytes of the outgoing area
	Spills   int        // offset of the spill area
	lost     abi.RegSet // registers that calls change and that the function must preserve, the return address among them
}

// layFrame gives everything in the frame its offset, from the outgoing area up.
func (pl *planner) layFrame() {
	fr := &pl.plan.Frame
	*fr = frame{Frame: stack.Frame{Align: 4, Based: pl.alloca, Entry: pl.plan.F.Entry, Calls: len(pl.plan.Sites) > 0}}
	for i := range pl.plan.Sites {
		s := &pl.plan.Sites[i]
		fr.lost = fr.lost.Union(pl.plan.lostBy(s))
		fr.Outgoing = max(fr.Outgoing, s.Asn.StackBytes)
		for _, p := range s.Asn.Params {
			if p.Loc.Kind == abi.OnStack {
				fr.Align = max(fr.Align, p.Align)
			}
		}
	}
	fr.End = fr.Outgoing
	// The variable with the largest alignment comes first: no holes are left between sizes that are powers of two.
	var locals []*Var
	for _, v := range pl.plan.Vars {
		if v.Place == InFrame {
			locals = append(locals, v)
		}
	}
	slices.SortStableFunc(locals, func(a, b *Var) int { return b.Align - a.Align })
	for _, v := range locals {
		if v.Size >= 8 && v.Sym.Spec.Space == ptx.ParamSpace {
			fr.End = round.Up(fr.End, 8) // so that passes can access two words at once
		}
		v.Frame = fr.Put(v.Size, max(v.Align, 4))
	}
	for i := range pl.plan.Sites {
		s := &pl.plan.Sites[i]
		if s.Asn.Sret.Kind != abi.InReg {
			continue
		}
		if s.resultVar != nil {
			s.Buffer = s.resultVar.Frame
		} else {
			s.Buffer = fr.Put(s.Asn.Results[0].Size, max(s.Asn.Results[0].Align, 4))
		}
	}
	if fr.Realigned = fr.Align > pl.plan.EntryAlign; fr.Realigned {
		fr.Kept = pl.keepOldSP()
	}
	if pl.plan.Spill.size > 0 {
		fr.Spills = fr.Put(pl.plan.Spill.size, 8)
		pl.pickTemps()
	}
	fr.Close(pl.plan.T, pl.plan.saved())
}

// saved returns the registers that the function saves: those that it must preserve and that its calls, its homes, its
// temporary registers or the frame itself change. The return address is among them if calls change it. Kernels save
// none, and functions that never return only the return address.
func (pl *Plan) saved() abi.RegSet {
	fr, t := &pl.Frame, &pl.T.Frame
	if fr.Entry {
		return abi.RegSet{}
	}
	if endless(pl.F) {
		return fr.lost.Intersect(stack.RetAddr(pl.Conv))
	}
	set := fr.lost
	if fr.Based || fr.Realigned && fr.Kept != lir.Phys(t.OldSP) {
		set = set.Union(abi.Regs(t.KeptSP))
	}
	if fr.Based && fr.Kept.Kind() == sass.KindRegister {
		set = set.Union(abi.Regs(fr.Kept.Num()).Intersect(pl.wanted()))
	}
	return set.Union(pl.Used.Union(pl.Spill.Temps).Intersect(pl.wanted()))
}

// wanted returns the registers that the function must preserve, and those of the return address.
func (pl *Plan) wanted() abi.RegSet { return pl.Conv.CalleeSaved.Union(stack.RetAddr(pl.Conv)) }

// Spare returns the caller-saved registers that are no home and carry no parameter.
func (pl *Plan) Spare() abi.RegSet {
	p := &pl.T.Passing
	params := abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1)
	free := pl.Conv.CallerSaved.Minus(params).Minus(abi.Regs(pl.T.Frame.Scratch)).Minus(pl.beyond()).Minus(pl.Spill.Temps)
	return free.Minus(pl.Used)
}

// Base returns the register that addresses the frame.
func (pl *Plan) Base() sass.Reg {
	if pl.Frame.Based {
		return pl.T.Frame.Base
	}
	return pl.T.Regs.SP
}

// IncomingAt returns the address of byte off of the incoming stack area: a register plus an offset.
func (pl *Plan) IncomingAt(off int) (base lir.Reg, at int64) {
	if pl.Frame.Realigned {
		return pl.Frame.Kept, int64(off)
	}
	return lir.Phys(pl.Base()), int64(pl.Frame.Size + off)
}

// StackAlign returns the largest power of two that the stack pointer of the body is known to be a multiple of, in bytes.
func (pl *Plan) StackAlign() int {
	if pl.Frame.Based {
		return max(pl.Frame.Align, pl.T.Frame.Round)
	}
	return pl.BaseAlign()
}

// BaseAlign returns the same for the register that addresses the frame.
func (pl *Plan) BaseAlign() int {
	if pl.Frame.Realigned {
		return pl.Frame.Align
	}
	n := pl.EntryAlign
	if size := pl.Frame.Size; size > 0 {
		n = min(n, max(size&-size, 4))
	}
	return n
}
