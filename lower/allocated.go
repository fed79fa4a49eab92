package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// registers says where the registers that a body mentions live. Its zero value, but for
// allVirtual, says of all that they keep their names.
type registers struct {
	allVirtual bool // nobody has been asked
	homes      map[virtual]*home
	used       abi.RegSet // by any home
	hidden     sass.Reg   // keeps the address of a large result; 0 where a slot does
	// joins tells of a statement whether it is a load that happens at once with those of the
	// same kind before and after it; nil where all registers are virtual.
	joins []bool
}

// virtual identifies a register of a function.
type virtual struct {
	id   int32 // of the symbol
	name string
}

// A home is where a register lives.
type home struct {
	Virtual
	in   lives
	reg  sass.Reg // the first, or the predicate, where in is inHome
	off  int      // in the spill area, where in is inSlot
	slot string   // the name that instructions have for it there
}

// lives says in what a register lives.
type lives uint8

const (
	virtualName lives = iota // it is virtual, and keeps its name
	inHome
	inSlot
)

// homeOf returns the home of a register, nil if it has none, or a slot.
func (pl *plan) homeOf(name string, sym *resolved.Symbol) *home {
	if h := pl.homeOrSlot(name, sym); h != nil && h.in == inHome {
		return h
	}
	return nil
}

// homeOrSlot returns the home or the slot of a register that a name means; nil if it is
// virtual, or no register.
func (pl *plan) homeOrSlot(name string, sym *resolved.Symbol) *home {
	if sym == nil || !pl.syms[sym.ID].allocated {
		return nil
	}
	if h := pl.homes[virtual{sym.ID, name}]; h != nil && h.in != virtualName {
		return h
	}
	return nil
}

// allocate is homeOrSlot for a register that is perhaps mentioned for the first time: it asks where that
// lives.
func (pl *placer) allocate(name string, sym *resolved.Symbol) *home {
	if pl.allVirtual || sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		return nil
	}
	key := virtual{sym.ID, name}
	if pl.homes[key] != nil {
		return pl.homeOrSlot(name, sym)
	}
	elem, pred := sym.Spec.Type.Size(), sym.Spec.Type == ptx.Pred
	size, elems, stride := resolve.ElemSize(sym.Spec), sym.Spec.Vec, max(1, elem/4)
	h := &home{Virtual: Virtual{Name: name, Var: sym.Var, Words: (size + 3) / 4, Align: 1}}
	switch {
	case elems > 0:
		h.Words, h.Align = elems*stride, stride
	case pred:
		h.Words = 0
	default:
		h.Align = max(h.Words, 1)
	}
	if pred {
		h.Words = 0
	}
	ok := false
	if size > 0 && elems <= 4 && !(pred && elems > 0) {
		if pl.home != nil {
			h.reg, ok = pl.home(pl.f, h.Virtual)
		}
		if !ok {
			pl.findSlot(h, sym.ID)
		}
	}
	if ok && pl.goodHome(h) {
		h.in = inHome
		for k := range h.Words {
			pl.used = pl.used.Union(abi.Regs(h.reg + sass.Reg(k)))
		}
	}
	pl.homes[key] = h
	pl.syms[sym.ID].allocated = true
	return pl.homeOrSlot(name, sym)
}

// text is register i of a home.
func (h *home) text(i int) string {
	if h.Words == 0 {
		return "P" + strconv.Itoa(int(h.reg))
	}
	return "R" + strconv.Itoa(int(h.reg)+i)
}

// lastPredicate is the highest predicate that is not PT.
const lastPredicate = 6

// goodHome returns whether a home exists and may be used, and reports it if not.
func (pl *placer) goodHome(h *home) bool {
	if h.Words == 0 {
		if h.reg > lastPredicate {
			pl.badHome(pl.pos, "%s lives in P%d, which does not exist", h.Name, h.reg)
			return false
		}
		return true
	}
	last := int(h.reg) + h.Words - 1
	if last > int(pl.t.Regs.Last) {
		pl.badHome(pl.pos, "%s lives in R%d, and %s has registers up to R%d", h.Name, last, pl.t.Name, pl.t.Regs.Last)
		return false
	}
	if int(h.reg)%h.Align != 0 {
		pl.badHome(pl.pos, "%s lives in R%d, which is no multiple of %d", h.Name, h.reg, h.Align)
		return false
	}
	reserved := Reserved(pl.t)
	for r := int(h.reg); r <= last; r++ {
		if reserved.Has(sass.Reg(r)) {
			pl.badHome(pl.pos, "%s lives in R%d, which is reserved", h.Name, r)
			return false
		}
	}
	return true
}
