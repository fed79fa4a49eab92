package abi

import (
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/reg"
)

// This file is the table of targets. Each row of it is made of parts that
// several architectures share; a part names the first generation that has it.
// How the facts are known, and what was measured, is in facts.go and in
// docs/abi.md. None of these variables is ever written.

// The releases of the assembler that rows were measured with: "from" the first
// named one on, "to" the last named one, in the order in which they were made.
const (
	ptxas118     = "ptxas 11.8.89"
	ptxasTo129   = "ptxas 11.8.89, 12.4.131, 12.8.93, 12.9.86"
	ptxasAll     = ptxasTo129 + ", 13.0.88, 13.4.59, 13.5.37"
	ptxasFrom124 = "ptxas 12.4.131, 12.8.93, 12.9.86, 13.0.88, 13.4.59, 13.5.37"
	ptxas124129  = "ptxas 12.4.131, 12.8.93, 12.9.86"
	ptxas128129  = "ptxas 12.8.93, 12.9.86"
	ptxasFrom128 = "ptxas 12.8.93, 12.9.86, 13.0.88, 13.4.59, 13.5.37"
	ptxas129     = "ptxas 12.9.86"
	ptxasFrom129 = "ptxas 12.9.86, 13.0.88, 13.4.59, 13.5.37"
	ptxasFrom130 = "ptxas 13.0.88, 13.4.59, 13.5.37"
	ptxasFrom134 = "ptxas 13.4.59, 13.5.37"
)

// rows has the measured architectures, in ascending order, with the releases that each suffix of their names
// was measured with, in the order of suffixes.
var rows = [...]struct {
	sm         int
	generation string
	Passing
	RegFile
	Kernel
	Frame
	measured []string
}{
	{35, "Kepler", passingLone, regsKepler, kernelKepler, frameKepler, []string{ptxas118}},
	{37, "Kepler", passingLone, regsKepler, kernelKepler, frameKepler, []string{ptxas118}},
	{50, "Maxwell", passingLone, regsKepler, kernelMaxwell, frameKepler, []string{ptxasTo129}},
	{52, "Maxwell", passingLone, regsKepler, kernelMaxwell, frameMaxwell, []string{ptxasTo129}},
	{53, "Maxwell", passingLone, regsKepler, kernelMaxwell, frameMaxwell, []string{ptxasTo129}},
	{60, "Pascal", passingLone, regsKepler, kernelPascal, frameMaxwell, []string{ptxasTo129}},
	{61, "Pascal", passingLone, regsKepler, kernelPascal, frameMaxwell, []string{ptxasTo129}},
	{62, "Pascal", passingLone, regsKepler, kernelPascal, frameMaxwell, []string{ptxasTo129}},
	{70, "Volta", passingLone, regsVolta, kernelVolta, frameMaxwell, []string{ptxasTo129}},
	{72, "Volta", passingLone, regsVolta, kernelVolta, frameMaxwell, []string{ptxasTo129}},
	{75, "Turing", passingLone, regsTuring, kernelVolta, frameMaxwell, []string{ptxasAll}},
	{80, "Ampere", passingPreserve, regsTuring, kernelAmpere, frameMaxwell, []string{ptxasAll}},
	{86, "Ampere", passingPreserve, regsTuring, kernelAmpere, frameMaxwell, []string{ptxasAll}},
	{87, "Ampere", passingPreserve, regsTuring, kernelAmpere, frameMaxwell, []string{ptxasAll}},
	{88, "", passingPreserve, regsAmpere13, kernelAmpere, frameMaxwell, []string{ptxasFrom130}},
	{89, "Ada", passingPreserve, regsTuring, kernelAmpere, frameMaxwell, []string{ptxasAll}},
	{90, "Hopper", passingPreserve, regsTuring, kernelHopper, frameMaxwell, []string{ptxasAll, ptxasFrom124}},
	{100, "Blackwell", passingPreserve, regsBlackwell12, kernelBlackwell, frameMaxwell, []string{ptxasFrom128, ptxasFrom128, ptxasFrom129}},
	{101, "Blackwell", passing, regsBlackwell12, kernelBlackwell12, frameMaxwell, []string{ptxas128129, ptxas128129, ptxas129}},
	{103, "Blackwell", passingPreserve, regsBlackwell12, kernelBlackwell, frameMaxwell, []string{ptxasFrom129, ptxasFrom129, ptxasFrom129}},
	{107, "", passingPreserve, regsBlackwell, kernelBlackwell, frameMaxwell, []string{ptxasFrom134, ptxasFrom134, ptxasFrom134}},
	{110, "Blackwell", passingPreserve, regsBlackwell, kernelBlackwell, frameMaxwell, []string{ptxasFrom130, ptxasFrom130, ptxasFrom130}},
	{120, "Blackwell", passingPreserve, regsBlackwell12, kernelBlackwell, frameMaxwell, []string{ptxasFrom128, ptxasFrom128, ptxasFrom129}},
	{121, "Blackwell", passingPreserve, regsBlackwell12, kernelBlackwell, frameMaxwell, []string{ptxasFrom129, ptxasFrom129, ptxasFrom129}},
}

