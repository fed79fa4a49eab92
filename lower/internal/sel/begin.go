package sel

import (
	"cmp"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// EntryCode returns the instructions that functions and kernels of a target begin
// with; nil if there are none.
func EntryCode(t *abi.Target) []sass.Instr { return sass.EntryCode(cmp.Or(t.AssumedFrom, t.Name)) }

// begin emits what functions and kernels of the target begin with, before their
// frame is made: on sm_87 all barriers are made ready, unless a flag says that it
// has been done. Nothing lives in the predicate that it uses yet.
func (fn *Selector) begin() {
	if fn.EntryCode == nil {
		return
	}
	after := fn.Code.NewLabel()
	for i := range fn.EntryCode {
		in := &fn.EntryCode[i]
		args := make([]lir.Arg, len(in.Args))
		for k, o := range in.Args {
			if args[k] = lir.Plain(o); o == sass.Sym(sass.EntryEnd) {
				args[k] = lir.To(after)
			}
		}
		note := lir.Note{}
		if i == 0 {
			note = lir.Say("barriers made ready, if they are not")
		}
		fn.emit(in.Guard, in.Op, note, args...)
	}
	fn.Code.AddLabel(after)
}
