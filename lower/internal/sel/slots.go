package sel

import (
	"strings"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// inSlot returns byte off of the spill area.
func (fn *Selector) inSlot(off int) memory { return fn.inBase(fn.Frame.Spills + off) }

// moveSlot lowers a mov of a register in a slot, or to one. It reports whether in
// is one.
func (fn *Selector) moveSlot(in *ptx.Instr, guard string) bool {
	if fn.Spill.At == nil || !place.IsSlotMove(in) {
		return false
	}
	left, right := in.Ops()[0].Text, in.Ops()[1].Text
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
		fn.BadHome(in.Pos, "%s with a register in a slot of the frame moves a number or another register of as many bits", in.Op)
		return true
	}
	if number && fn.isSpilled(&src) && fn.isSpilled(&dst) { // whose slots may overlap
		area := fn.Area()
		area.Load(&fn.Code, guard, fn.Pos, fn.Spill.Quad, fn.Spill.At[src.id], src.words())
		area.Store(&fn.Code, guard, fn.Pos, lir.Note{}, fn.Spill.Quad, fn.Spill.At[dst.id], dst.words())
		return true
	}
	switch {
	case number && fn.isSpilled(&src) && dst.homed:
		area := fn.Area()
		area.Load(&fn.Code, guard, fn.Pos, dst.home, fn.Spill.At[src.id], src.words())
		return true
	case number && fn.isSpilled(&dst) && src.homed:
		area := fn.Area()
		area.Store(&fn.Code, guard, fn.Pos, lir.Note{}, src.home, fn.Spill.At[dst.id], dst.words())
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
func (fn *Selector) slotOperand(in *ptx.Instr, text string) (register, bool) {
	o := ptx.Operand{Kind: ptx.KindName, Text: strings.TrimSpace(text), Pos: in.Pos}
	if n := len(o.Text); n > 2 && o.Text[n-2] == '.' {
		o.Elem = o.Text[n-1]
	}
	sym := fn.In.Lookup(fn.At, o.Name())
	if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		return register{}, false
	}
	return fn.register(&o, fn.Registers.Ref(fn.At, o.Name()))
}

func (fn *Selector) isSpilled(r *register) bool {
	_, ok := fn.Spill.At[r.id]
	return ok
}

// overlap reports whether two registers in slots share bytes of them.
func (fn *Selector) overlap(a, b *load) bool {
	if fn.Spill.At == nil || a.dst.Kind() != sass.Virtual || b.dst.Kind() != sass.Virtual {
		return false
	}
	x, ok1 := fn.Spill.At.Offset(a.dst)
	y, ok2 := fn.Spill.At.Offset(b.dst)
	return ok1 && ok2 && x < y+4 && y < x+4
}
