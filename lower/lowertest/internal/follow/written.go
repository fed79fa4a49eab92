package follow

import (
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/sass"
)

// writtenRegs are the registers that functions of a listing may change.
type writtenRegs struct {
	listings map[string]*symexec.Listing
	known    map[string]abi.RegSet
	all      map[string]bool // of these it is not known which, and all are taken
}

// newWrittenRegs finds what each function writes, and passes it on to its callers until nothing is new: a register is
// new to a function once.
func newWrittenRegs(listings map[string]*symexec.Listing) *writtenRegs {
	w := &writtenRegs{listings: listings, known: make(map[string]abi.RegSet), all: make(map[string]bool)}
	callers := make(map[string][]string)
	for name := range listings {
		set, calls, ok := w.own(name)
		slices.Sort(calls)
		for _, callee := range slices.Compact(calls) {
			callers[callee] = append(callers[callee], name)
			ok = ok && listings[callee] != nil
		}
		if w.known[name] = set; !ok {
			w.known[name], w.all[name] = abi.RegRange(0, sass.RZ-1), true
		}
	}
	for work := slices.Collect(maps.Keys(listings)); len(work) > 0; {
		callee := work[len(work)-1]
		work = work[:len(work)-1]
		for _, name := range callers[callee] {
			set, all := w.known[name].Union(w.known[callee]), w.all[name] || w.all[callee]
			if set != w.known[name] || all != w.all[name] {
				w.known[name], w.all[name] = set, all
				work = append(work, name)
			}
		}
	}
	return w
}

// unsure reports whether it is unknown here which registers a function of the listing changes. An assembler that has its source
// may use them.
func (w *writtenRegs) unsure(name string) bool { return w.all[name] }

// by returns the registers that a call of a function may change: all of them where it, or a function that it
// calls, is not in the listing, else those that all of these write. Those that it has to preserve are not
// looked at.
func (w *writtenRegs) by(name string) abi.RegSet {
	if w.listings[name] == nil {
		return abi.RegRange(0, sass.RZ-1)
	}
	return w.known[name]
}

// own returns the registers that the instructions of a function write, and what it calls; ok is false where
// that is not known.
func (w *writtenRegs) own(name string) (set abi.RegSet, calls []string, ok bool) {
	l := w.listings[name]
	for i := range l.Instrs {
		in := &l.Instrs[i]
		switch {
		case in.Text != "":
			return set, nil, false
		case isCall(in.Name):
			if len(in.Args) == 0 || in.Args[0].Kind != sass.KindSymbol {
				return set, nil, false
			}
			calls = append(calls, symexec.FunctionName(in.Args[0].Name))
			continue
		}
		e := isa.OperationOf(in.Op).Effects(in.Instr)
		if !e.Sure {
			return set, nil, false
		}
		for _, s := range e.Regs {
			set = set.Union(abi.RegRange(s.First, sass.Reg(min(int(s.First)+s.N-1, 254))))
		}
	}
	return set, calls, true
}
