package sass

// R is the physical register n: R4, or RZ.
func R(n Reg) Operand { return Operand{Kind: Register, Reg: n} }

// V is a word of the virtual register name: %r3, %rd1.lo, %q1.3.
func V(name string, part Part) Operand { return Operand{Kind: Virtual, Name: name, Part: part} }

// C is the constant at byte offset off of a bank: c[0x0][0x160].
func C(bank uint8, off int64) Operand { return Operand{Kind: Const, Bank: bank, Off: off} }

// CV is the constant at a virtual register plus off: c[0x0][%r1+0x160]. The
// register is used whole; Word selects a part of a wider one.
func CV(bank uint8, name string, off int64) Operand {
	return Operand{Kind: Const, Bank: bank, Name: name, Off: off}
}

// CR is the constant at a physical register plus off: c[0x0][R4+0x160].
func CR(bank uint8, reg Reg, off int64) Operand {
	return Operand{Kind: ConstReg, Bank: bank, Reg: reg, Off: off}
}

// M is the memory at a physical register plus off bytes: [R1+0x8], [R1].
func M(reg Reg, off int64) Operand { return Operand{Kind: Mem, Reg: reg, Off: off} }

// MV is the memory at a virtual register plus off bytes: [%r1+0x8]. The
// register is used whole; Word selects a part of a wider one.
func MV(name string, off int64) Operand { return Operand{Kind: Mem, Name: name, Off: off} }

// I is an immediate. A negative one prints as such (-0x8); a bit pattern is
// passed as the unsigned number it is (0xffffffff).
func I(val int64) Operand { return Operand{Kind: Imm, Off: val} }

// Sym is the address of a function as a branch target: `(f).
func Sym(name string) Operand { return Operand{Kind: Symbol, Name: name} }

// LoSym is the low word of a symbol's address: 32@lo(f).
func LoSym(name string) Operand { return Operand{Kind: Lo32, Name: name} }

// HiSym is the high word of a symbol's address: 32@hi(f).
func HiSym(name string) Operand { return Operand{Kind: Hi32, Name: name} }

// LoRel is the low word of the address of a label inside the function fn:
// 32@lo((fn + .L_x_0@srel)).
func LoRel(fn, label string) Operand { return Operand{Kind: Lo32, Name: fn, Label: label} }

// HiRel is the high word of the address of a label inside the function fn.
func HiRel(fn, label string) Operand { return Operand{Kind: Hi32, Name: fn, Label: label} }

// P is a predicate, physical or virtual: P0, %p1, PT.
func P(name string) Operand { return Operand{Kind: Pred, Name: name} }

// Negated is o with its sign or truth turned: -R4, -%r1, !P0. It has a meaning
// for registers and predicates.
func (o Operand) Negated() Operand {
	o.Neg = !o.Neg
	return o
}

// Word is o with the word part of its virtual register selected: MV("%rd1", 8)
// becomes [%rd1.lo+0x8].
func (o Operand) Word(part Part) Operand {
	o.Part = part
	return o
}

// U is the uniform register n: UR4, or URZ for RZ.
func U(n Reg) Operand { return Operand{Kind: Uniform, Reg: n} }

// CU is the constant at a uniform register plus off: c[0x0][UR4+0x160].
func CU(bank uint8, uni Reg, off int64) Operand {
	return Operand{Kind: ConstUni, Bank: bank, Uni: uni, Off: off}
}

// A is the memory at a physical register with a suffix, plus off bytes, after a label:
// desc[UR4][R2.64+0x10]. Without a register reg is RZ, and without a label or a suffix
// these are "". Use M for an address without label and suffix, as [Parse] does.
func A(label string, reg Reg, suffix string, off int64) Operand {
	return Operand{Kind: Address, Label: label, Reg: reg, Suffix: suffix, Off: off}
}

// AU is A with a uniform register added: [R2+UR4+0x10], or [UR4] where reg is RZ.
func AU(label string, reg Reg, suffix string, uni Reg, off int64) Operand {
	o := A(label, reg, suffix, off)
	o.Uni, o.HasUni = uni, true
	return o
}

// F is a number in decimal as it is written: 1, 5.9604644775390625e-08, +QNAN.
func F(text string) Operand { return Operand{Kind: Float, Name: text} }

// X is an operand of no other kind, as it is written: SRZ, B6, SB0.
func X(text string) Operand { return Operand{Kind: Other, Name: text} }
