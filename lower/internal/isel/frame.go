package isel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// entry emits the comments on the formals, the prologue, and the copies of formals before the body begins.
func (s *selector) entry() {
	pl := s.plan
	s.describe()
	s.out.Begin()
	pl.Frame.Prologue(&s.out.Emitter)
	s.localComments()
	// Formals in .param space are copied to their words before any other instruction can write the registers that they
	// come in. Passes remove copies that are not needed.
	for _, v := range pl.Vars {
		if v.Sym.Role == body.Param && v.Loc.Kind == abi.InReg && v.Place != 0 {
			s.formal(&pl.Params[v.Sym.Index], v, pl.Asn.Params[v.Sym.Index], false)
		}
		if v.Sym.Role == body.Result {
			s.out.begin(v)
		}
	}
	if from := lir.Phys(pl.Asn.Sret.Reg); pl.SretAddr != 0 && pl.SretAddr != from {
		s.out.Move(pl.SretAddr, from, lir.Say("address of "+pl.Result.Source))
	}
	s.out.group()
	for i := range pl.Params {
		if pl.Params[i].Space == ptx.RegSpace {
			s.formal(&pl.Params[i], nil, pl.Asn.Params[i], false)
		}
	}
	s.out.endGroup()
}

// formal copies a formal from its place to its storage at the entry, or out again at a return. of is its variable, nil for
// a register.
func (s *selector) formal(f *ptx.Formal, of *place.Var, at abi.Placement, out bool) {
	v := value{Placement: at, name: f.Name}
	if signed, ok := place.PromotedKind(f); ok {
		v.promoted = extended(signed)
	}
	if of != nil {
		v.storage = s.out.storage(of)
	} else {
		v.storage = s.registerAt(s.plan.Means(s.at, f.Name), 0).Place
	}
	if out {
		v.words = s.out.passed(of, v.Size)
	} else {
		v.words = s.out.passed(nil, v.Size)
	}
	s.out.transfer(&v, s.out.ofFormal(&at), out)
}

// ret lowers a return: a copy of the result to its place, the epilogue, the return itself; an exit in a kernel.
func (s *selector) ret() {
	pl := s.plan
	if pl.F.Entry {
		s.out.Emit(s.out.Spelling.Exit, lir.Note{})
		return
	}
	contract := &sass.Contract{}
	if len(pl.F.Results) == 1 && pl.Asn.Results[0].Loc.Kind == abi.InReg && (pl.Result == nil || pl.Result.Place != 0) {
		of, at := pl.Result, pl.Asn.Results[0]
		s.out.group()
		s.formal(&pl.F.Results[0], of, at, true)
		s.out.endGroup()
		for _, k := range s.out.passed(of, at.Size) {
			_, promoted := place.PromotedKind(&pl.F.Results[0])
			needs(contract, at.Loc.Reg+sass.Reg(k), s.valued(of, k, at.Size, promoted))
		}
	}
	pl.Frame.Epilogue(&s.out.Emitter)
	s.leave(s.out.Return(pl.Conv), contract)
}

// describe emits comments with the place of each formal.
func (s *selector) describe() {
	pl := s.plan
	if pl.Conv != &pl.T.Regs {
		s.out.comment(".abi_preserve: keeps " + pl.Conv.CalleeSaved.String() + "; return address in " + abi.RegRange(pl.Conv.RetAddr, pl.Conv.RetAddr+1).String())
	}
	one := func(what, name string, p abi.Placement) {
		s.line = append(append(append(s.line[:0], what...), name...), ": "...)
		s.line = place.AppendPlace(s.line, p)
		s.out.comment(string(s.line)).Note = lir.Does(sass.Describes, name, 0)
	}
	for i := range pl.Params {
		one("param  ", pl.Params[i].Name, pl.Asn.Params[i])
	}
	for i := range pl.F.Results {
		one("result ", pl.F.Results[i].Name, pl.Asn.Results[i])
	}
}

// localComments emits comments with the places of the .local variables and the slots.
func (s *selector) localComments() {
	pl := s.plan
	for _, v := range pl.Vars {
		if v.Place == place.InFrame && v.Sym.Spec.Space == ptx.LocalSpace {
			b := lir.Bytes(v.Source+pl.Added(v.Sym), 0, v.Size).Append(append(s.line[:0], ".local "...))
			s.line = append(append(b, " at "...), sass.Mem(pl.Base(), int64(v.Frame)).String()...)
			s.out.comment(string(s.line))
		}
	}
	for _, h := range pl.Spill.List {
		b := lir.Bytes(h.Name, 0, 4*h.Words).Append(append(s.line[:0], "slot   "...))
		s.line = append(append(b, " at "...), sass.Mem(pl.Base(), int64(pl.Frame.Spills+h.Off)).String()...)
		s.out.comment(string(s.line))
	}
}

// allocaAlign is the alignment of alloca where it names none, in bytes.
const allocaAlign = 8

// stackOp lowers alloca, stacksave and stackrestore.
func (s *selector) stackOp(in *ptx.Instr) {
	r := s.addressRegister(in, 0)
	sp, first := lir.Phys(s.plan.T.Regs.SP), r.list[0].reg
	switch s.plan.In.Op(s.at).Name {
	case "stacksave":
		s.out.Move(first, sp, lir.Say("stack pointer"))
		s.out.extend(r.list, 1, false)
	case "stackrestore":
		s.out.Move(sp, first, lir.Say("stack pointer"))
	default:
		s.allocate(in, r)
	}
}

// addressRegister returns an operand of an instruction: a register of 32 or 64 bits, for an address or a size.
func (s *selector) addressRegister(in *ptx.Instr, i int) operand {
	r := s.registerAt(s.plan.In.Operands(s.at)[i], in.Ops()[i].Elem)
	if r.pred || r.size < 4 || r.size > 8 {
		s.Reporter.Impossible()
	}
	return r
}

// allocate lowers alloca. The outgoing area stays at the stack pointer, so that the memory begins above that area, at the
// next multiple of its alignment. The stack pointer goes down by the size, and by enough for the gap between the two, and
// is rounded down to a multiple of the alignment. Then an offset that is such a multiple gives an aligned address, and
// the memory does not reach above the old outgoing area, whose bytes are free.
func (s *selector) allocate(in *ptx.Instr, r operand) {
	ops, align := in.Ops(), int64(allocaAlign)
	if len(ops) == 3 {
		align = int64(ops[2].Bits)
	}
	fr, sp := &s.plan.Frame, lir.Phys(s.plan.T.Regs.SP)
	if ops[1].Kind == ptx.KindInt {
		s.out.Sum(sp, sp, -int64(ops[1].Bits), lir.Say("alloca"))
	} else {
		size := s.addressRegister(in, 1)
		s.out.Emit(s.out.Spelling.Add, lir.Say("alloca"), s.out.SumArgs(sp, sp, lir.Of(size.list[0].reg).Negated())...)
	}
	above := round.Up(fr.Outgoing, int(align))
	if gap := above - fr.Outgoing; gap > 0 {
		s.out.Sum(sp, sp, -int64(round.Up(gap, int(align))), lir.Note{})
	}
	s.out.Align(max(int(align), fr.Align, s.plan.T.Frame.Round), lir.Note{})
	s.out.Sum(r.list[0].reg, sp, int64(above), lir.Note{})
	s.out.extend(r.list, 1, false)
}
