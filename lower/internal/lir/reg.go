// Package lir is the code that lowering makes before it is printed: a flat list of small
// instructions over packed registers.
package lir

import (
	"github.com/ptxabi/ptxabi/sass"
)

// A Reg is a register of 32 bits, or a virtual register of several words as a whole. It is one small number, so that
// slices can be indexed by it. The zero Reg is none, the physical registers come next, and then the parts of the virtual
// ones, name by name.
type Reg uint32

// Parts is how many numbers a name has for its parts.
const Parts = 8

const firstVirtual Reg = 1 + 256

// Regs returns a number above those of all registers with these names.
func (n *Names) Regs() int { return int(Virt(int32(n.Count()), sass.Whole)) }

// Kind is Register or Virtual; None for none.
func (r Reg) Kind() sass.OperandKind {
	switch {
	case r == 0:
		return sass.KindNone
	case r < firstVirtual:
		return sass.KindRegister
	}
	return sass.KindVirtual
}

// Num is the number of a physical register.
func (r Reg) Num() sass.Reg { return sass.Reg(r - 1) }

// Part is the word of a virtual register that r is.
func (r Reg) Part() sass.Part { return sass.Part((r - firstVirtual) % Parts) }

// Name is the number of a virtual register's name.
func (r Reg) Name() int32 { return int32((r - firstVirtual) / Parts) }

// Phys is a physical register.
func Phys(r sass.Reg) Reg { return 1 + Reg(r) }

// Virt is a part of the virtual register whose name has a number.
func Virt(name int32, part sass.Part) Reg { return firstVirtual + Parts*Reg(name) + Reg(part) }

// WithPart is another part of the same virtual register.
func (r Reg) WithPart(part sass.Part) Reg { return Virt(r.Name(), part) }

// Zero is the register that reads as zero.
var Zero = Phys(sass.RZ)

// Widest is the most words that one access takes.
const Widest = 4

// Follows reports whether r is the register after another one: the next physical one, or
// the next word of one virtual register. RZ follows itself.
func (r Reg) Follows(before Reg) bool {
	switch {
	case before == Zero:
		return r == Zero
	case r == Zero || r != before+1:
		return false
	case before.Kind() == sass.KindVirtual:
		return before.Part() == sass.Lo || before.Part() >= sass.W0
	}
	return before.Kind() == sass.KindRegister
}

// Group returns n registers that follow each other, beginning with r, as one operand. It reports false if they cannot be
// one: the number of the first must be a multiple of n, or they are all words of a virtual register. RZ is any number
// of zeros.
func (r Reg) Group(n int) (Reg, bool) {
	switch {
	case r.Kind() == sass.KindRegister:
		return r, r.Num() == sass.RZ || int(r.Num())%n == 0
	case r.Part() == sass.Lo && n == 2, r.Part() == sass.W0 && n == 4:
		return r.WithPart(sass.Whole), true
	case r.Part() >= sass.W0:
		return r, int(r.Part()-sass.W0)%n == 0
	}
	return r, false
}

// Word is word i of a virtual register of n words, 2 or 4.
func (r Reg) Word(i, n int) Reg {
	if n > 2 {
		return r.WithPart(sass.W0 + sass.Part(i))
	}
	return r.WithPart(sass.Lo + sass.Part(i))
}
