package lower

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/spill"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Slots says which registers live in the function's frame: what a register
// allocation has no register for. Where Home of [Homes] has no register, or there are no
// Homes, Slot is asked.
//
// A slot is in the spill area of the frame, above the local variables and below
// the saved registers. The area is as large as its slots need. What an allocation
// has to see to:
//
//   - An offset counts from the beginning of the area, in bytes. It is a multiple
//     of 4, and of 8 for registers of 64 bits and more.
//   - Two registers may share a slot, or a part of one, as they may share a home.
//     Calls change no slot.
//   - What is in a slot is passed to functions, returned, taken from parameters and
//     moved to and from other registers by a mov of the whole register. No other
//     instruction can have it, nor can a mov that packs or unpacks ({a, b}): the
//     PTX has a mov around it, from or to a register with a home. A predicate has
//     no slot: a register of 32 bits keeps it, with selp and setp around.
//   - Five registers are nobody's home, through which slots are loaded and stored.
//     [Temporaries] says which, and whether there are five.
//
// Lowering loads and stores around each use, and reports errors as [BadHome].
type Slots interface {
	// Slot returns where in the spill area a register lives; ok is false for one
	// that has no slot. It is asked as Home is.
	Slot(f *ptx.Func, r Virtual) (off int, ok bool)
}

// A spillArea is what lowering knows of the slots of one function. Registers in
// slots are virtual registers with names of their own until an instruction with
// one of them is emitted; that instruction has a temporary register in its place.
type spillArea struct {
	at   spill.Offsets // offset in the area, by number of the name; nil where there are no slots
	list []*home       // those that Slots gave, in order of first mention
	size int           // in bytes
	// quad is the first of four registers for what instructions read and write,
	// base one for addresses. temps has them all.
	quad, base sass.Reg
	temps      abi.RegSet
}

// findSlot asks for the slot of a register that has no home. The diagnostics are
// where the register is first mentioned.
func (pl *placer) findSlot(h *home, id int32) {
	if pl.unit.slot == nil {
		return
	}
	off, ok := pl.unit.slot(pl.f, h.Virtual)
	if !ok {
		return
	}
	align, end := 4*min(h.Align, 2), int64(off)+4*int64(h.Words)
	switch {
	case h.Words == 0:
		pl.badHome(pl.pos, "the predicate %s has a slot; a predicate lives in P0 … P%d or keeps its name: give the slot to a 32-bit register %%r, with selp.b32 %%r, 1, 0, %s before and setp.ne.b32 %s, %%r, 0 after",
			h.Name, lastPredicate, h.Name, h.Name)
		return
	case off < 0 || end > int64(pl.t.Passing.MaxLocal):
		pl.badHome(pl.pos, "%s lives at %d in the spill area, which begins at 0 and ends before %d", h.Name, off, pl.t.Passing.MaxLocal)
		return
	case off%align != 0:
		pl.badHome(pl.pos, "%s lives at %d in the spill area, which is no multiple of %d", h.Name, off, align)
		return
	}
	h.in, h.off = inSlot, off
	h.slot = h.Name + "@" + strconv.Itoa(int(id))
	pl.spill.list = append(pl.spill.list, h)
	pl.addSlot(h.slot, off, 4*h.Words)
	for i := range 4 { // the elements, of a vector
		pl.spill.at[pl.in.Number(h.slot+"."+"xyzw"[i:i+1])] = off + i*4*h.Align
	}
}

// area returns the spill area of the frame that has been laid.
func (pl *plan) area() spill.Area {
	s := &pl.spill
	return spill.Area{
		At: s.at, Frame: lir.Phys(pl.base()), Off: pl.frame.spills, Align: pl.baseAlign(),
		Quad: s.quad, Temp: s.base, SP: pl.t.Regs.SP, Spelling: &pl.t.Spelling,
	}
}

// inSlot returns byte off of the spill area.
func (pl *plan) inSlot(off int) memory { return pl.inBase(pl.frame.spills + off) }

