package place

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A Home is the place where a register of PTX lives: physical registers, a slot of the frame, or just its name.
type Home struct {
	Virtual
	In   lives
	Reg  sass.Reg // of a home: the first register, or the predicate
	Off  int      // of a slot: its offset in the spill area, in bytes
	Slot int32    // of a slot: the number of its name in code; those of its four elements follow
}

// lives is the kind of place where a register lives.
type lives uint8

const (
	InName lives = iota // it is virtual, and keeps its name
	InHome
	InSlot
)

// HomeOf returns the home of a register, nil if it has none or has a slot.
func (pl *Plan) HomeOf(r body.Ref) *Home {
	if h := pl.HomeOrSlot(r); h != nil && h.In == InHome {
		return h
	}
	return nil
}

// HomeOrSlot returns the home or the slot of a register; nil if it is virtual, or if r is no register.
func (pl *Plan) HomeOrSlot(r body.Ref) *Home {
	if h := pl.homes[r]; h != nil && h.In != InName {
		return h
	}
	return nil
}

// Means returns the symbol that a name means at a statement; body.NoRef if it means none.
func (pl *Plan) Means(stmt int, name string) body.Ref {
	if sym := pl.In.Lookup(stmt, name); sym != nil {
		return body.Ref{Name: pl.In.Numbered(name), Sym: sym.ID}
	}
	return body.NoRef
}

// allocate is HomeOrSlot for the walk over the body: the first time that it is called for a register, it looks up the home
// or the slot in the allocation of the options.
func (pl *planner) allocate(r body.Ref) *Home {
	sym := pl.plan.In.Sym(r)
	if pl.plan.AllVirtual || sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		return nil
	}
	if pl.plan.homes[r] != nil {
		return pl.plan.HomeOrSlot(r)
	}
	elem, pred := sym.Spec.Type.Size(), sym.Spec.Type == ptx.Pred
	size, elems, stride := sym.Spec.ElemSize(), sym.Spec.Vec, max(1, elem/4)
	h := &Home{Virtual: Virtual{Name: pl.plan.In.Name(r.Name), Var: sym.Var, Words: (size + 3) / 4, Align: 1}}
	switch {
	case pred:
		h.Words = 0
	case elems > 0:
		h.Words, h.Align = elems*stride, stride
	default:
		h.Align = max(h.Words, 1)
	}
	ok := false
	if size > 0 && elems <= 4 && !(pred && elems > 0) {
		if pl.plan.Home != nil {
			h.Reg, ok = pl.plan.Home(pl.plan.F, h.Virtual)
		}
		if !ok {
			pl.findSlot(h, sym.ID)
		}
	}
	if ok && pl.goodHome(h) {
		h.In = InHome
		for k := range h.Words {
			pl.plan.Used = pl.plan.Used.Union(abi.Regs(h.Reg + sass.Reg(k)))
		}
	}
	pl.plan.homes[r] = h
	pl.plan.Syms[sym.ID].allocated = true
	return pl.plan.HomeOrSlot(r)
}

// findSretAddr chooses the register that keeps the address of a large result, if the body uses the result: a virtual one;
// where registers have homes, a callee-saved one that all calls preserve and that is no home, or else a slot.
func (pl *planner) findSretAddr() {
	v := pl.plan.Result
	if pl.plan.Asn.Sret.Kind != abi.InReg || v == nil || !v.touched() {
		return
	}
	if pl.plan.AllVirtual {
		pl.plan.SretAddr = lir.Virt(pl.plan.Registers.Own(pl.plan.printed(v)+".addr"), sass.Whole)
		return
	}
	free := pl.plan.keptByCalls().Intersect(pl.plan.Conv.CalleeSaved).Minus(pl.plan.Used).Minus(Reserved(pl.plan.T))
	for r := range free.All() {
		pl.plan.SretAddr = lir.Phys(r)
		pl.plan.Used = pl.plan.Used.Union(abi.Regs(r))
		return
	}
	pl.plan.SretAddr = pl.newSlot("result@")
}

// touched reports whether anything uses v.
func (v *Var) touched() bool { return v.stores || v.loads || v.Addressed }

// Text is register i of a home.
func (h *Home) Text(i int) string {
	if h.Words == 0 {
		return "P" + strconv.Itoa(int(h.Reg))
	}
	return "R" + strconv.Itoa(int(h.Reg)+i)
}

// lastPredicate is the highest predicate that is not PT.
const lastPredicate = 6

// goodHome reports whether a home exists, is aligned and is not reserved. It adds a diagnostic if not.
func (pl *planner) goodHome(h *Home) bool {
	if h.Words == 0 {
		if h.Reg > lastPredicate {
			pl.BadHome(pl.At, "%s lives in P%d, which does not exist", h.Name, h.Reg)
			return false
		}
		return true
	}
	last := int(h.Reg) + h.Words - 1
	if last > int(pl.plan.T.Regs.Last) {
		pl.BadHome(pl.At, "%s lives in R%d, and %s has registers up to R%d", h.Name, last, pl.plan.T.Name, pl.plan.T.Regs.Last)
		return false
	}
	if int(h.Reg)%h.Align != 0 {
		pl.BadHome(pl.At, "%s lives in R%d, which is no multiple of %d", h.Name, h.Reg, h.Align)
		return false
	}
	for r := range Reserved(pl.plan.T).Intersect(abi.RegRange(h.Reg, sass.Reg(last))).All() {
		pl.BadHome(pl.At, "%s lives in %s, which is reserved", h.Name, sass.Register(r))
		return false
	}
	return true
}

// A Virtual is a register that PTX declares, as package lower shows it to an allocation.
type Virtual struct {
	Name         string
	Var          *ptx.Var
	Words, Align int
}

// Reserved returns the registers that lowering uses for itself. They must not be homes.
func Reserved(t *abi.Target) abi.RegSet {
	f := &t.Frame
	return abi.Regs(t.Regs.SP, f.Scratch, f.OldSP, f.KeptSP, f.KeptSPAlloca, f.Base).Union(stack.RetAddr(&t.Regs))
}
