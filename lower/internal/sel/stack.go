package sel

import (
	"strings"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// allocaAlign is the alignment of alloca where it names none, in bytes.
const allocaAlign = 8

// stackOp lowers alloca, stacksave and stackrestore. It reports whether in is
// one of them.
func (fn *Selector) stackOp(in *ptx.Instr, guard string) bool {
	op, _, _ := strings.Cut(in.Op, ".")
	var args []string
	for i := range in.Ops() {
		args = append(args, in.Ops()[i].Text)
	}
	if n := map[string]int{"alloca": 2, "stacksave": 1, "stackrestore": 1}[op]; len(args) < n || len(args) > n+1 || op != "alloca" && len(args) > n {
		fn.Cannot(in.Pos, "%s has %d operands", in.Op, len(args))
		return true
	}
	r, ok := fn.addressRegister(in, args[0])
	if !ok {
		return true
	}
	sp := lir.Phys(fn.T.Regs.SP)
	switch op {
	case "stacksave":
		fn.move(guard, fn.part(&r, 0), sp, lir.Say("stack pointer"))
		fn.clearHigh(guard, r)
	case "stackrestore":
		fn.move(guard, sp, fn.part(&r, 0), lir.Say("stack pointer"))
	default:
		fn.allocate(in, args, r, guard)
	}
	return true
}

func (fn *Selector) clearHigh(guard string, r register) {
	if r.size == 8 {
		fn.move(guard, fn.part(&r, 1), lir.Zero, lir.Note{})
	}
}

// addressRegister returns a register that can hold an address.
func (fn *Selector) addressRegister(in *ptx.Instr, name string) (register, bool) {
	r, ok := fn.register(fn.named(name, in.Pos))
	if !ok {
		return r, false
	}
	if r.pred || r.elems > 0 || r.size < 4 || r.size > 8 {
		fn.Cannot(in.Pos, "%s is no register for an address", name)
		return r, false
	}
	return r, true
}

// allocate lowers alloca: the stack pointer goes down by the size and is
// aligned; the memory begins above the outgoing area, which moves with it, at
// the alignment that is asked for. Where the area does not end there, the
// stack pointer goes down by what is between as well.
func (fn *Selector) allocate(in *ptx.Instr, args []string, r register, guard string) {
	align := int64(allocaAlign)
	if len(args) == 3 {
		var ok bool
		if align, ok = ptx.ParseInt(args[2]); !ok || align <= 0 || align&(align-1) != 0 || align > 1<<23 {
			fn.Cannot(in.Pos, "the alignment %s of alloca is not a power of two", args[2])
			return
		}
	}
	sp := lir.R(fn.T.Regs.SP)
	if n, ok := ptx.ParseInt(args[1]); ok {
		fn.addReg(guard, sp, sp, -n, lir.Say("alloca"))
	} else {
		size, ok := fn.addressRegister(in, args[1])
		if !ok {
			return
		}
		fn.emit(guard, fn.T.Spelling.Add, lir.Say("alloca"), fn.addArgs(nil, sp, sp, lir.Of(fn.part(&size, 0)).Negated())...)
	}
	above := place.AlignUp(fn.Frame.Outgoing, int(align))
	if gap := above - fn.Frame.Outgoing; gap > 0 {
		fn.addReg(guard, sp, sp, -int64(place.AlignUp(gap, int(align))), lir.Note{})
	}
	fn.alignSP(guard, max(int(align), fn.Frame.Align, fn.T.Frame.Round), lir.Note{})
	fn.addReg(guard, lir.Of(fn.part(&r, 0)), sp, int64(above), lir.Note{})
	fn.clearHigh(guard, r)
}
