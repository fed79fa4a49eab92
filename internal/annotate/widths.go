package annotate

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// How many registers operands are is from the disassembly of modules of our own
// with every operation of PTX in 64 bits and more, for each family. What is in
// none of the lists here and has modifiers that speak of a width is not known.
var (
	// pairs read and write pairs of registers, or all of their operands are
	// such, with a modifier .64, .U64 or .S64.
	pairs = words(`IADD IADD3 UIADD3 MOV UMOV SEL USEL IMNMX ISETP UISETP`)
	// twoHalves read and write pairs in any case.
	twoHalves = words(`DADD DMUL DFMA DMNMX FADD2 FMUL2 FFMA2 IADD64`)
	// funnels have .U64 and .S64 for what two of their operands are together.
	funnels     = words(`SHF USHF`)
	conversions = words(`F2F F2I I2F I2I FRND UF2I UI2F`)
	atomics     = words(`ATOM ATOMG ATOMS`)
	// storesData are followed by what they store, or do to memory.
	storesData = words(`ST STG STS STL STAS RED REDG REDS REDAS ATOM ATOMG ATOMS`)
	loadsData  = words(`LD LDG LDS LDL LDC ULDC LDCU`)
	// unmeasured are of the known operations those whose registers may be pairs
	// without a modifier that says so.
	unmeasured = words(`BRX BRXU JMX JMXU RET SUST SURED STSM LDGSTS`)
)

// writtenWords is how many registers an instruction writes from its destination
// on. It is exact if each of them is written for certain, and at least as many
// as there are otherwise.
func writtenWords(op string, mods []string) (n int, exact bool) {
	switch {
	case conversions()[op]:
		to, _ := converted(op, mods)
		return to, true
	case atomics()[op]:
		if n := dataWords(mods); n > 0 {
			return n, true
		}
		return 8, false
	case op == "MATCH" || funnels()[op] && !slices.Contains(mods, "64"):
		return 1, true
	case twoHalves()[op] || op == "LEPC" || op == "CS2R" && !slices.Contains(mods, "32"):
		return 2, true
	}
	n, exact = 1, true
	for _, m := range mods {
		switch m {
		case "WIDE":
			n, exact = max(n, 2), exact && (op == "IMAD" || op == "UIMAD")
		case "64", "F64", "S64", "U64":
			n, exact = max(n, 2), exact && (pairs()[op] || m == "64" && loadsData()[op])
		case "96", "128":
			n, exact = max(n, 4), exact && m == "128" && loadsData()[op]
		case "256":
			n, exact = 8, exact && loadsData()[op]
		}
	}
	return n, exact
}

// converted is of how many registers what a conversion makes is, and what it is
// made of. Formats that are not written have 32 bits; of two of one kind the
// first is what is made.
func converted(op string, mods []string) (to, from int) {
	to, from = 1, 1
	first := true
	for _, m := range mods {
		n := 1
		switch m {
		case "F64", "S64", "U64":
			n = 2
		case "F16", "F32", "BF16", "S8", "U8", "S16", "U16", "S32", "U32":
		default:
			continue
		}
		float := m[0] == 'F' || m[0] == 'B'
		switch strings.TrimPrefix(op, "U") {
		case "FRND":
			to, from = n, n
		case "F2I":
			if float {
				from = n
			} else {
				to = n
			}
		case "I2F":
			if float {
				to = n
			} else {
				from = n
			}
		default:
			if first {
				to = n
			} else {
				from = n
			}
		}
		first = false
	}
	return to, from
}

// dataWords is how many registers of data an access to memory has in one
// operand; 0: not known.
func dataWords(mods []string) int {
	n := 1
	for _, m := range mods {
		switch m {
		case "64", "U64", "S64", "F64", "F32x2":
			n = max(n, 2)
		case "96":
			n = max(n, 3)
		case "128", "F32x4":
			n = max(n, 4)
		case "256":
			n = max(n, 8)
		case "F16x2":
		default:
			if strings.Contains(m, "x") || strings.Contains(m, "_V") {
				return 0 // a vector of another kind
			}
		}
	}
	if slices.Contains(mods, "ENL2") {
		return n / 2 // in two operands
	}
	return n
}

// operandWords is how many registers or words of the constant bank an operand of
// an instruction is that is read; 0: not known.
func operandWords(in *sass.Instr, j, sm int) int {
	op, rest, _ := strings.Cut(in.Op, ".")
	mods := strings.Split(rest, ".")
	wide := slices.ContainsFunc(mods, func(m string) bool {
		return slices.Contains([]string{"64", "F64", "S64", "U64", "96", "128", "256", "WIDE"}, m)
	})
	switch {
	case unmeasured()[op]:
		return 0
	case storesData()[op]:
		return dataWords(mods)
	case conversions()[op]:
		_, from := converted(op, mods)
		return from
	case twoHalves()[op] || op == "DSETP" || op == "DSET":
		return 2
	case funnels()[op] && !slices.Contains(mods, "64"):
		return 1
	case op == "IMAD" || op == "UIMAD":
		if j == addend(in) && (slices.Contains(mods, "WIDE") || sm >= 70 && slices.Contains(mods, "HI")) {
			return 2
		}
		return 1
	case wide && (pairs()[op] && !slices.Contains(mods, "128") || op == "MATCH"):
		return 2
	case wide:
		return 0
	case writesNone()[op] || writesOne()[op] || writesUniform()[op] || op == "BMOV":
		return 1
	}
	return 0
}

// addend is the last operand that is no predicate.
func addend(in *sass.Instr) int {
	j := len(in.Args) - 1
	for j >= 0 && in.Args[j].Kind == sass.Pred {
		j--
	}
	return j
}

// stored is the first register that a store takes its data from: the operand
// behind the memory, RZ if that is none. A predicate may stand behind it.
func stored(in *sass.Instr) sass.Reg {
	behind := false
	for _, o := range in.Args {
		switch {
		case o.Kind == sass.Mem || o.Kind == sass.Address:
			behind = true
		case behind && o.Kind == sass.Register && dataWords(strings.Split(in.Op, ".")[1:]) == accessSize(in.Op)/4:
			return o.Reg
		case behind:
			return sass.RZ
		}
	}
	return sass.RZ
}

// addressWords is how many registers the address of an access to memory is in; 0:
// not known.
func addressWords(in *sass.Instr, o sass.Operand, sm int) int {
	op := base(in.Op)
	switch {
	case o.Suffix == "64":
		return 2
	case o.Suffix != "" || !slices.Contains(strings.Split(in.Op, "."), "E"):
		return 1
	case o.Kind == sass.Mem && (sm < 80 || atomics()[op]): // sm_80 and later write .64 for all others
		return 2
	case op == "LDGSTS": // in shared memory
		return 1
	}
	return 0
}
