package annotate

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// lookBack finds the instructions before a call, or before a return, that make
// what is passed, as far as control can only have come through them. Passed
// takes what is said of them.
func (n *notes) lookBack(passed [][]string, i int, f *Func, suffix string, formals []Formal, hidden abi.Loc, stack int) {
	type part struct {
		formal    *Formal
		off, size int
	}
	need := make(map[sass.Reg]part)
	for k := range formals {
		if formals[k].Loc.Kind != abi.InReg {
			continue
		}
		for _, p := range formals[k].AppendPieces(nil) {
			need[p.Loc.Reg] = part{&formals[k], p.Off, p.Size}
		}
	}
	if hidden.Kind == abi.InReg {
		need[hidden.Reg] = part{}
	}
	sp := n.target.Regs.SP
	written := make(map[int]bool) // bytes of the stack area, by a later store
	for j := i - 1; j >= 0 && !n.starts[j+1] && !n.isCall(j) && (len(need) > 0 || stack > 0); j-- {
		in := n.code[j]
		e := in.Effects()
		if e.Writes(sp) {
			stack = 0
		}
		if base(in.Op) == "STL" && stack > 0 {
			if m := memOperand(in); m != nil && m.Kind == sass.Mem && m.Reg == sp && m.Name == "" && m.Off >= 0 && int(m.Off) < stack {
				off, size := int(m.Off), moved(in)
				if p := f.onStack(off); p != nil && !written[off] {
					passed[j] = append(passed[j], p.text(off-p.Loc.Off, size)+suffix)
				}
				for b := off; b < off+size && !guarded(in); b++ {
					written[b] = true
				}
			}
		}
		var at part
		for _, s := range e.Regs {
			for r := int(s.First); r < min(int(s.First)+s.N, int(sass.RZ)); r++ {
				p, ok := need[sass.Reg(r)]
				if !ok {
					continue
				}
				if !guarded(in) {
					delete(need, sass.Reg(r))
				}
				switch {
				case !e.Sure || !e.Exact:
				case p.formal == nil:
					if res := f.inMemory(); res != nil {
						passed[j] = append(passed[j], "address of "+res.Name+suffix)
					}
				case at.formal == p.formal && p.off == at.off+at.size:
					at.size += p.size
				default:
					if at.formal != nil {
						passed[j] = append(passed[j], at.formal.text(at.off, at.size)+suffix)
					}
					at = p
				}
			}
		}
		if at.formal != nil {
			passed[j] = append(passed[j], at.formal.text(at.off, at.size)+suffix)
		}
	}
}

// readWords is how many registers an operand of an instruction is that is read;
// 0: not known.
func (n *notes) readWords(i, j int) int {
	in := n.code[i]
	switch o := in.Args[j]; {
	case o.Kind == sass.Mem || o.Kind == sass.Address:
		return in.AddressWords(o, n.target.SM)
	case n.isCall(i) && o.Kind == sass.Register:
		return n.target.Spelling.IndirectWords
	}
	return in.Words(j, n.target.SM)
}

// registers has a letter for each parameter register: ^ where the instruction
// writes it, v where it reads it, x where it does both, : where it holds what is
// known of and is left alone.
func (n *notes) registers(i int, s *state) string {
	in := n.code[i]
	e := in.Effects()
	read, written := make(map[sass.Reg]bool), make(map[sass.Reg]bool)
	for j, o := range in.Args {
		if j == e.Dest || o.Kind != sass.Register && o.Kind != sass.Mem && o.Kind != sass.Address || o.Name != "" {
			continue
		}
		for k := range max(n.readWords(i, j), 1) {
			read[o.Reg+sass.Reg(k)] = true
		}
	}
	if c := n.calls[i]; c.callee != nil {
		mark := func(into map[sass.Reg]bool, formals []Formal) {
			for k := range formals {
				for w := range formals[k].Words() {
					into[formals[k].Loc.Reg+sass.Reg(w)] = true
				}
			}
		}
		mark(read, c.callee.Params)
		mark(written, c.callee.Results)
		if c.callee.Hidden.Kind == abi.InReg {
			read[c.callee.Hidden.Reg] = true
		}
	}
	p := &n.target.Passing
	cells := make([]byte, p.Count)
	for k := range cells {
		r := p.First + sass.Reg(k)
		w := written[r] || e.Sure && e.Writes(r)
		switch {
		case w && read[r]:
			cells[k] = 'x'
		case w:
			cells[k] = '^'
		case read[r]:
			cells[k] = 'v'
		case s.regs[r].kind != nothing && s.regs[r].kind != saved:
			cells[k] = ':'
		default:
			cells[k] = ' '
		}
	}
	return string(cells)
}