// suffixes has the suffixes of the names of targets: a for an architecture alone, f for a family.
var suffixes = [...]string{"", "a", "f"}

// table holds the measured targets in ascending order.
var table = func() (list []Target) {
	for i := range rows {
		r := &rows[i]
		for k, releases := range r.measured {
			list = append(list, Target{
				Name: "sm_" + strconv.Itoa(r.sm) + suffixes[k], SM: r.sm, Suffix: suffixes[k], Generation: r.generation, Toolkits: releases,
				Passing: r.Passing, Regs: r.RegFile, Kernel: r.Kernel, Frame: r.Frame,
			})
		}
	}
	return list
}()

// unmeasured lists the architectures that exist and are not in table, in
// ascending order.
var unmeasured = [...]struct {
	sm         int
	generation string
	// noABI says that functions there have no stack and no convention.
	noABI bool
}{
	{sm: 10, generation: "Tesla", noABI: true},
	{sm: 11, generation: "Tesla", noABI: true},
	{sm: 12, generation: "Tesla", noABI: true},
	{sm: 13, generation: "Tesla", noABI: true},
	{sm: 20, generation: "Fermi"},
	{sm: 21, generation: "Fermi"},
	{sm: 30, generation: "Kepler"},
	{sm: 32, generation: "Kepler"},
}

var passing = Passing{First: 4, Count: 12, MaxAlign: 16, MaxResult: 48, MaxLocal: 8 << 20}

// passingLone is the Passing of targets for which the assembler crashes on some calls.
var passingLone = func() Passing {
	p := passing
	p.CrashOnLoneSret = true
	return p
}()

// passingPreserve is the Passing of targets for which ptxas 13.0 and later make code:
// these releases accept .abi_preserve. With the budgets, 48, 40, 36, 32, 28,
// 24, 20, 16, 12 and 8 warps share 65,536 registers, in steps of 8 registers a
// thread.
var passingPreserve = func() Passing {
	p := passing
	p.Preserving = PreserveRule{
		First: 16, Most: 237, Budgets: [...]int{40, 48, 56, 64, 72, 80, 96, 128, 168, 256}, Spare: 4, Top: 2,
	}
	return p
}()

var regsKepler = RegFile{
	SP: reg.SP, RetAddr: reg.RZ, Last: 254, MinBudget: 16,
	CalleeSaved:     Regs(1, 2).Union(RegRange(16, 31)).Union(upperHalves(254)),
	CallerSaved:     Regs(0).Union(RegRange(3, 15)).Union(lowerHalves(254)),
	PredCallerSaved: RegRange(0, 6),
}

var regsVolta = RegFile{
	SP: reg.SP, RetAddr: 20, Last: 252, MinBudget: 24,
	CalleeSaved:        Regs(1, 2).Union(RegRange(16, 19)).Union(RegRange(22, 31)).Union(upperHalves(252)),
	CallerSaved:        Regs(0).Union(RegRange(3, 15)).Union(lowerHalves(252)),
	PredCallerSaved:    RegRange(0, 6),
	BarrierCallerSaved: RegRange(0, 5),
	BarrierCalleeSaved: RegRange(6, 11),
}

// regsTuring has the uniform registers on which all releases agree; those of
// UniformDisputed are callee-saved in some releases. ptxas 11.8 saves UR62 too, 12.4 to
// 12.9 all up to UR254, of which most do not exist.
var regsTuring = func() RegFile {
	f := regsAmpere13
	f.UniformDisputed = RegRange(62, 254)
	return f
}()

// regsAmpere13 is the RegFile of sm_75 to sm_90 with ptxas 13.0 and later.
var regsAmpere13 = func() RegFile {
	f := regsVolta
	f.UniformCallerSaved = RegRange(4, 35)
	f.UniformCalleeSaved = RegRange(36, 61)
	f.UniformPredCallerSaved = RegRange(0, 6)
	return f
}()

// regsBlackwell is the RegFile of Blackwell with ptxas 13.0 and later. regsBlackwell12 is for targets that 12.8 or 12.9
// have too: these save more uniform registers.
var regsBlackwell = func() RegFile {
	f := regsVolta
	f.UniformCallerSaved = RegRange(4, 35).Union(RegRange(64, 77))
	f.UniformCalleeSaved = RegRange(36, 63)
	f.UniformPredCallerSaved = RegRange(0, 6)
	return f
}()

