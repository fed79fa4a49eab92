package place

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/spill"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A spillArea has the slots of one function. Until package spill runs, a register in a slot is a virtual register with a
// name of its own; that package puts a temporary register in its place in each instruction.
//
// In the area, slots are where the allocation of the options puts them, and may overlap. Slots that lowering adds for
// itself (newSlot) come after all slots that were known when they were made. They are made when the walk over the body
// has ended, so that no slot overlaps them.
type spillArea struct {
	At   spill.Offsets // offset in the area, by number of the name; nil where there are no slots
	List []*Home       // the slots of the allocation, in order of first mention
	size int           // of the area, in bytes
	// Quad is the first of four registers for the values that instructions read and write, base one for addresses. Temps
	// has all five.
	Quad, base sass.Reg
	Temps      abi.RegSet
}

// findSlot looks up the slot of a register that has no home. Diagnostics have the position of the first statement that
// mentions the register.
func (pl *planner) findSlot(h *Home, id int32) {
	if pl.plan.Unit.Slot == nil {
		return
	}
	off, ok := pl.plan.Unit.Slot(pl.plan.F, h.Virtual)
	if !ok {
		return
	}
	align, end := 4*min(h.Align, 2), int64(off)+4*int64(h.Words)
	switch {
	case h.Words == 0:
		pl.BadHome(pl.At, "the predicate %s has a slot; a predicate lives in P0 … P%d or keeps its name: give the slot to a 32-bit register %%r, with selp.b32 %%r, 1, 0, %s before and setp.ne.b32 %s, %%r, 0 after",
			h.Name, lastPredicate, h.Name, h.Name)
		return
	case off < 0 || end > int64(pl.plan.T.Passing.MaxLocal):
		pl.BadHome(pl.At, "%s lives at %d in the spill area, which begins at 0 and ends before %d", h.Name, off, pl.plan.T.Passing.MaxLocal)
		return
	case off%align != 0:
		pl.BadHome(pl.At, "%s lives at %d in the spill area, which is no multiple of %d", h.Name, off, align)
		return
	}
	h.In, h.Off = InSlot, off
	name := h.Name + "@" + strconv.Itoa(int(id))
	pl.plan.Spill.List = append(pl.plan.Spill.List, h)
	h.Slot = pl.addSlot(name, off, 4*h.Words)
	for i := range 4 { // the elements, of a vector
		pl.plan.Spill.At[pl.plan.Registers.Own(name+"."+"xyzw"[i:i+1])] = off + i*4*h.Align
	}
}

// Area returns the spill area. The frame must have been laid.
func (pl *Plan) Area() spill.Area {
	s := &pl.Spill
	return spill.Area{
		At: s.At, Frame: lir.Phys(pl.Base()), Off: pl.Frame.Spills, Align: pl.BaseAlign(),
		Quad: s.Quad, Temp: s.base, SP: pl.T.Regs.SP,
	}
}

// addSlot makes a name for bytes of the spill area, and returns its number.
func (pl *planner) addSlot(name string, off, size int) int32 {
	s := &pl.plan.Spill
	if s.At == nil {
		s.At = make(spill.Offsets)
	}
	n := pl.plan.Registers.Own(name)
	s.At[n], s.size = off, max(s.size, round.Up(off+size, 4))
	return n
}

// newSlot makes a slot for a word of lowering's own, at the end of the area, and returns its register.
func (pl *planner) newSlot(name string) lir.Reg {
	return lir.Virt(pl.addSlot(name, pl.plan.Spill.size, 4), sass.Whole)
}

// onlyMoves reports registers in slots that an instruction mentions, if it is not a mov that lowering handles. Such an
// instruction keeps its text, in which a slot cannot stand.
func (pl *planner) onlyMoves(in *ptx.Instr) {
	if pl.plan.Spill.At == nil || IsSlotMove(in) {
		return
	}
	for _, r := range pl.plan.In.Operands(pl.at) {
		if h := pl.plan.HomeOrSlot(r); h != nil && h.In == InSlot {
			pl.BadHome(in.Pos, "%s lives in a slot of the frame, where %s cannot have it; move it from or to a register with mov", h.Name, in.Op)
		}
	}
}