// addSlot makes a name mean bytes of the spill area.
func (pl *placer) addSlot(name string, off, size int) {
	s := &pl.spill
	if s.at == nil {
		s.at = make(spill.Offsets)
	}
	s.at[pl.in.Number(name)] = off
	s.size = max(s.size, alignUp(off+size, 4))
}

// newSlot is addSlot for a word that lowering itself wants to keep.
func (pl *placer) newSlot(name string) { pl.addSlot(name, pl.spill.size, 4) }

// onlyMoves reports registers in slots that an instruction mentions which
// is kept as its text.
func (pl *placer) onlyMoves(in *ptx.Instr) {
	if pl.spill.at == nil || isSlotMove(in) {
		return
	}
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if h := pl.homeOrSlot(name, pl.in.Lookup(pl.at, name)); h != nil && h.in == inSlot {
			pl.badHome(in.Pos, "%s lives in a slot of the frame, where %s cannot have it; move it from or to a register with mov", name, in.Op)
		}
	}
}

// isSlotMove reports whether an instruction may be one of those that move a
// register to or from a slot.
func isSlotMove(in *ptx.Instr) bool {
	op, typ, ok := strings.Cut(in.Op, ".")
	return ok && op == "mov" && len(typ) > 1 && strings.IndexByte("busf", typ[0]) >= 0 && strings.Count(in.Args, ",") == 1 && !strings.ContainsAny(in.Args, "{}+")
}

// moveSlot lowers a mov of a register in a slot, or to one. It reports whether in
// is one.
func (fn *fn) moveSlot(in *ptx.Instr, guard string) bool {
	if fn.spill.at == nil || !isSlotMove(in) {
		return false
	}
	left, right, _ := strings.Cut(in.Args, ",")
	dst, ok := fn.slotOperand(in, left)
	src, number := fn.slotOperand(in, right)
	if !ok || !fn.isSpilled(&dst) && !(number && fn.isSpilled(&src)) {
		return false
	}
	constant, isConstant := ptx.ParseConstant(strings.TrimSpace(right))
	value := int64(constant.Bits)
	if constant.Kind == ptx.KindFloat {
		constant.Pos = in.Pos
		bits, ok := fn.constantBits(&constant, ptx.TypeOf(in.Op[len("mov"):]), left)
		if !ok {
			return true
		}
		value = int64(bits)
	}
	if !number && !isConstant || number && (src.size != dst.size || src.elems > 0) || dst.elems > 0 || dst.pred {
		fn.badHome(in.Pos, "%s with a register in a slot of the frame moves a number or another register of as many bits", in.Op)
		return true
	}
	if number && fn.isSpilled(&src) && fn.isSpilled(&dst) { // whose slots may overlap
		area := fn.area()
		area.Load(&fn.code, guard, fn.pos, fn.spill.quad, fn.spill.at[src.id], src.words())
		area.Store(&fn.code, guard, fn.pos, lir.Note{}, fn.spill.quad, fn.spill.at[dst.id], dst.words())
		return true
	}
	switch {
	case number && fn.isSpilled(&src) && dst.homed:
		area := fn.area()
		area.Load(&fn.code, guard, fn.pos, dst.home, fn.spill.at[src.id], src.words())
		return true
	case number && fn.isSpilled(&dst) && src.homed:
		area := fn.area()
		area.Store(&fn.code, guard, fn.pos, lir.Note{}, src.home, fn.spill.at[dst.id], dst.words())
		return true
	}
	var list []load
	for k := range dst.words() {
		var w word
		for b := range min(4, dst.size-4*k) {
			if number {
				w.take(b, fn.part(&src, k), b)
			} else {
				w.set(b, byte(value>>(8*min(4*k+b, 7))))
			}
		}
		list = append(list, load{dst: fn.part(&dst, k), w: w})
	}
	for i := range list {
		fn.make(&list[i], guard)
	}
	return true
}

// slotOperand returns the register that a text names, false if it names none.
func (fn *fn) slotOperand(in *ptx.Instr, text string) (register, bool) {
	o := ptx.Operand{Kind: ptx.KindName, Text: strings.TrimSpace(text), Pos: in.Pos}
	if n := len(o.Text); n > 2 && o.Text[n-2] == '.' {
		o.Elem = o.Text[n-1]
	}
	sym := fn.in.Lookup(fn.at, o.Name())
	if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		return register{}, false
	}
	return fn.register(&o, fn.in.Ref(fn.at, o.Name()))
}

