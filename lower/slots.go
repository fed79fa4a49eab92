package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// Slots is the slots of registers in the function's frame, for which a register
// allocation has no physical registers. Slot is called for registers that have no home.
//
// A slot is in the spill area of the frame, above the local variables and below the saved
// registers. The area is as large as its slots need. An allocation must follow these
// rules:
//
//   - An offset counts from the beginning of the area, in bytes. It is a multiple
//     of 4, and of 8 for registers of 64 bits and more.
//   - Two registers may share a slot, or a part of one, as they may share a home.
//     Calls change no slot.
//   - A register with a slot may be passed to functions, returned, loaded from
//     parameters, and moved to and from other registers by a mov of the whole
//     register. Other instructions, and a mov that packs or unpacks ({a, b}), need
//     a register with a home, and the PTX a mov between the two. A predicate has no
//     slot: the PTX keeps it in a register of 32 bits, with selp and setp.
//   - Five registers are not homes, for the loads and stores of slots.
//     [Temporaries] returns them, and whether there are five.
//
// Lowering loads and stores around each use, and reports errors as [BadHome].
type Slots interface {
	// Slot returns the offset of a register in the spill area; ok is false for one that
	// has no slot. It is called as Home is.
	Slot(f *ptx.Func, r Virtual) (off int, ok bool)
}

// Temporaries returns the five registers through which lowering loads and stores slots,
// in a function with the given homes. They pass no parameters, and are neither in
// [Reserved] nor homes. Caller-saved registers are preferred; callee-saved ones are
// saved. Four of the five are consecutive, from a multiple of four on; ok is false if
// there are no such registers.
//
// A function with .abi_preserve, or with a call of one or through a register, may need
// others, since its calls take more registers.
func Temporaries(t *abi.Target, homes abi.RegSet) (temps abi.RegSet, ok bool) {
	return place.Temporaries(t, homes)
}
