package machine

// A Spelling has the instructions of the convention: operation codes with their modifiers, and
// names of relocations. "" is an instruction that the target does not have.
type Spelling struct {
	// Entry has, as text for people, the instructions with which every function and kernel begins, before its
	// frame is made; "" if there are none. Package lower makes them.
	Entry string

	Call     string // direct call
	CallSelf string // direct call of the enclosing function
	// CallIndirect transfers control to the address in IndirectWords registers. If PreRet
	// is set, that instruction is before it and pushes the return address. If
	// IndirectTable is set, function addresses are those of entries of a table, and
	// CallIndirect has this symbol as a second operand.
	CallIndirect  string
	IndirectWords int
	PreRet        string
	IndirectTable string
	// Ret returns from a function; its operands are RetAddr and 0x0 if the return address
	// is in registers. Exit ends a kernel.
	Ret, Exit string
	RetMove   string // loads each half of the return address before a call

	RelocCall              string // relocation of Call's target
	RelocRetLo, RelocRetHi string // relocations of the two RetMove
	// RelocAddrLo and RelocAddrHi are the relocations of the halves of a
	// function's address, RelocTable that of IndirectTable in a call.
	RelocAddrLo, RelocAddrHi, RelocTable string

	// AdjustSP adds an immediate to the stack pointer, with RZ as a last operand
	// if AdjustSPZero is set.
	AdjustSP     string
	AdjustSPZero bool
	// Add adds two registers, with RZ as a last operand if AdjustSPZero is
	// set.
	Add string
	// AddPT reports that AdjustSP and Add have PT, PT after their first operand, for
	// carries that are not used. AddDispute is the AdjustSP of other releases of the assembler;
	// "" if all agree.
	AddPT      bool
	AddDispute string
	// AlignSP computes the bitwise and of the stack pointer and an immediate; if AlignSPTable is
	// not 0, further operands are RZ, this truth table and !PT.
	AlignSP      string
	AlignSPTable int
	LoadImm      string // loads a 32-bit immediate

	LoadLocal, StoreLocal Widths
	// LoadConst is for constant addresses, LoadConstIndexed for those with a
	// register in them.
	LoadConst, LoadConstIndexed Widths
	LoadSP                      string // loads the stack pointer of a kernel from Kernel.SP
	SelectBytes                 string // permutes the bytes of two registers
}

// Widths has the operation codes of loads or stores by their width. "" is a width for which
// there is no single access.
type Widths struct {
	U8, S8, U16, S16, B32, B64, B128 string // the signed ones of loads only
}

// Of returns the operation code of an access to 1, 2, 4, 8 or 16 bytes, "" if there is none. A signed
// one extends a load of 1 or 2 bytes with the sign.
func (w *Widths) Of(size int, signed bool) string {
	switch {
	case size == 1 && signed:
		return w.S8
	case size == 1:
		return w.U8
	case size == 2 && signed:
		return w.S16
	case size == 2:
		return w.U16
	case size == 4:
		return w.B32
	case size == 8:
		return w.B64
	}
	return w.B128
}

// String returns the operation codes that there are, in order of width.
func (w Widths) String() string {
	s := ""
	for _, op := range [...]string{w.U8, w.S8, w.U16, w.S16, w.B32, w.B64, w.B128} {
		if op != "" && s != "" {
			s += " "
		}
		s += op
	}
	return s
}

var (
	loadLocal  = Widths{U8: "LDL.U8", S8: "LDL.S8", U16: "LDL.U16", S16: "LDL.S16", B32: "LDL", B64: "LDL.64", B128: "LDL.128"}
	storeLocal = Widths{U8: "STL.U8", U16: "STL.U16", B32: "STL", B64: "STL.64", B128: "STL.128"}
	loadConst  = Widths{U8: "LDC.U8", S8: "LDC.S8", U16: "LDC.U16", S16: "LDC.S16", B32: "LDC", B64: "LDC.64"}
	// moveConst reads words as operands of a move.
	moveConst = Widths{U8: "LDC.U8", S8: "LDC.S8", U16: "LDC.U16", S16: "LDC.S16", B32: "MOV"}
)

