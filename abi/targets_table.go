package abi

import "github.com/ptxabi/ptxabi/sass"

// This file is the table of targets. Each row of it is made of parts that
// several architectures share; a part names the first generation that has it.
// How the facts are known, and what was measured, is in facts.go and in
// docs/abi.md. None of these variables is ever written.

const (
	ptxas118   = "ptxas 11.8.89"
	ptxas124   = "ptxas 12.4.131"
	ptxasTwice = "ptxas 11.8.89, 12.4.131"
)

// table holds the measured targets in ascending order.
var table = [...]Target{
	{"sm_35", 35, "", Old, "Kepler", ptxas118, "", passing, regsKepler, kernelKepler, spellKepler, frameKepler},
	{"sm_37", 37, "", Old, "Kepler", ptxas118, "", passing, regsKepler, kernelKepler, spellKepler, frameKepler},
	{"sm_50", 50, "", Old, "Maxwell", ptxasTwice, "", passing, regsKepler, kernelMaxwell, spellMaxwell, frameKepler},
	{"sm_52", 52, "", Old, "Maxwell", ptxasTwice, "", passing, regsKepler, kernelMaxwell, spellMaxwell, frameKepler},
	{"sm_53", 53, "", Old, "Maxwell", ptxasTwice, "", passing, regsKepler, kernelMaxwell, spellMaxwell, frameKepler},
	{"sm_60", 60, "", Old, "Pascal", ptxasTwice, "", passing, regsKepler, kernelPascal, spellMaxwell, frameKepler},
	{"sm_61", 61, "", Old, "Pascal", ptxasTwice, "", passing, regsKepler, kernelPascal, spellMaxwell, frameKepler},
	{"sm_62", 62, "", Old, "Pascal", ptxasTwice, "", passing, regsKepler, kernelPascal, spellMaxwell, frameKepler},
	{"sm_70", 70, "", New, "Volta", ptxasTwice, "", passing, regsVolta, kernelVolta, spellVolta, frameKepler},
	{"sm_72", 72, "", New, "Volta", ptxasTwice, "", passing, regsVolta, kernelVolta, spellVolta, frameKepler},
	{"sm_75", 75, "", New, "Turing", ptxasTwice, "", passing, regsTuring, kernelVolta, spellVolta, frameKepler},
	{"sm_80", 80, "", New, "Ampere", ptxasTwice, "", passing, regsTuring, kernelVolta, spellVolta, frameKepler},
	{"sm_86", 86, "", New, "Ampere", ptxasTwice, "", passing, regsTuring, kernelVolta, spellVolta, frameKepler},
	{"sm_87", 87, "", New, "Ampere", ptxasTwice, "", passing, regsTuring, kernelVolta, spellVolta, frameKepler},
	{"sm_89", 89, "", New, "Ada", ptxasTwice, "", passing, regsTuring, kernelVolta, spellVolta, frameKepler},
	{"sm_90", 90, "", New, "Hopper", ptxasTwice, "", passing, regsTuring, kernelHopper, spellHopper, frameKepler},
	{"sm_90a", 90, "a", New, "Hopper", ptxas124, "", passing, regsTuring, kernelHopper, spellHopper, frameKepler},
}

// unmeasured lists the architectures that exist and are not in table, in
// ascending order, with the suffixes each has beside none.
var unmeasured = [...]struct {
	sm         int
	suffixes   string
	generation string
	// noABI says that functions there have no stack and no convention.
	noABI bool
	// paramBase, where not 0, stands for that of the nearest measured target.
	paramBase int
}{
	{sm: 10, generation: "Tesla", noABI: true},
	{sm: 11, generation: "Tesla", noABI: true},
	{sm: 12, generation: "Tesla", noABI: true},
	{sm: 13, generation: "Tesla", noABI: true},
	{sm: 20, generation: "Fermi"},
	{sm: 21, generation: "Fermi"},
	{sm: 30, generation: "Kepler"},
	{sm: 32, generation: "Kepler"},
	{sm: 88},
	{sm: 100, suffixes: "af", generation: "Blackwell", paramBase: paramBaseBlackwell},
	{sm: 101, suffixes: "af", generation: "Blackwell", paramBase: paramBaseBlackwell},
	{sm: 103, suffixes: "af", generation: "Blackwell", paramBase: paramBaseBlackwell},
	{sm: 110, suffixes: "af", generation: "Blackwell", paramBase: paramBaseBlackwell},
	{sm: 120, suffixes: "af", generation: "Blackwell", paramBase: paramBaseBlackwell},
	{sm: 121, suffixes: "af", generation: "Blackwell", paramBase: paramBaseBlackwell},
}

// paramBaseBlackwell was seen in public binaries of sm_100, sm_110 and sm_120.
const paramBaseBlackwell = 0x380

var passing = Passing{First: 4, Count: 12, MaxAlign: 16, MaxResult: 48, MaxLocal: 8 << 20}

var regsKepler = RegFile{
	SP: sass.SP, RetAddr: sass.RZ, Last: 254, MinBudget: 16,
	Preserved:   Regs(1, 2).Union(RegRange(16, 31)).Union(upperHalves(254)),
	Scratch:     Regs(0).Union(RegRange(3, 15)).Union(lowerHalves(254)),
	PredScratch: RegRange(0, 6),
}

