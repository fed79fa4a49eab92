package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A plan is what is known of a function before its code is made: where each variable is,
// what each call passes, and the frame. A placer makes it; nobody changes it afterwards.
type plan struct {
	*unit

	in     *resolved.Body
	f      *ptx.Func
	params []ptx.Formal
	inBody bool // the formals are declared in the body
	asn    abi.Assignment
	conv   *abi.RegFile // what the function itself does to registers

	facts
	storage
	forwards
	frame      frame
	saved      []sass.Reg // what the function saves, in ascending order
	entryAlign int        // what the stack pointer is aligned to when the function starts

	names names
	uses  uses
	registers
	spill spillArea
}

// facts are what the walk over a body has found.
type facts struct {
	kinds []instrKind // by statement, of instructions
	// busy holds, for statements but plain instructions, how many stand before that may
	// write registers.
	busy      []int32
	rets      []ref
	touches   []ref      // those of variables, each list side by side
	movs      []int32    // indexes of all instructions that are a mov
	falls     bool       // control may reach the end of the body
	alloca    bool       // the body has an instruction that moves the stack pointer
	tracked   nameFilter // the names of variables
	bareNames nameFilter // what instructions but branches name that does not begin with %
	percent   bool       // the name of a variable begins with %
}

// storage is the variables of a function, and its calls.
type storage struct {
	syms   []symbol // by the symbol's ID
	vars   []*pvar
	result *pvar // of the result formal in .param space; nil if there is none
	// members holds those of name<count> that are mentioned.
	members   map[member]*pvar
	sites     []site  // in order of the calls
	callVars  []*pvar // the variables that calls pass and take, nil for other operands
	pvarsMade int32   // how many variables there are
}

// forwards are the copies from ld.param to st.param that are never made.
type forwards struct {
	fwd         []forward    // with some that turned out bad
	anyForwards bool         // there are some
	direct      []abi.RegSet // by call: registers that forwarded copies to it are still in
}

// A cursor is a place in the body of a function that has a plan.
type cursor struct {
	*plan
	at    int      // the statement
	calls int32    // how many calls stand before it
	pos   diag.Pos // of the statement
}
