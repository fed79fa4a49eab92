package isel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// paramAccess lowers an ld.param or st.param: element by element, word by word.
func (s *selector) paramAccess(a *ptx.Access) {
	refs := s.plan.In.Operands(s.at)
	sym := s.plan.In.Sym(refs[0])
	if sym != nil && sym.Var != nil && sym.Spec.Space == ptx.RegSpace {
		s.dynamic(a, refs)
		return
	}
	v := s.plan.VariableOf(refs[0])
	off := int(s.plan.Offset(a, v.Sym))
	at := s.out.storage(v)
	if at.kind == nowhere {
		return // a formal without a place: that has been reported
	}
	for e := range max(a.Vec, 1) {
		reg, ok := s.accessed(a, e, refs[1:])
		if ok {
			s.element(a, &reg, at.from(off), e*a.Type.Size(), v, lir.Bytes(v.Source, off, off))
		}
	}
}

// accessed returns the register of element e of an access; ok is false for a sink.
func (s *selector) accessed(a *ptx.Access, e int, refs []body.Ref) (reg operand, ok bool) {
	if !a.Whole {
		if a.Regs[e].Kind == ptx.KindSink {
			return reg, false
		}
		return s.operand(&a.Regs[e], refs[e], a.Type), true
	}
	reg = s.registerAt(refs[0], a.Regs[0].Elem)
	n := len(reg.list) / a.Vec
	reg.list, reg.size, reg.elem = reg.list[e*n:(e+1)*n], reg.size/a.Vec, 4
	return reg, true
}

// element loads or stores an element of an access, at byte off of the place at, word by word. note names the byte where
// the access begins. v is the variable, nil for an access through a register.
//
// Above the bytes of a small element, a register gets zeros or copies of the sign if it has such bytes. A word of a
// variable that the convention extends (promoted) is copied whole: the convention has extended it, or will where the
// variable is passed.
func (s *selector) element(a *ptx.Access, reg *operand, at Place, off int, v *place.Var, note lir.Note) {
	size := a.Type.Size()
	begin := int(note.First)
	promoted := v != nil && at.kind == inWords && begin+off == 0 && place.Promotes(v.Sym) && size == v.Size
	for k := 0; k < size; k += 4 {
		n, ext := min(4, size-k), keep
		if at.kind == inWords && begin+off+k >= round.Up(v.Size, 4) {
			break // beyond the variable
		}
		note := lir.Bytes(note.Name, begin+off+k, begin+off+k+n)
		switch {
		case a.Store && promoted, !a.Store && promoted && v.Extended(a.Type):
			n = 4 // it is extended where it is passed, or has been
		case a.Store:
		case n < 4 && (at.kind == inMemory || reg.size > n):
			ext = extended(a.Type.Signed())
		case n < 4 && (begin+off+k)%4 == 0:
			n = 4 // the register has no bytes above
		case n < 4:
			ext = zero // nor has it here, so that one instruction may write the whole word
		}
		if a.Store {
			s.out.move(&at, off+k, &reg.Place, k, n, ext, note)
		} else {
			first := len(s.out.Code.List)
			s.out.move(&reg.Place, k, &at, off+k, n, ext, note)
			if last := len(s.out.Code.List) - 1; last == first && reg.size == n {
				s.out.Code.List[last].Loose = s.out.Code.List[last].Op == lir.Load
			}
		}
	}
	if !a.Store {
		s.out.extend(reg.list, (size+3)/4, a.Type.Signed())
	}
}

// extend fills the words of a register above the first n, with zeros or with the sign of the word before.
func (e *emitter) extend(list []source, n int, signed bool) {
	for k := n; k < len(list); k++ {
		if signed {
			last := list[k-1].reg
			e.permute(list[k].reg, last, [4]int{0xb, 0xb, 0xb, 0xb}, lir.Zero, lir.Note{})
		} else {
			e.Move(list[k].reg, lir.Zero, lir.Note{})
		}
	}
}

// dynamic lowers an access through an address in a register: to the parameter block in a kernel
// or with ::entry, to local memory otherwise.
func (s *selector) dynamic(a *ptx.Access, refs []body.Ref) {
	base := s.registerAt(refs[0], 0)
	entry := s.plan.F.Entry
	bank := a.Qual == ptx.EntryParam || entry
	if bank && a.Store {
		s.out.comment(a.Op + " [" + a.Addr.Base + "]: constant memory cannot be written")
		return
	}
	at := base.list[0].reg
	if !a.Store && s.loadsOver(a, &base, refs[1:]) {
		// A word that is loaded would overwrite the address before the last load.
		s.out.spare = 0
		at = s.out.temp()
		s.out.Move(at, base.list[0].reg, lir.Say("address"))
	}
	// PTX requires that the address is aligned to the size of the access.
	m := local(at, int(int32(a.Addr.Off)), a.Bytes(), 0)
	if bank {
		blk := s.plan.Asn.Block
		if !entry { // the block of a kernel is there unless it is a large one
			blk = abi.Block{Bank: s.plan.T.Kernel.ParamBank, Base: s.plan.T.Kernel.ParamBase}
		}
		m = inBank(blk.Bank, at, blk.Base+int(int32(a.Addr.Off)), 0)
		m.align = a.Bytes()
	}
	note := lir.Bytes(a.Addr.Base, int(int32(a.Addr.Off)), int(int32(a.Addr.Off)))
	for e := range max(a.Vec, 1) {
		reg, ok := s.accessed(a, e, refs[1:])
		if ok {
			s.element(a, &reg, m, e*a.Type.Size(), nil, note)
		}
	}
}

// loadsOver reports whether a load of several words through a register writes one of them to that register.
func (s *selector) loadsOver(a *ptx.Access, base *operand, refs []body.Ref) bool {
	if a.Bytes() <= 4 && a.Vec <= 1 {
		return false
	}
	for e := range max(a.Vec, 1) {
		reg, _ := s.accessed(a, e, refs)
		for _, x := range reg.list {
			if x.reg == base.list[0].reg || reg.slot && base.slot {
				return true
			}
		}
	}
	return false
}