var regsVolta = RegFile{
	SP: sass.SP, RetAddr: 20, Last: 252, MinBudget: 24,
	Preserved:        Regs(1, 2).Union(RegRange(16, 19)).Union(RegRange(22, 31)).Union(upperHalves(252)),
	Scratch:          Regs(0).Union(RegRange(3, 15)).Union(lowerHalves(252)),
	PredScratch:      RegRange(0, 6),
	BarrierScratch:   RegRange(0, 5),
	BarrierPreserved: RegRange(6, 11),
}

var regsTuring = func() RegFile {
	f := regsVolta
	f.UniformScratch = RegRange(4, 35)
	f.UniformPreserved = RegRange(36, 62)
	f.UniformPredScratch = RegRange(0, 6)
	return f
}()

// upperHalves returns every n in 32 … last with n mod 8 ≥ 4, lowerHalves every
// one with n mod 8 < 4.
func upperHalves(last sass.Reg) RegSet {
	return RegSet{0xf0f0f0f000000000, 0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0}.
		Intersect(RegRange(0, last))
}

func lowerHalves(last sass.Reg) RegSet {
	return RegSet{0x0f0f0f0f00000000, 0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f}.
		Intersect(RegRange(0, last))
}

var kernelKepler = Kernel{
	ParamBase: 0x140, MaxParams: 4352,
	HandleAlign: 4, HandleExtends: true,
	SP:      ConstAddr{Off: 0x44},
	LocalLo: ConstAddr{Off: 0x24}, LocalOp: Or,
}

var kernelMaxwell = Kernel{
	ParamBase: 0x140, MaxParams: 4352,
	HandleAlign: 4, HandleExtends: true,
	SP:      ConstAddr{Off: 0x20},
	LocalLo: ConstAddr{Off: 0x4}, LocalOp: Or,
}

var kernelPascal = Kernel{
	ParamBase: 0x140, MaxParams: 4352,
	HandleAlign: 4, HandleExtends: true,
	SP:      ConstAddr{Off: 0x20},
	LocalLo: ConstAddr{Off: 0x4}, LocalHi: ConstAddr{Off: 0x104}, LocalOp: Add,
}

var kernelVolta = Kernel{
	ParamBase: 0x160, MaxParams: 4352, AbsoluteAlign: true,
	LargeParams: 32764, LargeSince: Version{8, 1}, LargeBase: 0x1a80,
	Dispute: "ptxas 11.8 keeps the block at 0x160, " +
		"ptxas 12.4 reads it at 0x1a80 with offsets computed for 0x160",
	HandleAlign: 4, HandleExtends: true,
	SP:      ConstAddr{Off: 0x28},
	LocalLo: ConstAddr{Off: 0x20}, LocalHi: ConstAddr{Off: 0x24}, LocalOp: Add,
}

var kernelHopper = Kernel{
	ParamBase: 0x210, MaxParams: 4352, AbsoluteAlign: true,
	LargeParams: 32764, LargeSince: Version{8, 1}, LargeBase: 0x210, LargeAbsoluteAlign: true,
	HandleAlign: 4,
	SP:          ConstAddr{Off: 0x28},
	LocalLo:     ConstAddr{Off: 0x20}, LocalHi: ConstAddr{Off: 0x24}, LocalOp: Add,
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
	RelocCall: "R_CUDA_ABS32_23",
	AdjustSP:  "IADD32I", Add: "IADD", AlignSP: "LOP32I.AND", LoadImm: "MOV32I",
	LoadLocal: loadLocal, StoreLocal: storeLocal, LoadConst: moveConst, LoadConstIndexed: loadConst,
	LoadSP: "MOV", SelectBytes: "PRMT",
}

var spellMaxwell = func() Spelling {
	s := spellKepler
	s.RelocCall = "R_CUDA_ABS32_20"
	return s
}()

var spellVolta = Spelling{
	Call: "CALL.ABS.NOINC", CallSelf: "CALL.REL.NOINC", CallIndirect: "CALL.ABS.NOINC", IndirectWords: 2,
	Ret: "RET.ABS.NODEC", Exit: "EXIT", RetMove: "MOV",
	RelocCall: "R_CUDA_ABS47_34", RelocRetLo: "R_CUDA_ABS32_LO_32", RelocRetHi: "R_CUDA_ABS32_HI_32",
	AdjustSP: "IADD3", AdjustSPZero: true, Add: "IADD3", AlignSP: "LOP3.LUT", AlignSPTable: 0xc0, LoadImm: "MOV",
	LoadLocal: loadLocal, StoreLocal: storeLocal, LoadConst: moveConst, LoadConstIndexed: loadConst,
	LoadSP: "MOV", SelectBytes: "PRMT",
}

var spellHopper = func() Spelling {
	s := spellVolta
	s.IndirectTable = "__UFT_OFFSET"
	s.RelocCall = "R_CUDA_ABS55_16_34"
	s.LoadConst, s.LoadSP = loadConst, "LDC"
	return s
}()
