package sass

// Register is the physical register n: R4, or RZ.
func Register(n Reg) Operand { return Operand{Kind: KindRegister, Reg: n} }

// Uniform is the uniform register n: UR4, or URZ for RZ.
func Uniform(n Reg) Operand { return Operand{Kind: KindUniform, Reg: n} }

// Virtual is a word of the virtual register name: %r3, %rd1.lo, %q1.3.
func Virtual(name string, part Part) Operand {
	return Operand{Kind: KindVirtual, Name: name, Part: part}
}

// Pred is a predicate, physical or virtual: P0, %p1, PT.
func Pred(name string) Operand { return Operand{Kind: KindPred, Name: name} }

// Imm is an immediate. A negative one prints with its sign (-0x8); for a bit pattern
// the caller passes the unsigned number (0xffffffff).
func Imm(val int64) Operand { return Operand{Kind: KindImm, Off: val} }

// Const is the constant at byte offset off of a bank: c[0x0][0x160].
func Const(bank uint8, off int64) Operand { return Operand{Kind: KindConst, Bank: bank, Off: off} }

// Mem is the memory at a physical register plus off bytes: [R1+0x8], [R1].
func Mem(reg Reg, off int64) Operand { return Operand{Kind: KindMem, Reg: reg, Off: off} }

// Symbol is the address of a function or label as a branch target: `(f).
func Symbol(name string) Operand { return Operand{Kind: KindSymbol, Name: name} }

// Negated is o with the other sign or truth value: -R4, -%r1, !P0. It has a meaning
// for registers and predicates.
func (o Operand) Negated() Operand {
	o.Neg = !o.Neg
	return o
}
