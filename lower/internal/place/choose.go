package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Storage is where the bytes of a parameter variable are while its function
// runs.
type Storage uint8

const (
	// The zero Storage is none: nothing touches the variable.
	_ Storage = iota
	// Scalarized: in virtual registers name.0, name.1, … of 32 bits each.
	Scalarized
	// InFrame: in the function's frame.
	InFrame
	// Incoming: in the caller's frame, at or above the stack pointer at entry.
	Incoming
	// Sret: in the memory whose address the caller passed.
	Sret
	// InBank: in a kernel's parameter block.
	InBank
)

// choose decides where v lives. A .local variable is in the frame; a formal that the convention does not pass in registers
// is where the convention puts it. Others have words of their own, unless they need an address: a formal whose address
// is taken, and a local that receives a result through memory. Where registers are allocated, a variable has words only
// if the passes are expected to remove them (see Placer.Kept).
func (pl *planner) choose(v *Var) {
	switch {
	case v.Sym.Spec.Space == ptx.LocalSpace:
		v.Place = InFrame
	case v.Loc.Kind == abi.InConst:
		v.Place = InBank
	case v.Sym.Role == body.Param && v.Loc.Kind == abi.OnStack:
		v.Place = Incoming
	case v.Loc.Kind == abi.Indirect:
		v.Place = Sret
	case v.Sym.Role != body.Local && v.Loc.Kind == abi.Nowhere:
	case v.Addressed && v.Sym.Role != body.Local, v.big:
		v.Place = InFrame
	case v.stores || v.loads || v.passed || v.Given:
		if v.Place = Scalarized; pl.of.Kept == nil && !pl.plan.AllVirtual || pl.of.Kept[v.Index] {
			v.Place = InFrame
		}
	}
}
