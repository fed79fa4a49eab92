package abi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Grade tells how a fact is known. The zero Grade is the weakest.
type Grade uint8

const (
	// Assumed facts are copied from another target.
	Assumed Grade = iota
	// Documented facts are stated by NVIDIA.
	Documented
	// Measured facts were seen in the output of NVIDIA's assembler.
	Measured
)

// String returns "assumed", "documented" or "measured".
func (g Grade) String() string { return prose.Name("Grade", g, "assumed", "documented", "measured") }

// MarshalText returns g.String().
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// A Fact is a fact about a target, in words.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Grade Grade  `json:"grade"`
	// Source names the toolkits of a measured fact, the document and section of
	// a documented one, and the target from which an assumed one was copied.
	Source string `json:"source"`
}

// String returns the fact on one line, as
// "stack pointer: R1 (measured: ptxas 11.8.89)".
func (f Fact) String() string {
	return fmt.Sprintf("%s: %s (%s: %s)", f.Name, f.Value, f.Grade, f.Source)
}

// Facts returns all facts about t. The names and their order are the same for all targets. The value of a
// fact that the target does not have is "none".
func (t *Target) Facts() []Fact {
	t = zero.Or(t)
	facts := make([]Fact, len(factRows))
	for i, row := range factRows {
		f := Fact{Name: row.name, Value: row.value(t), Grade: Measured, Source: t.Toolkits}
		if row.source != nil {
			if grade, source := row.source(t); source != "" {
				f.Grade, f.Source = grade, source
			}
		}
		if t.AssumedFrom != "" {
			f.Grade, f.Source = Assumed, "as on "+t.AssumedFrom
			if row.assumed != nil {
				if source := row.assumed(t); source != "" {
					f.Source = source
				}
			}
		} else if f.Source == "" {
			f.Grade, f.Source = Assumed, "no source"
		}
		if f.Value == "" {
			f.Value = "none"
		}
		facts[i] = f
	}
	return facts
}

// A factRow has the functions that return one fact of a target and its source.
type factRow struct {
	name  string
	value func(*Target) string // "" for none
	// source returns the grade and the source of the fact. If it is nil or returns "", the
	// fact was measured with the target's toolkits.
	source func(*Target) (Grade, string)
	// assumed returns the source of the fact in assumed targets. If it is nil or returns "", the
	// source is the target that they were copied from.
	assumed func(*Target) string
}

