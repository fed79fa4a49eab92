package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Homes says where the virtual registers of a module's functions live: the
// result of a register allocation, made before lowering and from the PTX.
//
// A register has one home, for its whole function; a home may serve many
// registers. What an allocation has to see to, with liveness as in the PTX
// itself (an st.param is where its register is read, a call where the result
// that it names is written):
//
//   - Two registers may share a home, or a part of one, only if they are never
//     live at the same place. A register is live at every statement that writes
//     it, even if nobody reads it. One that is read last and another that is
//     first written in the same statement may share a home.
//   - A register that is live across a call lives in registers that the callee
//     preserves ([abi.RegFile.CalleeSaved], of [abi.Target.RegsWith] where it has
//     .abi_preserve). No predicate is.
//   - The registers of [Reserved] are nobody's home.
//   - The first register of a home has a number that is a multiple of
//     [Virtual.Align].
//
// Lowering does everything else. It saves the callee-saved registers that are homes, orders moves
// so that none overwrites a value that is still to be read, and keeps incoming values in the
// frame if a home would overwrite them. For that it uses reserved registers. To move bytes of
// several registers in a cycle it uses a caller-saved register that is no home. For the address
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
	// Home returns the number of the first of the consecutive registers that r
	// lives in, of the predicate if r is one. Where ok is false, r has no home
	// and keeps its virtual name. Home is asked of what the body of f mentions,
	// and has to give the same answer each time.
	Home(f *ptx.Func, r Virtual) (home sass.Reg, ok bool)
}

// A Virtual is a register that PTX declares.
type Virtual struct {
	Name string   // as the body mentions it, without an element
	Var  *ptx.Var // its declaration; that of name<count> stands for many registers
	// Words is how many 32-bit registers it takes: one for less than 32 bits, of
	// a vector that for each element; 0 for a predicate.
	Words int
	// Align is what the number of the first register has to be a multiple of: 1,
	// 2 or 4, the words of a scalar or of one element.
	Align int
}

// Reserved returns the registers that lowering uses for itself. No home may be
// there.
func Reserved(t *abi.Target) abi.RegSet { return place.Reserved(t) }