var regsBlackwell12 = func() RegFile {
	f := regsBlackwell
	f.UniformDisputed = RegRange(78, 254)
	return f
}()

// upperHalves returns every n in 32 … last with n mod 8 ≥ 4, lowerHalves every
// one with n mod 8 < 4.
func upperHalves(last Reg) RegSet {
	return RegSet{0xf0f0f0f000000000, 0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0}.
		Intersect(RegRange(0, last))
}

func lowerHalves(last Reg) RegSet {
	return RegSet{0x0f0f0f0f00000000, 0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f}.
		Intersect(RegRange(0, last))
}

const handleDispute = "the record says that a handle aligns what follows it, the code reads as if there were no handle"

var kernelKepler = Kernel{
	ParamBase: 0x140, MaxParams: 4352,
	HandleAlign: 4, HandleExtends: true, HandleDispute: handleDispute,
	SP:      ConstAddr{Off: 0x44},
	LocalLo: ConstAddr{Off: 0x24}, LocalOp: LocalOr,
}

var kernelMaxwell = Kernel{
	ParamBase: 0x140, MaxParams: 4352,
	HandleAlign: 4, HandleExtends: true, HandleDispute: handleDispute,
	SP:      ConstAddr{Off: 0x20},
	LocalLo: ConstAddr{Off: 0x4}, LocalOp: LocalOr,
}

var kernelPascal = Kernel{
	ParamBase: 0x140, MaxParams: 4352,
	HandleAlign: 4, HandleExtends: true, HandleDispute: handleDispute,
	SP:      ConstAddr{Off: 0x20},
	LocalLo: ConstAddr{Off: 0x4}, LocalHi: ConstAddr{Off: 0x104}, LocalOp: LocalAdd,
}

var kernelVolta = Kernel{
	ParamBase: 0x160, MaxParams: 4352, AbsoluteAlign: true,
	LargeParams: 32764, LargeSince: Version{Major: 8, Minor: 1}, LargeBase: 0x1a80,
	Dispute: "ptxas 11.8 keeps the block at 0x160, " +
		"ptxas 12.4 and later read it at 0x1a80 with offsets computed for 0x160",
	HandleAlign: 4, HandleExtends: true, HandleDispute: handleDispute,
	SP:      ConstAddr{Off: 0x28},
	LocalLo: ConstAddr{Off: 0x20}, LocalHi: ConstAddr{Off: 0x24}, LocalOp: LocalAdd,
}

// kernelAmpere has the words for the memory of blocks, which were measured with 13.4 and 13.5 on every target.
var kernelAmpere = perCTA(kernelVolta, 0x14c, 0x158)

// perCTA returns a row with the words for the memory of blocks at these offsets.
func perCTA(k Kernel, size, start int) Kernel {
	k.PerCTASize, k.PerCTAStart = ConstAddr{Off: size}, ConstAddr{Off: start}
	return k
}

var kernelHopper = Kernel{
	ParamBase: 0x210, MaxParams: 4352, AbsoluteAlign: true,
	LargeParams: 32764, LargeSince: Version{Major: 8, Minor: 1}, LargeBase: 0x210, LargeAbsoluteAlign: true,
	HandleAlign: 4, HandleDispute: handleDispute,
	SP:      ConstAddr{Off: 0x28},
	LocalLo: ConstAddr{Off: 0x20}, LocalHi: ConstAddr{Off: 0x24}, LocalOp: LocalAdd,
	PerCTASize: ConstAddr{Off: 0x1c8}, PerCTAStart: ConstAddr{Off: 0x1c0},
}

// kernelBlackwell's base is a multiple of 128, so only alignments of 256 and
// more tell from where they count.
var kernelBlackwell = Kernel{
	ParamBase: 0x380, MaxParams: 4352,
	LargeParams: 32764, LargeSince: Version{Major: 8, Minor: 1}, LargeBase: 0x380,
	HandleAlign: 4, HandleDispute: handleDispute,
	SP:      ConstAddr{Off: 0x37c},
	LocalLo: ConstAddr{Off: 0x2f8}, LocalHi: ConstAddr{Off: 0x2fc}, LocalOp: LocalAdd,
	PerCTASize: ConstAddr{Off: 0xb0}, PerCTAStart: ConstAddr{Off: 0xa8},
}

// kernelBlackwell12 is the Kernel of targets that no assembler with a memory of blocks has.
var kernelBlackwell12 = perCTA(kernelBlackwell, 0, 0)