var spellKepler = Spelling{
	Call: "JCAL", CallSelf: "CAL", CallIndirect: "JMX", IndirectWords: 1, PreRet: "PRET",
	Ret: "RET", Exit: "EXIT",
	RelocCall: "R_CUDA_ABS32_23", RelocAddrLo: "R_CUDA_ABS32_LO_23", RelocAddrHi: "R_CUDA_ABS32_HI_23",
	AdjustSP: "IADD32I", Add: "IADD", AlignSP: "LOP32I.AND", LoadImm: "MOV32I",
	LoadLocal: loadLocal, StoreLocal: storeLocal, LoadConst: moveConst, LoadConstIndexed: loadConst,
	LoadSP: "MOV", SelectBytes: "PRMT",
}

var spellMaxwell = func() Spelling {
	s := spellKepler
	s.RelocCall, s.RelocAddrLo, s.RelocAddrHi = "R_CUDA_ABS32_20", "R_CUDA_ABS32_LO_20", "R_CUDA_ABS32_HI_20"
	return s
}()

var spellVolta = Spelling{
	Call: "CALL.ABS.NOINC", CallSelf: "CALL.REL.NOINC", CallIndirect: "CALL.ABS.NOINC", IndirectWords: 2,
	Ret: "RET.ABS.NODEC", Exit: "EXIT", RetMove: "MOV",
	RelocCall: "R_CUDA_ABS47_34", RelocRetLo: "R_CUDA_ABS32_LO_32", RelocRetHi: "R_CUDA_ABS32_HI_32",
	RelocAddrLo: "R_CUDA_ABS32_LO_32", RelocAddrHi: "R_CUDA_ABS32_HI_32",
	AdjustSP: "IADD3", AdjustSPZero: true, Add: "IADD3", AlignSP: "LOP3.LUT", AlignSPTable: 0xc0, LoadImm: "MOV",
	LoadLocal: loadLocal, StoreLocal: storeLocal, LoadConst: moveConst, LoadConstIndexed: loadConst,
	LoadSP: "MOV", SelectBytes: "PRMT",
}

// spellOrin is the Spelling of sm_87. Its functions and kernels make all barriers ready first,
// unless UR2 shows that it has been done.
var spellOrin = func() Spelling {
	s := spellVolta
	s.Entry = "ISETP.NE.U32.AND P0, PT, RZ, UR2, PT; @P0 BRA after; BMOV.32 B0, 0xffffffff; " +
		"BMOV.32.CLEAR B(n), B(n-1) for n of 1 … 15; BMOV.32 B15, 0x0; UMOV UR2, 0x1"
	return s
}()

var spellHopper = func() Spelling {
	s := spellVolta
	s.IndirectTable, s.RelocTable = "__UFT_OFFSET", "R_CUDA_ABS56_16_34"
	s.RelocCall = "R_CUDA_ABS55_16_34"
	s.RelocAddrLo, s.RelocAddrHi = "R_CUDA_UNIFIED32_LO_32", "R_CUDA_UNIFIED32_HI_32"
	s.LoadConst, s.LoadSP = loadConst, "LDC"
	return s
}()

var spellBlackwell = func() Spelling {
	s := spellHopper
	s.AddPT = true
	return s
}()

// spellIADD is the Spelling of sm_107, which has IADD again.
var spellIADD = func() Spelling {
	s := spellHopper
	s.AdjustSP, s.Add, s.AdjustSPZero = "IADD", "IADD", false
	return s
}()

var spellBlackwell120 = func() Spelling {
	s := spellIADD
	s.AddDispute = "ptxas 12.8 to 13.0 write IADD3 R1, PT, PT, R1, n, RZ"
	return s
}()
