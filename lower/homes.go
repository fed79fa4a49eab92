package lower

import (
	"github.com/ptxabi/ptxabi/abi"
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
// frame if a home would overwrite them. For that it uses reserved registers. To move bytes of
// several registers in a cycle it uses a caller-saved register that is not a home. For the address
// of a large result it uses a callee-saved register, or a word of the frame if there is none. It
// reports if it has no register left.
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
	// keeps its name. Home is called for the registers that the body of f uses, and must
	// return the same result each time.
	Home(f *ptx.Func, r Virtual) (home sass.Reg, ok bool)
}

// A Virtual is a register that PTX declares.
type Virtual struct {
	Name string   // as the body has it, without an element
	Var  *ptx.Var // its declaration; that of name<count> stands for many registers
	// Words is the number of 32-bit registers that it takes: at least one, and for a
	// vector at least one for each element; 0 for a predicate.
	Words int
	// Align is the alignment of the number of its first physical register: 1, 2 or 4, the
	// words of a scalar or of one element.
	Align int
}

// Reserved returns the registers that lowering uses for itself. They must not be homes.
func Reserved(t *abi.Target) abi.RegSet { return place.Reserved(t) }