// callFacts has the rows of Facts about passing, registers, kernels and calls.
var callFacts = []factRow{
	{name: "family", value: func(t *Target) string { return t.Family() }},
	{
		name:  "generation",
		value: func(t *Target) string { return t.Generation },
		source: func(t *Target) (Grade, string) {
			if t.Generation == "" {
				return Documented, "not named in the CUDA C++ Programming Guide, Compute Capabilities"
			}
			return Documented, "CUDA C++ Programming Guide, Compute Capabilities"
		},
		assumed: func(*Target) string { return "by its number" },
	},

	{name: "parameter registers", value: func(t *Target) string { return span(t.Passing.First, t.Passing.Count) }},
	{name: "largest alignment in registers", value: func(t *Target) string { return bytes(t.Passing.MaxAlign) }},
	{name: "largest result in registers", value: func(t *Target) string { return bytes(t.Passing.MaxResult) }},
	{name: "the assembler crashes on calls without arguments whose result is in memory", value: func(t *Target) string {
		return yesNo(t.Passing.CrashOnLoneSret)
	}},
	{
		name:   "values of functions with .abi_preserve",
		source: preserveSource,
		value: func(t *Target) string {
			p := &t.Passing.Preserving
			if *p == (PreserveRule{}) {
				return ""
			}
			return fmt.Sprintf("beyond %s in registers, %d below the end of a budget of %s, %d spare; at most %d callee-saved from %s up",
				bytes(t.Passing.Count*wordSize), p.Top, strings.Trim(fmt.Sprint(p.Budgets), "[]"), p.Spare, p.Most, regName(p.First))
		},
	},
	{name: "reach of local memory offsets", value: func(t *Target) string { return bytes(t.Passing.MaxLocal) }},

	{name: "stack pointer", value: func(t *Target) string { return regName(t.Regs.SP) }},
	{name: "return address", value: func(t *Target) string {
		if !t.Regs.HasRetAddr() {
			return "hardware call stack"
		}
		return span(t.Regs.RetAddr, 2)
	}},
	{name: "callee-saved registers", value: func(t *Target) string { return t.Regs.CalleeSaved.String() }},
	{name: "caller-saved registers", value: func(t *Target) string { return t.Regs.CallerSaved.String() }},
	{name: "highest register", value: func(t *Target) string { return regName(t.Regs.Last) }},
	{name: "smallest register budget of a function", value: func(t *Target) string { return strconv.Itoa(t.Regs.MinBudget) }},
	{name: "registers of a block", value: func(t *Target) string { return strconv.Itoa(multi(t).PerBlock) }},
	{name: "caller-saved predicates", value: func(t *Target) string { return t.Regs.PredCallerSaved.text("P") }},
	{name: "caller-saved uniform registers", value: func(t *Target) string { return t.Regs.UniformCallerSaved.text("UR") }},
	{name: "callee-saved uniform registers", value: func(t *Target) string { return t.Regs.UniformCalleeSaved.text("UR") }},
	{name: "uniform registers that are callee-saved in some releases", source: disputedSource, value: func(t *Target) string {
		return t.Regs.UniformDisputed.text("UR")
	}},
	{name: "caller-saved uniform predicates", value: func(t *Target) string { return t.Regs.UniformPredCallerSaved.text("UP") }},
	{name: "caller-saved barriers", value: func(t *Target) string { return t.Regs.BarrierCallerSaved.text("B") }},
	{name: "callee-saved barriers", value: func(t *Target) string { return t.Regs.BarrierCalleeSaved.text("B") }},
	{name: "frame address at entry in debug frames", value: func(t *Target) string { return regName(t.Regs.SP) }},
	{name: "return column of debug frames", value: func(t *Target) string {
		if !t.Regs.HasRetAddr() {
			return ""
		}
		return regName(t.Regs.RetAddr)
	}},
	{name: "DWARF numbers of registers", value: func(t *Target) string {
		numbers := "Rn 0x05000000+n, Pn 0x02000000+n, carry 0x01000000"
		if t.Regs.UniformCallerSaved != (RegSet{}) {
			numbers += ", URn 0x0b000000+n, UPn 0x09000000+n"
		}
		return numbers
	}},

	{name: "kernel parameters", value: func(t *Target) string { return ConstAddr{t.Kernel.ParamBank, t.Kernel.ParamBase}.String() }},
	{name: "most kernel parameters", value: func(t *Target) string { return bytes(t.Kernel.MaxParams) }},
	{name: "large kernel parameters", source: largeSource, value: large(func(k *Kernel) string { return ConstAddr{k.ParamBank, k.LargeBase}.String() })},
	{name: "most large kernel parameters", source: largeSource, value: large(func(k *Kernel) string { return bytes(k.LargeParams) })},
	{name: "large kernel parameters from", source: sinceSource, value: func(t *Target) string {
		if t.Kernel.LargeSince == (Version{}) {
			return ""
		}
		return "PTX ISA " + t.Kernel.LargeSince.String()
	}},
	{name: "kernel parameter alignments count from", value: func(t *Target) string { return alignOrigin(t.Kernel.AbsoluteAlign) }},
	{name: "large kernel parameter alignments count from", source: largeSource, value: large(func(k *Kernel) string { return alignOrigin(k.LargeAbsoluteAlign) })},
	{name: "where the limit depends on the alignments' origin", value: func(t *Target) string { return t.Kernel.Dispute }},
	{name: "alignment of handles among kernel parameters", value: func(t *Target) string { return bytes(t.Kernel.HandleAlign) }},
	{name: "what code does after a handle", value: func(t *Target) string { return t.Kernel.HandleDispute }},
	{name: "alignment of a last handle counts in the block", value: func(t *Target) string { return yesNo(t.Kernel.HandleExtends) }},
	{name: "stack pointer of a kernel", value: func(t *Target) string {
		return fmt.Sprintf("%s %s, %s", spelling(t).LoadSP, regName(t.Regs.SP), t.Kernel.SP)
	}},
	{name: "local to generic address", value: func(t *Target) string {
		k := &t.Kernel
		if k.LocalOp == 0 {
			return ""
		}
		s := fmt.Sprintf("%s %s", k.LocalOp, k.LocalLo)
		if k.LocalHi != (ConstAddr{}) {
			s += fmt.Sprintf(", high word %s", k.LocalHi)
		}
		return s
	}},
	{
		name:   "memory of a block of threads",
		source: func(*Target) (Grade, string) { return Measured, "ptxas 13.4 and 13.5" },
		value: func(t *Target) string {
			if t.Kernel.PerCTASize == (ConstAddr{}) && t.Kernel.PerCTAStart == (ConstAddr{}) {
				return ""
			}
			return fmt.Sprintf("%%perctamemorysize is %s, %%perctamemoryoffset counts from %s", t.Kernel.PerCTASize, t.Kernel.PerCTAStart)
		},
	},

	{name: "what functions and kernels begin with", value: func(t *Target) string { return spelling(t).Entry }},
	{name: "direct call", value: func(t *Target) string { return spelling(t).Call }},
	{name: "recursive call", value: func(t *Target) string { return spelling(t).CallSelf }},
	{name: "indirect call", value: func(t *Target) string {
		s := spelling(t)
		if s.CallIndirect == "" {
			return ""
		}
		text := fmt.Sprintf("%s with %d words", s.CallIndirect, s.IndirectWords)
		if s.IndirectWords == 1 {
			text = s.CallIndirect + " with the low word"
		}
		if s.PreRet != "" {
			text = s.PreRet + ", " + text
		}
		return text
	}},
	{name: "table of function addresses", source: tableSource("uses none"), value: func(t *Target) string { return spelling(t).IndirectTable }},
	{name: "return", value: func(t *Target) string { return spelling(t).Ret }},
	{name: "end of a kernel", value: func(t *Target) string { return spelling(t).Exit }},
	{name: "return address is loaded by", value: func(t *Target) string { return spelling(t).RetMove }},
	{name: "relocation of a direct call", value: func(t *Target) string { return spelling(t).RelocCall }},
	{name: "relocation of the table of function addresses", source: tableSource("uses none"), value: func(t *Target) string { return spelling(t).RelocTable }},
	{name: "relocations of a function's address", source: tableSource("as on sm_89"), value: func(t *Target) string {
		return lowHigh(spelling(t).RelocAddrLo, spelling(t).RelocAddrHi)
	}},
	{name: "relocations of the return address", value: func(t *Target) string { return lowHigh(spelling(t).RelocRetLo, spelling(t).RelocRetHi) }},
	{name: "stack adjustment", source: addSource(false), value: func(t *Target) string {
		s := spelling(t)
		if s.AdjustSP == "" {
			return ""
		}
		text := s.AdjustSP + " " + regName(t.Regs.SP)
		if s.AddPT {
			text += ", PT, PT"
		}
		text += ", " + regName(t.Regs.SP) + ", n"
		if s.AdjustSPZero {
			text += ", " + regName(reg.RZ)
		}
		return text
	}},
	{name: "other spellings of the stack adjustment", source: addSource(true), value: func(t *Target) string { return spelling(t).AddDispute }},
	{name: "local loads", value: func(t *Target) string { return spelling(t).LoadLocal.String() }},
	{name: "local stores", value: func(t *Target) string { return spelling(t).StoreLocal.String() }},
	{name: "kernel parameter loads", value: func(t *Target) string { return spelling(t).LoadConst.String() }},
	{name: "kernel parameter loads with a register in the address", value: func(t *Target) string { return spelling(t).LoadConstIndexed.String() }},
	{name: "byte selection", value: func(t *Target) string { return spelling(t).SelectBytes }},
}

