package simtest

import (
	"math/rand/v2"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// moves reports whether a register is only moved, where programs have such.
// There is no mov of 8 bits.
func (b *body) moves(reg string) bool {
	if !b.spills || regSize(reg) < 2 {
		return false
	}
	h := uint32(2166136261)
	vector, _, _ := strings.Cut(reg, ".") // all elements or none
	for _, c := range vector {
		h = mix(h, uint32(c))
	}
	return h%2 == 0
}

// plainClass is the class of a register that one, or an element, is moved through.
func plainClass(reg string) string { return classOf(regSize(reg)) }

// spill gives a part of the registers slots that nothing has a use for but moves,
// parameters and calls. Those that are never live at the same place share slots
// at times.
func (h *randomHomes) spill(f *ptx.Func, r *rand.Rand, list []*lifetime) {
	used := h.computed(f)
	slots := make(map[string]int)
	for i, l := range list {
		if l.words == 0 || used[l.name] || r.IntN(3) == 0 {
			continue
		}
		step := 4 * min(l.align, 2)
		at := step * r.IntN(4)
		for again := true; again; {
			again = false
			for _, m := range list[:i] {
				if m.spilled && l.meets(m) && at < m.slot+4*m.words && m.slot < at+4*l.words {
					at = (m.slot + 4*m.words + step - 1) / step * step
					again = true
				}
			}
		}
		l.spilled, l.slot = true, at
		slots[l.name] = at
	}
	if h.slots == nil {
		h.slots = make(map[*ptx.Func]map[string]int)
	}
	h.slots[f] = slots
}

// computed returns the registers that an instruction has that is no move between
// registers or of a number or address.
func (h *randomHomes) computed(f *ptx.Func) map[string]bool {
	used := make(map[string]bool)
	for _, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Instr:
			in := sim.ReadInstruction(string(ptx.AppendStmt(nil, s)))
			move := in.Names[0] == "mov" && len(in.Args) == 2 && !strings.Contains(s.Args, "{")
			if move && h.mod != nil && resolve.NewTable(h.mod).Lookup(in.Args[1][0]) != nil {
				move = false // the address of a function
			}
			names := append([]string{in.Base}, in.Guard)
			for _, list := range in.Args {
				names = append(names, list...)
			}
			for _, name := range names {
				name, _, _ = strings.Cut(name, ".")
				used[name] = used[name] || !move
			}
		case *ptx.Access:
			if s.Guard != nil {
				used[s.Guard.Name] = true
			}
		}
	}
	return used
}