func (fn *fn) isSpilled(r *register) bool {
	_, ok := fn.spill.at[r.id]
	return ok
}

// overlap reports whether two registers in slots share bytes of them.
func (fn *fn) overlap(a, b *load) bool {
	if fn.spill.at == nil || a.dst.Kind() != sass.Virtual || b.dst.Kind() != sass.Virtual {
		return false
	}
	x, ok1 := fn.spill.at.Offset(a.dst)
	y, ok2 := fn.spill.at.Offset(b.dst)
	return ok1 && ok2 && x < y+4*int(max(b.n, 1)) && y < x+4*int(max(a.n, 1))
}

// pickTemps chooses the temporary registers: those that nothing else has a use
// for, scratch ones if there are any; others are saved.
func (pl *placer) pickTemps() {
	s := &pl.spill
	p := &pl.t.Passing
	all := abi.RegRange(0, pl.t.Regs.Last).Minus(Reserved(pl.t)).Minus(retAddr(pl.conv)).
		Minus(abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1)).Minus(pl.beyond())
	for i := range pl.sites {
		if pl.sites[i].ok {
			all = all.Minus(retAddr(pl.sites[i].regs))
		}
	}
	all = all.Minus(pl.used).Minus(abi.Regs(pl.hidden)).Minus(pl.forTargets())
	var ok bool
	if s.quad, s.base, ok = fiveOf(all, pl.conv.CallerSaved); ok {
		s.temps = abi.RegRange(s.quad, s.quad+widest-1).Union(abi.Regs(s.base))
		return
	}
	left := "no register is left"
	if all != (abi.RegSet{}) {
		left = "left are " + all.String()
	}
	pl.badHome(pl.f.Pos, "slots of the frame are loaded and stored through four registers side by side, the first with a number that is a multiple of four, and another one, "+
		"which are nobody's home, carry no parameters and are not reserved; %s", left)
}

// fiveOf chooses four registers side by side and another one of those that are free,
// scratch ones if there are enough.
func fiveOf(free, scratch abi.RegSet) (quad, other sass.Reg, ok bool) {
	for _, free := range []abi.RegSet{free.Intersect(scratch), free} {
		for r := range free.All() {
			four := abi.RegRange(r, r+widest-1)
			if r%widest != 0 || four.Minus(free) != (abi.RegSet{}) {
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

// Temporaries returns the registers that lowering loads and stores slots through in a
// function whose registers live in homes: five of those that carry no parameters, are not
// in [Reserved] and are nobody's home. Those that a call may change are taken first; the
// others are saved. ok is false where there are no five: four side by side, the first of
// which has a number that is a multiple of four, and another one.
//
// A function with .abi_preserve, or with a call of one or through a register, may need
// others, since its calls take more registers.
func Temporaries(t *abi.Target, homes abi.RegSet) (temps abi.RegSet, ok bool) {
	p := &t.Passing
	free := abi.RegRange(0, t.Regs.Last).Minus(Reserved(t)).Minus(retAddr(&t.Regs)).Minus(abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1)).Minus(homes)
	quad, other, ok := fiveOf(free, t.Regs.CallerSaved)
	if !ok {
		return abi.RegSet{}, false
	}
	return abi.RegRange(quad, quad+widest-1).Union(abi.Regs(other)), true
}

// forTargets returns registers that calls through registers may need for the
// address of the callee, where all that carry arguments do.
func (pl *placer) forTargets() (set abi.RegSet) {
	p, n := &pl.t.Passing, sass.Reg(pl.t.Spelling.IndirectWords)
	for i := range pl.sites {
		s := &pl.sites[i]
		if !s.ok || !s.reg {
			continue
		}
		free := s.regs.CallerSaved.Minus(Reserved(pl.t)).Minus(retAddr(s.regs)).Minus(abi.RegRange(p.First, p.First+sass.Reg(p.Count)-1))
		if set.Intersect(free).Len() >= int(n) {
			continue // those of a call before
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