// large returns a function for a fact about large parameter blocks, "" for targets without them.
func large(value func(*Kernel) string) func(*Target) string {
	return func(t *Target) string {
		if t.Kernel.LargeParams == 0 {
			return ""
		}
		return value(&t.Kernel)
	}
}

// lowHigh returns the names of the relocations of two words, "" if there are none.
func lowHigh(low, high string) string {
	if low == "" && high == "" {
		return ""
	}
	return low + ", " + high
}

// multiFacts has the rows of Facts about multiprocessors.
var multiFacts = []factRow{
	{name: "registers of a multiprocessor", value: func(t *Target) string { return strconv.Itoa(multi(t).Registers) }},
	{name: "most threads on a multiprocessor", value: func(t *Target) string { return strconv.Itoa(multi(t).Threads) }},
	{name: "most blocks on a multiprocessor", value: func(t *Target) string { return strconv.Itoa(multi(t).Blocks) }},
}

func spelling(t *Target) *machine.Spelling    { return &machine.Of(t.SM).Spelling }
func multi(t *Target) *machine.Multiprocessor { return &machine.Of(t.SM).Multi }

const release118 = "11.8.89"

// since12 returns the releases of t.Toolkits without 11.8.
func since12(t *Target) string { return strings.Replace(t.Toolkits, release118+", ", "", 1) }

