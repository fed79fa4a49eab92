package verify

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// An Area is what a call of a function needs of its caller's frame.
type Area struct {
	Line  int // of the function, in the source
	Stack int // bytes of its parameters on the stack
	// Buffer is the size of a result that it returns through memory, in bytes.
	Buffer int
}

// area is what calls of a function with that assignment need.
func area(line int, a *abi.Assignment) Area {
	out := Area{Line: line, Stack: a.StackBytes}
	if a.Sret.Kind == abi.InReg && len(a.Results) > 0 {
		out.Buffer = a.Results[0].Size
	}
	return out
}

// frame reports a compiled function whose frame has not all that its calls
// need by the source, and returns the smallest that has, 0 if no call needs any.
// Only those calls count that the cubin shows: a relocation of the kind that calls
// have, in the function's code, which objects and linked files have, but not what
// was assembled as a whole program.
//
// That the frame is never smaller was measured with ptxas 11.8, 12.4 and 13.5
// at -O0 to -O3 on sm_35, sm_61, sm_80 and sm_100, for calls of functions of the
// module and of others. What else is in a frame is no matter of the convention:
// .local variables are there if they are not kept in registers (all are at -O0,
// which is not recorded), and saved registers and spills as the compiler likes.
// A function that returns through memory itself may hand its own on, so that the
// buffers of its calls do not count.
func (s *Source) frame(f *compiled, fn *cubin.Function, add adder) (least int) {
	kind := machine.Of(s.Target.SM).Spelling.RelocCall
	if fn.Section >= len(f.Sections) || kind == "" {
		return 0
	}
	var callee string
	var needs Area
	for _, r := range f.calls[f.Sections[fn.Section].Name] {
		if r.Offset < fn.Offset || r.Offset-fn.Offset >= fn.Size || r.Kind.String() != kind {
			continue
		}
		a := s.Areas[r.Name]
		if s.Areas[fn.Name].Buffer > 0 {
			a.Buffer = 0
		}
		if n := round.Up(a.Stack+a.Buffer, max(s.Target.Frame.Round, 1)); n > least {
			least, callee, needs = n, r.Name, a
		}
	}
	if fn.FrameSize < 0 || fn.FrameSize >= least { // one of -1 bytes is not recorded
		return least
	}
	what := bytes(needs.Stack) + " of parameters on the stack"
	switch {
	case needs.Stack == 0:
		what = bytes(needs.Buffer) + " for its result"
	case needs.Buffer > 0:
		what += fmt.Sprintf(" and %d for its result", needs.Buffer)
	}
	add("frame", -1, least, fn.FrameSize, "a frame of %s, of %d at least for the call of %s, which %s:%d gives %s", bytes(fn.FrameSize), least, callee, s.Name, needs.Line, what)
	return least
}
