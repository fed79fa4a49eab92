package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// Homes says where the virtual registers of a module's functions live: the
// result of a register allocation, made before lowering and from the PTX.
//
// A register has one home, for its whole function; a home may serve many
// registers. What an allocation has to see to, with liveness as in the PTX
// itself (an st.param is where its register is read, a call where the result
// that it names is written):
//
//   - Two registers may share a home, or a part of one, only if they are never
//     live at the same place. A register is live at every statement that writes
//     it, even if nobody reads it. One that is read last and another that is
//     first written in the same statement may share a home.
//   - A register that is live across a call lives in registers that the callee
//     preserves ([abi.RegFile.CalleeSaved], of [abi.Target.RegsWith] where it has
//     .abi_preserve). No predicate is.
//   - The registers of [Reserved] are nobody's home.
//   - The first register of a home has a number that is a multiple of
//     [Virtual.Align].
//
// Lowering does everything else. It saves the callee-saved registers that are homes, orders moves
// so that none overwrites a value that is still to be read, and keeps incoming values in the
// frame if a home would overwrite them. For that it uses reserved registers. To move bytes of
// several registers in a cycle it uses a caller-saved register that is no home. For the address
// of a large result it uses a callee-saved register, or a word of the frame if there is none. It
// reports if it has no register left.
//
// Registers without a home may live in the frame: see [Slots].
//
// Lowering reports these errors as [BadHome]: a home that does not exist, is reserved or is
// misaligned; a register that is read after a call that changes its home, with no label in
// between; and the home of a callee's address that the call needs for an argument, if no
// caller-saved register is free for a copy. It does not notice registers that share a home and
// must not: lowertest.CheckAllocation finds those in the lowered code. Package ptx/dataflow has
// the liveness of registers.
type Homes interface {
	// Home returns the number of the first of the consecutive registers that r
	// lives in, of the predicate if r is one. Where ok is false, r has no home
	// and keeps its virtual name. Home is asked of what the body of f mentions,
	// and has to give the same answer each time.
	Home(f *ptx.Func, r Virtual) (home sass.Reg, ok bool)
}

// A Virtual is a register that PTX declares.
type Virtual struct {
	Name string   // as the body mentions it, without an element
	Var  *ptx.Var // its declaration; that of name<count> stands for many registers
	// Words is how many 32-bit registers it takes: one for less than 32 bits, of
	// a vector that for each element; 0 for a predicate.
	Words int
	// Align is what the number of the first register has to be a multiple of: 1,
	// 2 or 4, the words of a scalar or of one element.
	Align int
}

// Reserved returns the registers that lowering uses for itself. No home may be
// there.
func Reserved(t *abi.Target) abi.RegSet {
	f := &t.Frame
	set := abi.Regs(t.Regs.SP, f.Scratch, f.OldSP, f.KeptSP, f.KeptSPAlloca, f.Base)
	if t.Regs.HasRetAddr() {
		set = set.Union(abi.Regs(t.Regs.RetAddr, t.Regs.RetAddr+1))
	}
	return set
}

// An allocation is what lowering knows of the homes in one function.
type allocation struct {
	homes      map[virtual]*home
	used       abi.RegSet      // by any home
	writes     [256][]int32    // by register: the statements that may write it, -1 for the entry
	stored     map[int][]*home // by statement: the homes that an st.param reads
	hidden     sass.Reg        // keeps the address of a large result; 0 where a slot does
	slotWrites map[int][]int32 // as writes, by the word's offset in the spill area
	// Loads that stand one after the other happen at once. member tells of a
	// statement whether it is one of those, run where the first one stands; -1
	// for the loads that a function begins with.
	member []bool
	run    []int32
	dead   bool // control does not come to the statement: no label stands after what ends
}

// virtual identifies a register of a function.
type virtual struct {
	id   int32 // of the symbol
	name string
}

type home struct {
	Virtual
	reg sass.Reg
	ok  bool
	// spilled says that it lives in a slot, at off in the spill area; slot is the
	// name that instructions have for it.
	spilled bool
	off     int
	slot    string
	last    ref  // the last statement that mentions it, in the first walk
	seen    bool // last is set
}

// stride returns how many registers an element of a vector takes.
func (r *register) stride() int { return max(1, r.elem/4) }

// words32 returns what Virtual.Words is.
func (r *register) words32() int {
	switch {
	case r.pred:
		return 0
	case r.elems > 0:
		return r.elems * r.stride()
	}
	return r.words()
}

// homeOf returns the home of a register, nil if it has none, or a slot.
func (pl *cursor) homeOf(name string, sym *resolved.Symbol) *home {
	if h := pl.homeOrSlot(name, sym); h != nil && h.ok {
		return h
	}
	return nil
}

// homeOrSlot returns the home or the slot of a register, nil if it has neither.
func (pl *cursor) homeOrSlot(name string, sym *resolved.Symbol) *home {
	if pl.h == nil || sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		return nil
	}
	key := virtual{sym.ID, name}
	h := pl.h.homes[key]
	if h == nil {
		r := register{size: resolve.ElemSize(sym.Spec), elem: sym.Spec.Type.Size(), elems: sym.Spec.Vec, pred: sym.Spec.Type == ptx.Pred}
		h = &home{Virtual: Virtual{Name: name, Var: sym.Var, Words: r.words32(), Align: 1}}
		if r.elems > 0 {
			h.Align = r.stride()
		} else if h.Words > 0 {
			h.Align = h.Words
		}
		if r.size > 0 && r.elems <= 4 && !(r.pred && r.elems > 0) {
			if pl.opts.Homes != nil {
				h.reg, h.ok = pl.opts.Homes.Home(pl.f, h.Virtual)
			}
			if !h.ok {
				pl.findSlot(h, sym.ID)
			}
		}
		h.ok = h.ok && pl.goodHome(h)
		for k := range h.Words {
			if h.ok {
				pl.h.used = pl.h.used.Union(abi.Regs(h.reg + sass.Reg(k)))
			}
		}
		pl.h.homes[key] = h
	}
	if !h.ok && !h.spilled {
		return nil
	}
	return h
}

// lastPredicate is the highest predicate that is not PT.
const lastPredicate = 6

// goodHome returns whether a home exists and may be used, and reports it if not.
func (pl *cursor) goodHome(h *home) bool {
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

func (pl *cursor) badHome(pos diag.Pos, format string, args ...any) {
	pl.report(BadHome, pos, format, args...)
}

// live puts a register where it lives.
func (r *register) live(h *home) {
	if h == nil {
		return
	}
	r.homed, r.home = true, h.reg
	if r.pred {
		r.name = "P" + strconv.Itoa(int(h.reg))
	}
}
