package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// Slots says which registers live in the function's frame: what a register
// allocation has no register for. Where Home of [Homes] has no register, or there are no
// Homes, Slot is asked.
//
// A slot is in the spill area of the frame, above the local variables and below
// the saved registers. The area is as large as its slots need. What an allocation
// has to see to:
//
//   - An offset counts from the beginning of the area, in bytes. It is a multiple
//     of 4, and of 8 for registers of 64 bits and more.
//   - Two registers may share a slot, or a part of one, as they may share a home.
//     Calls change no slot.
//   - What is in a slot is passed to functions, returned, taken from parameters and
//     moved to and from other registers by a mov of the whole register. No other
//     instruction can have it, nor can a mov that packs or unpacks ({a, b}): the
//     PTX has a mov around it, from or to a register with a home. A predicate has
//     no slot: a register of 32 bits keeps it, with selp and setp around.
//   - Five registers are nobody's home, through which slots are loaded and stored.
//     [Temporaries] says which, and whether there are five.
//
// Lowering loads and stores around each use, and reports errors as [BadHome].
type Slots interface {
	// Slot returns where in the spill area a register lives; ok is false for one
	// that has no slot. It is asked as Home is.
	Slot(f *ptx.Func, r Virtual) (off int, ok bool)
}

// Temporaries returns the registers that lowering loads and stores slots through in a
// function whose registers live in homes: five of those that carry no parameters, are not
// in [Reserved] and are nobody's home. Those that a call may change are taken first; the
// others are saved. ok is false where there are no five: four side by side, the first of
// which has a number that is a multiple of four, and another one.
//
// A function with .abi_preserve, or with a call of one or through a register, may need
// others, since its calls take more registers.
func Temporaries(t *abi.Target, homes abi.RegSet) (temps abi.RegSet, ok bool) {
	return place.Temporaries(t, homes)
}