// largeSource is the source of facts about large parameter blocks, which
// ptxas 11.8 does not make.
func largeSource(t *Target) (Grade, string) {
	if t.Kernel.LargeParams == 0 {
		return Measured, ""
	}
	return Measured, since12(t)
}

// sinceSource is the source of the version from which large parameter blocks exist.
// For sm_100 and later, no assembler accepts PTX of an earlier version; for sm_88, only
// the first assembler that has the target does.
func sinceSource(t *Target) (Grade, string) {
	switch {
	case t.SM >= 100:
		return Documented, "PTX ISA, Kernel and Function Directives: .entry"
	case t.SM == 88:
		return Measured, "ptxas 13.0.88"
	}
	return largeSource(t)
}

// tableSource is the source of facts about the table of function addresses. ptxas 11.8 makes none;
// instead says what it does.
func tableSource(instead string) func(*Target) (Grade, string) {
	return func(t *Target) (Grade, string) {
		if spelling(t).IndirectTable == "" || !strings.Contains(t.Toolkits, release118) {
			return Measured, ""
		}
		return Measured, since12(t) + "; " + release118 + " " + instead
	}
}

// preserveSource is the source of facts about .abi_preserve, which ptxas
// accepts from 13.0 on.
func preserveSource(t *Target) (Grade, string) {
	if t.Passing.Preserving.Most == 0 {
		return Measured, ""
	}
	_, since, _ := strings.Cut(t.Toolkits, "13.0.")
	if since == "" { // 13.4 is the first release that has the target
		return Measured, ""
	}
	return Measured, "ptxas 13.0." + since
}

// addSource is the source of AdjustSP and Add, if releases disagree: the releases from 13.4 on,
// whose spellings the row has, or if before is set, the earlier ones.
func addSource(before bool) func(*Target) (Grade, string) {
	return func(t *Target) (Grade, string) {
		earlier, later, _ := strings.Cut(t.Toolkits, ", 13.4.")
		switch {
		case spelling(t).AddDispute == "":
			return Measured, ""
		case before:
			return Measured, earlier
		}
		return Measured, "ptxas 13.4." + later
	}
}

// disputedSource is the source of the uniform registers on which releases
// disagree: 12.4 to 12.9 preserve all of them, 11.8 the first.
func disputedSource(t *Target) (Grade, string) {
	if t.Regs.UniformDisputed == (RegSet{}) {
		return Measured, ""
	}
	var of []string
	for release := range strings.SplitSeq(strings.TrimPrefix(t.Toolkits, "ptxas "), ", ") {
		if strings.HasPrefix(release, "12.") {
			of = append(of, release)
		}
	}
	source := "ptxas " + strings.Join(of, ", ")
	if strings.Contains(t.Toolkits, release118) {
		source += "; the first also " + release118
	}
	return Measured, source
}

func alignOrigin(absolute bool) string {
	if absolute {
		return "the bank's start"
	}
	return "the block's start"
}

func bytes(n int) string { return fmt.Sprintf("%d bytes", n) }

// span returns the text form of n registers from first up, "R4:R15".
func span(first Reg, n int) string {
	return Placement{Loc: Loc{Kind: InReg, Reg: first}, Size: n * wordSize}.String()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
