package isel

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// An operand is the Place of a register of the source, of an element or all elements of a vector, or of a constant.
type operand struct {
	Place
	size  int  // in bytes, of all elements; a constant has the size of the type that the caller wants
	pred  bool // it is a predicate
	homed bool // it lives in the physical registers from the first one of the list on
	slot  bool // it lives in a slot
}

// operand returns an operand of the source, which is a register or a constant. A constant has the bytes of a value of
// type t.
func (s *selector) operand(o *ptx.Operand, r body.Ref, t ptx.Type) operand {
	if o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat {
		bits := o.BitsAs(t)
		p := operand{Place: Place{kind: inList, elem: 4}, size: t.Size()}
		for k := 0; k < max(t.Size(), 4); k += 4 {
			p.list = append(p.list, source{bits: uint32(bits)})
			bits >>= 32
		}
		return p
	}
	return s.registerAt(r, o.Elem)
}

// registerAt returns the register that a name means. Of a vector it returns an element, 'x' or the like, or all elements
// if element is 0.
func (s *selector) registerAt(r body.Ref, element byte) operand {
	sym := s.plan.In.Sym(r)
	if sym.Spec.Space != ptx.RegSpace {
		s.Reporter.Impossible()
	}
	elem := sym.Spec.Type.Size()
	p := operand{Place: Place{kind: inList, elem: 4}, size: sym.Spec.ElemSize(), pred: sym.Spec.Type == ptx.Pred}
	home := s.plan.HomeOrSlot(r)
	p.slot = home != nil && home.In == place.InSlot
	p.homed = home != nil && !p.slot
	vec := sym.Spec.Vec
	if vec == 0 {
		switch {
		case p.pred && p.homed:
			p.list = []source{{pred: home.Text(0)}}
		case p.pred:
			p.list = []source{{pred: s.plan.In.Name(r.Name) + s.plan.Added(sym)}}
		case p.homed:
			p.list = s.regs.physical(home.Reg, p.size)
		default:
			p.list = s.regs.virtual(s.regs.numberOf(r, home), p.size)
		}
		return p
	}
	first, last := 0, vec
	if element != 0 {
		first = strings.IndexByte("xyzwrgba", element) % 4
		last, p.size = first+1, elem
	} else {
		p.elem = int8(max(1, min(4, elem)))
	}
	for i := first; i < last; i++ {
		list := p.list
		if p.homed {
			p.list = s.regs.physical(home.Reg+sass.Reg(i*max(1, elem/4)), elem)
		} else {
			p.list = s.regs.virtual(s.regs.elementOf(r, home, i), elem)
		}
		p.list = append(list, p.list...)
	}
	return p
}
