package annotate

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/sass"
)

// A wanted is what a call or a return takes that has not been found yet, on the way back
// from it.
type wanted struct {
	f      *Func // whose formals they are: the callee, or the function itself; nil for none
	suffix string
	regs   map[sass.Reg]part
	stack  int          // bytes of the stack area
	stored map[int]bool // bytes of it, by a later store
}

// A part is bytes of a formal; those of none are the address of a result in memory.
type part struct {
	formal    *Formal
	off, size int
}

// begin wants formals.
func (w *wanted) begin(f *Func, suffix string, formals []Formal, hidden abi.Loc, stack int) {
	*w = wanted{f: f, suffix: suffix, stack: stack, regs: make(map[sass.Reg]part), stored: make(map[int]bool)}
	for k := range formals {
		if formals[k].Loc.Kind != abi.InReg {
			continue
		}
		for _, p := range formals[k].Pieces() {
			w.regs[p.Loc.Reg] = part{&formals[k], p.Off, p.Size}
		}
	}
	if hidden.Kind == abi.InReg {
		w.regs[hidden.Reg] = part{}
	}
}

// lookBack finds the instructions before calls, and before returns, that make
// what is passed, as far as control can only have come through them.
func (n *notes) lookBack() {
	var call, ret wanted
	for j := len(n.code) - 1; j >= 0; j-- {
		in := &n.code[j]
		if in.call >= 0 || j+1 < len(n.code) && n.code[j+1].start {
			call, ret = wanted{}, wanted{}
		}
		n.makes(&ret, j)
		n.makes(&call, j)
		switch {
		case in.call >= 0:
			if c := n.calls[in.call].callee; c != nil {
				call.begin(c, " for "+c.Name, c.Params, c.Hidden, c.StackBytes)
			}
		case in.op.Name() == "RET" && !n.own.Kernel:
			ret.begin(n.own, " returned", n.own.Results, abi.Loc{}, 0)
		}
	}
}

// makes says what instruction j makes of what is wanted.
func (n *notes) makes(w *wanted, j int) {
	if w.f == nil {
		return
	}
	in := &n.code[j]
	sp := n.target.Regs.SP
	spans := in.effects.Regs
	for _, s := range spans {
		if s.Has(sp) {
			w.stack = 0
		}
	}
	if in.class == storesLocal && w.stack > 0 {
		if m := in.memory(); m != nil && m.Kind == sass.KindMem && m.Reg == sp && m.Name == "" && m.Off >= 0 && m.Off < int64(w.stack) {
			off, size := int(m.Off), in.op.AccessSize()
			if p := w.f.at(abi.Loc{Kind: abi.OnStack, Off: off}); p != nil && !w.stored[off] {
				n.passed = append(n.passed, saying{j, p.text(off-p.Loc.Off, size) + w.suffix})
			}
			for b := off; b < off+size && !in.guarded; b++ {
				w.stored[b] = true
			}
		}
	}
	var at part
	say := func() {
		if at.formal != nil {
			n.passed = append(n.passed, saying{j, at.formal.text(at.off, at.size) + w.suffix})
		}
	}
	for _, s := range spans {
		for r := s.First; int(r) < min(int(s.First)+s.N, int(sass.RZ)); r++ {
			p, ok := w.regs[r]
			if !ok {
				continue
			}
			if !in.guarded {
				delete(w.regs, r)
			}
			switch {
			case !in.effects.Sure || !in.effects.Exact:
			case p.formal == nil:
				if res := w.f.inMemory(); res != nil {
					n.passed = append(n.passed, saying{j, "address of " + res.Name + w.suffix})
				}
			case at.formal == p.formal && p.off == at.off+at.size:
				at.size += p.size
			default:
				say()
				at = p
			}
		}
	}
	say()
	if w.stack <= 0 && len(w.regs) == 0 {
		*w = wanted{}
	}
}

// readWords is how many registers an operand of an instruction is that is read;
// 0: not known.
func (n *notes) readWords(in *instr, j int) int {
	switch o := &in.Args[j]; {
	case o.Kind == sass.KindMem || o.Kind == sass.KindAddress:
		return in.op.AddressWords(*o, n.target.SM)
	case in.call >= 0 && o.Kind == sass.KindRegister:
		return machine.Of(n.target.SM).Spelling.IndirectWords
	}
	return in.op.Words(&in.Instr, j, n.target.SM)
}

// registers adds a letter for each parameter register to the cells: ^ where the instruction
// writes it, v where it reads it, x where it does both, : where it holds what is
// known of and is left alone.
func (n *notes) registers(i int, s *state) {
	in := &n.code[i]
	var read, written [256]bool
	for j, o := range in.Args {
		if in.strange || j == in.effects.Dest || o.Kind != sass.KindRegister && o.Kind != sass.KindMem && o.Kind != sass.KindAddress || o.Name != "" {
			continue
		}
		for k := range max(n.readWords(in, j), 1) {
			read[o.Reg+sass.Reg(k)] = true
		}
	}
	if in.call >= 0 && n.calls[in.call].callee != nil {
		callee := n.calls[in.call].callee
		mark := func(into *[256]bool, formals []Formal) {
			for k := range formals {
				for w := range formals[k].Words() {
					into[formals[k].Loc.Reg+sass.Reg(w)] = true
				}
			}
		}
		mark(&read, callee.Params)
		mark(&written, callee.Results)
		if callee.Hidden.Kind == abi.InReg {
			read[callee.Hidden.Reg] = true
		}
	}
	p := &n.target.Passing
	for k := range p.Count {
		r := p.First + sass.Reg(k)
		w := written[r] || in.effects.Sure && in.effects.Writes(r)
		c := byte(' ')
		switch {
		case w && read[r]:
			c = 'x'
		case w:
			c = '^'
		case read[r]:
			c = 'v'
		case s.reg(r).kind != nothing && s.reg(r).kind != saved:
			c = ':'
		}
		n.cells = append(n.cells, c)
	}
}

// past says how far an access of size bytes at off goes beyond the parameter that
// it begins in, or beyond those after it that it takes along; "" if it does not.
// At has the parameter with a byte, nil where there is none. What fills the last
// word of a parameter up belongs to it here: whole words are read for less.
func past(off, size int, at func(off int) *Formal) string {
	if at(off) == nil {
		return ""
	}
	end := off + size
	for end > off && at(end-1) == nil {
		end--
	}
	return beyond(off + size - end - (4-(end-off)%4)%4)
}

// beyond says that an access takes n bytes more than there are; "" for none.
func beyond(n int) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return " and 1 byte past its end"
	}
	return fmt.Sprintf(" and %d bytes past its end", n)
}
