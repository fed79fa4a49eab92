// Package place makes the plan of a function: where each variable is, what each call passes,
// and the frame. A [Placer] walks over a resolved body once (walk.go, site.go), decides where each
// variable is (choose.go), and lays the frame (frame.go). Package isel makes code of the plan.
package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Plan has all decisions about a function that come before its code: where each variable is,
// what each call passes, and the frame. A placer makes it, and nothing changes it afterwards.
type Plan struct {
	*Unit

	In     *body.Body
	F      *ptx.Func
	Params []ptx.Formal
	Asn    abi.Assignment
	Conv   *abi.RegFile // the registers that the function itself preserves and changes

	Falls bool // control may reach the end of the body

	Syms   []symbol // by the symbol's ID
	Vars   []*Var
	Made   int32 // how many variables there are: their indexes are below
	Result *Var  // of the result formal in .param space; nil if there is none
	// members holds the members of name<count> that statements mention.
	members  map[body.Ref]*Var
	Sites    []Site // in order of the calls
	CallVars []*Var // the variables that are operands of calls, nil for other operands: see Site.Vars

	Frame      frame
	EntryAlign int // what the stack pointer is aligned to when the function starts

	Names     names
	Registers lir.Names // the names of the body, and those of slots
	Spill     spillArea

	homes    map[body.Ref]*Home // by register; only of symbols that are allocated
	Used     abi.RegSet         // the registers of all homes
	SretAddr lir.Reg            // the register that keeps the address of a large result; 0 if nothing reads it
}
