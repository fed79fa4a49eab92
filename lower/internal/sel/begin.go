package sel

import (
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// entryCodes holds what readEntryCode has returned, by [abi.Spelling.Entry]. To read it
// takes as long as lowering three functions.
var entryCodes sync.Map

// EntryCode returns the instructions that functions and kernels of a target begin
// with, which nobody may change; nil if there are none.
func EntryCode(t *abi.Target) []sass.Instr {
	if t.Spelling.Entry == "" {
		return nil
	}
	list, ok := entryCodes.Load(t.Spelling.Entry)
	if !ok {
		list, _ = entryCodes.LoadOrStore(t.Spelling.Entry, readEntryCode(t))
	}
	return list.([]sass.Instr)
}

func readEntryCode(t *abi.Target) []sass.Instr {
	lines := t.Spelling.EntryCode()
	text := (&sass.Program{Target: t.Name}).String() + "\n//---- .text.entry ----\nentry:\n\t" + strings.Join(lines, " ;\n\t") + " ;\n"
	prog, err := sass.Parse(t.Name, []byte(text))
	if err != nil || len(prog.Funcs) != 1 {
		panic("lower: the entry sequence of " + t.Name + " cannot be read: " + text)
	}
	var list []sass.Instr
	for _, it := range prog.Funcs[0].Items {
		if it.Kind == sass.Code {
			it.Instr.Pos = sass.Pos{}
			list = append(list, it.Instr)
		}
	}
	return list
}

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
			if args[k] = lir.Plain(o); o == sass.Sym(abi.EntryEnd) {
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
