package isel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A placeKind is a kind of storage.
type placeKind uint8

const (
	nowhere  placeKind = iota
	inRegs             // physical registers from reg on, a word in each
	inWords            // the registers of the words of variable v
	inList             // the registers or constants of list, elem bytes in each
	inMemory           // memory at off from the register reg; reg is 0 for a fixed offset in a bank
)

// A Place is the place of the bytes of a value. Variables, operands and the places of the convention are all Places, so
// that one function copies between any two.
type Place struct {
	kind placeKind
	elem int8        // of inList
	bank uint8       // of inMemory: the number of a constant bank, plus 1; 0 for local memory
	by   lir.Writers // of inMemory
	reg  lir.Reg
	off  int // in bytes
	// The address at off is phase more than a multiple of align.
	align, phase int
	v            *place.Var
	list         []source
}

// A source is a register, a predicate or a constant.
type source struct {
	reg  lir.Reg // 0 for a predicate or a constant
	pred string  // "" if it is no predicate
	bits uint32  // of a constant
}

// local is local memory at a register plus an offset.
func local(base lir.Reg, off, align, phase int) Place {
	return Place{kind: inMemory, reg: base, off: off, align: align, phase: phase}
}

// inBank is memory in a constant bank, at an offset or at a register plus an offset.
func inBank(bank uint8, base lir.Reg, off, phase int) Place {
	return Place{kind: inMemory, bank: 1 + bank, reg: base, off: off, align: 16, phase: phase}
}

// from returns p without its first n bytes.
func (p Place) from(n int) Place {
	p.off += n
	p.phase += n
	return p
}

// aligned reports whether byte off of memory is known to be aligned to n.
func (p *Place) aligned(off, n int) bool { return p.align >= n && (p.phase+off)&(n-1) == 0 }

// width returns how many bytes one access at an offset may have, at most n: 4, 2 or 1.
func (p *Place) width(off, n int) int {
	w := 4
	for w > 1 && (w > n || !p.aligned(off, w)) {
		w /= 2
	}
	return w
}

// storage returns the place of a variable.
func (e *emitter) storage(v *place.Var) Place {
	p, by := Place{}, lir.Nothing
	switch v.Place {
	case place.Scalarized:
		return Place{kind: inWords, v: v}
	case place.InFrame:
		p, by = e.inFrame(v.Frame), lir.Calls
	case place.Incoming:
		p = e.incoming(v.Loc.Off)
	case place.Sret:
		return local(e.plan.SretAddr, 0, v.Align, 0)
	case place.InBank:
		p = inBank(v.Loc.Bank, 0, v.Loc.Off, v.Loc.Off)
	}
	if !v.Addressed && v.Sym.Spec.Space == ptx.ParamSpace {
		p.by = by
	}
	return p
}

// inFrame is memory from a byte of the frame on.
func (e *emitter) inFrame(off int) Place {
	return local(lir.Phys(e.plan.Base()), off, e.plan.BaseAlign(), off)
}

// incoming is memory from a byte of the caller's stack area on.
func (e *emitter) incoming(off int) Place {
	base, at := e.plan.IncomingAt(off)
	return local(base, int(at), e.plan.EntryAlign, off)
}

// outgoing is the place of an argument or a result of a call, in the caller.
func (e *emitter) outgoing(at *abi.Placement) Place {
	return e.agreed(at, local(lir.Phys(e.T.Regs.SP), at.Loc.Off, e.plan.StackAlign(), at.Loc.Off))
}

// ofFormal is the place of a formal, in the function that has it.
func (e *emitter) ofFormal(at *abi.Placement) Place { return e.agreed(at, e.incoming(at.Loc.Off)) }

// agreed is the place of a value by the convention: registers, or the given place on the stack.
func (e *emitter) agreed(at *abi.Placement, stack Place) Place {
	if at.Loc.Kind == abi.InReg {
		return Place{kind: inRegs, reg: lir.Phys(at.Loc.Reg)}
	}
	return stack
}

// word returns the register or constant that has byte off of a place, and the number of the byte in it. The place must not
// be memory.
func (e *emitter) word(p *Place, off int) (source, int) {
	off += p.off
	switch p.kind {
	case inRegs:
		return source{reg: lir.Phys(p.reg.Num() + sass.Reg(off/4))}, off % 4
	case inWords:
		return source{reg: e.regs.wordOf(p.v, off/4)}, off % 4
	}
	return p.list[off/int(p.elem)], off % int(p.elem)
}
