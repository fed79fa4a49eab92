// Package lir is the code that lowering makes before it is printed: a flat list of small
// instructions over packed registers.
package lir

import (
	"github.com/ptxabi/ptxabi/sass"
)

// A Reg is a register of 32 bits, or one that a virtual register of several words is
// loaded or stored as. It is one number, which is passed and compared as such. The zero
// Reg is none.
//
//	63               32 31    24 23    16 15     8 7      0
//	┌──────────────────┬────────┬────────┬────────┬────────┐
//	│ number of a name │   0    │  part  │  reg   │  kind  │
//	└──────────────────┴────────┴────────┴────────┴────────┘
type Reg uint64

// Kind is Register or Virtual; None for none.
func (r Reg) Kind() sass.OperandKind { return sass.OperandKind(r) }

// Num is the number of a physical register.
func (r Reg) Num() sass.Reg { return sass.Reg(r >> 8) }

// Part is the word of a virtual register that r is.
func (r Reg) Part() sass.Part { return sass.Part(r >> 16) }

// Name is the number of a virtual register's name.
func (r Reg) Name() int32 { return int32(r >> 32) }

// Phys is a physical register.
func Phys(r sass.Reg) Reg { return Reg(sass.Register) | Reg(r)<<8 }

// Virt is a part of the virtual register whose name has a number.
func Virt(name int32, part sass.Part) Reg {
	return Reg(sass.Virtual) | Reg(part)<<16 | Reg(name)<<32
}

// WithPart is another part of the same virtual register.
func (r Reg) WithPart(part sass.Part) Reg { return Virt(r.Name(), part) }

// Zero is the register that reads as zero.
var Zero = Phys(sass.RZ)
