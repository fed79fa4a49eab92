package verify

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
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

// A need is the smallest frame that a function can have, and why.
type need struct {
	bytes  int // 0: no call needs any
	callee string
	Area
}

// least is the smallest frame of a compiled function that has all that its calls
// need by the source. Only those count that the cubin shows: a relocation of the
// kind that calls have, in the function's code, which objects have and linked
// files, but not what was assembled as a whole program.
//
// That the frame is never smaller was measured with ptxas 11.8, 12.4 and 13.5
// at -O0 to -O3 on sm_35, sm_61, sm_80 and sm_100, for calls of functions of the
// module and of others. What else is in a frame is no matter of the convention:
// .local variables are there if they are not kept in registers (all are at -O0,
// which is not recorded), and saved registers and spills as the compiler likes.
// A function that returns through memory itself may hand its own on, so that the
// buffers of its calls do not count.
func (s *Source) least(f *compiled, fn *cubin.Function) need {
	var out need
	if fn.Section >= len(f.Sections) || s.Target.Spelling.RelocCall == "" {
		return out
	}
	text := f.Sections[fn.Section].Name
	own := s.Areas[fn.Name]
	for _, r := range f.calls[text] {
		if r.Offset < fn.Offset || r.Offset-fn.Offset >= fn.Size || r.Kind.String() != s.Target.Spelling.RelocCall {
			continue
		}
		a, ok := s.Areas[r.Name]
		if !ok {
			continue
		}
		if own.Buffer > 0 {
			a.Buffer = 0
		}
		n := roundUp(a.Stack+a.Buffer, max(s.Target.Frame.Round, 1))
		if n > out.bytes {
			out = need{bytes: n, callee: r.Name, Area: a}
		}
	}
	return out
}

// more reports whether a frame is too small. One of -1 bytes is not recorded.
func (n *need) more(frame int) bool { return frame >= 0 && frame < n.bytes }

// words say that a frame is too small.
func (n *need) words(frame int, source string) string {
	what := bytes(n.Stack) + " of parameters on the stack"
	switch {
	case n.Stack == 0:
		what = bytes(n.Buffer) + " for its result"
	case n.Buffer > 0:
		what += fmt.Sprintf(" and %d for its result", n.Buffer)
	}
	return fmt.Sprintf("a frame of %s, of %d at least for the call of %s, which %s:%d gives %s", bytes(frame), n.bytes, n.callee, source, n.Line, what)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
