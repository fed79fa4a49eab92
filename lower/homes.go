package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Homes is the result of a register allocation: the homes of the virtual registers of a
// module's functions. The allocation is made before lowering, from the PTX.
//
// A register has one home, for its whole function; several registers may have the same
// home. An allocation must follow these rules, with liveness as in the PTX itself: an
// st.param reads its register, and a call writes the result that it names.
//
//   - Two registers may share a home, or a part of one, only if they are never
//     live at the same place. A register is live at every statement that writes
//     it, even if nothing reads it. One that is read last and another that is
//     first written in the same statement may share a home.
//   - The home of a register that is live across a call is callee-saved:
//     [abi.RegFile.CalleeSaved] has it, of [abi.Target.RegsWith] if the callee has
//     .abi_preserve. A predicate cannot be live across a call.
//   - The registers of [Reserved] are not homes.
//   - The number of the first register of a home is a multiple of [Virtual.Align].
//
// Lowering does everything else. It saves the callee-saved registers that are homes, orders moves
// so that none overwrites a value that is still to be read, and keeps incoming values in the
// frame if a home would overwrite them. It uses reserved registers to do that. To move bytes of
// several registers in a cycle it uses a caller-saved register that is not a home. For the address
// of a large result it uses a callee-saved register, or a word of the frame if there is none. If no
// register is left, it reports that.
//
// Registers without a home may live in the frame: see [Slots].
//
// Lowering reports these errors as [BadHome]: a home that does not exist, is reserved or is
// misaligned; a register that is read after a call that changes its home, with no label in
// between; and the home of a callee's address that the call needs for an argument, if no
// caller-saved register is free for a copy. It does not notice registers that share a home and
// must not: lowertest.CheckAllocation finds those in the lowered code. Package ptx/dataflow has
// the liveness of registers.
type Homes interface {
	// Home returns the number of the first of the consecutive registers that are the home
	// of r, or the number of a predicate if r is one. If ok is false, r has no home and
	// keeps its name. Home is called for the registers that f uses, and must
	// return the same result each time.
	Home(f *ptx.Func, r Virtual) (home sass.Reg, ok bool)
}

// A Virtual is a register that PTX declares.
type Virtual struct {
	Name string   // as the body has it, without .x or the like
	Var  *ptx.Var // its declaration; the declaration of name<count> stands for many registers
	// Words is the number of 32-bit registers that it takes: at least one, and for a
	// vector at least one for each element; 0 for a predicate.
	Words int
	// Align is the alignment of the number of its first physical register: 1, 2 or 4, the
	// words of a scalar or of one element.
	Align int
}

// Reserved returns the registers that lowering uses for itself. They must not be homes.
func Reserved(t *abi.Target) abi.RegSet { return place.Reserved(zero.Or(t)) }

// Slots is the slots of registers for which an allocation has no physical registers, in the
// function's frame. Slot is called for registers that have no home.
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
	return place.Temporaries(zero.Or(t), homes)
}