// IsSlotMove reports whether an instruction has the form of a mov that can move a register to or from a slot: of a type
// of bits, integers or floats, from a register or a number.
func IsSlotMove(in *ptx.Instr) bool {
	op, typ, ok := strings.Cut(in.Op, ".")
	ops := in.Ops()
	return ok && op == "mov" && len(typ) > 1 && strings.IndexByte("busf", typ[0]) >= 0 && len(ops) == 2 && ops[0].Kind == ptx.KindName &&
		slices.Contains([]ptx.OperandKind{ptx.KindName, ptx.KindInt, ptx.KindFloat}, ops[1].Kind)
}

// pickTemps chooses the five temporary registers among those that nothing else uses: caller-saved ones if there are enough,
// others otherwise, which the function saves. It reports if there are none.
func (pl *planner) pickTemps() {
	s := &pl.plan.Spill
	all := free(pl.plan.T, pl.plan.Conv, pl.plan.beyond())
	for i := range pl.plan.Sites {
		all = all.Minus(stack.RetAddr(pl.plan.Sites[i].Regs))
	}
	all = all.Minus(pl.plan.Used).Minus(pl.forTargets())
	var ok bool
	if s.Quad, s.base, ok = fiveOf(all, pl.plan.Conv.CallerSaved); ok {
		s.Temps = abi.RegRange(s.Quad, s.Quad+lir.Widest-1).Union(abi.Regs(s.base))
		return
	}
	left := "no register is left"
	if all != (abi.RegSet{}) {
		left = "left are " + all.String()
	}
	pl.BadHome(pl.plan.F.Pos, "slots of the frame are loaded and stored through four registers side by side, the first with a number that is a multiple of four, and another one, "+
		"which are no homes, carry no parameters and are not reserved; %s", left)
}

// free returns the registers of a convention that carry no parameters, are not reserved, and are not in but.
func free(t *abi.Target, regs *abi.RegFile, but abi.RegSet) abi.RegSet {
	p := &t.Passing
	passing := abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1)
	return abi.RegRange(0, t.Regs.Last).Minus(Reserved(t)).Minus(stack.RetAddr(regs)).Minus(passing).Minus(but)
}

// fiveOf chooses four consecutive registers, from a multiple of four on, and another one of those that are free; from the
// caller-saved ones in scratch if there are enough.
func fiveOf(free, scratch abi.RegSet) (quad, other sass.Reg, ok bool) {
	for _, free := range []abi.RegSet{free.Intersect(scratch), free} {
		for r := range free.All() {
			four := abi.RegRange(r, r+lir.Widest-1)
			if r%lir.Widest != 0 || four.Minus(free) != (abi.RegSet{}) {
				continue
			}
			for other := range free.Minus(four).All() {
				return r, other, true
			}
			break
		}
	}
	return 0, 0, false
}

// Temporaries returns the registers through which a function without .abi_preserve loads and stores slots, given its
// homes; ok is false if there are not enough.
func Temporaries(t *abi.Target, homes abi.RegSet) (temps abi.RegSet, ok bool) {
	quad, other, ok := fiveOf(free(t, &t.Regs, homes), t.Regs.CallerSaved)
	if !ok {
		return abi.RegSet{}, false
	}
	return abi.RegRange(quad, quad+lir.Widest-1).Union(abi.Regs(other)), true
}

// forTargets returns registers to keep free for calls through registers: a call may have to copy the address of its callee
// out of a register that an argument needs, and all parameter registers may have arguments.
func (pl *planner) forTargets() (set abi.RegSet) {
	n := sass.Reg(machine.Of(pl.plan.T.SM).Spelling.IndirectWords)
	for i := range pl.plan.Sites {
		s := &pl.plan.Sites[i]
		if !s.Reg {
			continue
		}
		free := free(pl.plan.T, s.Regs, abi.RegSet{}).Intersect(s.Regs.CallerSaved)
		if set.Intersect(free).Len() >= int(n) {
			continue // the registers for a call before serve this one too
		}
		for r := range free.All() {
			if r%n == 0 && abi.RegRange(r, r+n-1).Minus(free) == (abi.RegSet{}) {
				set = set.Union(abi.RegRange(r, r+n-1))
				break
			}
		}
	}
	return set
}
