package sel

import (
	"math"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A register is a virtual register as PTX declares it, or an element of a
// vector.
type register struct {
	name  string
	id    int32 // number of the name
	size  int   // bytes of the whole
	elem  int   // bytes of an element, of a vector; size otherwise
	elems int   // of a vector; 0 for a scalar
	pred  bool
	typ   ptx.Type
	homed bool // it lives in the physical registers from home on
	home  sass.Reg
}

// A knownRegister is what register found out about a symbol's registers, with the
// name of the last.
type knownRegister struct {
	sym *resolved.Symbol // nil for none
	register
}

// A registerCache has what was asked for before.
type registerCache struct {
	known   [8]knownRegister // by the symbol's ID
	lastReg register         // what registerAt returned last, if it is not known
}

// named returns what register takes for a name that is not an operand of the
// statement at hand.
func (fn *Selector) named(name string, pos diag.Pos) (*ptx.Operand, resolved.Ref) {
	return &ptx.Operand{Kind: ptx.KindName, Text: name, Pos: pos}, fn.Registers.Ref(fn.At, name)
}

// register returns the register that an operand names, whose name has number n;
// it reports it and returns false if there is none.
func (fn *Selector) register(o *ptx.Operand, n resolved.Ref) (register, bool) {
	r, ok := fn.registerAt(o, n)
	return *r, ok
}

// registerAt is register for who needs what it returns up to the next call only:
// what is copied most is slow.
func (fn *Selector) registerAt(o *ptx.Operand, n resolved.Ref) (r *register, ok bool) {
	if n.Name < 0 {
		fn.LetThrough(o.Pos)
		fn.lastReg = register{}
		return &fn.lastReg, false
	}
	sym := fn.In.Sym(n)
	if sym == nil || o.Elem != 0 || !fn.Syms[n.Sym].Plain() {
		fn.lastReg, ok = fn.findRegister(o, n, sym)
		return &fn.lastReg, ok
	}
	k := &fn.known[uint(sym.ID)%uint(len(fn.known))]
	if k.sym == sym {
		k.id, k.name = n.Name, o.Text
		return &k.register, true
	}
	if k.register, ok = fn.findRegister(o, n, sym); ok {
		k.sym = sym
	} else {
		k.sym = nil
	}
	return &k.register, ok
}

func (fn *Selector) findRegister(o *ptx.Operand, n resolved.Ref, sym *resolved.Symbol) (register, bool) {
	name := o.Name()
	switch {
	case sym == nil || sym.Var == nil:
		fn.LetThrough(o.Pos)
		return register{}, false
	case sym.Spec.Space != ptx.RegSpace:
		fn.LetThrough(o.Pos)
		return register{}, false
	}
	r := register{name: fn.uniqueName(name), size: sym.Spec.ElemSize(), elem: sym.Spec.Type.Size(), pred: sym.Spec.Type == ptx.Pred, typ: sym.Spec.Type}
	if h := fn.HomeOrSlot(name, sym); h != nil && h.In == place.InSlot {
		r.name = h.Slot
	} else if h != nil {
		r.homed, r.home = true, h.Reg
	}
	if sym.Spec.Vec != 0 {
		r.elems = sym.Spec.Vec
		if o.Elem != 0 {
			at := strings.IndexByte("xyzw", o.Elem)
			if at >= r.elems {
				fn.Cannot(o.Pos, "%s has %d elements, none of them .%c", name, r.elems, o.Elem)
				return register{}, false
			}
			one := register{name: r.name + "." + string(rune(o.Elem)), size: r.elem, elem: r.elem, typ: r.typ, pred: r.pred}
			if r.homed {
				one.homed, one.home = true, r.home+sass.Reg(at*r.stride())
			}
			r = one
		}
	}
	if r.id = n.Name; r.name != name {
		r.id = fn.Registers.Number(r.name)
	}
	if r.size == 0 || r.elems > 4 {
		fn.LetThrough(o.Pos)
		return register{}, false
	}
	return r, true
}

// stride returns how many registers an element of a vector takes.
func (r *register) stride() int { return max(1, r.elem/4) }

// words returns the number of 32-bit words of r.
func (r *register) words() int { return (r.size + 3) / 4 }

// split reports whether a word of r is made of several registers: elements of
// a vector of less than 32 bits.
func (r *register) split() bool { return r.elems > 0 && r.elem < 4 }

// part is word k of r, where r is not split.
func (fn *Selector) part(r *register, k int) lir.Reg {
	if r.homed {
		return lir.Phys(r.home + sass.Reg(k))
	}
	if r.elems == 0 {
		return wordOfScalar(r.id, r.size, k)
	}
	per := r.elem / 4
	return fn.vectorElement(r, k/per).WithPart(partOf(r.elem, k%per))
}

// one is element i of r, where r is split.
func (fn *Selector) one(r *register, i int) lir.Reg {
	if r.homed {
		return lir.Phys(r.home + sass.Reg(i))
	}
	return fn.vectorElement(r, i)
}

// wordOfScalar is word k of a scalar register of a size, of which the name has number n.
func wordOfScalar(n int32, size, k int) lir.Reg {
	return lir.Virt(n, partOf(size, k))
}

// partOf is word k of a scalar register of a size.
func partOf(size, k int) sass.Part {
	switch size {
	case 8:
		return sass.Lo + sass.Part(k)
	case 16:
		return sass.W0 + sass.Part(k)
	}
	return sass.Whole
}

// vectorElement is element i of a virtual vector as a whole.
func (fn *Selector) vectorElement(r *register, i int) lir.Reg {
	return fn.Virtual(r.name+"."+"xyzw"[i:i+1], sass.Whole)
}

// whole is r as the operand of an access of all its words.
func (r *register) whole() lir.Reg {
	if r.homed {
		return lir.Phys(r.home)
	}
	return lir.Virt(r.id, sass.Whole)
}

// read puts byte i of r at byte at of w.
func (fn *Selector) read(r *register, w *word, at, i int) {
	if r.split() {
		w.take(at, fn.one(r, i/r.elem), i%r.elem)
		return
	}
	w.take(at, fn.part(r, i/4), i%4)
}

// toRegister takes what makes word k of r hold w, the bytes s of a value.
func (fn *Selector) toRegister(r *register, k int, w *word, s lir.Note) {
	if !r.split() {
		if w.defined() {
			l := fn.wait()
			l.dst, l.w, l.s = fn.part(r, k), *w, s
			fn.taken()
		}
		return
	}
	for i := 0; i < 4 && 4*k+i < r.size; i += r.elem {
		part := word{}
		for b := range r.elem {
			part.put(b, w, i+b)
		}
		one := s
		if s.Name != "" {
			one.First, one.End = s.First+int32(i), s.First+int32(i+r.elem)
		}
		if part.defined() {
			l := fn.wait()
			l.dst, l.w, l.s = fn.one(r, (4*k+i)/r.elem), part, one
			fn.taken()
		}
	}
}

// sourceRegister returns the register of which size bytes are stored; it
// reports it and returns false if there is none.
func (fn *Selector) sourceRegister(o *ptx.Operand, n resolved.Ref, size int) (*register, bool) {
	r, ok := fn.registerAt(o, n)
	if ok && (r.pred || r.size < size || r.elems > 0) {
		fn.LetThrough(o.Pos)
		ok = false
	}
	return r, ok
}

// constantBits returns a constant as the bits of a value of a type; it
// reports it and returns false where that has no meaning. A floating-point
// constant for bits gives those of the double from the lowest up, as the
// assembler has it.
func (fn *Selector) constantBits(o *ptx.Operand, t ptx.Type, what string) (uint64, bool) {
	size := t.Size()
	if size > 8 || o.Kind == ptx.KindInt && t.Class() == ptx.Float {
		fn.LetThrough(o.Pos)
		return 0, false
	}
	if o.Kind == ptx.KindInt {
		return o.Bits, true
	}
	value := math.Float64frombits(o.Bits)
	if o.FloatSize == 4 {
		value = float64(math.Float32frombits(uint32(o.Bits)))
	}
	switch {
	case t == ptx.F64:
		if o.FloatSize != 4 {
			return o.Bits, true
		}
		return math.Float64bits(value), true
	case t == ptx.F32:
		if o.FloatSize == 4 {
			return o.Bits, true
		}
		return uint64(math.Float32bits(float32(value))), true
	case int(o.FloatSize) == size: // the bits are what is written
		return o.Bits, true
	case t == ptx.F16:
		return uint64(halfBits(value)), true
	case t.Class() == ptx.Bits:
		return o.Bits, true
	}
	fn.Cannot(o.Pos, "the floating-point constant %s for %s of type %s; load it into a register first", o.Text, what, t)
	return 0, false
}

// halfBits returns the half-precision number nearest to v; of two that are as
// near, the even one.
func halfBits(v float64) uint16 {
	sign := uint16(math.Float64bits(v)>>48) & 0x8000
	a := math.Abs(v)
	switch {
	case a == 0:
		return sign
	case math.IsNaN(v):
		return sign | 0x7e00
	case a >= 65520: // halfway to the number after the largest
		return sign | 0x7c00
	}
	exp := max(math.Ilogb(a), -14)
	n := math.RoundToEven(math.Ldexp(a, 10-exp)) // with the leading one of normal numbers
	return sign | uint16((exp+14)<<10+int(n))
}
