// Package place makes the plan of a function: where each variable is, what each call passes,
// and the frame. A [Placer] walks over a resolved body once (walk.go, site.go), decides where each
// variable is (choose.go), and lays the frame (frame.go). Package isel makes code of what it returns.
package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Plan is what is known of a function before its code is made: where each variable is,
// what each call passes, and the frame. A placer makes it, and nothing changes it afterwards.
type Plan struct {
	*Unit

	In     *body.Body
	F      *ptx.Func
	Params []ptx.Formal
	Asn    abi.Assignment
	Conv   *abi.RegFile // what the function itself does to registers

	Falls bool // control may reach the end of the body

	Syms   []symbol // by the symbol's ID
	Vars   []*Var
	Made   int32 // how many variables have an index
	Result *Var  // of the result formal in .param space; nil if there is none
	// members holds those of name<count> that are mentioned.
	members  map[body.Ref]*Var
	Sites    []Site // in order of the calls
	CallVars []*Var // the variables that calls pass and take, nil for other operands

	Frame      frame
	EntryAlign int // what the stack pointer is aligned to when the function starts

	Names     names
	Registers lir.Names // with the names of slots
	Spill     spillArea

	homes    map[body.Ref]*Home // of registers of symbols that are allocated
	Used     abi.RegSet         // by any home
	SretAddr lir.Reg            // keeps the address of a large result; none where nothing reads it
}
